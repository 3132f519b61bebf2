//! Creates a request from the constants and arguments of an operation.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use percent_encoding::percent_decode_str;
use url::{Position, Url};

use super::{
    Argument, Location, Method, Operation, Parameter, Parts, Payload, Scheme, Security, Style, server, style, template,
    to_bytes, to_value,
};
use crate::{
    Upload,
    error::{Error, Kind},
    json::Value,
};

/// The media type of problem details (RFC 9457).
pub(crate) const PROBLEM: &str = "application/problem+json";

/// A request that is ready to be sent, as often as its body allows.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub operation: &'static str,
    pub family: &'static str,
    /// The path template of the contract; empty if no contract has one.
    pub template: &'static str,
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Content,
    pub stream: bool,
    /// Redirections that count as successes.
    pub redirects: &'static [u16],
    pub security: Security,
    /// The places that arguments took from a key of the contract: a parameter can have its name.
    pub taken: Vec<(Location, &'static str)>,
}

/// The body of a request.
#[derive(Debug)]
pub(crate) enum Content {
    None,
    Bytes(Bytes),
    Upload(Upload),
    Parts(Parts),
}

/// An operation with its arguments so far. Arguments are serialized when they are given, so it borrows nothing.
#[derive(Debug)]
pub(crate) struct Draft {
    operation: &'static Operation,
    /// By the position of the parameter.
    values: Vec<Option<Value>>,
    pub(super) body: Content,
    /// Headers that describe the body.
    headers: HeaderMap,
}

impl Draft {
    /// Creates a draft of the operation, with the arguments of its first parameters.
    pub(crate) fn new(
        operation: &'static Operation,
        arguments: &[&dyn Argument],
        payload: Payload<'_>,
    ) -> Result<Self, Error> {
        let values = operation.parameters.iter().map(|_| None).collect();
        let mut draft = Self { operation, values, body: Content::None, headers: HeaderMap::new() };
        for (position, argument) in arguments.iter().enumerate() {
            draft.set(position, *argument)?;
        }
        draft.set_body(payload)?;
        Ok(draft)
    }

    /// Sets the argument of the parameter at a position.
    pub(crate) fn set(&mut self, position: usize, argument: &dyn Argument) -> Result<(), Error> {
        let (Some(parameter), Some(slot)) = (self.operation.parameters.get(position), self.values.get_mut(position))
        else {
            return Err(Error::with(Kind::Request, "the operation has no such parameter")
                .hint("the client and its runtime are of different versions: build both from one"));
        };
        *slot = Some(to_value(argument).map_err(|cause| {
            Error::with(Kind::Request, format!("the parameter `{}` cannot be written", parameter.name)).cause(cause)
        })?);
        Ok(())
    }

    /// Sets the value of the parameter at a position.
    pub(crate) fn set_value(&mut self, position: usize, value: Value) -> Result<(), Error> {
        self.set(position, &value)
    }

    /// Returns the value of the parameter at a position.
    pub(crate) fn value(&self, position: usize) -> Option<&Value> {
        self.values.get(position)?.as_ref()
    }

    /// Clones the draft, if its body can be sent again.
    pub(crate) fn again(&self) -> Result<Self, Error> {
        let body = match &self.body {
            Content::None => Content::None,
            Content::Bytes(bytes) => Content::Bytes(bytes.clone()),
            Content::Upload(_) | Content::Parts(_) => {
                return Err(Error::with(Kind::Request, "a file or a form cannot be sent for each page"));
            }
        };
        Ok(Self { operation: self.operation, values: self.values.clone(), body, headers: self.headers.clone() })
    }

    /// Sets the body.
    pub(crate) fn set_body(&mut self, payload: Payload<'_>) -> Result<(), Error> {
        self.headers.clear();
        self.body = content(self.operation, payload, &mut self.headers)?;
        Ok(())
    }

