//! A server that implements a contract: it refuses requests that do not match the contract, and answers in the contract's shape.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use super::schemas::{Complaints, How, Schemas};

/// The manner in which the next request is answered.
#[derive(Clone)]
pub(super) struct Manner {
    pub(super) contract: Arc<Value>,
    /// The status among those of success; the first one if the operation does not have it.
    pub(super) status: String,
    pub(super) how: How,
}

/// A request as the service read it, and its answer.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) complaints: Complaints,
    /// The values read from the request: parameters by location and name, defaults included, and the body.
    pub(super) taken: Map<String, Value>,
    /// The JSON that it sent.
    pub(super) sent: Option<Value>,
}

#[derive(Default)]
struct Shared {
    manner: Option<Manner>,
    seen: Option<Seen>,
}

/// The service, on loopback.
pub(super) struct Service {
    pub(super) address: String,
    shared: Arc<Mutex<Shared>>,
}

impl Service {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Mutex::new(Shared::default()));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, shared }
    }

    pub(super) fn prepare(&self, manner: Manner) {
        *self.shared.lock().unwrap() = Shared { manner: Some(manner), seen: None };
    }

    /// The exchange of the last request; `None` if there was none.
    pub(super) fn seen(&self) -> Option<Seen> {
        self.shared.lock().unwrap().seen.take()
    }
}

async fn answer(State(shared): State<Arc<Mutex<Shared>>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let manner = shared.lock().unwrap().manner.clone().unwrap();
    let mut seen = Seen::default();
    let response = match read(&manner.contract, &head, &body, &mut seen) {
        Some(operation) if seen.complaints.refused.is_empty() => respond(&manner, operation, &head.headers, &mut seen),
        _ => Response::builder().status(400).body(Body::empty()).unwrap(),
    };
    shared.lock().unwrap().seen = Some(seen);
    response
}

/// The parameters of an operation and of its path.
pub(super) fn parameters<'c>(schemas: Schemas<'c>, item: &'c Value, operation: &'c Value) -> Vec<&'c Value> {
    let lists = [item, operation].into_iter().filter_map(|holder| holder["parameters"].as_array());
    lists.flatten().map(|parameter| schemas.resolve(parameter)).collect()
}

/// Reads a request. `None`: the contract has no such operation.
fn read<'c>(contract: &'c Value, head: &Parts, body: &[u8], seen: &mut Seen) -> Option<&'c Value> {
    let schemas = Schemas { contract, sent: true };
    let method = head.method.as_str().to_lowercase();
    let segments: Vec<&str> = head.uri.path().split('/').collect();
    let route = |template: &str| -> Option<(usize, Vec<String>)> {
        let parts: Vec<&str> = template.split('/').collect();
        let is_open = |part: &str| part.starts_with('{');
        let fits = parts.len() == segments.len()
            && parts.iter().zip(&segments).all(|(part, segment)| is_open(part) || part == segment);
        let values = parts.iter().zip(&segments).filter(|(part, _)| is_open(part));
        fits.then(|| (parts.iter().filter(|part| is_open(part)).count(), values.map(|(_, one)| decoded(one)).collect()))
    };
    let paths = contract["paths"].as_object()?.iter();
    let routes = paths.filter_map(|(path, item)| Some((route(path)?, path, item, item.get(&method)?)));
    let Some(((_, values), path, item, operation)) = routes.min_by_key(|((open, _), ..)| *open) else {
        seen.complaints.refused.push(format!("there is no {} {}", head.method, head.uri.path()));
        return None;
    };
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    // A placeholder is known by its position: its name is not on the wire.
    let places: BTreeMap<&str, (usize, &String)> = names.zip(values.iter().enumerate()).collect();
    let query = pairs(head.uri.query().unwrap_or_default());
    for parameter in parameters(schemas, item, operation) {
        let (place, name) = (parameter["in"].as_str()?, parameter["name"].as_str()?);
        let (key, values) = match place {
            "path" => {
                let Some((position, value)) = places.get(name) else { continue };
                (format!("path {position}"), vec![(*value).clone()])
            }
            "query" => {
                let values = query.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone());
                (format!("query {name}"), values.collect())
            }
            "header" => {
                let values = head.headers.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned());
                (format!("header {name}"), values.collect())
            }
            _ => continue,
        };
        let value = parameter_value(schemas, parameter, &values, &key, &mut seen.complaints);
        seen.taken.insert(key, value);
    }
    read_body(schemas, operation, &head.headers, body, seen);
    Some(operation)
}

