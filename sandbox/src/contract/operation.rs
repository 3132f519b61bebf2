//! One operation of the contract.

use http::Method;
use serde_json::Value;

use super::behaviour::Behaviour;
use super::schema::Schema;

/// An operation, and its behaviour.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) behaviour: Behaviour,
    /// The Operation Object.
    pub(super) declared: &'static Value,
    pub(super) document: &'static Value,
}

/// A parameter of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// `path`, `query`, `header` or `cookie`.
    pub(crate) location: &'static str,
    pub(crate) required: bool,
    pub(crate) style: Option<&'static str>,
    pub(crate) explode: Option<bool>,
    pub(crate) schema: Schema,
}

impl Operation {
    /// The controller of the operation.
    #[cfg(test)]
    pub(crate) fn tag(&self) -> &'static str {
        self.declared.pointer("/tags/0").and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn summary(&self) -> &'static str {
        text(self.declared, "summary").unwrap_or_default()
    }

    /// The source of the operation: `documented` by the platform document, or `assumed` by the sandbox.
    pub(crate) fn provenance(&self) -> &'static str {
        text(self.declared, "x-provenance").unwrap_or_default()
    }

    pub(crate) fn parameters(&self) -> impl Iterator<Item = Parameter> {
        let declared = self.declared.get("parameters").and_then(Value::as_array);
        declared.into_iter().flatten().filter_map(|parameter| {
            Some(Parameter {
                name: text(parameter, "name")?,
                location: text(parameter, "in")?,
                required: parameter.get("required") == Some(&Value::Bool(true)),
                style: text(parameter, "style"),
                explode: parameter.get("explode").and_then(Value::as_bool),
                schema: self.schema(parameter)?,
            })
        })
    }

    /// The media types of the body, each with its schema. `None` if the operation takes no body.
    pub(crate) fn body(&self) -> Option<Vec<(&'static str, Schema)>> {
        self.declared.get("requestBody").map(|body| self.content_of(body))
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
        answer.map(|answer| self.content_of(answer)).unwrap_or_default()
    }

    /// The JSON schema of a response.
    pub(crate) fn json_schema(&self, status: &str) -> Option<Schema> {
        self.content(status).into_iter().find(|(media, _)| *media == "application/json").map(|(_, schema)| schema)
    }

    fn content_of(&self, owner: &'static Value) -> Vec<(&'static str, Schema)> {
        let content = owner.get("content").and_then(Value::as_object).into_iter().flatten();
        content.filter_map(|(media, value)| Some((media.as_str(), self.schema(value)?))).collect()
    }

    fn schema(&self, owner: &'static Value) -> Option<Schema> {
        owner.get("schema").map(|value| Schema::new(self.document, value))
    }
}

fn text(value: &'static Value, name: &str) -> Option<&'static str> {
    value.get(name).and_then(Value::as_str)
}
