//! Stored items for the control interface, and its reset.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use driftless_sandbox_control::interface::taken::{ControlAnswer, ControlRefusal, Sent};
use driftless_sandbox_control::interface::{Addresses, Control, Element, Resource, Resources, done, restore, send};
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::handle::{ServedContract, Service};
use super::route::Routed;
use crate::act::{ChangeRefused, Engine, Kept, Snapshot};
use crate::schema::Violation;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewItem {
    collection: String,
    key: Option<String>,
    #[serde(default)]
    fields: Map<String, Value>,
}

impl Resources for Service {
    type New = NewItem;

    fn addresses(&self) -> Result<Addresses, ControlRefusal> {
        let mut addresses = Addresses::default();
        for kept in self.engines().map(Engine::kept) {
            let files = kept.files.into_iter();
            let file = files.map(|(address, file)| (address, file.media_type.clone(), file.bytes.len()));
            addresses.files.extend(file);
            addresses.collections.extend(kept.collections);
            addresses.singles.extend(kept.singles);
        }
        Ok(addresses)
    }

    fn visit(
        &self,
        collection: &str,
        skip: usize,
        most: usize,
        see: &mut dyn FnMut(Element),
    ) -> Result<usize, ControlRefusal> {
        let page = self.engines().find_map(|engine| engine.items_at(collection, skip, most));
        let (count, items) = page.ok_or_else(|| ControlRefusal::missing("collection"))?;
        items.into_iter().filter_map(element).for_each(see);
        Ok(count)
    }

    fn at(&self, address: &str) -> Result<Option<Resource>, ControlRefusal> {
        Ok(self.engines().find_map(|engine| engine.kept_at(address)).and_then(|kept| match kept {
            Kept::Single(value) => Some(Resource::Single(Value::clone(&value))),
            Kept::File(file) => Some(Resource::File(file.media_type.clone(), file.bytes.to_vec())),
            item => element(item).map(Resource::Item),
        }))
    }

    fn create(&self, NewItem { collection, key, fields }: NewItem) -> Result<Element, ControlRefusal> {
        if key.as_ref().is_some_and(String::is_empty) {
            return Err(ControlRefusal::at("$.key", "write a part of a path, or leave the member out"));
        }
        let mut created = Err(ChangeRefused::Nowhere);
        for engine in self.engines() {
            created = engine.create_at(&collection, key.clone(), fields.clone());
            if !matches!(created, Err(ChangeRefused::Nowhere)) {
                break;
            }
        }
        let created = created.map_err(|refused| match refused {
            ChangeRefused::Nowhere => ControlRefusal::at(
                "$.collection",
                "the contract has no such collection: write its path with its parameters filled in",
            ),
            refused => refusal(refused, "$.fields"),
        })?;
        self.touched.send_replace(());
        element(created).ok_or_else(|| ControlRefusal::missing("item"))
    }

    fn replace(&self, address: &str, fields: Map<String, Value>) -> Result<Value, ControlRefusal> {
        let engine = self.engines().find(|engine| engine.kept_at(address).is_some());
        let engine = engine.ok_or_else(|| ControlRefusal::missing("item"))?;
        let changed = engine.replace_at(address, |stored| {
            let mut fields = fields;
            let complaints = restore(&mut fields, stored);
            if complaints.is_empty() { Ok(fields) } else { Err(ControlRefusal::from_complaints(complaints)) }
        })?;
        self.touched.send_replace(());
        Ok(Value::clone(&changed))
    }

