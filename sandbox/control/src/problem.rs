//! Error bodies as ASP.NET writes them (RFC 9457). The form is a choice of the sandboxes.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};

/// One complaint about a request: the place in the body or the address, and the problem.
pub type Complaint = (String, String);

/// A problem with a status and a sentence.
pub fn response(status: StatusCode, detail: &str) -> Response {
    send(status, body(status, detail))
}

/// A problem with further members.
pub fn with(status: StatusCode, detail: &str, members: Value) -> Response {
    let mut body = body(status, detail);
    if let (Value::Object(body), Value::Object(members)) = (&mut body, members) {
        body.extend(members);
    }
    send(status, body)
}

/// A problem at one place, which the detail repeats.
pub fn at(status: StatusCode, place: String, message: &str) -> Response {
    let mut body = body(status, &format!("{place}: {message}"));
    body["errors"] = json!({ place: [message] });
    send(status, body)
}

/// A validation problem: 400 with the complaints by place.
pub fn validation(complaints: Vec<Complaint>) -> Response {
    let status = StatusCode::BAD_REQUEST;
    let mut errors: Map<String, Value> = Map::new();
    for (place, message) in complaints {
        match errors.entry(place).or_insert_with(|| json!([])) {
            Value::Array(messages) => messages.push(message.into()),
            other => *other = json!([message]),
        }
    }
    let mut body = body(status, "One or more validation errors occurred.");
    body["errors"] = errors.into();
    send(status, body)
}

fn body(status: StatusCode, detail: &str) -> Value {
    json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": detail,
        "traceId": uuid::Uuid::new_v4().simple().to_string(),
    })
}

fn send(status: StatusCode, body: Value) -> Response {
    (status, [(CONTENT_TYPE, "application/problem+json; charset=utf-8")], body.to_string()).into_response()
}
