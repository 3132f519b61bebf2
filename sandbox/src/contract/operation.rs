//! One operation of the contract.

use http::Method;
use serde_json::Value;

use super::behaviour::Behaviour;
use super::document::Document;
use super::schema::Schema;

/// An operation, and its behaviour.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) behaviour: Behaviour,
    /// The Operation Object, and its JSON pointer.
    pub(super) declared: &'static Value,
    pub(super) pointer: String,
    pub(super) document: &'static Document,
}

impl Operation {
    /// The controller of the operation.
    #[cfg(test)]
    pub(crate) fn tag(&self) -> &'static str {
        self.declared.pointer("/tags/0").and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn summary(&self) -> &'static str {
        self.text("summary")
    }

    /// The source of the operation: `documented` by the platform document, or `assumed` by the sandbox.
    pub(crate) fn provenance(&self) -> &'static str {
        self.text("x-provenance")
    }

    /// The name of the first parameter in a location: `path`, `query`, `header` or `cookie`.
    pub(crate) fn parameter(&self, location: &str) -> Option<&'static str> {
        let mut parameters = self.declared.get("parameters")?.as_array()?.iter();
        parameters.find(|parameter| parameter["in"] == location)?.get("name")?.as_str()
    }

    /// The media types of the body, each with its schema. `None` if the operation takes no body.
    pub(crate) fn body(&self) -> Option<Vec<(&'static str, Schema)>> {
        self.declared.get("requestBody").map(|body| self.content_of(body, "requestBody"))
    }

    /// Returns whether the contract lists a media type for the body.
    pub(crate) fn reads(&self, media_type: &str) -> bool {
        self.body().into_iter().flatten().any(|(media, _)| media == media_type)
    }

    /// The statuses that count as success, lowest first.
    pub(crate) fn successes(&self) -> impl Iterator<Item = &'static str> {
        let responses = self.declared.get("responses").and_then(Value::as_object);
        let statuses = responses.into_iter().flatten().map(|(status, _)| status.as_str());
        statuses.filter(|status| status.starts_with('2'))
    }

    /// The media types of a response, each with its schema.
    pub(crate) fn content(&self, status: &str) -> Vec<(&'static str, Schema)> {
        let answer = self.declared.get("responses").and_then(|responses| responses.get(status));
        answer.map(|answer| self.content_of(answer, &format!("responses/{status}"))).unwrap_or_default()
    }

    /// The JSON schema of a response.
    pub(crate) fn json_schema(&self, status: &str) -> Option<Schema> {
        self.content(status).into_iter().find(|(media, _)| *media == "application/json").map(|(_, schema)| schema)
    }

    fn content_of(&self, owner: &'static Value, step: &str) -> Vec<(&'static str, Schema)> {
        let content = owner.get("content").and_then(Value::as_object).into_iter().flatten();
        let schema = |(media, value): (&'static String, &'static Value)| {
            let pointer = format!("{}/{step}/content/{}/schema", self.pointer, media.replace('/', "~1"));
            Some((media.as_str(), Schema::new(self.document, pointer, value.get("schema")?)))
        };
        content.filter_map(schema).collect()
    }

    fn text(&self, name: &str) -> &'static str {
        self.declared.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}
