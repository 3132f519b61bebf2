//! The clock over HTTP.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::taken::{ControlAnswer, ControlRefusal, INT64, Sent, Whole};
use super::{Control, done, send};
use crate::clock;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SetClock {
    hold: Option<bool>,
    pace: Option<f64>,
    set: Option<String>,
    advance_milliseconds: Option<Whole<u64, 0, INT64>>,
    reset: Option<bool>,
}

pub(super) async fn get(State(Control { clock, .. }): State<Control>) -> Response {
    let now = clock::timestamp_of(clock.now());
    send(StatusCode::OK, &json!({ "now": now, "pace": clock.pace(), "isHeld": clock.pace() == 0.0 }))
}

/// Applies the reset first, then the moment, the pace, and the advance.
pub(super) async fn set(State(Control { clock, .. }): State<Control>, Sent(wanted): Sent<SetClock>) -> ControlAnswer {
    let moment = |text: &String| {
        let wrong = "write a moment as RFC 3339 has it, from 1970 to 9999: 2030-01-31T12:00:00Z";
        clock::milliseconds_of(text).ok_or_else(|| ControlRefusal::at("$.set", wrong))
    };
    let moment = wanted.set.as_ref().map(moment).transpose()?;
    if wanted.pace.is_some_and(|pace| !pace.is_finite() || pace < 0.0) {
        return Err(ControlRefusal::at("$.pace", "write 0 or more"));
    }
    if wanted.reset == Some(true) {
        clock.reset();
    }
    if let Some(moment) = moment {
        clock.set_milliseconds(moment);
    }
    match (wanted.pace, wanted.hold) {
        (Some(pace), _) => clock.set_pace(pace),
        (None, Some(true)) => clock.hold(),
        (None, Some(false)) => clock.set_pace(1.0),
        (None, None) => {}
    }
    if let Some(by) = wanted.advance_milliseconds {
        clock.advance(Duration::from_millis(by.0));
    }
    Ok(done())
}
