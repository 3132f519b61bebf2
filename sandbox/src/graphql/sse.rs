//! Subscriptions as server-sent events: graphql-sse's mode of one connection for each operation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::Request;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use http::HeaderMap;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};

use super::Service;
use super::request::{as_json, begin};
use crate::caller::Caller;
use crate::live;
use crate::media::EVENT_STREAM;

/// The interval of comments on an idle stream, as other servers use it.
const QUIET: Duration = Duration::from_secs(12);

/// Returns whether a request accepts server-sent events.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(|value| value.contains(EVENT_STREAM))
}

/// Streams an event `next` for each result, and one `complete` at the end. The connection ends when the token expires, and when
/// sockets are ended.
pub(super) fn stream(service: &Service, caller: &Arc<Caller>, request: Request) -> Response {
    let results = begin(request, service, caller);
    let event = |name: &str, data: &str| Ok::<_, Infallible>(Bytes::from(format!("event: {name}\ndata: {data}\n\n")));
    let next = move |answer| event("next", &as_json(&answer).to_string());
    let complete = stream::once(async move { event("complete", "") });
    // A first comment sends the head at once, so that the client knows that its request was accepted.
    let head = stream::once(async { Ok(Bytes::from_static(b":\n\n")) });
    let events = head.chain(results.map(next)).chain(complete);
    // Comments show that the connection of an idle subscription still works.
    let events = stream::unfold(Box::pin(events), |mut events| async move {
        match tokio::time::timeout(QUIET, events.next()).await {
            Ok(event) => event.map(|event| (event, events)),
            Err(_) => Some((Ok(Bytes::from_static(b":\n\n")), events)),
        }
    });
    let end = Box::pin(live::end(&service.issuer, &service.faults, caller));
    let headers = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(events.take_until(end))).into_response()
}
