//! Stored items over the control interface: collections, their items, one item to read and remove, and a reset.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, RawQuery, State};
use axum::routing::{get, post};
use driftless_sandbox_control::interface::taken::{ControlAnswer, ControlRefusal, Count, Sent};
use driftless_sandbox_control::interface::{Control, done, send};
use driftless_sandbox_control::requests::mask;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::handle::Service;
use crate::act::{Engine, Kept};
use crate::state::Item;

/// The default length of a list.
const LIMIT: usize = 100;

pub(super) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Control: FromRef<S>,
    Arc<Service>: FromRef<S>,
{
    Router::new()
        .route("/sandbox/collections", get(collections))
        .route("/sandbox/items", get(items))
        .route("/sandbox/item", get(item).delete(remove))
        .route("/sandbox/reset", post(reset))
}

/// The parameters of a query.
#[derive(Debug, Default)]
struct Asked {
    address: String,
    search: String,
    skip: usize,
    limit: Option<usize>,
}

/// Reads a query with known parameters, of which the first is an address.
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

/// A part of the sandbox that can be reset on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResetPart {
    State,
    Faults,
    Clock,
    Requests,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResetOnly {
    only: Option<Vec<ResetPart>>,
}

fn engines(service: &Service) -> impl Iterator<Item = &Engine> {
    service.parts.iter().map(|part| &part.engine)
}

async fn collections(State(service): State<Arc<Service>>) -> ControlAnswer {
    let (mut collections, mut singles, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for engine in engines(&service) {
        let kept = engine.kept();
        collections
            .extend(kept.collections.into_iter().map(|(address, count)| json!({ "address": address, "count": count })));
        singles.extend(kept.singles);
        files.extend(kept.files.into_iter().map(
            |(address, file)| json!({ "address": address, "mediaType": file.media_type, "length": file.bytes.len() }),
        ));
    }
    Ok(send(StatusCode::OK, &json!({ "collections": collections, "singles": singles, "files": files })))
}

async fn items(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let asked = asked(query, &["collection", "search", "skip", "limit"])?;
    let limit = asked.limit.unwrap_or(LIMIT);
    let (skip, most) = if asked.search.is_empty() { (asked.skip, limit) } else { (0, usize::MAX) };
    let items = engines(&service).find_map(|engine| engine.items_at(&asked.address, skip, most));
    let (count, items) = items.ok_or_else(|| ControlRefusal::missing("collection"))?;
    let all = items.iter().map(|(key, item)| described(&format!("{}/{key}", asked.address), key, item));
    let (total, page) = match asked.search.is_empty() {
        true => (count, all.collect()),
        // Masked values are not searched: a search must not reveal a secret piece by piece.
        false => page(all.filter(|item| holds(&item["fields"], &asked.search)), asked.skip, limit),
    };
    Ok(send(StatusCode::OK, &json!({ "collection": asked.address, "total": total, "items": page })))
}

/// The number of all values, and a page of them; the others are dropped one by one.
fn page(all: impl Iterator<Item = Value>, skip: usize, limit: usize) -> (usize, Vec<Value>) {
    all.fold((0, Vec::new()), |(count, mut page), value| {
        if count >= skip && page.len() < limit {
            page.push(value);
        }
        (count + 1, page)
    })
}

async fn item(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let Asked { address, .. } = asked(query, &["address"])?;
    let place = engines(&service).find_map(|engine| Some((engine, engine.kept_at(&address)?)));
    let (engine, kept) = place.ok_or_else(|| ControlRefusal::missing("item"))?;
    let mut document = match kept {
        Kept::Item(key, item) => described(&address, &key, &item),
        Kept::Single(value) => json!({ "address": address, "fields": masked(&value) }),
        Kept::File(file) => json!({ "address": address, "mediaType": file.media_type, "length": file.bytes.len() }),
    };
    let start = format!("{address}/");
    let below = engine.kept().collections.into_iter().filter(|(other, _)| other.starts_with(&start));
    document["below"] = below.map(|(address, count)| json!({ "address": address, "count": count })).collect();
    Ok(send(StatusCode::OK, &document))
}

/// Removes an item with everything below it.
async fn remove(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let Asked { address, .. } = asked(query, &["address"])?;
    let is_removed = engines(&service).try_fold(
        false,
        |is_removed, engine| {
            if is_removed { Ok(true) } else { engine.remove_at(&address) }
        },
    );
    match is_removed {
        Ok(true) => {
            service.touched.send_replace(());
            Ok(done())
        }
        Ok(false) => Err(ControlRefusal::missing("item")),
        Err(reason) => Err(unsaved(&reason)),
    }
}

async fn reset(
    State(service): State<Arc<Service>>,
    State(control): State<Control>,
    Sent(ResetOnly { only }): Sent<ResetOnly>,
) -> ControlAnswer {
    let is_asked = |part| only.as_ref().is_none_or(|only| only.contains(&part));
    if is_asked(ResetPart::Clock) {
        control.clock.reset();
    }
    if is_asked(ResetPart::State) {
        engines(&service).try_for_each(Engine::reset).map_err(|reason| unsaved(&reason))?;
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

fn unsaved(reason: &str) -> ControlRefusal {
    ControlRefusal::whole(StatusCode::INTERNAL_SERVER_ERROR, &format!("The change cannot be saved: {reason}"))
}

fn described(address: &str, key: &str, item: &Item) -> Value {
    json!({ "address": address, "key": key, "isInvented": item.is_invented, "fields": masked(&item.value) })
}

fn masked(value: &Value) -> Value {
    let mut value = value.clone();
    mask(&mut value);
    value
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
