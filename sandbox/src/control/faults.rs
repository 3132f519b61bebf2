//! Faults over HTTP: rules one by one, faults of events, ends of sockets.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{done, missing, read, send};
use crate::fault::{Fault, FaultControl, FaultRule, Rules, Waits};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AddFault {
    method: Option<String>,
    #[serde(default)]
    path: String,
    times: Option<u32>,
    probability: Option<f64>,
    #[serde(default)]
    fault: String,
    /// Text as it is, anything else as JSON.
    body: Option<Value>,
    media_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetEventFaults {
    drop: Option<u32>,
    duplicate: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndSockets {
    code: Option<u16>,
}

impl AddFault {
    fn rule(self) -> Result<FaultRule, String> {
        let mut fault: Fault = self.fault.parse().map_err(|error| format!("fault: {error}"))?;
        let (body, media_type) = match self.body {
            Some(Value::String(text)) => (Some(text), None),
            Some(value) => (Some(value.to_string()), Some("application/json; charset=utf-8".to_owned())),
            None => (None, None),
        };
        fault.body = body;
        fault.media_type = self.media_type.or(media_type);
        let rule = FaultRule { fault, method: self.method, path: self.path, times: self.times, probability: 1.0 };
        Ok(match self.probability {
            Some(probability) => rule.probability(probability),
            None => rule,
        })
    }
}

/// The rules that wait.
pub(super) fn listed(faults: &Rules) -> Vec<Value> {
    FaultControl(faults).list().iter().map(shown).collect()
}

/// What waits for the next events of asynchronous work.
pub(super) fn events(faults: &Rules) -> Value {
    let (drop, duplicate) = faults.events.waiting();
    json!({ "drop": drop, "duplicate": duplicate })
}

fn shown(waits: &Waits) -> Value {
    let Waits { id, rule, used } = waits;
    json!({
        "id": id,
        "method": rule.method,
        "path": rule.path,
        "times": rule.times,
        "used": used,
        "probability": rule.probability,
        "fault": rule.fault.to_string(),
        "body": rule.fault.body,
        "mediaType": rule.fault.media_type,
    })
}

pub(super) async fn list(State(faults): State<Arc<Rules>>) -> Response {
    send(StatusCode::OK, &json!({ "faults": listed(&faults), "eventFaults": events(&faults) }))
}

pub(super) async fn add(State(faults): State<Arc<Rules>>, body: Bytes) -> Response {
    let added = read(&body).and_then(AddFault::rule).and_then(|rule| {
        let id = FaultControl(&faults).add(rule.clone()).map_err(|error| error.to_string())?;
        Ok(shown(&Waits { id, rule, used: 0 }))
    });
    match added {
        Ok(rule) => send(StatusCode::CREATED, &rule),
        Err(message) => super::refuse(&message),
    }
}

pub(super) async fn get(State(faults): State<Arc<Rules>>, Path(id): Path<u64>) -> Response {
    let found = FaultControl(&faults).list().into_iter().find(|waits| waits.id == id);
    found.map_or_else(|| missing("fault"), |waits| send(StatusCode::OK, &shown(&waits)))
}

pub(super) async fn remove(State(faults): State<Arc<Rules>>, Path(id): Path<u64>) -> Response {
    match FaultControl(&faults).remove(id) {
        true => StatusCode::NO_CONTENT.into_response(),
        false => missing("fault"),
    }
}

pub(super) async fn clear(State(faults): State<Arc<Rules>>) -> Response {
    faults.clear();
    StatusCode::NO_CONTENT.into_response()
}

pub(super) async fn set_events(State(faults): State<Arc<Rules>>, body: Bytes) -> Response {
    done(read(&body).map(|wanted: SetEventFaults| {
        let faults = FaultControl(&faults);
        wanted.drop.into_iter().for_each(|count| faults.drop_events(count));
        wanted.duplicate.into_iter().for_each(|count| faults.duplicate_events(count));
    }))
}

pub(super) async fn end_sockets(State(faults): State<Arc<Rules>>, body: Bytes) -> Response {
    done(read(&body).and_then(|wanted: EndSockets| match wanted.code {
        // RFC 6455, section 7.4: no peer sends the others, and these three stand for a code that did not come.
        Some(code) if !(1000..5000).contains(&code) || [1005, 1006, 1015].contains(&code) => {
            Err(format!("a close frame cannot carry the code {code}; use 1000 to 4999, except 1005, 1006 and 1015"))
        }
        code => {
            faults.end_sockets(code);
            Ok(())
        }
    }))
}
