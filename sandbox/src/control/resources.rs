//! Stored resources over HTTP: collections, their items, and one item to read, change and remove. The rules are those of the
//! contract: values that do not match its schema are refused, and an item keeps its identifier.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::taken::{ControlAnswer, ControlRefusal, Count, Sent};
use super::{Places, done, send};
use crate::contract::schema::Schema;
use crate::contract::{Contract, route};
use crate::problem::Complaint;
use crate::publication::Publication;
use crate::requests::mask;
use crate::state::{Blob, Item, Store, Stored};
use crate::values::{check, shape};

/// The default length of a list.
const LIMIT: usize = 100;
/// The maximum length of stored bytes that are presented as text.
const SHOWN: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CreateItem {
    collection: String,
    team_id: Option<Uuid>,
    key: Option<String>,
    #[serde(default)]
    fields: Item,
}

/// The query parameters of this part of the interface.
#[derive(Debug, Default)]
struct Asked {
    address: String,
    search: String,
    skip: usize,
    limit: Option<usize>,
}

fn asked(query: Option<String>, known: &[&str]) -> Result<Asked, ControlRefusal> {
    let mut asked = Asked::default();
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if !known.contains(&name.as_ref()) {
            return Err(ControlRefusal::unknown(&name, known));
        }
        match name.as_ref() {
            "skip" => asked.skip = Count::read("skip", &value)?,
            "limit" => asked.limit = Some(Count::read("limit", &value)?),
            "search" => asked.search = value.to_lowercase(),
            _ => asked.address = value.into_owned(),
        }
    }
    match known.first() {
        Some(first) if asked.address.is_empty() => Err(ControlRefusal::at(
            *first,
            "the parameter is missing: write an address, as /sandbox/collections lists them",
        )),
        _ => Ok(asked),
    }
}

/// Every collection with its number of items, singletons, and stored bytes.
pub(super) async fn collections(State(store): State<Arc<Store>>) -> ControlAnswer {
    Ok(store.read(|state| {
        let collections = state.collections().into_iter();
        let collections = collections.map(|(address, count)| json!({ "address": address, "count": count }));
        let files = state.blobs().into_iter().map(
            |(address, blob)| json!({ "address": address, "mediaType": blob.media_type, "length": blob.bytes.len() }),
        );
        let document = json!({
            "collections": collections.collect::<Vec<_>>(),
            "singles": state.singles(),
            "files": files.collect::<Vec<_>>(),
        });
        send(StatusCode::OK, &document)
    })?)
}

/// The items of a collection, newest first.
pub(super) async fn items(State(store): State<Arc<Store>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let asked = asked(query, &["collection", "search", "skip", "limit"])?;
    Ok(store.read(|state| {
        let as_element =
            |(key, team, fields): (&str, Uuid, &Item)| item(&format!("{}/{key}", asked.address), key, team, fields);
        let all = state.items(&asked.address).rev();
        let (skip, limit) = (asked.skip, asked.limit.unwrap_or(LIMIT));
        let (total, page): (usize, Vec<Value>) = if asked.search.is_empty() {
            (state.items(&asked.address).count(), all.skip(skip).take(limit).map(as_element).collect())
        } else {
            // Masked values are not searched: a search must not reveal a secret piece by piece.
            let matching: Vec<Value> = all.map(as_element).filter(|item| holds(item, &asked.search)).collect();
            (matching.len(), matching.into_iter().skip(skip).take(limit).collect())
        };
        send(StatusCode::OK, &json!({ "collection": asked.address, "total": total, "items": page }))
    })?)
}

/// Adds an item to a collection. Members that are left out get the plainest values that the schema allows.
pub(super) async fn create(
    State(store): State<Arc<Store>>,
    State(publication): State<Publication>,
    State(places): State<Places>,
    Sent(CreateItem { collection, team_id, key, mut fields }): Sent<CreateItem>,
) -> ControlAnswer {
    let id = fields.get("id").and_then(Value::as_str).map(str::to_owned);
    let key = key.or(id).unwrap_or_else(|| Uuid::new_v4().to_string());
    if key.is_empty() || key.contains(|letter: char| !letter.is_ascii_graphic() || "/%?#{}".contains(letter)) {
        return Err(ControlRefusal::at("$.key", "write a part of a path, without / % ? # { }"));
    }
    let team = team_id.unwrap_or_else(|| places.first_team());
    if !places.knows_team(team) {
        return Err(ControlRefusal::at("$.teamId", "write the identifier of a team, as /sandbox/directory lists them"));
    }
    let address = format!("{collection}/{key}");
    let Some(schema) = schema(publication.contract(), &address, true) else {
        let hint = "the contract has no such collection: write its path with its parameters filled in";
        return Err(ControlRefusal::at("$.collection", hint));
    };
    fields.entry("id").or_insert_with(|| key.clone().into());
    let mut item = shape::item(schema, &fields);
    if !item.contains_key("id") {
        fields.remove("id");
    }
    item.extend(fields);
    let complaints = check::complaints(schema, &item.clone().into());
    if !complaints.is_empty() {
        let below = |(place, message): Complaint| (place.replacen('$', "$.fields", 1), message);
        return Err(ControlRefusal::from_complaints(complaints.into_iter().map(below).collect()));
    }
    store.change(|state| {
        if state.stored(&address).is_some() {
            return Err(ControlRefusal::whole(
                StatusCode::CONFLICT,
                &format!("The item {address} exists: replace it."),
            ));
        }
        state.put(team, &collection, &key, item.clone());
        Ok(send(StatusCode::CREATED, &self::item(&address, &key, team, &item)))
    })?
}

