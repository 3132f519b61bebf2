//! Answers to valid requests: an outcome in the form that the contract declares.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::envelope::{envelope, named};
use super::files::file;
use super::media::{choose, concrete, encode, encode_items, essence};
use super::problem::{Problem, problem};
use super::reply::Reply;
use crate::act::{Call, Engine, Outcome, merge, tag};
use crate::contract::{Response, SchemaRef};
use crate::fit::Missing;
use crate::infer::{Role, plain, singular, success};
use crate::outline::Outline;
use crate::seed::mix;
use crate::state::StoredFile;

/// Headers that the server writes itself, or that would change how a client reads the body.
const OWN: [&str; 7] =
    ["content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "set-cookie", "date"];

/// Headers that a 304 has from the 200 that it stands for (RFC 9110, section 15.4.5), beside its tag.
const OF_NOT_MODIFIED: [&str; 4] = ["cache-control", "content-location", "expires", "vary"];

/// The answer to a checked request.
pub(crate) fn reply(engine: &Engine, call: &Call<'_>, accept: Option<&str>) -> Reply {
    let status = call.planned.answers.iter().find(|answer| answer.applies(call.read)).map(|answer| answer.status);
    if let Some(status) = status.filter(|status| *status >= 400) {
        let detail = "the behaviour file answers this request so".to_owned();
        return problem(Some((engine, call.operation)), &Problem { status, detail, violations: Vec::new() });
    }
    let (outcome, tagged) = engine.act(call);
    let tag = tagged.map(|value| ("ETag".to_owned(), tag(&value)));
    let refused = match &outcome {
        Outcome::Unknown(detail) => Some((404, detail.clone())),
        Outcome::Conflict(detail) => Some((409, detail.clone())),
        Outcome::Failed(detail) => Some((412, detail.clone())),
        Outcome::Unsaved(reason) => Some((507, format!("the state cannot be saved: {reason}"))),
        Outcome::Full => Some((507, "the sandbox's memory is full: delete items, or start it again".to_owned())),
        _ => None,
    };
    if let Some((status, detail)) = refused {
        return problem(Some((engine, call.operation)), &Problem { status, detail, violations: Vec::new() });
    }
    if let Outcome::NotModified(tag) = outcome {
        let full = success(call.operation, &[200]).map(|(_, response)| headers(engine, call, response));
        let mut headers = full.unwrap_or_default();
        headers.retain(|(name, _)| OF_NOT_MODIFIED.iter().any(|own| name.eq_ignore_ascii_case(own)));
        headers.push(("ETag".to_owned(), tag));
        return Reply { status: 304, headers, ..Reply::default() };
    }
    let statuses = status.as_ref().map_or_else(|| preferred(call, &outcome), std::slice::from_ref);
    let extent = match &outcome {
        Outcome::List(listed) => Some(listed.extent()),
        _ => None,
    };
    let Some((status, response)) = success(call.operation, statuses) else {
        return Reply { extent, headers: tag.into_iter().collect(), ..undeclared(call, &outcome) };
    };
    let mut reply = Reply { status, headers: headers(engine, call, response), extent, ..Reply::default() };
    // The sampled tag of a file that nobody has stored would meet no condition.
    if tag.is_some() || call.planned.role == Role::Download {
        reply.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("etag"));
        reply.headers.extend(tag);
    }
    if let Outcome::Item { id, is_created: true, .. } = &outcome {
        reply.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("location"));
        reply.headers.push(("Location".to_owned(), location(engine, call, id)));
    }
    if [204, 205, 304].contains(&status) || status < 200 {
        reply.is_invented = matches!(outcome, Outcome::Invented);
        return reply;
    }
    if let Outcome::File(file) = &outcome {
        return with_file(reply, file);
    }
    // The client gets the preferred form if it accepts none: the contract declares no 406, or it was sent before.
    let content = choose(&response.content, accept).unwrap_or_else(|()| crate::infer::json(&response.content));
    let Some(content) = content else {
        reply.is_invented = matches!(outcome, Outcome::Invented);
        return reply;
    };
    let media_type = concrete(&content.media_type);
    // A text in the schema of a file says no more than that it is a file.
    let is_file = |schema: &SchemaRef| {
        let shape = engine.plan.outlines.get(schema);
        shape.types.is_empty() && shape.members.is_empty()
            || shape.format.as_deref() == Some("binary")
            || shape.allows("file")
    };
    if matches!(outcome, Outcome::Invented | Outcome::Value(None))
        && content.examples.is_empty()
        && content.schema.as_ref().is_none_or(is_file)
        && let Some(bytes) = file(&essence(&media_type))
    {
        return Reply { body: bytes, media_type: Some(media_type), is_invented: true, ..reply };
    }
    let (value, is_invented) = match &content.schema {
        Some(schema) => body(engine, call, schema, &outcome, content.examples.first()),
        None => {
            (content.examples.first().cloned().unwrap_or_else(|| raw(&outcome)), matches!(outcome, Outcome::Invented))
        }
    };
    let name = call
        .planned
        .collection
        .and_then(|index| engine.plan.collections.get(index))
        .map_or("value", |collection| &collection.name);
    reply.body = match content.is_sequence {
        true => encode_items(&media_type, &value, name),
        false => encode(&media_type, &value, name),
    };
    reply.media_type = Some(media_type);
    reply.is_invented = is_invented;
    reply
}