    /// Encodes path, query, headers and cookies. `any_server`: the base has operations of other servers, too.
    pub(crate) fn prepare(self, base: &Url, api_version: Option<&str>, any_server: bool) -> Result<Prepared, Error> {
        let Self { operation, values, body, headers: of_body } = self;
        if !any_server {
            server::check(operation, base)?;
        }
        let values = operation.parameters.iter().zip(values);
        let mut values: Vec<_> = values.filter_map(|(parameter, value)| Some((parameter, value?))).collect();
        if let Some(parameter) = &operation.api_version {
            let version = api_version.or(parameter.default).ok_or_else(|| no_version(parameter.name))?;
            values.push((parameter, Value::String(version.to_owned())));
        }
        let path = template::fill(operation.path, |name| {
            let parameter_value =
                values.iter().find(|(parameter, _)| parameter.location == Location::Path && parameter.name == name)?;
            Some((parameter_value.0, &parameter_value.1))
        })?;
        let mut pairs = Vec::new();
        for (parameter, value) in values.iter().filter(|(parameter, _)| parameter.location == Location::Query) {
            let encode = if parameter.reserved { style::reserved } else { style::strict };
            style::check(parameter.name, parameter.style, value, encode)?;
            pairs.extend(style::pairs(parameter.name, parameter.style, value, encode));
        }
        let fixed = Some(operation.query).filter(|query| !query.is_empty()).map(str::to_owned);
        let query: Vec<String> = fixed.into_iter().chain(pairs).collect();
        let mut headers = HeaderMap::new();
        if operation.accept.contains("json") || operation.accept.contains("*/*") {
            set_header(&mut headers, "accept", operation.accept)?;
        } else if !operation.accept.is_empty() {
            // ASP.NET leaves the body of an error empty if the request does not accept it.
            set_header(&mut headers, "accept", &format!("{}, {PROBLEM}", operation.accept))?;
        }
        for (name, value) in operation.headers {
            set_header(&mut headers, name, value)?;
        }
        parameters_in_headers(&values, &mut headers)?;
        headers.extend(of_body);
        Ok(Prepared {
            operation: operation.name,
            family: operation.family,
            template: operation.path,
            method: operation.method,
            url: url(base, &path, &query.join("&"))?,
            headers,
            body,
            stream: operation.stream || operation.accept == "text/event-stream",
            redirects: operation.redirects,
            taken: taken(operation.security, &values),
            security: operation.security,
        })
    }
}

