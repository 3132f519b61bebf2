//! Reads the input that an operation declares: parameters from four places, and a body in one of five forms.

use axum::RequestExt;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::response::Response;
use bytes::Bytes;
use http::header::COOKIE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use crate::contract::operation::{Operation, Parameter};
use crate::contract::route::RoutedOperation;
use crate::contract::schema::{Additional, Schema};
use crate::media;
use crate::problem::{self, Complaint};
use crate::values::{check, coerce};

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

type Read<T> = Result<T, Box<Response>>;

pub(crate) async fn read(routed: RoutedOperation, request: Request) -> Read<Input> {
    let RoutedOperation { operation, arguments } = routed;
    let path = path(operation, &arguments)?;
    let (parts, body) = request.into_parts();
    let parameters = parameters(operation, &parts)?;
    let headers = parts.headers.clone();
    let payload = match operation.body() {
        Some(expected) => payload(&expected, Request::from_parts(parts, body)).await?,
        None => Payload::None,
    };
    Ok(Input { path, parameters, payload, headers })
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
fn path(operation: &Operation, arguments: &[(&str, String)]) -> Read<Map<String, Value>> {
    let mut path = Map::new();
    for (name, text) in arguments {
        let parameter = operation.parameters().find(|declared| declared.location == "path" && declared.name == *name);
        let value = parameter.and_then(|parameter| coerce::one(parameter.schema, text).ok());
        let Some(value) = value else {
            return Err(refuse(StatusCode::NOT_FOUND, "There is no such resource."));
        };
        path.insert((*name).to_owned(), value);
    }
    Ok(path)
}

fn parameters(operation: &Operation, parts: &Parts) -> Read<Map<String, Value>> {
    let query: Vec<(String, String)> =
        form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let mut values = Map::new();
    let mut complaints = Vec::new();
    for parameter in operation.parameters() {
        let value = match parameter.location {
            "path" => continue,
            "query" => from_query(&parameter, &query),
            "header" => header(&parts.headers, parameter.name).map(|text| coerce::one(parameter.schema, text)),
            _ => cookie(&parts.headers, parameter.name).map(|text| coerce::one(parameter.schema, text)),
        };
        match value {
            Some(Ok(value)) => {
                values.insert(parameter.name.to_owned(), value);
            }
            Some(Err(message)) => complaints.push((parameter.name.to_owned(), message)),
            None if parameter.required => {
                complaints.push((parameter.name.to_owned(), "The value is required.".to_owned()));
            }
            None => {}
        }
    }
    if complaints.is_empty() { Ok(values) } else { Err(invalid(complaints)) }
}

fn from_query(parameter: &Parameter, query: &[(String, String)]) -> Option<Result<Value, String>> {
    if parameter.style == Some("deepObject") {
        return deep(parameter, query);
    }
    let texts: Vec<&str> =
        query.iter().filter(|(name, _)| *name == parameter.name).map(|(_, text)| text.as_str()).collect();
    match (parameter.explode, texts.as_slice()) {
        (_, []) => None,
        (Some(false), [joined]) if parameter.schema.is_array() => {
            // An empty text is the empty array, not an array of one empty text.
            let texts: Vec<&str> = joined.split(',').filter(|_| !joined.is_empty()).collect();
            Some(coerce::several(parameter.schema, &texts))
        }
        (_, texts) => Some(coerce::several(parameter.schema, texts)),
    }
}

/// `name[key]=value` for each field of the object.
fn deep(parameter: &Parameter, query: &[(String, String)]) -> Option<Result<Value, String>> {
    let key = |name: &str| {
        let key = name.strip_prefix(parameter.name)?.strip_prefix('[')?.strip_suffix(']')?;
        Some(key.to_owned())
    };
    let pairs: Vec<_> = query.iter().filter_map(|(name, text)| Some((key(name)?, text.clone()))).collect();
    if pairs.is_empty() {
        return None;
    }
    let schema = parameter.schema;
    let is_declared = |key: &str| schema.property(key).is_some();
    if let (Additional::Closed, Some((key, _))) = (schema.additional(), pairs.iter().find(|(key, _)| !is_declared(key)))
    {
        return Some(Err(format!("[{}] The key is not declared.", key.escape_debug())));
    }
    let fields = coerce::fields(parameter.schema, &pairs);
    Some(fields.map(Value::from).map_err(|(key, message)| format!("[{key}] {message}")))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

async fn payload(expected: &[(&str, Schema)], request: Request) -> Read<Payload> {
    let essence = media::essence(request.headers());
    if essence.is_empty() {
        return match bytes(request).await?.is_empty() {
            true => Err(invalid(vec![("$".to_owned(), "A non-empty request body is required.".to_owned())])),
            false => Err(unsupported()),
        };
    }
    let media = expected.iter().find(|(media, _)| accepts(media, &essence)).ok_or_else(unsupported)?;
    let (_, schema) = *media;
    match essence.as_str() {
        "multipart/form-data" => multipart(schema, request).await,
        "application/x-www-form-urlencoded" => {
            let pairs: Vec<_> = form_urlencoded::parse(&bytes(request).await?).into_owned().collect();
            form(schema, &pairs, Vec::new())
        }
        _ if schema.is_binary() => Ok(Payload::Bytes(essence, bytes(request).await?)),
        _ => json(schema, &bytes(request).await?),
    }
}

/// Returns whether a media type or range such as `application/*+json` matches this media type. A JSON operation whose contract
/// lists plain JSON also accepts the other two that ASP.NET reads.
fn accepts(range: &str, essence: &str) -> bool {
    range == essence
        || range == "application/json"
            && (essence == "text/json" || essence.starts_with("application/") && essence.ends_with("+json"))
}

fn json(schema: Schema, bytes: &[u8]) -> Read<Payload> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| invalid(vec![("$".to_owned(), format!("The body is not JSON: {error}."))]))?;
    let complaints = check::complaints(schema, &value);
    if complaints.is_empty() { Ok(Payload::Json(value)) } else { Err(invalid(complaints)) }
}

