//! The part of OpenAPI's Schema Object that answers are built by.

use serde_json::Value;

/// A schema of a document. A reference is followed when a member is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema {
    document: &'static Value,
    value: &'static Value,
}

/// The additional properties that an object may have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Additional {
    Any,
    Closed,
    Of(Schema),
}

static ANYTHING: Value = Value::Null;

impl Schema {
    /// A reference to an unknown component counts as the empty schema.
    pub(crate) fn new(document: &'static Value, value: &'static Value) -> Self {
        let target = value.get("$ref").map(|reference| {
            let pointer = reference.as_str().and_then(|reference| reference.strip_prefix('#'));
            pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(&ANYTHING)
        });
        Self { document, value: target.unwrap_or(value) }
    }

    pub(crate) fn kind(self) -> Option<&'static str> {
        self.text("type")
    }

    pub(crate) fn format(self) -> Option<&'static str> {
        self.text("format")
    }

    pub(crate) fn is_nullable(self) -> bool {
        self.value.get("nullable") == Some(&Value::Bool(true))
    }

    pub(crate) fn is_binary(self) -> bool {
        self.format() == Some("binary")
    }

    pub(crate) fn is_array(self) -> bool {
        self.kind() == Some("array")
    }

    /// The values of an enumeration.
    pub(crate) fn values(self) -> &'static [Value] {
        self.list("enum")
    }

    pub(crate) fn min_length(self) -> Option<u64> {
        self.value.get("minLength").and_then(Value::as_u64)
    }

    pub(crate) fn required(self) -> impl Iterator<Item = &'static str> {
        self.list("required").iter().filter_map(Value::as_str)
    }

    /// The parts of `allOf` or the alternatives of `oneOf`.
    pub(crate) fn parts(self, keyword: &str) -> impl Iterator<Item = Self> {
        self.list(keyword).iter().map(move |part| Self::new(self.document, part))
    }

    pub(crate) fn properties(self) -> impl Iterator<Item = (&'static str, Self)> {
        let properties = self.value.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(move |(name, value)| (name.as_str(), Self::new(self.document, value)))
    }

    pub(crate) fn property(self, name: &str) -> Option<Self> {
        self.properties().find(|(key, _)| *key == name).map(|(_, property)| property)
    }

    pub(crate) fn items(self) -> Option<Self> {
        self.value.get("items").map(|items| Self::new(self.document, items))
    }

    /// The schema of the elements of an array, or of the `items` of a page.
    pub(crate) fn element(self) -> Option<Self> {
        self.items().or_else(|| self.property("items")?.items())
    }

    pub(crate) fn additional(self) -> Additional {
        match self.value.get("additionalProperties") {
            Some(Value::Bool(false)) => Additional::Closed,
            Some(value @ Value::Object(_)) => Additional::Of(Self::new(self.document, value)),
            _ => Additional::Any,
        }
    }

    fn text(self, name: &str) -> Option<&'static str> {
        self.value.get(name).and_then(Value::as_str)
    }

    fn list(self, name: &str) -> &'static [Value] {
        self.value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}