/// Returns the parameters that have a value, and the place and name of a security scheme of the operation.
fn taken(security: Security, values: &[(&'static Parameter, Value)]) -> Vec<(Location, &'static str)> {
    let Security::Any(alternatives) = security else { return Vec::new() };
    let is_key = |parameter: &Parameter| {
        alternatives.iter().flat_map(|together| together.iter()).any(|scheme| match *scheme {
            Scheme::Header { name, .. } => {
                parameter.location == Location::Header && parameter.name.eq_ignore_ascii_case(name)
            }
            Scheme::Query { name, .. } => parameter.location == Location::Query && parameter.name == name,
            Scheme::Cookie { name, .. } => parameter.location == Location::Cookie && parameter.name == name,
            Scheme::Token | Scheme::Basic { .. } => false,
        })
    };
    let given = values.iter().filter(|(parameter, value)| *value != Value::Null && is_key(parameter));
    given.map(|(parameter, _)| (parameter.location, parameter.name)).collect()
}

fn no_version(parameter: &str) -> Error {
    let message = format!("the service needs the version of its interface in `{parameter}`, but none is configured");
    Error::with(Kind::Configuration, message)
        .hint("nothing was sent: set the version with `Client::builder(…).api_version(…)`")
}

/// Returns the address below the base, and refuses a path that leads elsewhere.
pub(crate) fn url(base: &Url, path: &str, query: &str) -> Result<Url, Error> {
    let refuse = || {
        Error::with(Kind::Request, "the path is not a plain path below the base URL")
            .hint("nothing was sent: begin it with `/`, without `.` and `..` segments, `?`, `#` and `\\`")
    };
    if !path.starts_with('/') || path.contains(['?', '#', '\\']) {
        return Err(refuse());
    }
    let path = match base.path().trim_end_matches('/') {
        "" => Cow::Borrowed(path),
        prefix => Cow::Owned(format!("{prefix}{path}")),
    };
    let mut url = base.clone();
    url.set_path(&path);
    url.set_query((!query.is_empty()).then_some(query));
    if url.path() != path || url[..Position::BeforePath] != base[..Position::BeforePath] {
        return Err(refuse());
    }
    Ok(url)
}

fn parameters_in_headers(values: &[(&Parameter, Value)], headers: &mut HeaderMap) -> Result<(), Error> {
    let mut cookies = Vec::new();
    for (parameter, value) in values {
        match parameter.location {
            Location::Header => {
                style::check(parameter.name, parameter.style, value, style::plain)?;
                if let Some(text) = style::expand(parameter.name, parameter.style, value, style::plain) {
                    set_callers_header(headers, parameter.name, &text)?;
                }
            }
            Location::Cookie => {
                for pair in style::pairs(parameter.name, parameter.style, value, style::strict) {
                    cookies.push(cookie_pair(parameter.name, &pair)?);
                }
            }
            Location::Path | Location::Query => {}
        }
    }
    match cookies.is_empty() {
        true => Ok(()),
        false => add_cookies(headers, &cookies.join("; ")),
    }
}

/// Returns a cookie pair: its name unencoded, its value encoded. `pair` has both encoded.
fn cookie_pair(parameter: &str, pair: &str) -> Result<String, Error> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let name = percent_decode_str(name).decode_utf8_lossy();
    // The grammar of names is the same (RFC 6265, section 4.1.1; RFC 9110, section 5.1), except for the case of
    // letters.
    if HeaderName::from_bytes(name.as_bytes()).is_err() {
        let message = format!("the cookie parameter `{parameter}` has a member whose name no cookie can have");
        return Err(
            Error::with(Kind::Request, message).hint("nothing was sent: names of cookies are tokens (RFC 6265)")
        );
    }
    Ok(format!("{name}={value}"))
}

/// Adds cookies to those of the request.
pub(crate) fn add_cookies(headers: &mut HeaderMap, pairs: &str) -> Result<(), Error> {
    let before = headers.get(header::COOKIE).map(HeaderValue::as_bytes).unwrap_or_default();
    let before = String::from_utf8_lossy(before).into_owned();
    let separator = if before.is_empty() { "" } else { "; " };
    set_header(headers, header::COOKIE.as_str(), &format!("{before}{separator}{pairs}"))
}

/// Sets a header. The error does not contain the value, which an attacker may want to see in a log.
pub(crate) fn set_header(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Error> {
    let refuse = |message: &str| {
        Error::with(Kind::Request, format!("the header `{name}` {message}"))
            .hint("nothing was sent: correct the header, or leave it out")
    };
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse("has a name that no header can have"))?;
    // The connection sets the headers that delimit the message.
    if [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::HOST, header::CONNECTION].contains(&header) {
        return Err(refuse("is set by the connection"));
    }
    let value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| refuse("has a value with a line break or another control character"))?;
    headers.insert(header, value);
    Ok(())
}

