//! A parsed request: its operation, its arguments and input, and the caller's view of the state.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};

use super::Api;
use super::input::{Input, Payload};
use crate::contract::operation::Operation;
use crate::fault::Outcome;
use crate::shape;
use crate::state::{Item, View};
use crate::{problem, reply};

/// Characters that have a meaning in addresses of the state.
const RESERVED: &AsciiSet = &CONTROLS.add(b'/').add(b'%').add(b'?').add(b'{').add(b'}');

/// A parsed request, with the state that answers it.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) operation: &'static Operation,
    /// The path of the operation with its parameters filled in: the address of the resource in the state.
    pub(crate) address: String,
    pub(crate) input: Input,
    pub(crate) view: View<'a>,
    pub(crate) api: &'a Api,
    /// The outcome of the work that the request begins.
    pub(crate) outcome: Outcome,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        operation: &'static Operation,
        input: Input,
        view: View<'a>,
        api: &'a Api,
        outcome: Outcome,
    ) -> Self {
        let address = address(operation.path, &input.path);
        Self { operation, address, input, view, api, outcome }
    }

    /// The stored item that the address names.
    pub(crate) fn item(&self) -> Option<&Item> {
        let (collection, key) = split(&self.address);
        self.view.get(collection, key)
    }

    pub(super) fn put_item(&mut self, item: Item) {
        let (collection, key) = split(&self.address);
        self.view.put(collection, key, item);
    }

    /// Removes the item that the address names. Returns whether it existed.
    pub(super) fn remove_item(&mut self) -> bool {
        let (collection, key) = split(&self.address);
        self.view.remove(collection, key)
    }

    /// Paths and addresses of the items above the address, outermost first.
    pub(super) fn above(&self) -> impl DoubleEndedIterator<Item = (&'static str, &str)> {
        let template = self.operation.path;
        let ends: Vec<usize> = template.match_indices("}/").map(|(index, _)| index + 1).collect();
        ends.into_iter().filter_map(|end| {
            let path = template.get(..end)?;
            let slashes = path.matches('/').count();
            let end = self.address.match_indices('/').nth(slashes).map_or(self.address.len(), |(index, _)| index);
            Some((path, self.address.get(..end)?))
        })
    }

    /// The address of the nearest item above the address.
    pub(crate) fn parent_address(&self) -> Option<&str> {
        self.above().next_back().map(|(_, address)| address)
    }

    /// The nearest item above the address.
    pub(crate) fn parent(&self) -> Option<&Item> {
        let (collection, key) = split(self.parent_address()?);
        self.view.get(collection, key)
    }

    /// The path parameters as fields of bodies: `project_id` is also known as `projectId`.
    pub(crate) fn known(&self) -> Item {
        self.input.path.iter().map(|(name, value)| (camel(name), value.clone())).collect()
    }

    /// Takes the fields of the body.
    pub(crate) fn body(&mut self) -> Item {
        match std::mem::replace(&mut self.input.payload, Payload::None) {
            Payload::Json(Value::Object(fields)) | Payload::Form(fields, _) => fields,
            _ => Item::new(),
        }
    }

    /// A response with this status, and a body if the contract has one.
    pub(crate) fn send(&self, status: &str, known: &Item) -> Response {
        let code = status.parse().unwrap_or(StatusCode::OK);
        match self.operation.json_schema(status) {
            Some(schema) => self.json(code, &shape::value(&schema, known)),
            None => code.into_response(),
        }
    }

    /// A response with a JSON body.
    pub(crate) fn json(&self, status: StatusCode, body: &Value) -> Response {
        reply::json(status, &self.input.headers, body)
    }
}

pub(super) fn missing() -> Response {
    problem::response(StatusCode::NOT_FOUND, "The resource does not exist or is not visible to the caller.")
}

/// The collection and the key of an address.
pub(super) fn split(address: &str) -> (&str, &str) {
    address.rsplit_once('/').unwrap_or((address, ""))
}

/// A path with its parameters filled in, segment by segment.
fn address(path: &str, arguments: &Map<String, Value>) -> String {
    let segment = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => utf8_percent_encode(&text(arguments.get(name)), RESERVED).to_string(),
        None => part.to_owned(),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |camel, word| {
        let mut letters = word.chars();
        let head = letters.next().map(|letter| letter.to_ascii_uppercase());
        camel.chars().chain(head).chain(letters).collect()
    })
}