/// The answer of an operation that declares no success, such as one with nothing but a 404: the state behind it, if there is any.
fn undeclared(call: &Call<'_>, outcome: &Outcome) -> Reply {
    let reply = Reply { status: default_status(call), ..Reply::default() };
    match outcome {
        Outcome::File(file) => with_file(reply, file),
        Outcome::Item { .. } | Outcome::List(_) | Outcome::Count(_) | Outcome::Value(Some(_))
            if reply.status != 204 =>
        {
            Reply {
                body: raw(outcome).to_string().into_bytes(),
                media_type: Some("application/json".to_owned()),
                ..reply
            }
        }
        _ => reply,
    }
}

fn with_file(reply: Reply, file: &StoredFile) -> Reply {
    Reply { media_type: Some(file.media_type.clone()), body: file.bytes.to_vec(), ..reply }
}

/// The value of an outcome whose response has no schema.
fn raw(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Item { value, .. } | Outcome::Value(Some(value)) => Value::clone(value),
        Outcome::List(listed) => Value::Array(listed.page.iter().map(|value| Value::clone(value)).collect()),
        Outcome::Count(count) => json!(count),
        _ => json!({}),
    }
}

fn default_status(call: &Call<'_>) -> u16 {
    match call.planned.role {
        Role::Create => 201,
        Role::Delete | Role::Clear => 204,
        _ => 200,
    }
}

