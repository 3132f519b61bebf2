//! What a person or a program in another language changes about a running sandbox: the handles of [`crate::Sandbox`] over
//! HTTP, below `/sandbox`. The document knows nothing of this.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRef, Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::{StreamExt, stream};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST};
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::{Fault, FaultControl, Rules};
use crate::issuer::{ApiTokenFormat, ErrorStyle, Issuer, IssuerControl, RefreshPolicy};
use crate::live::EVENT_STREAM;
use crate::requests::Log;
use crate::state::Store;
use crate::{clock, problem, reply};

/// How long changes are gathered before the overview hears of them.
const GATHER: Duration = Duration::from_millis(200);
const SHOWN: usize = 50;

/// The addresses below `/sandbox`.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<Issuer>: FromRef<S>,
    Arc<Store>: FromRef<S>,
    Arc<Rules>: FromRef<S>,
    Arc<Log>: FromRef<S>,
{
    Router::new()
        .route("/sandbox/state", get(state))
        .route("/sandbox/events", get(events))
        .route("/sandbox/reset", post(reset))
        .route("/sandbox/clock", post(set_clock))
        .route("/sandbox/faults", post(add_fault).delete(clear_faults))
        .route("/sandbox/event-faults", post(set_event_faults))
        .route("/sandbox/sockets", post(end_sockets))
        .route("/sandbox/issuer", post(set_issuer))
        .layer(from_fn(guard))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetClock {
    hold: Option<bool>,
    pace: Option<f64>,
    advance_milliseconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddFault {
    method: Option<String>,
    #[serde(default)]
    path: String,
    times: Option<u32>,
    fault: String,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetIssuer {
    token_lifetime_seconds: Option<u64>,
    refresh_lifetime_seconds: Option<u64>,
    refresh_policy: Option<String>,
    refresh_leeway_seconds: Option<u64>,
    error_style: Option<String>,
    api_token_format: Option<String>,
    clock_skew_seconds: Option<i64>,
    rotate_key: Option<bool>,
    retire_old_keys: Option<bool>,
}

/// Pages of other origins may not reach this: a name that leads to this address is refused, and so is a form.
async fn guard(request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if !["127.0.0.1", "localhost", "[::1]"].contains(&name) {
        return problem::response(StatusCode::FORBIDDEN, "The host has to be the loopback address.");
    }
    if request.method() == Method::POST && reply::essence(request.headers()) != "application/json" {
        return problem::response(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The content type has to be application/json.");
    }
    next.run(request).await
}

async fn state(State(store): State<Arc<Store>>, State(log): State<Arc<Log>>) -> Response {
    match overview(&store, &log) {
        Some(overview) => ([(CONTENT_TYPE, "application/json")], overview.to_string()).into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The state at once, and again after every change.
async fn events(
    State(store): State<Arc<Store>>,
    State(log): State<Arc<Log>>,
    State(faults): State<Arc<Rules>>,
) -> Response {
    let mut ends = faults.socket_ends();
    let end = Box::pin(async move { drop(ends.changed().await) });
    let listeners = (log.subscribe(), store.hub().subscribe());
    let events = stream::unfold((store, log, listeners, true), async |(store, log, mut listeners, first)| {
        if !first {
            let (requests, notices) = (&mut listeners.0, &mut listeners.1);
            // Whoever lagged behind hears the newest state all the same.
            tokio::select! {
                _ = requests.recv() => {}
                _ = notices.recv() => {}
            }
            tokio::time::sleep(GATHER).await;
            while requests.try_recv().is_ok() {}
            while notices.try_recv().is_ok() {}
        }
        let overview = overview(&store, &log)?;
        let event = Ok::<_, Infallible>(Bytes::from(format!("event: state\ndata: {overview}\n\n")));
        Some((event, (store, log, listeners, false)))
    });
    let headers = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(events.take_until(end))).into_response()
}

fn overview(store: &Store, log: &Log) -> Option<Value> {
    let requests = log.last();
    let recent = requests.iter().rev().take(SHOWN);
    let (operations, collections) = store
        .read(|state| {
            let operation = |workflow: &crate::workflow::Workflow| {
                json!({
                    "id": workflow.id,
                    "kind": workflow.kind.name(),
                    "state": format!("{:?}", workflow.phase),
                    "isOver": workflow.is_over(),
                    "target": workflow.target,
                    "updatedAt": clock::timestamp_of(workflow.updated),
                    "lastEvent": workflow.events.last().map(|event| &event.kind),
                })
            };
            let operations: Vec<Value> = state.workflows.all().rev().take(SHOWN).map(operation).collect();
            (operations, state.sizes())
        })
        .ok()?;
    Some(json!({
        "clock": clock::timestamp_of(store.clock().now()),
        "operations": operations,
        "resources": collections,
        "requests": recent.collect::<Vec<_>>(),
        "counts": log.counts(),
    }))
}

async fn reset(State(store): State<Arc<Store>>) -> Response {
    match store.reset() {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => problem::response(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn set_clock(State(store): State<Arc<Store>>, body: Bytes) -> Response {
    answer(&body, |wanted: SetClock| {
        let clock = store.clock();
        match (wanted.pace, wanted.hold) {
            (Some(pace), _) => clock.set_pace(pace),
            (None, Some(true)) => clock.hold(),
            (None, Some(false)) => clock.set_pace(1.0),
            (None, None) => {}
        }
        if let Some(by) = wanted.advance_milliseconds {
            clock.advance(Duration::from_millis(by));
        }
        Ok(())
    })
}

async fn add_fault(State(faults): State<Arc<Rules>>, body: Bytes) -> Response {
    answer(&body, |wanted: AddFault| {
        let fault: Fault = wanted.fault.parse().map_err(|error| format!("{error}"))?;
        let method = match wanted.method.map(|method| Method::from_bytes(method.as_bytes())) {
            Some(method) => Some(method.map_err(|_invalid| "method is no HTTP method".to_owned())?),
            None => None,
        };
        faults.add(method, &wanted.path, wanted.times, fault);
        Ok(())
    })
}

async fn clear_faults(State(faults): State<Arc<Rules>>) -> Response {
    faults.clear();
    StatusCode::NO_CONTENT.into_response()
}

async fn set_event_faults(State(faults): State<Arc<Rules>>, body: Bytes) -> Response {
    answer(&body, |wanted: SetEventFaults| {
        let faults = FaultControl(&faults);
        wanted.drop.into_iter().for_each(|count| faults.drop_events(count));
        wanted.duplicate.into_iter().for_each(|count| faults.duplicate_events(count));
        Ok(())
    })
}

async fn end_sockets(State(faults): State<Arc<Rules>>, body: Bytes) -> Response {
    answer(&body, |wanted: EndSockets| {
        faults.end_sockets(wanted.code);
        Ok(())
    })
}

async fn set_issuer(State(issuer): State<Arc<Issuer>>, body: Bytes) -> Response {
    answer(&body, |wanted: SetIssuer| {
        let issuer = IssuerControl(&issuer);
        let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
        seconds(wanted.token_lifetime_seconds).into_iter().for_each(|lifetime| issuer.set_token_lifetime(lifetime));
        seconds(wanted.refresh_lifetime_seconds).into_iter().for_each(|lifetime| issuer.set_refresh_lifetime(lifetime));
        let leeway = seconds(wanted.refresh_leeway_seconds).unwrap_or(Duration::from_secs(30));
        match wanted.refresh_policy.as_deref() {
            Some("reused") => issuer.set_refresh_policy(RefreshPolicy::Reused),
            Some("rolling") => issuer.set_refresh_policy(RefreshPolicy::Rolling { leeway }),
            Some(_) => return Err("refreshPolicy is reused or rolling".to_owned()),
            None => {}
        }
        match wanted.error_style.as_deref() {
            Some("duende") => issuer.set_error_style(ErrorStyle::Duende),
            Some("openiddict") => issuer.set_error_style(ErrorStyle::OpenIddict),
            Some(_) => return Err("errorStyle is duende or openiddict".to_owned()),
            None => {}
        }
        match wanted.api_token_format.as_deref() {
            Some("opaque") => issuer.set_api_token_format(ApiTokenFormat::Opaque),
            Some("jwt") => issuer.set_api_token_format(ApiTokenFormat::Jwt),
            Some(_) => return Err("apiTokenFormat is opaque or jwt".to_owned()),
            None => {}
        }
        wanted.clock_skew_seconds.into_iter().for_each(|skew| issuer.set_clock_skew(skew));
        if wanted.rotate_key == Some(true) {
            issuer.rotate_key().map_err(|error| error.to_string())?;
        }
        if wanted.retire_old_keys == Some(true) {
            issuer.retire_old_keys();
        }
        Ok(())
    })
}

/// Reads a body, acts, and says that it is done or what is wrong.
fn answer<T: serde::de::DeserializeOwned>(body: &Bytes, act: impl FnOnce(T) -> Result<(), String>) -> Response {
    match serde_json::from_slice(body).map_err(|error| error.to_string()).and_then(act) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(message) => problem::response(StatusCode::BAD_REQUEST, &message),
    }
}
