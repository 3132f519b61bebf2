//! Reads the input that an operation declares. The engine checks it against the contract; the rest is as ASP.NET does it.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use driftless_sandbox::host::{self, Refusal, RequestParts, Violation};
use driftless_sandbox_control::upload::TooSlow;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use crate::contract::Contract;
use crate::contract::operation::Operation;
use crate::contract::route::RoutedOperation;
use crate::contract::schema::place;
use crate::media;
use crate::problem::{self, Complaint};

const JSON: &str = "application/json";
/// The maximum length of a request body, in bytes.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// A request's values, checked against the contract.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) path: Map<String, Value>,
    pub(crate) parameters: Map<String, Value>,
    pub(crate) payload: Payload,
    pub(crate) headers: HeaderMap,
}

/// A request's body.
#[derive(Debug)]
pub(crate) enum Payload {
    None,
    Json(Value),
    /// The text fields and the files of a form.
    Form(Map<String, Value>, Vec<File>),
    Bytes(String, Bytes),
}

/// A file of a form.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
}

pub(crate) async fn read(
    contract: &Contract,
    routed: RoutedOperation,
    request: Request,
) -> Result<Input, Box<Response>> {
    let RoutedOperation { operation, arguments } = routed;
    let (mut parts, body) = request.into_parts();
    let essence = media::essence(&parts.headers);
    // An operation whose contract lists plain JSON also reads the other two media types that ASP.NET does.
    let is_json = essence == "text/json" || essence.starts_with("application/") && essence.ends_with("+json");
    if is_json && operation.reads(JSON) {
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    }
    let is_form = ["multipart/form-data", "application/x-www-form-urlencoded"].contains(&essence.as_str());
    let body = if operation.body().is_some() { bytes(body).await? } else { Bytes::new() };
    let request = RequestParts {
        path: &arguments,
        query: parts.uri.query().unwrap_or_default(),
        headers: &parts.headers,
        body: &body,
    };
    let checked = contract.document.checks.check(&operation.method, operation.path, &request);
    let mut read = checked.map_err(|refusal| refused(refusal, is_form))?;
    read.body.iter_mut().chain(read.query.values_mut()).for_each(whole);
    let payload = match read.body {
        Some(Value::Object(fields)) if is_form => form(operation, fields, read.files)?,
        Some(value) => Payload::Json(value),
        None => read.files.pop().map_or(Payload::None, |file| Payload::Bytes(essence, file.bytes.into())),
    };
    let parameters = read.query.into_iter().chain(read.headers).chain(read.cookies).collect();
    Ok(Input { path: read.path, parameters, payload, headers: parts.headers })
}

/// Writes whole numbers without a fraction: `1.0` is an integer in JSON Schema, and clients read an integer as it was declared.
fn whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let exact = |float: &f64| float.fract() == 0.0 && float.abs() < 9e15;
            if let Some(float) = number.as_f64().filter(|float| !number.is_i64() && !number.is_u64() && exact(float)) {
                #[allow(clippy::cast_possible_truncation, reason = "it is whole, and below 2^53")]
                let integer = float as i64;
                *number = integer.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(members) => members.values_mut().for_each(whole),
        _ => {}
    }
}

impl Input {
    /// Returns whether a boolean parameter is present and true.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.parameters.get(name) == Some(&Value::Bool(true))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).and_then(Value::as_str)
    }
}

/// A path that cannot be an address of a resource gives 404, as with a GUID constraint in an ASP.NET route.
fn refused(refusal: Refusal, is_form: bool) -> Box<Response> {
    match refusal {
        Refusal::Unsupported { .. } => {
            refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The operation does not read this media type.")
        }
        Refusal::Invalid(violations) if violations.iter().any(|one| one.pointer.starts_with("path.")) => {
            refuse(StatusCode::NOT_FOUND, "The address names no resource: correct the path.")
        }
        Refusal::Invalid(violations) => {
            invalid(violations.into_iter().map(|violation| complaint(violation, is_form)).collect())
        }
    }
}

/// A place in the body, or the name of a parameter or of a field of a form.
fn complaint(violation: Violation, is_form: bool) -> Complaint {
    let Violation { pointer, message } = violation;
    let place = match pointer.strip_prefix("body") {
        Some(pointer) if is_form => place(pointer).trim_start_matches("$.").to_owned(),
        Some(pointer) => place(pointer),
        // `query.states/1` is in the parameter `states`.
        None => {
            let (_, name) = pointer.split_once('.').unwrap_or(("", &pointer));
            name.split('/').next().unwrap_or_default().to_owned()
        }
    };
    (place, message)
}

/// The text fields and the files of a form. ASP.NET recognises a file by its file name, too.
fn form(
    operation: &Operation,
    mut fields: Map<String, Value>,
    files: Vec<host::File>,
) -> Result<Payload, Box<Response>> {
    let declared = operation.body().into_iter().flatten().flat_map(|(_, schema)| schema.properties());
    for (name, _) in declared.filter(|(_, schema)| schema.is_file()) {
        let parts = fields.remove(name).map_or(0, |value| value.as_array().map_or(1, Vec::len));
        if parts > files.iter().filter(|file| file.field == name && file.file_name.is_some()).count() {
            return Err(invalid(vec![(name.to_owned(), "is not a file: it has no file name".to_owned())]));
        }
    }
    // A part with a file name is a file, also where a text is declared.
    for file in &files {
        fields.remove(&file.field);
    }
    let file = |file: host::File| Some(File { name: file.file_name?, bytes: file.bytes.into() });
    Ok(Payload::Form(fields, files.into_iter().filter_map(file).collect()))
}

async fn bytes(body: Body) -> Result<Bytes, Box<Response>> {
    let bytes = to_bytes(body, BODY_LIMIT).await;
    bytes.map_err(|error| match TooSlow::is_cause_of(&error) {
        true => refuse(StatusCode::REQUEST_TIMEOUT, TooSlow::DETAIL),
        false => refuse(StatusCode::PAYLOAD_TOO_LARGE, "The body is too long or was cut off."),
    })
}

fn refuse(status: StatusCode, detail: &str) -> Box<Response> {
    Box::new(problem::response(status, detail))
}

fn invalid(complaints: Vec<Complaint>) -> Box<Response> {
    Box::new(problem::validation(complaints))
}
