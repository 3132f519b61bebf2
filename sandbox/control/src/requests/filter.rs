//! The one matcher of requests: of faults, of `verify`, and of lists of the journal.

use std::collections::BTreeMap;

use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arrived::Arrived;
use super::verified::NearMiss;
use crate::operations::{Operations, is_control};

/// A filter that takes requests with all of its criteria. `match` of the control interface is its JSON form.
///
/// ```
/// use driftless_sandbox_control::requests::RequestFilter;
///
/// let created = RequestFilter::new().operation("POST /pets").json(serde_json::json!({ "name": "Rex" }));
/// # drop(created);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct RequestFilter {
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graphql: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pointers: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
}

/// The prefix of a path.
impl From<&str> for RequestFilter {
    fn from(path: &str) -> Self {
        Self::new().path(path)
    }
}

/// The prefix of a path.
impl From<&String> for RequestFilter {
    fn from(path: &String) -> Self {
        Self::new().path(path)
    }
}

/// A criterion that is refused: its member, and the reason.
type Refused = (String, String);

impl RequestFilter {
    /// The names of the criteria.
    pub const NAMES: [&'static str; 10] =
        ["method", "path", "template", "operation", "graphql", "headers", "body", "pointers", "status", "after"];

    /// Creates a filter that takes every request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the filter to a method, in capital letters.
    #[must_use]
    pub fn method(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    /// Limits the filter to paths with this prefix.
    #[must_use]
    pub fn path(self, path: &str) -> Self {
        Self { path: Some(path.to_owned()), ..self }
    }

    /// Limits the filter to a path template of the contract, or to the path of requests without an operation.
    #[must_use]
    pub fn template(self, template: &str) -> Self {
        Self { template: Some(template.to_owned()), ..self }
    }

    /// Limits the filter to an operation of the contract, such as `GET /pets/{petId}`.
    #[must_use]
    pub fn operation(self, operation: &str) -> Self {
        Self { operation: Some(operation.to_owned()), ..self }
    }

    /// Limits the filter to GraphQL requests over HTTP whose operation has this name, or this field at its root.
    #[must_use]
    pub fn graphql(self, name: &str) -> Self {
        Self { graphql: Some(name.to_owned()), ..self }
    }

    /// Limits the filter to requests with this header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Limits the filter to JSON bodies that contain this value: objects may have further members, all other values are compared
    /// exactly. A string is a part of the text of the body.
    #[must_use]
    pub fn json(self, value: Value) -> Self {
        Self { body: Some(value), ..self }
    }

    /// Limits the filter to bodies that contain this text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.json(text.into())
    }

    /// Limits the filter to JSON bodies with this value at a JSON pointer (RFC 6901), such as `/serviceProviders/0`. Objects may
    /// have further members.
    #[must_use]
    pub fn pointer(mut self, pointer: &str, value: Value) -> Self {
        self.pointers.insert(pointer.to_owned(), value);
        self
    }

    /// Limits the filter to a status of the answer. A fault cannot have this criterion.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Limits the filter to requests with a higher number in the journal. A fault cannot have this criterion.
    #[must_use]
    pub fn after(self, number: u64) -> Self {
        Self { after: Some(number), ..self }
    }

    /// Returns whether the filter names this method, itself or in its operation.
    pub fn names_method(&self, method: &str) -> bool {
        let of_operation = self.operation.as_ref().and_then(|operation| operation.split_once(' '));
        self.method.as_deref() == Some(method) || of_operation.is_some_and(|(named, _)| named == method)
    }

    /// Returns whether the filter has a criterion of the answer, which is not known when the request arrives.
    pub fn criterion_of_answer(&self) -> Option<&'static str> {
        self.status.map(|_| "status").or(self.after.map(|_| "after"))
    }

    /// The number of criteria.
    fn size(&self) -> usize {
        let texts = [&self.method, &self.path, &self.template, &self.operation, &self.graphql];
        texts.iter().filter(|text| text.is_some()).count()
            + [self.body.is_some(), self.status.is_some(), self.after.is_some()]
                .iter()
                .filter(|is_set| **is_set)
                .count()
            + self.headers.len()
            + self.pointers.len()
    }