/// The value that the service reads for a parameter.
fn parameter_value<'c>(
    schemas: Schemas<'c>,
    parameter: &'c Value,
    values: &[String],
    key: &str,
    complaints: &mut Complaints,
) -> Value {
    let declared = &parameter["schema"];
    let schema = schemas.resolve(declared);
    let [first, rest @ ..] = values else {
        if parameter["required"] == true {
            complaints.refused.push(format!("{key} is missing"));
        }
        return schema["default"].clone();
    };
    let typed = |schema: &'c Value, text: &str| match schemas.resolve(schema)["type"].as_str() {
        Some("integer" | "number" | "boolean") => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        _ => json!(text),
    };
    let is_exploded = parameter["explode"] != false && parameter["in"] == "query";
    let value = match schema["type"] == "array" {
        true if is_exploded => values.iter().map(|value| typed(&schema["items"], value)).collect(),
        _ if !rest.is_empty() => {
            complaints.refused.push(format!("{key} stands there {} times", values.len()));
            return Value::Null;
        }
        true => first.split(',').map(|value| typed(&schema["items"], value)).collect(),
        false => typed(declared, first),
    };
    schemas.check(declared, &value, key, complaints);
    value
}

fn read_body<'c>(schemas: Schemas<'c>, operation: &'c Value, headers: &HeaderMap, body: &[u8], seen: &mut Seen) {
    let declared = schemas.resolve(&operation["requestBody"]);
    let Some(content) = declared["content"].as_object() else {
        if !body.is_empty() {
            seen.complaints.refused.push("a body is sent, and none is declared".to_owned());
        }
        return;
    };
    if body.is_empty() && !headers.contains_key("content-type") {
        if declared["required"] == true {
            seen.complaints.refused.push("the body is missing".to_owned());
        }
        seen.taken.insert("body".to_owned(), Value::Null);
        return;
    }
    let kind = headers.get("content-type").map_or("", |kind| kind.to_str().unwrap());
    let kind = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    let Some(media) = content.get(&kind) else {
        seen.complaints.refused.push(format!("a body of the type {kind} is sent"));
        return;
    };
    let taken = if kind.ends_with("json") {
        let Ok(value) = serde_json::from_slice::<Value>(body) else {
            return seen.complaints.refused.push("the body is not JSON".to_owned());
        };
        schemas.check(&media["schema"], &value, "body", &mut seen.complaints);
        schemas.taken(&media["schema"], &value)
    } else if kind.starts_with("multipart/") {
        // Its boundary is another in each request.
        json!(kind)
    } else {
        json!(String::from_utf8_lossy(body))
    };
    seen.taken.insert("body".to_owned(), taken);
}

/// The statuses that stand for success.
pub(super) fn successes(operation: &Value) -> Vec<String> {
    let statuses = operation["responses"].as_object().into_iter().flatten().map(|(status, _)| status.clone());
    statuses.filter(|status| status.starts_with('2')).collect()
}

fn respond(manner: &Manner, operation: &Value, headers: &HeaderMap, seen: &mut Seen) -> Response {
    let schemas = Schemas { contract: &manner.contract, sent: false };
    let known = successes(operation);
    let status = known.iter().find(|status| **status == manner.status).or(known.first());
    let declared = status.map_or(&operation["responses"]["default"], |status| &operation["responses"][status.as_str()]);
    let declared = schemas.resolve(declared);
    let code = status.and_then(|status| status.replace('X', "0").parse::<u16>().ok()).unwrap_or(200);
    let mut response = Response::builder().status(code);
    for (name, header) in declared["headers"].as_object().into_iter().flatten() {
        let header = schemas.resolve(header);
        if manner.how != How::Least || header["required"] == true {
            let value = schemas.value(&header["schema"], manner.how);
            response = response.header(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    let Some(content) = declared["content"].as_object() else { return response.body(Body::empty()).unwrap() };
    let accept = headers.get("accept").map_or("*/*", |accept| accept.to_str().unwrap());
    let wanted = accept.split(',').map(|one| one.split(';').next().unwrap_or_default().trim());
    let chosen = wanted.filter_map(|one| {
        let mut all = content.iter();
        all.find(|(kind, _)| one == "*/*" || *kind == one || one.strip_suffix('*').is_some_and(|p| kind.starts_with(p)))
    });
    let Some((kind, media)) = chosen.into_iter().next() else {
        seen.complaints.refused.push(format!("only {accept} is asked for"));
        return Response::builder().status(406).body(Body::empty()).unwrap();
    };
    let body = if kind.ends_with("json") {
        let value = schemas.value(&media["schema"], manner.how);
        let text = value.to_string();
        seen.sent = Some(value);
        text
    } else if kind == "text/event-stream" {
        // One event, with a field for each member.
        let value = schemas.value(&media["schema"], manner.how);
        let field = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let fields = value.as_object().into_iter().flatten();
        let text: String = fields.map(|(name, value)| format!("{name}: {}\n", field(value))).collect();
        seen.sent = value.get("data").map(|data| json!({"data": field(data)}));
        text + "\n"
    } else {
        "text".to_owned()
    };
    response.header("content-type", kind).body(Body::from(body)).unwrap()
}

/// Names and values of a query.
fn pairs(query: &str) -> Vec<(String, String)> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(one, other)| (decoded(one), decoded(other)))
        .collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16)).unwrap();
        bytes.push(match byte {
            b'%' => (digit() * 16 + digit()) as u8,
            b'+' => b' ',
            other => other,
        });
    }
    String::from_utf8(bytes).unwrap()
}
