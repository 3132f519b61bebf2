//! The way from a field to an operation of a contract: a request with the same credentials, and its answer as a value.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, IF_MATCH, IF_NONE_MATCH, TRANSFER_ENCODING};
use http::{HeaderMap, Method};
use serde_json::{Map, Value};

use super::plan::Way;
use crate::act::{Extent, ListPart, merge};
use crate::contract::{Location, Operation, SegmentPart, encoded_segment};
use crate::infer::{ELEMENT, plain};
use crate::serve::{Received, Reply, ServedContract, Service};

/// Fields that one request resolves.
const MOST_FIELDS: usize = 100_000;
/// Operations that one request calls.
const MOST_CALLS: usize = 1_000;

/// Elements of lists that one request reads, and items that their filters look at: after these, it reads no more lists.
const MOST_ELEMENTS: usize = 200_000;

/// A part of a list.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) elements: Vec<Value>,
    /// The number of elements of the list.
    pub(super) total: usize,
    /// The number of filters that apply to it.
    pub(super) filters: usize,
}

/// The execution of one request.
#[derive(Debug)]
pub(super) struct Run<'r> {
    service: &'r Service,
    request: &'r Received,
    fields: Cell<usize>,
    calls: Cell<usize>,
    elements: Cell<usize>,
    statuses: RefCell<HashMap<String, u16>>,
}

/// A refusal of an operation.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) status: u16,
    pub(super) detail: String,
}

impl<'r> Run<'r> {
    pub(super) fn new(service: &'r Service, request: &'r Received) -> Self {
        Self {
            service,
            request,
            fields: Cell::new(0),
            calls: Cell::new(0),
            elements: Cell::new(0),
            statuses: RefCell::default(),
        }
    }

    /// The reason for which no more fields are resolved.
    pub(super) fn exceeded(&self) -> Option<String> {
        if self.fields.get() > MOST_FIELDS {
            return Some(format!("the answer has more than {MOST_FIELDS} fields, the limit of the sandbox"));
        }
        let is_over = self.calls.get() > MOST_CALLS;
        is_over.then(|| format!("the request reads more than {MOST_CALLS} items by one, the limit of the sandbox"))
    }

    pub(super) fn count_field(&self) {
        self.fields.set(self.fields.get() + 1);
    }

    pub(super) fn note(&self, message: &str, status: u16) {
        self.statuses.borrow_mut().insert(message.to_owned(), status);
    }

    pub(super) fn status(&self, message: &str) -> Option<u16> {
        self.statuses.borrow().get(message).copied()
    }

    /// The value that an operation answers with, inside of its envelope. `null` if it answers with none.
    pub(super) fn call(
        &self,
        way: &Way,
        arguments: &Map<String, Value>,
        body: Option<&Map<String, Value>>,
    ) -> Result<Value, Refused> {
        self.called(way, arguments, body, ListPart::whole()).map(|(value, _)| value)
    }

    fn called(
        &self,
        way: &Way,
        arguments: &Map<String, Value>,
        body: Option<&Map<String, Value>>,
        list: ListPart,
    ) -> Result<(Value, Option<Extent>), Refused> {
        self.calls.set(self.calls.get() + 1);
        if let Some(detail) = self.exceeded() {
            return Err(Refused { status: 503, detail });
        }
        let (Some(part), Some(operation)) = (self.part(way), way.operation(&self.service.parts)) else {
            return Ok((Value::Null, None));
        };
        let path = path(part, operation, arguments).map_err(|name| Refused {
            status: 400,
            detail: format!("{} {} needs the argument `{name}`", operation.method, operation.template),
        })?;
        let body = body
            .map(|body| merge::wrapped(Value::Object(body.clone()), way.within_body(&self.service.parts)).to_string());
        let (value, reply) = self.send(operation.method.clone(), path, query(operation, arguments), body, list)?;
        let location = reply.headers.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
        if value.is_null()
            && let Some((_, location)) = location
        {
            let created = self.send(Method::GET, location, String::new(), None, ListPart::whole())?;
            return Ok((created.0, None));
        }
        Ok((merge::inside(&value, way.within(&self.service.parts)).clone(), reply.extent))
    }

