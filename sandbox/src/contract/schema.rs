//! The part of OpenAPI's Schema Object that answers are built by. The engine checks values.

use driftless_sandbox::host::Direction;
use serde_json::Value;

use super::document::Document;
use crate::problem::Complaint;

/// A schema of a document. References are followed.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    document: &'static Document,
    /// JSON pointer of the schema.
    pointer: String,
    value: &'static Value,
}

impl Schema {
    /// The schema at a JSON pointer. A reference to an unknown component counts as the empty schema.
    pub(super) fn new(document: &'static Document, pointer: String, value: &'static Value) -> Self {
        match value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#')) {
            Some(target) => {
                let value = document.value.pointer(target).unwrap_or(&Value::Null);
                Self { document, pointer: target.to_owned(), value }
            }
            None => Self { document, pointer, value },
        }
    }

    /// Everything that is wrong with a value; empty if it matches. A closed object refuses undeclared members, so that a client that
    /// sends something outside of the contract is detected.
    pub(crate) fn complaints(&self, value: &Value) -> Vec<Complaint> {
        // As in a request, `nullable` beside `allOf` allows null. OpenAPI 3.0.4 says otherwise, and Swashbuckle writes it for members
        // that may be null.
        let violations = self.document.checks.violations(&self.pointer, value, Direction::Request);
        violations.into_iter().map(|violation| (place(&violation.pointer), violation.message)).collect()
    }

    pub(crate) fn fits(&self, value: &Value) -> bool {
        self.complaints(value).is_empty()
    }

    pub(crate) fn kind(&self) -> Option<&'static str> {
        self.text("type")
    }

    pub(crate) fn format(&self) -> Option<&'static str> {
        self.text("format")
    }

    pub(crate) fn is_nullable(&self) -> bool {
        self.value.get("nullable") == Some(&Value::Bool(true))
    }

    /// Returns whether a value is a file, or a list of files.
    pub(crate) fn is_file(&self) -> bool {
        self.format() == Some("binary") || self.items().is_some_and(|items| items.format() == Some("binary"))
    }

    pub(crate) fn is_array(&self) -> bool {
        self.kind() == Some("array")
    }

    /// The first value of an enumeration.
    pub(crate) fn first_value(&self) -> Option<&'static Value> {
        self.value.get("enum")?.get(0)
    }

    /// The parts of `allOf` or the alternatives of `oneOf`.
    pub(crate) fn parts(&self, keyword: &str) -> Vec<Self> {
        let parts = self.value.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate();
        parts.map(|(index, part)| self.below(&format!("{keyword}/{index}"), part)).collect()
    }

    pub(crate) fn properties(&self) -> Vec<(&'static str, Self)> {
        let properties = self.value.get("properties").and_then(Value::as_object).into_iter().flatten();
        properties.map(|(name, value)| (name.as_str(), self.below(&format!("properties/{name}"), value))).collect()
    }

    pub(crate) fn property(&self, name: &str) -> Option<Self> {
        self.properties().into_iter().find(|(key, _)| *key == name).map(|(_, property)| property)
    }

    /// The schema of the elements of an array, or of the `items` of a page.
    pub(crate) fn element(&self) -> Option<Self> {
        self.items().or_else(|| self.property("items")?.items())
    }

    fn items(&self) -> Option<Self> {
        self.value.get("items").map(|items| self.below("items", items))
    }

    fn below(&self, step: &str, value: &'static Value) -> Self {
        Self::new(self.document, format!("{}/{step}", self.pointer), value)
    }

    fn text(&self, name: &str) -> Option<&'static str> {
        self.value.get(name).and_then(Value::as_str)
    }
}

/// A place in a value as ASP.NET writes it: `/a/0` is `$.a[0]`.
pub(crate) fn place(pointer: &str) -> String {
    pointer.split('/').skip(1).fold("$".to_owned(), |place, step| match step.parse::<usize>() {
        Ok(index) => format!("{place}[{index}]"),
        Err(_) => format!("{place}.{}", step.replace("~1", "/").replace("~0", "~")),
    })
}
