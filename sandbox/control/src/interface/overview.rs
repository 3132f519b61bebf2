//! The overview: the state of the sandbox, and a stream of its changes.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::{Map, Value, json};

use super::taken::ControlAnswer;
use super::{Control, faults, send};
use crate::clock;
use crate::media::EVENT_STREAM;

/// Changes within this time are sent as one.
const GATHER: Duration = Duration::from_millis(200);
const SHOWN: usize = 50;

pub(super) async fn state(State(control): State<Control>) -> ControlAnswer {
    let stored = control.overview.members()?;
    Ok(send(StatusCode::OK, &overview(&control, stored)))
}

/// Sends the state at once, and again after every change.
pub(super) async fn events(State(control): State<Control>) -> Response {
    let mut ends = control.faults.socket_ends();
    let end = Box::pin(async move { drop(ends.changed().await) });
    let listeners = (control.log.subscribe(), control.overview.watch(), control.faults.watch(), control.clock.watch());
    let events = stream::unfold((control, listeners, true), async |(control, mut listeners, first)| {
        if !first {
            let (requests, stored, rules, clock) = &mut listeners;
            // A lagging receiver still gets the newest state.
            tokio::select! {
                _ = requests.recv() => {}
                _ = stored.changed() => {}
                _ = rules.changed() => {}
                _ = clock.changed() => {}
            }
            tokio::time::sleep(GATHER).await;
            while requests.try_recv().is_ok() {}
            stored.mark_unchanged();
            rules.mark_unchanged();
            clock.mark_unchanged();
        }
        let overview = overview(&control, control.overview.members().ok()?);
        let event = Ok::<_, Infallible>(Bytes::from(format!("event: state\nretry: 500\ndata: {overview}\n\n")));
        Some((event, (control, listeners, false)))
    });
    let headers = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(events.take_until(end))).into_response()
}

fn overview(control: &Control, stored: Map<String, Value>) -> Value {
    let requests = control.log.last();
    let recent = requests.iter().rev().take(SHOWN);
    let mut overview = json!({
        "clock": clock::timestamp_of(control.clock.now()),
        "pace": control.clock.pace(),
        "faults": faults::listed(&control.faults),
        "eventFaults": faults::events(&control.faults),
        "requests": recent.collect::<Vec<_>>(),
        "counts": control.log.counts(),
    });
    if let Value::Object(members) = &mut overview {
        members.extend(stored);
    }
    overview
}
