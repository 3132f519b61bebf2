//! The span of a call, with the attributes of OpenTelemetry's semantic conventions for HTTP clients.

use http::StatusCode;
use tracing::{Span, field::Empty};
use url::Position;

use super::Session;
use crate::{error::Error, protocol::Prepared, telemetry};

/// Starts the span. Parameter values stay out of it: `url.full` has the template instead.
pub(super) fn begin(session: &Session, prepared: &Prepared) -> Span {
    let span = tracing::info_span!(
        "driftless.call",
        operation = prepared.operation,
        family = prepared.family,
        http.request.method = prepared.method.as_str(),
        http.request.resend_count = Empty,
        http.response.status_code = Empty,
        url.full = Empty,
        url.template = Empty,
        server.address = prepared.url.host_str(),
        // Integers of OpenTelemetry are signed.
        server.port = prepared.url.port_or_known_default().map(i64::from),
        "error.type" = Empty,
        otel.name = Empty,
        otel.kind = "client",
        otel.status_code = Empty,
    );
    if !span.is_disabled() {
        let (method, template) = (prepared.method.as_str(), prepared.template);
        if template.is_empty() {
            let origin = &prepared.url[..Position::BeforePath];
            span.record("otel.name", method).record("url.full", format!("{origin}/REDACTED"));
        } else {
            let base = session.base.as_str().trim_end_matches('/');
            span.record("otel.name", format!("{method} {template}"));
            span.record("url.template", template).record("url.full", format!("{base}{template}"));
        }
    }
    span
}

/// Records the result of the call.
pub(super) fn end(span: &Span, prepared: &Prepared, status: Option<StatusCode>, retries: u32, error: Option<&Error>) {
    if let Some(status) = status {
        span.record("http.response.status_code", i64::from(status.as_u16()));
    }
    if retries > 0 {
        span.record("http.request.resend_count", i64::from(retries));
    }
    let kind = error.map(error_type);
    if let Some(kind) = &kind {
        span.record("error.type", kind.as_str()).record("otel.status_code", "ERROR");
    }
    telemetry::call(prepared.operation, prepared.family, retries, kind.as_deref());
}

/// The status of an error that has one, else its code.
pub(super) fn error_type(error: &Error) -> String {
    match error.status() {
        Some(status) if failed(status) => status.as_str().to_owned(),
        _ => error.code().to_owned(),
    }
}

/// Returns whether a status is an error by itself.
pub(super) fn failed(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}
