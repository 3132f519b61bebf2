//! The state of each real contract can be read by its addresses, and restored.

use std::path::PathBuf;

use serde_json::json;

use super::{Engine, Kept, Snapshot};
use crate::behaviour::Behaviour;
use crate::contract::Contract;
use crate::infer;
use crate::schema::tests::corpus::contracts;

fn engine(contract: Contract) -> Engine {
    let plan = infer::plans(std::slice::from_ref(&contract), &Behaviour::default()).unwrap().remove(0);
    Engine::new(contract, plan, 1)
}

fn snapshot(engine: &Engine) -> Snapshot {
    let mut snapshot = Snapshot::default();
    engine.save_to(&mut snapshot);
    snapshot
}

/// Every collection has begun, those below items with these parents.
fn check(name: &str, contract: impl Fn() -> Contract, faults: &mut Vec<String>) {
    let (first, other) = (engine(contract()), engine(contract()));
    for (index, collection) in first.plan.collections.iter().enumerate() {
        first.begin(&(index, vec!["a b/%2F".to_owned(); collection.parents.len()]), collection);
    }
    let saved = json!(snapshot(&first));
    match other.state_of(&snapshot(&first), |_| true) {
        Ok(state) => assert!(other.exchange(state).1.is_ok()),
        Err(unfit) => faults.push(format!("{name}: {unfit:?}")),
    }
    if json!(snapshot(&other)) != saved {
        faults.push(format!("{name}: the restored state differs"));
    }
    for (address, count) in first.kept().collections {
        let Some((_, items)) = first.items_at(&address, 0, 9).filter(|(read, _)| *read == count) else {
            faults.push(format!("{name}: {address:?} has {count} items, and is not read"));
            continue;
        };
        for item in items {
            let Kept::Item(address, id, _) = item else { continue };
            let is_read = |kept: &Kept| matches!(kept, Kept::Item(_, read, _) if *read == id);
            if !first.kept_at(&address).as_ref().is_some_and(is_read) {
                faults.push(format!("{name}: {id:?} is not read at {address:?}"));
            }
        }
    }
}

fn share(files: &[PathBuf]) {
    let mut faults = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        if Contract::read(&bytes).is_ok() {
            let name = file.file_name().unwrap().display().to_string();
            check(&name, || Contract::read(&bytes).unwrap(), &mut faults);
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Catches addresses of collections whose paths end with a slash, or have the key in brackets, and those at the root.
#[test]
fn addresses_lead_to_collections_and_items() {
    let item = json!({ "200": { "content": { "application/json": { "schema": { "type": "object", "properties": { "id": { "type": "string" } } } } } } });
    let list = json!({ "200": { "content": { "application/json": { "schema": { "type": "array", "items": {
        "type": "object", "properties": { "id": { "type": "string" } } } } } } } });
    let mut paths = serde_json::Map::new();
    for path in ["/alliances/", "/Products", "/a b", "/", "/users/me/keys", "/users/{user}/keys"] {
        paths.insert(path.to_owned(), json!({ "get": { "responses": list } }));
    }
    for path in
        ["/alliances/{id}/", "/Products({id})", "/Orders({id})", "/a b/{id}", "/{id}", "/users/{user}/keys/{id}"]
    {
        paths.insert(path.to_owned(), json!({ "get": { "responses": item } }));
    }
    for base in ["/", "/v1"] {
        let document = json!({ "openapi": "3.0.3", "servers": [{ "url": base }], "paths": paths }).to_string();
        let mut faults = Vec::new();
        check(base, || Contract::read(document.as_bytes()).unwrap(), &mut faults);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let engine = engine(Contract::read(document.as_bytes()).unwrap());
        let base = base.trim_end_matches('/');
        for address in ["/alliances", "/Products", "/Orders", "/users/me/keys"] {
            assert!(engine.items_at(&format!("{base}{address}"), 0, 1).is_some(), "{address}");
        }
        assert!(engine.items_at("/v1alliances", 0, 1).is_none());
    }
}

#[test]
fn a_few_contracts_have_states_that_are_restored() {
    share(&contracts().into_iter().step_by(12).collect::<Vec<_>>());
}

#[test]
#[ignore = "half a minute in a debug build: .ci/run runs it"]
fn all_contracts_have_states_that_are_restored() {
    share(&contracts());
}
