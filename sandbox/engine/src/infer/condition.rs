//! Behaviour that no contract describes: statuses under conditions, and asynchronous work.

use std::fmt::Write as _;

use serde_json::Value;

use crate::number::order;
use crate::request::Read;

/// A status that an operation answers with, if the condition is met.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FixedAnswer {
    pub(crate) status: u16,
    /// `None`: always.
    pub(crate) condition: Option<Condition>,
}

/// A value of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    pub(crate) part: RequestPart,
    /// The name of a parameter, or a JSON pointer into the body.
    pub(crate) name: String,
    /// `None`: any value.
    pub(crate) equals: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestPart {
    Path,
    Query,
    Header,
    Body,
}

/// Asynchronous work of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) member: String,
    pub(crate) states: Vec<String>,
    /// Duration of each state. Without it, a read of the item takes it further.
    pub(crate) milliseconds: Option<u64>,
}

impl FixedAnswer {
    pub(crate) fn applies(&self, read: &Read) -> bool {
        let Some(Condition { part, name, equals }) = &self.condition else { return true };
        let value = match part {
            RequestPart::Path => read.path.get(name),
            RequestPart::Query => read.query.get(name),
            RequestPart::Header => {
                read.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value)
            }
            RequestPart::Body => read.body.as_ref().and_then(|body| body.pointer(name)),
        };
        match (value, equals) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(value), Some(wanted)) => is_equal(value, wanted),
        }
    }

    pub(super) fn describe(&self) -> String {
        let mut text = self.status.to_string();
        if let Some(Condition { part, name, equals }) = &self.condition {
            let part = match part {
                RequestPart::Path => "path",
                RequestPart::Query => "query",
                RequestPart::Header => "header",
                RequestPart::Body => "body",
            };
            // A text can be written to always.
            let _ = match equals {
                Some(value) => write!(text, " if `{name}` of the {part} is {value}"),
                None => write!(text, " if the {part} has `{name}`"),
            };
        }
        text
    }
}

/// Numbers are compared by value, and with the text of a parameter by its text.
fn is_equal(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Number(value), Value::Number(wanted)) => order(value, wanted).is_eq(),
        (Value::String(value), Value::String(wanted)) => value == wanted,
        (Value::String(value), wanted) => wanted.to_string().as_str() == value,
        (value, wanted) => value == wanted,
    }
}

impl Work {
    /// The place of a state in the work. `None` if it is one of other work.
    pub(crate) fn index(&self, state: &str) -> Option<usize> {
        self.states.iter().position(|known| known == state)
    }
}
