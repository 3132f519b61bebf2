//! Stored items for the control interface, and its reset.

use std::sync::Arc;

use axum::extract::State;
use driftless_sandbox_control::interface::taken::{ControlAnswer, ControlRefusal, Sent};
use driftless_sandbox_control::interface::{Addresses, Control, Element, Resource, Resources, done, restore, send};
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::handle::Service;
use super::route::Routed;
use crate::act::{ChangeRefused, Engine, Kept, Snapshot};
use crate::contract::encoded_segment;
use crate::schema::Violation;
use crate::state::Item;

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
        items.into_iter().for_each(|(key, item)| see(element(key, &item)));
        Ok(count)
    }

    fn at(&self, address: &str) -> Result<Option<Resource>, ControlRefusal> {
        Ok(self.engines().find_map(|engine| engine.kept_at(address)).map(|kept| match kept {
            Kept::Item(key, item) => Resource::Item(element(key, &item)),
            Kept::Single(value) => Resource::Single(Value::clone(&value)),
            Kept::File(file) => Resource::File(file.media_type.clone(), file.bytes.clone()),
        }))
    }

    fn create(&self, NewItem { collection, key, fields }: NewItem) -> Result<(String, Element), ControlRefusal> {
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
        let (key, item) = created.map_err(|refused| match refused {
            ChangeRefused::Nowhere => ControlRefusal::at(
                "$.collection",
                "the contract has no such collection: write its path with its parameters filled in",
            ),
            refused => refusal(refused, "$.fields"),
        })?;
        self.touched.send_replace(());
        Ok((format!("{collection}/{}", encoded_segment(&key)), element(key, &item)))
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
        Ok(changed.into())
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
    let mut snapshot = Snapshot::default();
    service.engines().for_each(|engine| engine.save_to(&mut snapshot));
    Ok(send(StatusCode::OK, &json!(snapshot)))
}

/// Replaces the state of all contracts, or of none. Values are not checked against the contract.
pub(super) async fn restore_snapshot(
    State(service): State<Arc<Service>>,
    Sent(snapshot): Sent<Snapshot>,
) -> ControlAnswer {
    let base = |index: usize| service.parts.get(index).map(|part| part.engine.contract.base_path.as_str());
    // The contract with the longest base path before an address, as for requests.
    let owner = |address: &str| {
        let all = (0..service.parts.len()).rev();
        all.filter(|index| base(*index).is_some_and(|base| address.starts_with(base)))
            .max_by_key(|index| base(*index).map(str::len))
    };
    let has_path = |address: &str| {
        let methods = [Method::GET, Method::PUT, Method::PATCH, Method::POST];
        methods.iter().any(|method| !matches!(service.routed(method, address).1, Routed::Unknown))
    };
    for (list, addresses) in snapshot.addresses() {
        let is_unknown = |address: &str| owner(address).is_none() || list != "collections" && !has_path(address);
        if let Some((index, _)) = addresses.iter().enumerate().find(|(_, address)| is_unknown(address)) {
            return Err(ControlRefusal::at(format!("$.{list}[{index}].address"), "the contract has no such path"));
        }
    }
    let states = service.engines().enumerate().map(|(index, engine)| {
        let state = engine.state_of(&snapshot, |address| owner(address) == Some(index));
        state.map_err(|unfit| match unfit {
            Ok((place, reason)) => ControlRefusal::at(place, reason),
            Err(full) => refusal(ChangeRefused::from(full), "$"),
        })
    });
    let states: Vec<_> = states.collect::<Result<_, _>>()?;
    service.engines().zip(states).try_for_each(|(engine, state)| engine.put_state(state))?;
    service.touched.send_replace(());
    Ok(done())
}

fn element(key: String, item: &Item) -> Element {
    Element { key, fields: Value::clone(&item.value), own: ("isInvented", item.is_invented.into()) }
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
    Ok(done())
}