fn preferred(call: &Call<'_>, outcome: &Outcome) -> &'static [u16] {
    match (call.planned.role, outcome) {
        (Role::Create, _) | (_, Outcome::Item { is_created: true, .. }) => &[201, 200, 202, 204],
        (Role::Delete | Role::Clear | Role::SingleDelete, _) => &[204, 200, 202],
        (Role::Upload, _) => &[201, 200, 202, 204],
        // A 201 would say that the item did not exist.
        (Role::Replace | Role::Patch, Outcome::Item { .. }) => &[200, 204, 202, 201],
        _ => &[200, 201, 202, 204],
    }
}

/// The path of a new item. A PUT names it in its own path.
fn location(engine: &Engine, call: &Call<'_>, id: &str) -> String {
    let collection = call.planned.collection.and_then(|index| engine.plan.collections.get(index));
    if let Some(collection) = collection.filter(|_| call.planned.role != Role::Create) {
        return format!("{}{}", call.base, engine.item_place(call, collection, id));
    }
    let id = percent_encoding::utf8_percent_encode(id, percent_encoding::NON_ALPHANUMERIC).to_string();
    let id = id.replace("%2D", "-").replace("%5F", "_").replace("%2E", ".").replace("%7E", "~");
    format!("{}{}/{id}", call.base, call.place.trim_end_matches('/'))
}

fn headers(engine: &Engine, call: &Call<'_>, response: &Response) -> Vec<(String, String)> {
    let seed = engine.seed_of_call(call);
    let declared = response.headers.iter().filter(|header| !OWN.contains(&header.name.to_ascii_lowercase().as_str()));
    declared
        .filter_map(|header| {
            let value = match engine.fitter().sample(&header.schema, mix(seed, &[&header.name])) {
                Value::String(text) => text,
                Value::Array(elements) => {
                    let texts =
                        elements.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                    texts.collect::<Vec<_>>().join(",")
                }
                Value::Null => return None,
                value => value.to_string(),
            };
            value.chars().all(|letter| (' '..='~').contains(&letter)).then(|| (header.name.clone(), value))
        })
        .collect()
}

/// The value for a schema, and whether it is only sampled.
fn body(
    engine: &Engine,
    call: &Call<'_>,
    schema: &SchemaRef,
    outcome: &Outcome,
    example: Option<&Value>,
) -> (Value, bool) {
    let (fitter, seed) = (engine.fitter(), engine.seed_of_call(call));
    let shape = engine.plan.outlines.get(schema);
    let fitted = match outcome {
        Outcome::List(listed) => return envelope(engine, call, schema, listed, seed),
        Outcome::Count(count) if shape.is_object() => {
            let members = shape.members.keys().filter(|name| named(name).is_some());
            let members: Map<String, Value> = members.map(|name| (name.clone(), json!(count))).collect();
            fitter.fit(schema, &Value::Object(members), Missing::Required, seed)
        }
        Outcome::Count(count) => fitter.fit(schema, &json!(count), Missing::Required, seed),
        Outcome::Item { value, id, is_invented, .. } => {
            let known = item(engine, call, &shape, value, id);
            let mut fitted = fitter.fit(schema, &known, Missing::Required, mix(seed, &[id]));
            fitted.is_invented |= *is_invented;
            fitted
        }
        Outcome::Value(Some(value)) => {
            let known = merge::wrapped(Value::clone(value), &call.planned.within);
            fitter.fit(schema, &known, Missing::AllBut(&[]), seed)
        }
        _ => return (engine.made_up(call, schema, example, seed), true),
    };
    (fitted.value, fitted.is_invented)
}

/// The item in the members of an answer. An answer of another form gets the identifier under the names that say so.
fn item(engine: &Engine, call: &Call<'_>, shape: &Outline, value: &Arc<Value>, id: &str) -> Value {
    if shape.is_array() && !shape.is_object() {
        return Value::Array(vec![Value::clone(value)]);
    }
    let collection = call.planned.collection.and_then(|index| engine.plan.collections.get(index));
    let key = collection
        .and_then(|collection| value.get(collection.identifier.as_ref()?))
        .cloned()
        .unwrap_or_else(|| json!(id));
    if shape.is_scalar() {
        return if shape.allows("boolean") { json!(true) } else { key };
    }
    let Some(collection) = collection.filter(|_| call.planned.within.is_empty()) else {
        return merge::wrapped(Value::clone(value), &call.planned.within);
    };
    let mut known = Value::clone(value);
    if let Some(members) = known.as_object_mut() {
        let own = format!("{}id", singular(&plain(&collection.name)));
        let parameter = collection.parameter.as_ref().map(|key| plain(&key.name));
        let is_key = |name: &str| ["id", own.as_str()].contains(&name) || parameter.as_deref() == Some(name);
        for name in shape.members.keys().filter(|name| is_key(&plain(name))) {
            members.entry(name.clone()).or_insert_with(|| key.clone());
        }
    }
    known
}
