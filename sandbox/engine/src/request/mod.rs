//! The check of a request against its operation.

mod body;
pub(crate) mod media;
pub(crate) mod multipart;
mod parameters;
mod query;
mod style;
#[cfg(test)]
mod tests;

use http::HeaderMap;
use serde_json::{Map, Value};

use crate::contract::Operation;
use crate::schema::{Schemas, Violation};

/// A request is answered with so many violations at most.
const MOST_VIOLATIONS: usize = 20;

/// A request as it arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestParts<'r> {
    /// Names and values of the path's parameters, percent-decoded.
    pub(crate) path: &'r [(String, String)],
    /// The query string as it was sent, without the question mark.
    pub(crate) query: &'r str,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) body: &'r [u8],
}

/// A file of a form, or a body that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// The name of the form field; empty for a body.
    pub(crate) field: String,
    pub(crate) file_name: Option<String>,
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

/// The values of a request that fits its operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) path: Map<String, Value>,
    pub(crate) query: Map<String, Value>,
    pub(crate) headers: Map<String, Value>,
    pub(crate) cookies: Map<String, Value>,
    /// The body as JSON, or `None` if the request has no body or the body is a file. A form is an object; its files are their names.
    pub(crate) body: Option<Value>,
    pub(crate) files: Vec<File>,
}

/// A request that does not fit its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Places are `path.id`, `query.limit`, `header.X-Page`, `cookie.session`, `body` and `body/name`.
    Invalid(Vec<Violation>),
    /// The operation takes no body of this media type, which is empty if the request names none.
    Unsupported { media_type: String, allowed: Vec<String> },
}

pub(crate) fn check(operation: &Operation, schemas: &Schemas, parts: &RequestParts<'_>) -> Result<Read, Refusal> {
    let mut read = Read::default();
    let mut violations = Vec::new();
    parameters::read(operation, schemas, parts, &mut read, &mut violations);
    body::read(operation, schemas, parts, &mut read, &mut violations)?;
    if violations.is_empty() {
        return Ok(read);
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