/// The resource at an address, and the collections below it.
pub(super) async fn get(State(store): State<Arc<Store>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let Asked { address, .. } = asked(query, &["address"])?;
    store.read(|state| {
        let key = address.rsplit('/').next().unwrap_or_default();
        let mut document = match state.stored(&address) {
            Some(Stored::Item(team, fields)) => item(&address, key, team, fields),
            Some(Stored::Single(fields)) => json!({ "address": address, "fields": masked(fields) }),
            Some(Stored::Blob(blob)) => bytes(&address, blob),
            None => return Err(ControlRefusal::missing("item")),
        };
        let below = format!("{address}/");
        let collections = state.collections().into_iter().filter(|(address, _)| address.starts_with(&below));
        let collections = collections.map(|(address, count)| json!({ "address": address, "count": count }));
        document["below"] = collections.collect();
        Ok(send(StatusCode::OK, &document))
    })?
}

/// Replaces the fields of an item.
pub(super) async fn put(
    State(store): State<Arc<Store>>,
    State(publication): State<Publication>,
    RawQuery(query): RawQuery,
    Sent(mut fields): Sent<Item>,
) -> ControlAnswer {
    let Asked { address, .. } = asked(query, &["address"])?;
    store.change(|state| {
        let (stored, key) = match state.stored(&address) {
            Some(Stored::Item(_, stored)) => (stored, address.rsplit('/').next()),
            Some(Stored::Single(stored)) => (stored, None),
            Some(Stored::Blob(_)) => {
                return Err(ControlRefusal::at("address", "these are bytes; the API replaces them"));
            }
            None => return Err(ControlRefusal::missing("item")),
        };
        let mut kept = Vec::new();
        let presented = masked(stored);
        unmask(&mut fields, &presented, stored, "", &mut kept);
        let mut complaints = changed_identifiers(stored, &fields, key);
        // Values that were restored stay masked.
        let will_present = masked(&fields);
        let is_revealed = |place: &&String| will_present.pointer(place) != presented.pointer(place);
        complaints.extend(kept.iter().filter(is_revealed).map(|place| {
            (
                format!("$.{}", place[1..].replace('/', ".")),
                "The value is masked: send the value itself, or keep the member secret.".to_owned(),
            )
        }));
        if let Some(schema) = schema(publication.contract(), &address, key.is_some()) {
            complaints.extend(check::complaints(schema, &fields.clone().into()));
        }
        if !complaints.is_empty() {
            return Err(ControlRefusal::from_complaints(complaints));
        }
        state.overwrite(&address, fields.clone());
        Ok(send(StatusCode::OK, &json!({ "address": address, "fields": masked(&fields) })))
    })?
}

/// Removes an item with everything below it.
pub(super) async fn remove(State(store): State<Arc<Store>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let Asked { address, .. } = asked(query, &["address"])?;
    store.change(|state| match state.discard(&address) {
        true => Ok(done()),
        false => Err(ControlRefusal::missing("item")),
    })?
}

fn item(address: &str, key: &str, team: Uuid, fields: &Item) -> Value {
    json!({ "address": address, "key": key, "teamId": team, "fields": masked(fields) })
}

fn bytes(address: &str, blob: &Blob) -> Value {
    let text = std::str::from_utf8(&blob.bytes).ok().filter(|text| text.len() <= SHOWN);
    json!({ "address": address, "mediaType": blob.media_type, "length": blob.bytes.len(), "text": text })
}

fn masked(fields: &Item) -> Value {
    let mut value = Value::Object(fields.clone());
    mask(&mut value);
    value
}

/// Restores masked members that come back unchanged; their places are added to `kept`.
fn unmask(fields: &mut Item, presented: &Value, stored: &Item, place: &str, kept: &mut Vec<String>) {
    for (name, value) in fields {
        let below = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
        match (value, presented.get(name), stored.get(name)) {
            (value, Some(presented), Some(stored)) if value == presented && presented != stored => {
                *value = stored.clone();
                kept.push(below);
            }
            (Value::Object(fields), Some(presented), Some(Value::Object(stored))) => {
                unmask(fields, presented, stored, &below, kept)
            }
            _ => {}
        }
    }
}

/// Refuses changes to members that hold the key of the item.
fn changed_identifiers(stored: &Item, fields: &Item, key: Option<&str>) -> Vec<Complaint> {
    let says_key = |(name, value): &(&String, &Value)| *name == "id" || key.is_some() && value.as_str() == key;
    let changed = stored.iter().filter(says_key).filter(|(name, value)| fields.get(*name) != Some(value));
    changed.map(|(name, _)| (format!("$.{name}"), "The identifier of an item cannot be changed.".to_owned())).collect()
}

/// The schema of the resource at an address: an item of a collection, or a singleton.
fn schema(contract: &'static Contract, address: &str, is_item: bool) -> Option<&'static Schema> {
    let template = |address: &str| route::template(contract, &Method::GET, address);
    let parent = |path: &'static str| path.rsplit_once('/').map(|(collection, _)| collection);
    if is_item {
        let (collection, _) = address.rsplit_once('/')?;
        let collection = template(collection).or_else(|| template(address).and_then(parent))?;
        return contract.item_schema(collection);
    }
    let path = template(address)?;
    let mut all = contract.operations.iter();
    all.find(|operation| operation.method == Method::GET && operation.path == path)?.json_schema("200")
}

/// Returns whether a value, or one within it, contains a text.
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::Object(members) => members.values().any(|member| holds(member, text)),
        Value::Array(elements) => elements.iter().any(|element| holds(element, text)),
        Value::String(string) => string.to_lowercase().contains(text),
        other => other.to_string().contains(text),
    }
}
