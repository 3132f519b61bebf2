//! GraphQL over HTTP.

use std::sync::Arc;

use async_graphql::Request;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{ConnectInfo, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};

use super::request::{as_json, is_refused, of_body, of_query, with_data};
use super::{Service, socket, sse};
use crate::caller::Caller;
use crate::fault::Connection;
use crate::problem;

const RESPONSE_JSON: &str = "application/graphql-response+json";

/// A query, a subscription as server-sent events, the schema, or the beginning of a WebSocket.
pub(super) async fn get(
    State(service): State<Service>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Ok(upgrade) = upgrade {
        return socket::open(service, upgrade, &headers, connection);
    }
    let query = query.unwrap_or_default();
    if query == "sdl" || query == "sdl=" {
        return sdl(State(service), headers).await;
    }
    answer(&service, &headers, false, async { of_query(&query) }).await
}

pub(super) async fn post(State(service): State<Service>, headers: HeaderMap, body: Body) -> Response {
    answer(&service, &headers, false, of_body(&headers, body)).await
}

/// A subscription as server-sent events, whatever the request accepts.
pub(super) async fn get_stream(
    State(service): State<Service>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    answer(&service, &headers, true, async { of_query(&query.unwrap_or_default()) }).await
}

pub(super) async fn post_stream(State(service): State<Service>, headers: HeaderMap, body: Body) -> Response {
    answer(&service, &headers, true, of_body(&headers, body)).await
}

async fn answer(
    service: &Service,
    headers: &HeaderMap,
    is_stream: bool,
    request: impl Future<Output = Result<Request, (StatusCode, &'static str)>>,
) -> Response {
    let caller = match service.issuer.caller(headers) {
        Ok(caller) => caller,
        Err(response) => return *response,
    };
    match request.await {
        Ok(request) if is_stream || sse::is_wanted(headers) => sse::stream(service, &caller, request),
        Ok(request) => execute(service, &caller, request, headers).await,
        Err((status, message)) => problem::response(status, message),
    }
}

/// The schema in the schema definition language.
pub(super) async fn sdl(State(service): State<Service>, headers: HeaderMap) -> Response {
    match service.issuer.caller(&headers) {
        Ok(_) => ([(CONTENT_TYPE, "application/graphql; charset=utf-8")], service.schema.sdl()).into_response(),
        Err(response) => *response,
    }
}

async fn execute(service: &Service, caller: &Arc<Caller>, request: Request, headers: &HeaderMap) -> Response {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let modern = accepts.into_iter().any(|value| value.contains(RESPONSE_JSON));
    let answer = service.schema.execute(with_data(request, service, caller)).await;
    // GraphQL over HTTP: a request that was not executed gets a 400 in the new media type, and a 200 in the old one.
    let status = match modern && is_refused(&answer) {
        true => StatusCode::BAD_REQUEST,
        false => StatusCode::OK,
    };
    let media_type = if modern { RESPONSE_JSON } else { "application/json; charset=utf-8" };
    (status, [(CONTENT_TYPE, media_type)], as_json(&answer).to_string()).into_response()
}