    fn remove(&self, address: &str) -> Result<bool, ControlRefusal> {
        for engine in self.engines() {
            if engine.remove_at(address).map_err(ChangeRefused::Unsaved)? {
                self.touched.send_replace(());
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Service {
    fn engines(&self) -> impl Iterator<Item = &Engine> {
        self.parts.iter().map(|part| &part.engine)
    }
}

/// The whole state.
pub(super) async fn snapshot(State(service): State<Arc<Service>>) -> ControlAnswer {
    let _writing: Vec<_> = service.engines().map(Engine::writing).collect();
    let mut snapshot = Snapshot::default();
    service.engines().for_each(|engine| engine.save_to(&mut snapshot));
    Ok(send(StatusCode::OK, &json!(snapshot)))
}

/// Replaces the state of all contracts, or of none. Values are not checked against the contract.
pub(super) async fn restore_snapshot(
    State(service): State<Arc<Service>>,
    Sent(snapshot): Sent<Snapshot>,
) -> ControlAnswer {
    // The contract that has the address, with the longest base path before it, as for requests.
    let has = |part: &ServedContract, list: &str, address: &str, template: Option<&str>| {
        let methods = [Method::GET, Method::PUT, Method::PATCH, Method::POST];
        let is_routed = |method: &Method| match service.routed(method, address) {
            (Some(routed), Routed::Operations(_)) => std::ptr::eq(routed, part),
            _ => false,
        };
        part.engine.place_of(address).is_some()
            && match list {
                "collections" => part.engine.owner_at(address, template).is_some(),
                _ => methods.iter().any(is_routed),
            }
    };
    let mut owners = HashMap::new();
    for ((list, index), address, template) in snapshot.addresses() {
        let parts = service.parts.iter().enumerate().rev();
        let owner = parts
            .filter(|(_, part)| has(part, list, address, template))
            .max_by_key(|(_, part)| part.engine.contract.base_path.len());
        let Some((owner, _)) = owner else {
            return Err(ControlRefusal::at(format!("$.{list}[{index}].address"), "the contract has no such path"));
        };
        owners.insert((list, index), owner);
    }
    let states = service.engines().enumerate().map(|(index, engine)| {
        let state = engine.state_of(&snapshot, |place| owners.get(&place) == Some(&index));
        state.map_err(|unfit| match unfit {
            Ok((place, reason)) => ControlRefusal::at(place, reason),
            Err(full) => refusal(ChangeRefused::from(full), "$"),
        })
    });
    let states: Vec<_> = states.collect::<Result<_, _>>()?;
    // Nobody changes a part of the new state before all of it is saved.
    let _writing: Vec<_> = service.engines().map(Engine::writing).collect();
    let mut replaced = Vec::new();
    for (engine, state) in service.engines().zip(states) {
        let (before, saved) = engine.exchange(state);
        replaced.push((engine, before));
        if let Err(reason) = saved {
            // A part that cannot be saved back stays noted as changed: the next change saves it.
            replaced.into_iter().for_each(|(engine, before)| drop(engine.exchange(before)));
            return Err(ChangeRefused::Unsaved(reason).into());
        }
    }
    service.touched.send_replace(());
    Ok(done())
}

fn element(kept: Kept) -> Option<Element> {
    let Kept::Item(address, key, item) = kept else { return None };
    Some(Element { address, key, fields: Value::clone(&item.value), own: ("isInvented", item.is_invented().into()) })
}

impl From<ChangeRefused> for ControlRefusal {
    fn from(refused: ChangeRefused) -> Self {
        refusal(refused, "$")
    }
}

/// `place` is that of the fields in the body.
fn refusal(refused: ChangeRefused, place: &str) -> ControlRefusal {
    match refused {
        ChangeRefused::Nowhere => ControlRefusal::missing("item"),
        ChangeRefused::Parent(sentence) => ControlRefusal::at("$.collection", sentence),
        ChangeRefused::Exists(id) => {
            ControlRefusal::whole(StatusCode::CONFLICT, &format!("The item {id:?} exists: replace it."))
        }
        ChangeRefused::Shared(sentence) => ControlRefusal::whole(StatusCode::CONFLICT, &sentence),
        ChangeRefused::Identifier(name) => {
            ControlRefusal::at(format!("{place}.{name}"), "the identifier of an item cannot be changed")
        }
        ChangeRefused::NoFields => {
            ControlRefusal::at("address", "no fields are stored here; the API replaces the whole")
        }
        ChangeRefused::Invalid(violations) => {
            let complaint =
                |violation: Violation| (format!("{place}{}", violation.pointer.replace('/', ".")), violation.message);
            ControlRefusal::from_complaints(violations.into_iter().map(complaint).collect())
        }
        ChangeRefused::Full => {
            ControlRefusal::whole(StatusCode::INSUFFICIENT_STORAGE, "The state has no room: remove items, or reset it.")
        }
        ChangeRefused::Unsaved(reason) => {
            let detail = format!("The change cannot be saved: {reason}");
            ControlRefusal::whole(StatusCode::INTERNAL_SERVER_ERROR, &detail)
        }
    }
}

/// A part of the sandbox that can be reset on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResetPart {
    State,
    Faults,
    Clock,
    Requests,
    Issuer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResetOnly {
    only: Option<Vec<ResetPart>>,
}

pub(super) async fn reset(
    State(service): State<Arc<Service>>,
    State(control): State<Control>,
    Sent(ResetOnly { only }): Sent<ResetOnly>,
) -> ControlAnswer {
    let is_asked = |part| only.as_ref().is_none_or(|only| only.contains(&part));
    if is_asked(ResetPart::Clock) {
        control.clock.reset();
    }
    if is_asked(ResetPart::State) {
        service.engines().try_for_each(Engine::reset).map_err(ChangeRefused::Unsaved)?;
        service.touched.send_replace(());
    }
    if is_asked(ResetPart::Faults) {
        control.faults.clear();
    }
    if is_asked(ResetPart::Requests) {
        control.log.clear();
    }
    if is_asked(ResetPart::Issuer)
        && let Some(tokens) = &service.security.tokens
    {
        tokens.reset().map_err(ChangeRefused::Unsaved)?;
    }
    Ok(done())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokio::sync::watch;

    use super::super::route::Router;
    use super::super::security::Security;
    use super::*;
    use crate::behaviour::Behaviour;
    use crate::contract::Contract;
    use crate::infer;
    use crate::state::{Change, Keeper, State as Stored};

    #[derive(Debug)]
    struct Fails;

    impl Keeper for Fails {
        fn save(&self, _: &Stored, _: &BTreeSet<Change>) -> Result<(), String> {
            Err("the disk is full".to_owned())
        }
    }

    fn part(path: &str) -> ServedContract {
        let list =
            json!({ "200": { "content": { "application/json": { "schema": { "type": "array", "items": {} } } } } });
        let paths = json!({ path: { "get": { "responses": list }, "post": { "responses": {} } } });
        let contract = Contract::read(json!({ "openapi": "3.0.3", "paths": paths }).to_string().as_bytes()).unwrap();
        let plan = infer::plans(std::slice::from_ref(&contract), &Behaviour::default()).unwrap().remove(0);
        ServedContract { router: Router::new(&contract), engine: Engine::new(contract, plan, 1) }
    }

    /// Catches a state of one contract beside the one before of another, and an address that goes to the wrong contract.
    #[tokio::test]
    async fn a_snapshot_is_restored_for_all_contracts_or_for_none() {
        let state = |service: &Service| {
            let mut snapshot = Snapshot::default();
            service.engines().for_each(|engine| engine.save_to(&mut snapshot));
            json!(snapshot)
        };
        for fails in [true, false] {
            let (first, mut second) = (part("/a"), part("/b"));
            if fails {
                second.engine = second.engine.with_saved(Stored::default(), Box::new(Fails));
            }
            let service = Arc::new(Service {
                parts: vec![first, second],
                front: None,
                origin: String::new(),
                security: Security { demands: false, verifies: false, tokens: None },
                has_control_interface: true,
                touched: watch::Sender::new(()),
            });
            let before = state(&service);
            let sent = json!({ "collections": [{ "address": "/a" }, { "address": "/b" }] });
            let sent = Sent(serde_json::from_value(sent).unwrap());
            let restored = restore_snapshot(State(Arc::clone(&service)), sent).await;
            assert_eq!((restored.is_err(), state(&service) == before), (fails, fails));
        }
    }
}
