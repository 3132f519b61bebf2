//! GraphQL over HTTP.

use std::sync::Arc;

use async_graphql::{Request, Variables};
use axum::body::{Body, to_bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{ConnectInfo, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::{socket, sse};
use crate::caller::Caller;
use crate::fault::Connection;
use crate::server::Shared;
use crate::{problem, reply};

const BODY_LIMIT: usize = 1024 * 1024;
const RESPONSE_JSON: &str = "application/graphql-response+json";

/// A query, a subscription as server-sent events, the schema, or the beginning of a WebSocket.
pub(super) async fn get(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Ok(upgrade) = upgrade {
        return socket::open(shared, upgrade, &headers, connection);
    }
    let query = query.unwrap_or_default();
    if query == "sdl" || query == "sdl=" {
        return sdl(State(shared), headers).await;
    }
    let caller = match shared.issuer.caller(&headers) {
        Ok(caller) => caller,
        Err(response) => return *response,
    };
    match of_query(&query) {
        Ok(request) if sse::is_wanted(&headers) => sse::stream(&shared, &caller, request),
        Ok(request) => execute(&shared, &caller, request, &headers).await,
        Err(message) => problem::response(StatusCode::BAD_REQUEST, message),
    }
}

pub(super) async fn post(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    let caller = match shared.issuer.caller(&headers) {
        Ok(caller) => caller,
        Err(response) => return *response,
    };
    match of_body(&headers, body).await {
        Ok(request) if sse::is_wanted(&headers) => sse::stream(&shared, &caller, request),
        Ok(request) => execute(&shared, &caller, request, &headers).await,
        Err((status, message)) => problem::response(status, message),
    }
}

/// The schema in the schema definition language.
pub(super) async fn sdl(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    match shared.issuer.caller(&headers) {
        Ok(_) => ([(CONTENT_TYPE, "application/graphql; charset=utf-8")], shared.graphql.sdl()).into_response(),
        Err(response) => *response,
    }
}

/// A request with what its resolvers read.
pub(super) fn with_data(request: Request, shared: &Arc<Shared>, caller: &Arc<Caller>) -> Request {
    request.data(Arc::clone(shared)).data(Arc::clone(caller))
}

pub(super) async fn of_body(headers: &HeaderMap, body: Body) -> Result<Request, (StatusCode, &'static str)> {
    if reply::essence(headers) != "application/json" {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "The content type has to be application/json."));
    }
    let bytes = to_bytes(body, BODY_LIMIT).await;
    let bytes = bytes.map_err(|_unreadable| (StatusCode::PAYLOAD_TOO_LARGE, "The body is too long or was cut off."))?;
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|_broken| (StatusCode::BAD_REQUEST, "The body is no JSON."))?;
    of_value(value).ok_or((StatusCode::BAD_REQUEST, "The body is no GraphQL request."))
}

/// A request as JSON has it. One without a query is none.
pub(super) fn of_value(value: Value) -> Option<Request> {
    value.get("query")?.as_str()?;
    serde_json::from_value(value).ok()
}

pub(super) fn of_query(query: &str) -> Result<Request, &'static str> {
    let mut request = None;
    let (mut name, mut variables) = (None, None);
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match key.as_ref() {
            "query" => request = Some(Request::new(value)),
            "operationName" => name = Some(value.into_owned()),
            "variables" if !value.is_empty() => {
                let value = serde_json::from_str(&value).map_err(|_broken| "The variables are no JSON.")?;
                variables = Some(Variables::from_json(value));
            }
            _ => {}
        }
    }
    let mut request = request.ok_or("The parameter query is missing.")?;
    request.operation_name = name;
    Ok(match variables {
        Some(variables) => request.variables(variables),
        None => request,
    })
}

async fn execute(shared: &Arc<Shared>, caller: &Arc<Caller>, request: Request, headers: &HeaderMap) -> Response {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let modern = accepts.into_iter().any(|value| value.contains(RESPONSE_JSON));
    let answer = shared.graphql.execute(with_data(request, shared, caller)).await;
    // GraphQL over HTTP: a request that was not executed is a 400 in the new media type, and a 200 in the old one.
    let status = match modern && is_refused(&answer) {
        true => StatusCode::BAD_REQUEST,
        false => StatusCode::OK,
    };
    let media_type = if modern { RESPONSE_JSON } else { "application/json; charset=utf-8" };
    match serde_json::to_string(&answer) {
        Ok(body) => (status, [(CONTENT_TYPE, media_type)], body).into_response(),
        Err(_impossible) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Whether a request failed before its execution began: it does not parse, or does not fit the schema.
pub(super) fn is_refused(answer: &async_graphql::Response) -> bool {
    answer.data == async_graphql::Value::Null
        && !answer.errors.is_empty()
        && answer.errors.iter().all(|error| error.path.is_empty())
}
