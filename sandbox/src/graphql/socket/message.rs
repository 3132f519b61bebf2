//! The messages that a client sends.

use async_graphql::Request;
use serde_json::Value;

use crate::graphql::request::of_value;

/// A message of the client.
#[derive(Debug)]
pub(super) enum Incoming {
    Init(Value),
    Ping(Option<Value>),
    Pong,
    Subscribe(String, Box<Request>),
    Complete(String),
}

/// Parses a message. The error is the reason for the refusal.
pub(super) fn read(text: &str) -> Result<Incoming, String> {
    let mut value: Value = serde_json::from_str(text).map_err(|_broken| "Invalid message: no JSON".to_owned())?;
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let payload = value.get_mut("payload").map(Value::take);
    let id = value.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
    if payload.as_ref().is_some_and(|payload| !payload.is_object() && !payload.is_null()) {
        return Err("Invalid message: the payload is not an object".to_owned());
    }
    match (kind.as_str(), id, payload) {
        ("connection_init", _, payload) => Ok(Incoming::Init(payload.unwrap_or_default())),
        ("ping", _, payload) => Ok(Incoming::Ping(payload)),
        ("pong", _, _) => Ok(Incoming::Pong),
        ("subscribe", Some(id), Some(payload)) => match of_value(payload) {
            Some(request) => Ok(Incoming::Subscribe(id, Box::new(request))),
            None => Err("Invalid message: the payload is not a GraphQL request".to_owned()),
        },
        ("complete", Some(id), _) => Ok(Incoming::Complete(id)),
        ("subscribe" | "complete", _, _) => Err("Invalid message: the id is missing".to_owned()),
        _ => Err("Invalid message: the type is unknown".to_owned()),
    }
}

/// The token of a `connection_init`: `Authorization` in either case, with or without its scheme, or `token`, or
/// `accessToken`.
pub(super) fn token(payload: &Value) -> Option<&str> {
    let names = ["Authorization", "authorization", "token", "accessToken"];
    let text = names.iter().find_map(|name| payload.get(*name))?.as_str()?;
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Some(token.trim()),
        _ => Some(text),
    }
}
