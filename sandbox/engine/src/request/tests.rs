//! Tests of requests against operations.

mod bodies;
mod styles;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::{Read, Refusal, RequestParts, check};
use crate::contract::Contract;
use crate::schema::Schemas;

/// A request in text.
#[derive(Default)]
struct Request<'r> {
    path: &'r [(&'r str, &'r str)],
    query: &'r str,
    headers: &'r [(&'static str, &'r str)],
    body: &'r [u8],
}

fn send(contract: &Value, request: &Request<'_>) -> Result<Read, Refusal> {
    let contract = Contract::read(contract.to_string().as_bytes()).unwrap();
    let path: Vec<_> = request.path.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers {
        headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    let parts = RequestParts { path: &path, query: request.query, headers: &headers, body: request.body };
    check(&contract.operations[0], &Schemas::new(&contract), &parts)
}

/// A contract of one operation.
fn contract(operation: &Value) -> Value {
    json!({ "openapi": "3.0.4", "info": {}, "paths": { "/x/{color}": { "post": operation } } })
}

/// The places of the violations.
fn places(answer: Result<Read, Refusal>) -> Vec<String> {
    match answer {
        Err(Refusal::Invalid(violations)) => violations.into_iter().map(|violation| violation.pointer).collect(),
        other => panic!("{other:?}"),
    }
}
