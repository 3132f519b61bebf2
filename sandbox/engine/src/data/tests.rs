//! The saved state is the one in memory, after any changes.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::restore::restore;
use super::shelf::Shelf;
use super::{Data, Error};
use crate::act::Engine;
use crate::behaviour::Behaviour;
use crate::contract::Contract;
use crate::infer;
use crate::seed::mix;
use crate::serve::Router;
use crate::state::{Item, Owner, State, StoredFile};

/// A collection, and one below its items. Their items can be anything.
fn engine() -> Engine {
    let array = json!({ "200": { "content": { "application/json": { "schema": { "type": "array", "items": {} } } } } });
    let item = json!({ "200": { "content": { "application/json": { "schema": {} } } } });
    let paths = json!({
        "/a": { "get": { "responses": array }, "post": { "responses": item } },
        "/a/{x}": { "get": { "responses": item }, "put": { "responses": item } },
        "/a/{x}/b": { "get": { "responses": array }, "post": { "responses": item } },
        "/a/{x}/b/{y}": { "get": { "responses": item } },
        "/v/{z}": { "get": { "responses": item } }
    });
    let contract = Contract::read(json!({ "openapi": "3.0.3", "paths": paths }).to_string().as_bytes()).unwrap();
    let plan = infer::plans(std::slice::from_ref(&contract), &Behaviour::default()).unwrap().remove(0);
    let collections = plan.collections.iter().map(|known| known.path.as_str());
    assert!(collections.take(2).eq(["/a", "/a/{x}/b"]));
    Engine::new(contract, plan, 1)
}

fn shelf(data: &Arc<Data>, engine: &Engine) -> Result<Shelf, Error> {
    let (contract, _) = data.contract("", "")?;
    let collections = engine.plan.collections.iter().map(|collection| collection.path.clone()).collect();
    Ok(Shelf { data: Arc::clone(data), contract, collections, mark: super::MARK })
}

fn saved(path: &Path, engine: &Engine) -> State {
    let data = Data::open(path).unwrap();
    restore(&shelf(&data, engine).unwrap(), Some((engine, &Router::new(&engine.contract))), None).unwrap()
}

#[test]
fn any_changes_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine();
    let mut kinds = HashSet::new();
    for seed in 0..20 {
        let path = folder.path().join(format!("{seed}.db"));
        let mut state = State::default();
        state.note_changes();
        for round in 0..5 {
            let data = Data::open(&path).unwrap();
            let shelf = shelf(&data, &engine).unwrap();
            for step in 0..40 {
                let random = |part: &str, below: u64| mix(seed, &[part, &round.to_string(), &step.to_string()]) % below;
                let id = format!("i{}", random("id", 5));
                let owner: Owner = match random("owner", 3) {
                    0 => (0, Vec::new()),
                    parent => (1, vec![format!("{parent}'\"/\u{1F600}")]),
                };
                let place = format!("/v/{}", random("place", 4));
                let kind = random("kind", 12);
                kinds.insert(kind);
                match kind {
                    0 => state.begin(owner, vec![(id, Item::new(json!({ "first": step }), true))]),
                    1..=4 => {
                        let item = Item::new(json!({ "z": [step, 1.5], "a": null }), step % 2 == 0);
                        // It needs the instance that it stands in.
                        let _ = state.put(&owner, id, item);
                    }
                    5 => drop(state.remove(&owner, &id)),
                    6 => state.clear(&owner),
                    7 => drop(state.number(&owner)),
                    8 => drop(state.set_value(place, json!({ "step": step })).unwrap()),
                    9 => {
                        let file = StoredFile { media_type: "a/b".to_owned(), bytes: vec![0, 255, seed as u8].into() };
                        state.set_file(place, file).unwrap();
                    }
                    10 => state.remove_below(if step % 2 == 0 { "/v" } else { &place }),
                    _ => state.forget(owner.0, &owner.1),
                }
                if random("save", 3) == 0 {
                    state.save(&shelf).unwrap();
                }
            }
            state.save(&shelf).unwrap();
            drop((shelf, data));
            let restored = saved(&path, &engine);
            assert_eq!(restored.described(), state.described(), "seed {seed}, round {round}");
            state = restored;
            state.note_changes();
        }
    }
    assert_eq!(kinds.len(), 12);
}

/// A change that cannot be saved stays noted: the next save has it.
#[test]
fn changes_outlast_a_save_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (path, engine) = (folder.path().join("state.db"), engine());
    let data = Data::open(&path).unwrap();
    let shelf = shelf(&data, &engine).unwrap();
    let mut state: State = State::default();
    state.note_changes();
    state.set_value("/v/1".to_owned(), json!(1)).unwrap();
    data.lock().execute_batch("ALTER TABLE value RENAME TO gone").unwrap();
    assert!(state.save(&shelf).unwrap_err().contains("value") && state.is_changed());
    data.lock().execute_batch("ALTER TABLE gone RENAME TO value").unwrap();
    state.save(&shelf).unwrap();
    assert!(!state.is_changed());
    drop((shelf, data));
    assert_eq!(saved(&path, &engine).described(), state.described());
}