    /// A part of a list, whatever the pages of the operation.
    pub(super) fn listed(
        &self,
        way: &Way,
        arguments: &Map<String, Value>,
        mut part: ListPart,
    ) -> Result<Listing, Refused> {
        let left = MOST_ELEMENTS.saturating_sub(self.elements.get());
        // One more, which the whole of a longer list has.
        part.limit = part.limit.min(left.saturating_add(1));
        let (start, limit) = (part.start, part.limit);
        let is_over = left == 0;
        let (value, extent) = if is_over { (Value::Null, None) } else { self.called(way, arguments, None, part)? };
        let elements = match value {
            Value::Array(elements) => elements,
            _ => Vec::new(),
        };
        if is_over || elements.len() > left {
            let detail =
                format!("the request reads lists of more than {MOST_ELEMENTS} elements, the limit of the sandbox");
            return Err(Refused { status: 503, detail });
        }
        let all = elements.len();
        let (elements, Extent { total, looked_at, filters }) = match extent {
            Some(extent) => (elements, extent),
            // An operation that answers with no list of the state has made up its elements, whatever the part is.
            None => {
                let elements = elements.into_iter().skip(start).take(limit).collect();
                (elements, Extent { total: all, looked_at: all, filters: 0 })
            }
        };
        self.elements.set(self.elements.get().saturating_add(looked_at.max(all)));
        Ok(Listing { elements, total, filters })
    }

    pub(super) fn parts(&self) -> &'r [ServedContract] {
        &self.service.parts
    }

    /// The names of the members that the body of an operation has.
    pub(super) fn body_members(&self, way: &Way) -> Vec<String> {
        let members = || {
            let operation = way.operation(&self.service.parts)?;
            let outlines = &self.part(way)?.engine.plan.outlines;
            let mut outline = outlines.get(crate::infer::json(&operation.body.as_ref()?.content)?.schema.as_ref()?);
            for name in way.within_body(&self.service.parts) {
                let inner = if name == ELEMENT {
                    outline.items.clone()
                } else {
                    Some(outline.members.get(name)?.schema.clone())
                };
                outline = outlines.get(&inner?);
            }
            Some(outline.members.keys().cloned().collect())
        };
        members().unwrap_or_default()
    }

    pub(super) fn query_names(&self, way: &Way) -> Vec<String> {
        let parameters = way.operation(&self.service.parts).into_iter().flat_map(|operation| &operation.parameters);
        parameters.map(|parameter| parameter.name.clone()).collect()
    }

    fn part(&self, way: &Way) -> Option<&ServedContract> {
        self.service.parts.get(way.part)
    }

    fn send(
        &self,
        method: Method,
        path: String,
        query: String,
        body: Option<String>,
        list: ListPart,
    ) -> Result<(Value, Reply), Refused> {
        let mut headers: HeaderMap = self.request.headers.clone();
        for name in [CONTENT_TYPE, CONTENT_LENGTH, ACCEPT, TRANSFER_ENCODING, IF_MATCH, IF_NONE_MATCH] {
            headers.remove(name);
        }
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let body = Bytes::from(body.unwrap_or_default());
        let reply = self.service.answer(&Received { method, path, query, headers, body, part: Some(list) });
        let value: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        if reply.status >= 400 {
            let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            let detail = text("detail").or_else(|| text("message")).or_else(|| text("title"));
            let detail = detail.unwrap_or_else(|| format!("the contract answers with the status {}", reply.status));
            return Err(Refused { status: reply.status, detail });
        }
        Ok((value, reply))
    }
}

/// The argument for a parameter: of the same name, whatever the letters.
pub(super) fn argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let plain_name = plain(name);
    let value = arguments
        .get(name)
        .or_else(|| arguments.iter().find(|(other, _)| plain(other) == plain_name).map(|(_, value)| value));
    value.filter(|value| !value.is_null())
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The path with its parameters, or the name of the one that is missing.
fn path(part: &ServedContract, operation: &Operation, arguments: &Map<String, Value>) -> Result<String, String> {
    let mut path = part.engine.contract.base_path.clone();
    for segment in &operation.segments {
        path.push('/');
        for part in &segment.parts {
            match part {
                SegmentPart::Literal(literal) => path.push_str(literal),
                SegmentPart::Parameter(name) | SegmentPart::Rest(name) => {
                    let value = argument(arguments, name).ok_or_else(|| name.clone())?;
                    path.push_str(&encoded_segment(&text(value)).to_string());
                }
            }
        }
    }
    Ok(path)
}

/// The query parameters that have an argument.
fn query(operation: &Operation, arguments: &Map<String, Value>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for parameter in operation.parameters.iter().filter(|parameter| parameter.location == Location::Query) {
        match argument(arguments, &parameter.name) {
            Some(Value::Array(values)) => {
                query.extend_pairs(values.iter().map(|value| (&parameter.name, text(value))));
            }
            Some(Value::Object(_)) | None => {}
            Some(value) => {
                query.append_pair(&parameter.name, &text(value));
            }
        }
    }
    query.finish()
}
