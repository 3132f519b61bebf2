//! The messages of `graphql-transport-ws`.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

/// The subprotocol that is requested and required.
pub(super) const PROTOCOL: &str = "graphql-transport-ws";

/// A message of the service.
#[derive(Debug)]
pub(super) enum ServerMessage<'a> {
    Acknowledged,
    Ping(Option<&'a RawValue>),
    Pong,
    Next(&'a str, &'a RawValue),
    Failed(&'a str, Option<&'a RawValue>),
    Complete(&'a str),
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow, default)]
    id: Option<&'a str>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

impl<'a> ServerMessage<'a> {
    /// Reads a message. Returns `None` if the protocol does not have it.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let Wire { kind, id, payload } = serde_json::from_str(text).ok()?;
        Some(match (kind, id) {
            ("connection_ack", _) => Self::Acknowledged,
            ("ping", _) => Self::Ping(payload),
            ("pong", _) => Self::Pong,
            ("next", Some(id)) => Self::Next(id, payload?),
            ("error", Some(id)) => Self::Failed(id, payload),
            ("complete", Some(id)) => Self::Complete(id),
            _ => return None,
        })
    }
}

/// `connection_init`. The payload contains the token, so the text is a secret.
pub(super) fn init(payload: Option<Value>) -> String {
    match payload {
        Some(payload) => json!({ "type": "connection_init", "payload": payload }).to_string(),
        None => json!({ "type": "connection_init" }).to_string(),
    }
}

/// `subscribe`, with a payload that is JSON already.
pub(super) fn subscribe(id: u64, payload: &str) -> String {
    format!(r#"{{"id":"{id}","type":"subscribe","payload":{payload}}}"#)
}

/// `complete`: ends a subscription.
pub(super) fn complete(id: u64) -> String {
    format!(r#"{{"id":"{id}","type":"complete"}}"#)
}

/// `pong`, with the payload of the ping.
pub(super) fn pong(payload: Option<&RawValue>) -> String {
    match payload {
        Some(payload) => format!(r#"{{"type":"pong","payload":{payload}}}"#),
        None => r#"{"type":"pong"}"#.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::ServerMessage;

    #[test]
    fn what_is_no_message_is_refused() {
        for text in [
            "",
            "null",
            "[]",
            "{",
            r#"{"type":1}"#,
            r#"{"type":"next","id":"1"}"#,
            r#"{"type":"next","payload":{}}"#,
            r#"{"type":"next","id":1,"payload":{}}"#,
            r#"{"type":"complete"}"#,
            r#"{"type":"data","id":"1","payload":{}}"#,
        ] {
            assert!(ServerMessage::read(text).is_none(), "{text}");
        }
        assert!(matches!(
            ServerMessage::read(r#"{"type":"connection_ack","payload":{"a":1}}"#),
            Some(ServerMessage::Acknowledged)
        ));
        assert!(matches!(
            ServerMessage::read(r#"{"id":"7","type":"next","payload":{"data":null}}"#),
            Some(ServerMessage::Next("7", _))
        ));
    }
}
