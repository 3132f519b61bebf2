//! Problem details, as RFC 9457 and ASP.NET write them.

use std::collections::BTreeMap;

use crate::json::{Object, Value};

/// The body of an error as RFC 9457 problem details. Every member is optional; one of an unexpected type is an
/// extension.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// A URI for the kind of problem.
    pub kind: Option<String>,
    /// A summary of the kind of problem.
    pub title: Option<String>,
    /// The status in the body.
    pub status: Option<u16>,
    /// A description of this occurrence.
    pub detail: Option<String>,
    /// A URI for this occurrence.
    pub instance: Option<String>,
    /// ASP.NET's validation errors: the messages for each member of the request.
    pub errors: BTreeMap<String, Vec<String>>,
    /// ASP.NET's identifier of the request in the server's logs.
    pub trace_id: Option<String>,
    /// All other members.
    pub extensions: BTreeMap<String, Value>,
}

impl Problem {
    /// Reads a body. Any JSON object is accepted: services omit the media type and the members at will.
    pub(crate) fn read(body: &str) -> Option<Self> {
        let Ok(Value::Object(mut members)) = serde_json::from_str(body) else { return None };
        let kind = text(&mut members, "type");
        let status = members.value("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
        if status.is_some() {
            members.remove("status");
        }
        Some(Self {
            kind,
            title: text(&mut members, "title"),
            status,
            detail: text(&mut members, "detail"),
            instance: text(&mut members, "instance"),
            errors: errors(&mut members),
            trace_id: text(&mut members, "traceId").or_else(|| text(&mut members, "trace_id")),
            extensions: members.into_iter().collect(),
        })
    }

    /// Returns a summary for readers.
    pub(crate) fn summary(&self) -> Option<String> {
        let text = self.detail.as_ref().or(self.title.as_ref()).or_else(|| self.extension("message"));
        let first = self.errors.iter().find_map(|(name, messages)| Some(format!("{name}: {}", messages.first()?)));
        match (text, first) {
            (Some(text), Some(first)) => Some(format!("{text} {first}")),
            (Some(text), None) => Some(text.clone()),
            (None, first) => first,
        }
    }

    fn extension(&self, name: &str) -> Option<&String> {
        match self.extensions.get(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }
}

fn text(members: &mut Object, name: &str) -> Option<String> {
    match members.remove(name) {
        Some(Value::String(text)) => Some(text),
        Some(other) => {
            members.set(name, other);
            None
        }
        None => None,
    }
}

/// Returns the map of messages. If it is not such a map, it stays an extension.
fn errors(members: &mut Object) -> BTreeMap<String, Vec<String>> {
    let Some(Value::Object(messages)) = members.value("errors") else { return BTreeMap::new() };
    let read: Option<BTreeMap<String, Vec<String>>> =
        messages.iter().map(|(name, texts)| Some((name.to_owned(), strings(texts)?))).collect();
    match read {
        Some(errors) => {
            members.remove("errors");
            errors
        }
        None => BTreeMap::new(),
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}
