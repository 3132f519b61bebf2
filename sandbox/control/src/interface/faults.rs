//! Faults over HTTP: rules one by one, faults of events, ends of sockets.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::taken::{ControlAnswer, ControlRefusal, Count, INT32, Number, Sent, Whole};
use super::{Control, done, send};
use crate::fault::{Fault, FaultControl, FaultError, FaultRule, Rules, Waits};
use crate::requests::{RequestFilter, mask};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct AddFault {
    #[serde(default)]
    r#match: RequestFilter,
    times: Option<Whole<u32, 1, INT32>>,
    probability: Option<f64>,
    #[serde(default)]
    fault: String,
    /// A string is sent as it is, any other value as JSON.
    body: Option<Value>,
    media_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetEventFaults {
    drop: Option<Count<u32>>,
    duplicate: Option<Count<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndSockets {
    code: Option<Whole<u16, 1000, 4999>>,
}

impl AddFault {
    fn rule(self) -> Result<FaultRule, FaultError> {
        let mut fault: Fault = self.fault.parse()?;
        let (body, media_type) = match self.body {
            Some(Value::String(text)) => (Some(text), None),
            Some(value) => (Some(value.to_string()), Some("application/json; charset=utf-8".to_owned())),
            None => (None, None),
        };
        fault.body = body;
        fault.media_type = self.media_type.or(media_type);
        let times = self.times.map(|times| times.0);
        let rule = FaultRule { fault, filter: self.r#match, times, probability: 1.0 };
        Ok(match self.probability {
            Some(probability) => rule.probability(probability),
            None => rule,
        })
    }
}

/// The pending rules.
pub(super) fn listed(faults: &Rules) -> Vec<Value> {
    FaultControl::new(faults).list().iter().map(document).collect()
}

/// The pending faults of events of asynchronous work.
pub(super) fn events(faults: &Rules) -> Value {
    let (drop, duplicate) = faults.events.waiting();
    json!({ "drop": drop, "duplicate": duplicate })
}

fn document(waits: &Waits) -> Value {
    let Waits { id, rule, used, near_misses } = waits;
    let mut filter = json!(rule.filter);
    mask(&mut filter);
    json!({
        "id": id,
        "match": filter,
        "times": rule.times,
        "used": used,
        "probability": rule.probability,
        "fault": rule.fault.to_string(),
        "body": rule.fault.body,
        "mediaType": rule.fault.media_type,
        "nearMisses": near_misses,
    })
}

pub(super) async fn list(State(Control { faults, .. }): State<Control>) -> Response {
    send(StatusCode::OK, &json!({ "faults": listed(&faults), "eventFaults": events(&faults) }))
}

pub(super) async fn add(State(Control { faults, .. }): State<Control>, Sent(wanted): Sent<AddFault>) -> ControlAnswer {
    let rule = wanted.rule().map_err(refused)?;
    let id = FaultControl::new(&faults).add(rule.clone()).map_err(refused)?;
    Ok(send(StatusCode::CREATED, &document(&Waits { id, rule, used: 0, near_misses: Vec::new() })))
}

fn refused(error: FaultError) -> ControlRefusal {
    match error.member() {
        Some(member) => ControlRefusal::at(format!("$.{member}"), error),
        None => ControlRefusal::at("$", error),
    }
}

pub(super) async fn get(State(Control { faults, .. }): State<Control>, Whole(id): Number) -> ControlAnswer {
    let pending = FaultControl::new(&faults).list().into_iter().find(|waits| waits.id == id);
    pending.map(|waits| send(StatusCode::OK, &document(&waits))).ok_or_else(|| ControlRefusal::missing("fault"))
}

pub(super) async fn remove(State(Control { faults, .. }): State<Control>, Whole(id): Number) -> ControlAnswer {
    match FaultControl::new(&faults).remove(id) {
        true => Ok(done()),
        false => Err(ControlRefusal::missing("fault")),
    }
}

pub(super) async fn clear(State(Control { faults, .. }): State<Control>) -> Response {
    faults.clear();
    done()
}

pub(super) async fn set_events(
    State(Control { faults, .. }): State<Control>,
    Sent(wanted): Sent<SetEventFaults>,
) -> Response {
    let faults = FaultControl::new(&faults);
    wanted.drop.into_iter().for_each(|count| faults.drop_events(count.0));
    wanted.duplicate.into_iter().for_each(|count| faults.duplicate_events(count.0));
    done()
}

pub(super) async fn end_sockets(
    State(Control { faults, .. }): State<Control>,
    Sent(wanted): Sent<EndSockets>,
) -> ControlAnswer {
    let faults = FaultControl::new(&faults);
    match wanted.code {
        Some(code) => faults.close_sockets(code.0).map_err(refused)?,
        None => faults.reset_sockets(),
    }
    Ok(done())
}