    /// The criteria that a request does not meet, as sentences. Only the recorded part of a body is compared: its first 16 KiB.
    /// Values of headers and bodies are not repeated, because they may be secrets.
    pub fn differences(&self, request: &Arrived, number: u64, status: Option<u16>) -> Vec<String> {
        let mut differences = Vec::new();
        let mut compare = |name: &str, wanted: Option<&str>, actual: &str, fits: bool| {
            if let Some(wanted) = wanted.filter(|_| !fits) {
                differences.push(format!("{name} is {actual:?}, not {wanted:?}"));
            }
        };
        let Arrived { method, path, template, .. } = request;
        let operation = format!("{method} {template}");
        let is = |wanted: &Option<String>, actual: &str| wanted.as_deref().is_none_or(|wanted| wanted == actual);
        compare("method", self.method.as_deref(), method, is(&self.method, method));
        compare("path", self.path.as_deref(), path, self.path.as_ref().is_none_or(|prefix| path.starts_with(prefix)));
        compare("template", self.template.as_deref(), template, is(&self.template, template));
        compare("operation", self.operation.as_deref(), &operation, is(&self.operation, &operation));
        if let Some(wanted) = &self.graphql {
            let names = request.graphql();
            compare("graphql", Some(wanted), &names.join(", "), names.contains(wanted));
        }
        if let (Some(wanted), Some(actual)) = (self.status, status) {
            compare("status", Some(&wanted.to_string()), &actual.to_string(), wanted == actual);
        }
        if let Some(after) = self.after.filter(|after| number <= *after) {
            differences.push(format!("number is {number}, not above {after}"));
        }
        for (name, value) in &self.headers {
            let mut values = request.request.headers().get_all(name).iter().peekable();
            let state = if values.peek().is_none() { "is missing" } else { "has another value" };
            if !values.any(|actual| actual == value.as_str()) {
                differences.push(format!("header {name:?} {state}"));
            }
        }
        if self.body.is_none() && self.pointers.is_empty() {
            return differences;
        }
        let bytes = request.request.body().bytes;
        let json = serde_json::from_slice::<Value>(&bytes);
        match (&self.body, &json) {
            (Some(Value::String(text)), _) if !String::from_utf8_lossy(&bytes).contains(text) => {
                differences.push("body does not contain the text".to_owned());
            }
            (None | Some(Value::String(_)), _) => {}
            (Some(wanted), Ok(actual)) if holds(actual, wanted) => {}
            (Some(_), Ok(_)) => differences.push("body has other members or values".to_owned()),
            (Some(_), Err(_)) => differences.push("body is not JSON, or longer than 16 KiB".to_owned()),
        }
        for (pointer, wanted) in &self.pointers {
            match json.as_ref().map(|actual| actual.pointer(pointer)) {
                Ok(Some(actual)) if holds(actual, wanted) => {}
                Ok(Some(_)) => differences.push(format!("pointer {pointer:?} has another value")),
                Ok(None) => differences.push(format!("pointer {pointer:?} is missing")),
                Err(_) => differences.push(format!("pointer {pointer:?}: the body is not JSON, or longer than 16 KiB")),
            }
        }
        differences
    }

    /// The near miss of a request with these differences, if it meets another criterion.
    pub fn near_miss(&self, request: &Arrived, number: Option<u64>, differences: Vec<String>) -> Option<NearMiss> {
        let is_near = !differences.is_empty() && differences.len() < self.size();
        is_near.then(|| NearMiss { number, method: request.method.clone(), path: request.path.clone(), differences })
    }

    /// Refuses a filter that can never take a request.
    pub fn check(&self, known: &dyn Operations) -> Result<(), Refused> {
        let refuse = |member: &str| {
            let member = member.to_owned();
            move |message: String| (member, message)
        };
        self.method.as_deref().map_or(Ok(()), check_method).map_err(refuse("method"))?;
        self.path.as_deref().map_or(Ok(()), |path| check_path(path, known)).map_err(refuse("path"))?;
        self.template.as_ref().map_or(Ok(()), |text| self.check_template(text, known)).map_err(refuse("template"))?;
        if let Some(operation) = &self.operation
            && !operation
                .split_once(' ')
                .is_some_and(|(method, template)| known.methods(template).iter().any(|known| known == method))
        {
            let hint = "write the method and the path template, such as GET /pets/{petId}";
            return Err(refuse("operation")(format!("the contract has no operation {operation:?}; {hint}")));
        }
        for (name, value) in &self.headers {
            if HeaderName::from_bytes(name.as_bytes()).is_err() || HeaderValue::from_str(value).is_err() {
                return Err(refuse(&format!("headers.{name}"))("no header has this name or this value".to_owned()));
            }
        }
        if let Some(pointer) = self.pointers.keys().find(|pointer| !pointer.is_empty() && !pointer.starts_with('/')) {
            let hint = "write a JSON pointer, which begins with a slash: /name".to_owned();
            return Err(refuse(&format!("pointers.{pointer}"))(hint));
        }
        if self.status.is_some_and(|status| !(100..600).contains(&status)) {
            return Err(refuse("status")("write a whole number from 100 to 599".to_owned()));
        }
        if self.after.is_some_and(|after| i64::try_from(after).is_err()) {
            return Err(refuse("after")(format!("write a whole number from 0 to {}", i64::MAX)));
        }
        Ok(())
    }

    /// Checks that a template is one of the contract's. Requests without an operation are recorded with their path.
    fn check_template(&self, template: &str, known: &dyn Operations) -> Result<(), String> {
        let methods = known.methods(template);
        match (!methods.is_empty(), &self.method) {
            (true, Some(method)) if !methods.contains(method) => {
                Err(format!("the contract has no operation {method} {template}; write another method, or a path"))
            }
            (true, _) => Ok(()),
            (false, _) if template.contains(['{', '}']) => {
                Err(format!("the contract has no operation with the path {template:?}; write it as in the contract"))
            }
            (false, _) => check_path(template, known),
        }
    }
}

fn holds(actual: &Value, wanted: &Value) -> bool {
    match (actual, wanted) {
        (Value::Object(actual), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| actual.get(name).is_some_and(|actual| holds(actual, wanted)))
        }
        _ => actual == wanted,
    }
}

fn check_method(method: &str) -> Result<(), String> {
    match !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte)) {
        true => Ok(()),
        false => Err(format!("write a method in capital letters, such as {:?}", method.to_ascii_uppercase())),
    }
}

/// Refuses a path prefix that no recorded request can have.
fn check_path(path: &str, known: &dyn Operations) -> Result<(), String> {
    let reason = if path.is_empty() {
        return Ok(());
    } else if !path.starts_with('/') {
        "a path begins with a slash"
    } else if path.contains(['{', '}']) {
        "this is a template; write it as `template`, or write the beginning of a real path"
    } else if path.contains(['?', '#']) {
        "a path has no query and no fragment"
    } else if path.contains(|letter: char| !letter.is_ascii_graphic()) {
        "a path is percent-encoded"
    } else if is_control(known, path) {
        "faults do not apply to what controls the sandbox, and it is not recorded"
    } else {
        return Ok(());
    };
    Err(format!("no request has a path that begins with {path:?}: {reason}"))
}
