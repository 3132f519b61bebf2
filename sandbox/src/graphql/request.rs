//! GraphQL requests, independent of their transport: a JSON body, a query string, a message.

use std::sync::Arc;

use async_graphql::{Request, Response, Variables};
use axum::body::{Body, to_bytes};
use driftless_sandbox_control::upload::TooSlow;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::Service;
use crate::caller::Caller;
use crate::media;

const BODY_LIMIT: usize = 1024 * 1024;

/// Adds the data that resolvers read to a request.
pub(super) fn with_data(request: Request, service: &Service, caller: &Arc<Caller>) -> Request {
    request.data(Arc::clone(&service.store)).data(Arc::clone(caller))
}

/// Starts a request and returns its results: a subscription reports every change from now on, even before the first poll. A
/// client can rely on that after a later answer on the same connection.
pub(super) fn begin(
    request: Request,
    service: &Service,
    caller: &Arc<Caller>,
) -> impl Stream<Item = Response> + Unpin + use<> {
    let mut results = service.schema.execute_stream(with_data(request, service, caller)).boxed().fuse();
    let first = results.next().now_or_never().flatten();
    stream::iter(first).chain(results)
}

pub(super) async fn of_body(headers: &HeaderMap, body: Body) -> Result<Request, (StatusCode, &'static str)> {
    if media::essence(headers) != "application/json" {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "The content type has to be application/json."));
    }
    let bytes = to_bytes(body, BODY_LIMIT).await;
    let bytes = bytes.map_err(|error| match TooSlow::is_cause_of(&error) {
        true => (StatusCode::REQUEST_TIMEOUT, TooSlow::DETAIL),
        false => (StatusCode::PAYLOAD_TOO_LARGE, "The body is too long or was cut off."),
    })?;
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|_broken| (StatusCode::BAD_REQUEST, "The body is not JSON."))?;
    of_value(value).ok_or((StatusCode::BAD_REQUEST, "The body is not a GraphQL request."))
}

/// Reads a request from JSON. `None` if the value has no query.
pub(super) fn of_value(value: Value) -> Option<Request> {
    value.get("query")?.as_str()?;
    serde_json::from_value(value).ok()
}

pub(super) fn of_query(query: &str) -> Result<Request, (StatusCode, &'static str)> {
    let wrong = |message| (StatusCode::BAD_REQUEST, message);
    let mut request = None;
    let (mut name, mut variables) = (None, None);
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match key.as_ref() {
            "query" => request = Some(Request::new(value)),
            "operationName" => name = Some(value.into_owned()),
            "variables" if !value.is_empty() => {
                let value = serde_json::from_str(&value).map_err(|_broken| wrong("The variables are not JSON."))?;
                variables = Some(Variables::from_json(value));
            }
            _ => {}
        }
    }
    let mut request = request.ok_or(wrong("The parameter query is missing."))?;
    request.operation_name = name;
    Ok(match variables {
        Some(variables) => request.variables(variables),
        None => request,
    })
}

/// Returns whether a request failed before its execution began: a syntax or validation error.
pub(super) fn is_refused(answer: &Response) -> bool {
    answer.data == async_graphql::Value::Null
        && !answer.errors.is_empty()
        && answer.errors.iter().all(|error| error.path.is_empty())
}

/// An answer as JSON. If the request was not executed, it has errors and no `data` (GraphQL, response format).
pub(super) fn as_json(answer: &Response) -> Value {
    let mut body = serde_json::to_value(answer).unwrap_or_default();
    if is_refused(answer)
        && let Some(members) = body.as_object_mut()
    {
        members.remove("data");
    }
    body
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::fault::Outcome;
    use crate::workflow::{Kind, Notice};

    /// The first result includes changes from before the first poll.
    #[tokio::test]
    async fn a_subscription_that_nobody_has_read_hears_already() {
        let sandbox = crate::start().await.unwrap();
        let service = sandbox.app().graphql.clone();
        let token = sandbox.issuer().create_api_token("ada", "test").unwrap().unwrap();
        let caller = service.issuer.caller_of(&token).unwrap();
        let request = Request::new("subscription { operationsChanged { event { kind } } }");
        let mut results = begin(request, &service, &caller);
        let target = format!("/api/virtual-machines/{}", sandbox.team().virtual_machine_id);
        let work = |mut view: crate::state::View<'_>| {
            view.begin(Uuid::new_v4(), Kind::DatabaseBackup, target, Outcome::Success, 1000);
        };
        service.store.with(&caller, work).unwrap();
        let answer = results.next().now_or_never().flatten().unwrap();
        assert!(as_json(&answer).to_string().contains("accepted"), "{answer:?}");
        // A subscriber that does not read loses events, and is told.
        let workflow = service.store.read(|state| state.workflows.all().next().cloned()).unwrap().unwrap();
        let notice = Notice::from_workflow(&workflow).unwrap();
        service.store.hub().publish(vec![notice; 5000]);
        let rest: Vec<Response> = results.collect().await;
        assert!(matches!(&rest[..], [only] if as_json(only).to_string().contains("events are lost")), "{rest:?}");
    }
}
