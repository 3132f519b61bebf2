//! Applies faults to requests.

use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, CONTENT_TYPE, ORIGIN, RETRY_AFTER};
use http::{HeaderValue, Method, StatusCode};

use super::spec::has_body;
use super::{Connection, Fault, FaultError, HEADER, Reset, Rules, body};
use crate::operations::is_control;
use crate::problem;
use crate::requests::{Arrived, Suffered};

/// Applies the fault of a request: from its header, or from the first rule that matches.
pub async fn apply(State(rules): State<Arc<Rules>>, request: Request, next: Next) -> Response {
    match *request.method() == Method::OPTIONS {
        true => next.run(request).await,
        false => meet(&rules, request, next).await,
    }
}

/// Applies the fault of an `OPTIONS` request, before the CORS layer answers it.
pub async fn apply_to_options(State(rules): State<Arc<Rules>>, request: Request, next: Next) -> Response {
    match *request.method() == Method::OPTIONS {
        true => meet(&rules, request, next).await,
        false => next.run(request).await,
    }
}

async fn meet(rules: &Rules, request: Request, next: Next) -> Response {
    // The interface that removes faults has none itself.
    if is_control(rules.known(), request.uri().path()) {
        return next.run(request).await;
    }
    let is_preflight = *request.method() == Method::OPTIONS
        && [ORIGIN, ACCESS_CONTROL_REQUEST_METHOD].iter().all(|name| request.headers().contains_key(name));
    let (rule, fault) = match request.headers().get(HEADER) {
        Some(text) => match fault_of(text, rules) {
            Ok(fault) => (None, fault),
            Err(error) => return problem::response(StatusCode::BAD_REQUEST, &error.to_string()),
        },
        None => {
            match request.extensions().get::<Arc<Arrived>>().and_then(|arrived| rules.take(arrived, is_preflight)) {
                Some((rule, fault)) => (Some(rule), fault),
                None => return next.run(request).await,
            }
        }
    };
    let mut response = suffer(&fault, request, next).await;
    response.extensions_mut().insert(Suffered { rule, fault: fault.to_string() });
    response
}

fn fault_of(text: &HeaderValue, rules: &Rules) -> Result<Fault, FaultError> {
    let fault: Fault = text.to_str().unwrap_or_default().parse()?;
    fault.check_for(rules.known()).map(|()| fault)
}

async fn suffer(fault: &Fault, mut request: Request, next: Next) -> Response {
    let connection = request.extensions().get::<ConnectInfo<Connection>>().map(|info| info.0.clone());
    let reset = |connection: Option<Connection>| {
        if let Some(connection) = connection {
            connection.cut();
        }
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    };
    if let Some(latency) = fault.latency {
        tokio::time::sleep(latency).await;
    }
    if fault.reset == Some(Reset::Before) {
        return reset(connection);
    }
    if let Some(outcome) = fault.outcome {
        request.extensions_mut().insert(outcome);
    }
    let mut response = match fault.instead() {
        Some(status) => answer(status, fault),
        None => next.run(request).await,
    };
    if fault.reset == Some(Reset::After) {
        return reset(connection);
    }
    if let Some(status) = fault.late_status {
        response = answer(status, fault);
    }
    match (fault.truncate, fault.stall) {
        (Some(bytes), _) => body::truncate(response, bytes),
        (None, Some(bytes)) => body::stall(response, bytes),
        (None, None) => response,
    }
}

fn answer(status: u16, fault: &Fault) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = match &fault.body {
        Some(body) => {
            let media_type = fault.media_type.as_deref().unwrap_or("text/plain; charset=utf-8");
            (status, [(CONTENT_TYPE, media_type)], body.clone()).into_response()
        }
        None if !has_body(status.as_u16()) => status.into_response(),
        None => problem::response(status, "A fault of the sandbox."),
    };
    if let Some(value) = fault.retry_after.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}
