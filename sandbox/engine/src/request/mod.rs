//! The check of a request against its operation.

mod body;
pub(crate) mod media;
pub(crate) mod multipart;
mod parameters;
mod query;
mod style;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use http::HeaderMap;
use serde_json::{Map, Value};

use crate::contract::Operation;
use crate::schema::{Schemas, Violation};

/// A request is answered with so many violations at most.
const MOST_VIOLATIONS: usize = 20;

/// A request as it arrived.
#[derive(Clone, Copy, Debug)]
pub struct RequestParts<'r> {
    /// Names and values of the path's parameters, percent-decoded.
    pub path: &'r [(String, String)],
    /// The query string as it was sent, without the question mark.
    pub query: &'r str,
    /// The headers.
    pub headers: &'r HeaderMap,
    /// The body.
    pub body: &'r [u8],
}

/// A file of a form, or a body that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name of the form field; empty for a body.
    pub field: String,
    /// The name that the client gives it.
    pub file_name: Option<String>,
    /// Its media type.
    pub media_type: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The values of a request that fits its operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// The parameters of the path.
    pub path: Map<String, Value>,
    /// The parameters of the query.
    pub query: Map<String, Value>,
    /// The headers that the operation declares.
    pub headers: Map<String, Value>,
    /// The cookies that the operation declares.
    pub cookies: Map<String, Value>,
    /// The body as JSON, or `None` if the request has no body or the body is a file. A form is an object; its files are their names.
    pub body: Option<Value>,
    /// The files of a form, or the body as a file.
    pub files: Vec<File>,
    /// The bytes of the body, also of an empty one, if the operation declares its media type, and it is neither JSON nor a form.
    pub raw: Option<Bytes>,
}

/// A request that does not fit its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Places are `path.id`, `query.limit`, `header.X-Page`, `cookie.session`, `body` and `body/name`.
    Invalid(Vec<Violation>),
    /// The operation takes no body of this media type, which is empty if the request names none.
    Unsupported {
        /// The media type of the request.
        media_type: String,
        /// Those that the operation takes.
        allowed: Vec<String>,
    },
}

pub(crate) fn check(operation: &Operation, schemas: &Schemas, parts: &RequestParts<'_>) -> Result<Read, Refusal> {
    let mut read = Read::default();
    let mut violations = Vec::new();
    parameters::read(operation, schemas, parts, &mut read, &mut violations);
    let body = body::read(operation, schemas, parts, &mut read, &mut violations);
    if violations.is_empty() {
        return body.map(|()| read);
    }
    violations.truncate(MOST_VIOLATIONS);
    Err(Refusal::Invalid(violations))
}

fn violation(pointer: impl Into<String>, message: impl Into<String>) -> Violation {
    Violation { pointer: pointer.into(), message: message.into() }
}

/// The same violations, within a part of the request.
fn within(part: &str, violations: Vec<Violation>) -> impl Iterator<Item = Violation> {
    violations
        .into_iter()
        .map(move |Violation { pointer, message }| Violation { pointer: format!("{part}{pointer}"), message })
}
