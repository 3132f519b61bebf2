//! The check of a request against its operation.

use http::HeaderMap;
use serde_json::{Map, Value};

use crate::contract::Operation;
use crate::schema::{Schemas, Violation};

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

/// A file of a form, or a body that is no JSON.
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
    /// The body as JSON: forms are objects; `None` if there is none, or if it is a file.
    pub(crate) body: Option<Value>,
    pub(crate) files: Vec<File>,
}

pub(crate) fn check(
    _operation: &Operation,
    _schemas: &Schemas,
    parts: &RequestParts<'_>,
) -> Result<Read, Vec<Violation>> {
    let path = parts.path.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
    Ok(Read { path, body: serde_json::from_slice(parts.body).ok(), ..Read::default() })
}