/// Sets a header that a caller gives. Only the credential sets `Authorization`: it is refreshed, and goes to one
/// origin.
pub(crate) fn set_callers_header(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Error> {
    if [header::AUTHORIZATION, header::PROXY_AUTHORIZATION].iter().any(|own| name.eq_ignore_ascii_case(own.as_str())) {
        let hint = "nothing was sent: give the client a credential (`StaticToken` for a token that is there), and another caller a client \
                    of its own; a proxy takes its user from `proxy`";
        return Err(Error::with(Kind::Request, format!("the header `{name}` is the credential's")).hint(hint));
    }
    set_header(headers, name, value)
}

fn content(operation: &Operation, payload: Payload<'_>, headers: &mut HeaderMap) -> Result<Content, Error> {
    let write = |argument: &dyn Argument| {
        to_bytes(argument).map_err(|cause| Error::with(Kind::Request, "the body cannot be written").cause(cause))
    };
    let (content, media_type) = match payload {
        Payload::None => return Ok(Content::None),
        Payload::Json(body) => (Content::Bytes(write(body)?.into()), "application/json".to_owned()),
        Payload::Form(body) => {
            let text = form(operation, &write(body)?)?;
            (Content::Bytes(text.into()), "application/x-www-form-urlencoded".to_owned())
        }
        #[cfg(feature = "xml")]
        Payload::Xml(body, root) => {
            let text = String::from_utf8_lossy(&write(body)?).into_owned();
            let value = Value::read(&text).map_err(str::to_owned);
            let text = value.and_then(|value| super::xml::write(&value, root));
            let text = text.map_err(|cause| {
                Error::with(Kind::Request, format!("the body cannot be written as XML: {cause}"))
                    .hint("nothing was sent: correct the value")
            })?;
            (Content::Bytes(text.into()), "application/xml".to_owned())
        }
        Payload::Text(text) => (Content::Bytes(text.to_owned().into()), "text/plain; charset=utf-8".to_owned()),
        Payload::Binary(upload) => {
            let media_type = upload.content_type.clone();
            let own = media_type.is_some();
            let media_type = media_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            if own {
                set_header(headers, "content-type", &media_type)?;
                return Ok(Content::Upload(upload));
            }
            (Content::Upload(upload), media_type)
        }
        Payload::Multipart(mut parts) => {
            if let Some(cause) = parts.error.take() {
                return Err(Error::with(Kind::Request, "a field of the form cannot be written").cause(cause));
            }
            // The boundary is chosen when the body is sent, and completes this header.
            let media_type = if operation.body.is_empty() { "multipart/form-data" } else { operation.body };
            // RFC 2387, 3.1: the header has the media type of the body's root, which is the first part (3.2).
            match parts.parts.first() {
                Some(root) if media_type.eq_ignore_ascii_case("multipart/related") => {
                    let root = root.media_type().and_then(|root| root.split(';').next()).unwrap_or("text/plain");
                    set_header(headers, "content-type", &format!("{media_type}; type=\"{}\"", root.trim()))?;
                }
                _ => set_header(headers, "content-type", media_type)?,
            }
            return Ok(Content::Parts(parts));
        }
    };
    let mut media_type = if operation.body.is_empty() { media_type } else { operation.body.to_owned() };
    // A `String` is UTF-8, and a reader of `text` may assume another charset.
    let is_written = !matches!(content, Content::Upload(_));
    if is_written && media_type.starts_with("text/") && !media_type.to_ascii_lowercase().contains("charset=") {
        media_type.push_str("; charset=utf-8");
    }
    set_header(headers, "content-type", &media_type)?;
    Ok(content)
}

/// The members of an object, as one or more pairs each.
fn form(operation: &Operation, json: &[u8]) -> Result<String, Error> {
    let members = match std::str::from_utf8(json).ok().and_then(|text| Value::read(text).ok()) {
        Some(Value::Object(members)) => members,
        Some(Value::Null) => return Ok(String::new()),
        _ => return Err(Error::with(Kind::Request, "the body of a form is not an object")),
    };
    let mut pairs = Vec::new();
    for (name, value) in members.iter() {
        let style = operation.encoding.iter().find(|(field, _)| *field == name).map(|(_, style)| *style);
        let style = style.unwrap_or(if value.is_object() { Style::Json } else { Style::Form });
        style::check(name, style, value, style::form)?;
        pairs.extend(style::pairs(name, style, value, style::form));
    }
    Ok(pairs.join("&"))
}