fn form(schema: Schema, pairs: &[(String, String)], files: Vec<(String, File)>) -> Read<Payload> {
    let fields = coerce::fields(schema, pairs).map_err(|complaint| invalid(vec![complaint]))?;
    let given = |name: &str| fields.contains_key(name) || files.iter().any(|(field, _)| field == name);
    let missing: Vec<Complaint> = schema
        .required()
        .filter(|name| !given(name))
        .map(|name| (name.to_owned(), format!("The field {name} is required.")))
        .collect();
    if !missing.is_empty() {
        return Err(invalid(missing));
    }
    Ok(Payload::Form(fields, files.into_iter().map(|(_, file)| file).collect()))
}

async fn multipart(schema: Schema, request: Request) -> Read<Payload> {
    let broken = || invalid(vec![("$".to_owned(), "The multipart body is broken.".to_owned())]);
    let request = request.with_limited_body();
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_rejected| broken())?;
    let mut pairs = Vec::new();
    let mut files = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(|_broken| broken())? {
        let name = part.name().unwrap_or_default().to_owned();
        if let Some(file) = part.file_name().map(str::to_owned) {
            let bytes = part.bytes().await.map_err(|_broken| broken())?;
            files.push((name, File { name: file, bytes }));
        } else if is_file(schema, &name) {
            // ASP.NET recognises a file by its file name, too.
            return Err(invalid(vec![(name, "The part is not a file: it has no file name.".to_owned())]));
        } else {
            pairs.push((name, part.text().await.map_err(|_broken| broken())?));
        }
    }
    form(schema, &pairs, files)
}

/// Returns whether a field of a form is declared as one or several files.
fn is_file(schema: Schema, name: &str) -> bool {
    let property = schema.property(name);
    property.is_some_and(|property| property.is_binary() || property.items().is_some_and(Schema::is_binary))
}

async fn bytes(request: Request) -> Read<Bytes> {
    let bytes = to_bytes(request.into_body(), BODY_LIMIT).await;
    bytes.map_err(|_too_long| refuse(StatusCode::PAYLOAD_TOO_LARGE, "The body is too long or was cut off."))
}

fn unsupported() -> Box<Response> {
    refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The operation does not read this media type.")
}

fn refuse(status: StatusCode, detail: &str) -> Box<Response> {
    Box::new(problem::response(status, detail))
}

fn invalid(complaints: Vec<Complaint>) -> Box<Response> {
    Box::new(problem::validation(complaints))
}
