//! The overview: the state of the sandbox, and a stream of its changes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::{Value, json};

use super::taken::ControlAnswer;
use super::{interface, operations, send};
use crate::clock;
use crate::error::Error;
use crate::fault::Rules;
use crate::media::EVENT_STREAM;
use crate::requests::Log;
use crate::state::Store;

/// Changes within this time are sent as one.
const GATHER: Duration = Duration::from_millis(200);
const SHOWN: usize = 50;

pub(super) async fn state(
    State(store): State<Arc<Store>>,
    State(log): State<Arc<Log>>,
    State(faults): State<Arc<Rules>>,
) -> ControlAnswer {
    Ok(send(StatusCode::OK, &overview(&store, &log, &faults)?))
}

/// Sends the state at once, and again after every change.
pub(super) async fn events(
    State(store): State<Arc<Store>>,
    State(log): State<Arc<Log>>,
    State(faults): State<Arc<Rules>>,
) -> Response {
    let mut ends = faults.socket_ends();
    let end = Box::pin(async move { drop(ends.changed().await) });
    let listeners = (log.subscribe(), store.hub().watch(), faults.watch(), store.clock().watch());
    let sources = (store, log, faults);
    let events = stream::unfold((sources, listeners, true), async |(sources, mut listeners, first)| {
        if !first {
            let (requests, work, rules, clock) = &mut listeners;
            // A lagging receiver still gets the newest state.
            tokio::select! {
                _ = requests.recv() => {}
                _ = work.changed() => {}
                _ = rules.changed() => {}
                _ = clock.changed() => {}
            }
            tokio::time::sleep(GATHER).await;
            while requests.try_recv().is_ok() {}
            work.mark_unchanged();
            rules.mark_unchanged();
            clock.mark_unchanged();
        }
        let (store, log, faults) = &sources;
        let overview = overview(store, log, faults).ok()?;
        let event = Ok::<_, Infallible>(Bytes::from(format!("event: state\nretry: 500\ndata: {overview}\n\n")));
        Some((event, (sources, listeners, false)))
    });
    let headers = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(events.take_until(end))).into_response()
}

fn overview(store: &Store, log: &Log, faults: &Rules) -> Result<Value, Error> {
    let requests = log.last();
    let recent = requests.iter().rev().take(SHOWN);
    let (operations, collections) = store.read(|state| {
        let operations: Vec<Value> = state.workflows.all().rev().take(SHOWN).map(operations::summary).collect();
        (operations, state.sizes())
    })?;
    Ok(json!({
        "clock": clock::timestamp_of(store.clock().now()),
        "pace": store.clock().pace(),
        "faults": interface::listed(faults),
        "eventFaults": interface::events(faults),
        "operations": operations,
        "resources": collections,
        "requests": recent.collect::<Vec<_>>(),
        "counts": log.counts(),
    }))
}
