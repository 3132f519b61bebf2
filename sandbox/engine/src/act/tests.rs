//! The state of each real contract can be read by its addresses, and restored.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::{Call, Engine, Kept, Listed, Outcome, Preconditions, Snapshot};
use crate::behaviour::Behaviour;
use crate::contract::Contract;
use crate::infer;
use crate::request::Read;
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
#[ignore = "half a minute in a debug build: .ci/run --all runs it"]
fn all_contracts_have_states_that_are_restored() {
    share(&contracts());
}

/// Catches a made-up item that replaces the one of a request which was faster, or brings back a removed one.
#[test]
fn an_invented_item_replaces_no_other_one() {
    let item = json!({ "200": { "content": { "application/json": { "schema": { "type": "object" } } } } });
    let paths = json!({ "/a/{id}": { "get": { "responses": item }, "put": { "responses": item } } });
    let document = json!({ "openapi": "3.0.3", "paths": paths }).to_string();
    let engine = engine(Contract::read(document.as_bytes()).unwrap());
    let owner = (0, Vec::new());
    engine.begin(&owner, &engine.plan.collections[0]);
    engine.put_item(&owner, "own".to_owned(), json!({ "own": 1 }), false).unwrap();
    let stored = engine.put_invented(&owner, "own", json!({})).unwrap().unwrap();
    assert_eq!((&*stored.value, stored.is_invented()), (&json!({ "own": 1 }), false));
    engine.state().remove(&owner, "own");
    assert!(engine.put_invented(&owner, "own", json!({})).unwrap().is_none());
    assert!(engine.put_invented(&owner, "new", json!({})).unwrap().unwrap().is_invented());
}

/// As many items as a state has room for.
const MANY: u64 = 1_000_000;

/// Catches a page that looks at all items, and an answer that copies them.
#[test]
#[ignore = "a million items take half a minute in a debug build: .ci/run --all runs it"]
fn a_page_of_a_million_items_is_the_stored_items_alone() {
    let integer = json!({ "type": "integer" });
    let item = json!({ "type": "object", "properties": { "id": integer, "rank": integer } });
    let query = ["limit", "offset", "rank", "sort"].map(|name| json!({ "in": "query", "name": name, "schema": {} }));
    let answer = |schema| json!({ "200": { "content": { "application/json": { "schema": schema } } } });
    let id = json!([{ "in": "path", "name": "id", "required": true, "schema": integer }]);
    let paths = json!({
        "/rows": { "get": { "parameters": query, "responses": answer(json!({ "type": "array", "items": item })) } },
        "/rows/{id}": { "get": { "parameters": id, "responses": answer(item.clone()) } }
    });
    let document = json!({ "openapi": "3.0.3", "paths": paths }).to_string();
    let engine = engine(Contract::read(document.as_bytes()).unwrap());

    // The ranks are those of another order: 7,919 is coprime to a million.
    let rank = |id: u64| id * 7_919 % MANY;
    let mut saved = String::from("{\"collections\":[{\"address\":\"/rows\",\"items\":[");
    for id in 0..MANY {
        let comma = if id == 0 { "" } else { "," };
        write!(saved, "{comma}{{\"key\":\"{id}\",\"fields\":{{\"id\":{id},\"rank\":{}}}}}", rank(id)).unwrap();
    }
    saved.push_str("]}]}");
    let snapshot: Snapshot = serde_json::from_str(&saved).unwrap();
    drop(saved);
    let state = engine.state_of(&snapshot, |_| true).unwrap_or_else(|unfit| panic!("{unfit:?}"));
    drop(snapshot);
    assert!(engine.exchange(state).1.is_ok());

    let list = |query: serde_json::Value| -> Listed {
        let read = Read { query: query.as_object().unwrap().clone(), ..Read::default() };
        let call = Call {
            operation: &engine.contract.operations[0],
            planned: &engine.plan.operations[0],
            path: &[],
            place: "/rows",
            base: "",
            origin: "",
            media_type: "",
            read: &read,
            preconditions: &Preconditions::default(),
            part: None,
        };
        match engine.act(&call).0 {
            Outcome::List(listed) => listed,
            other => panic!("{other:?}"),
        }
    };
    let ids = |listed: &Listed| listed.page.iter().map(|item| item["id"].as_u64().unwrap()).collect::<Vec<_>>();
    // The stored item and the one of the page are one: nothing is copied.
    let is_stored = |listed: &Listed| listed.page.iter().all(|item| Arc::strong_count(item) == 2);

    let page = list(json!({ "limit": 20 }));
    assert_eq!((ids(&page), page.total), ((0..20).collect(), 1_000_000));
    assert_eq!(page.extent().looked_at, 20);
    assert!(is_stored(&page));
    let last = list(json!({ "limit": 20, "offset": MANY - 5 }));
    assert_eq!(ids(&last), (MANY - 5..MANY).collect::<Vec<_>>());
    assert!(last.extent().looked_at <= 20 + 10_000, "items before a page are passed over, not looked at");
    drop((page, last));

    let filtered = list(json!({ "rank": rank(77) }));
    assert_eq!((ids(&filtered), filtered.total), (vec![77], 1));
    assert!(is_stored(&filtered));
    drop(filtered);

    for (sort, wanted) in [("rank", [500_000, 500_001, 500_002]), ("-rank", [499_999, 499_998, 499_997])] {
        let sorted = list(json!({ "limit": 3, "offset": 500_000, "sort": sort }));
        assert_eq!(ids(&sorted).into_iter().map(rank).collect::<Vec<_>>(), wanted);
        assert_eq!(sorted.total, 1_000_000);
        assert!(is_stored(&sorted));
    }
}
