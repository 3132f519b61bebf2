//! Errors of GraphQL and of its socket.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::{Error, Inner, Kind, scrub_text};
use crate::json::{Object, Value, lenient};

/// One error of a response, as in the GraphQL specification.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct GraphqlError {
    message: String,
    locations: Vec<GraphqlLocation>,
    path: Vec<Value>,
    extensions: Object,
}

/// A position in the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GraphqlLocation {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Error {
    /// Creates the error of a response with errors instead of data.
    pub(crate) fn graphql(errors: Vec<GraphqlError>) -> Self {
        let what = format!("the service did not execute the document: {}", summary(&errors));
        Self(Box::new(Inner { kind: Kind::Graphql, what, graphql: errors, ..Inner::default() }))
            .hint("correct the parts that it names; `graphql_errors` lists all errors")
    }

    /// Creates the error of a response with errors beside data.
    pub(crate) fn graphql_partial(errors: Vec<GraphqlError>) -> Self {
        let what = format!("the answer is partial: {}", summary(&errors));
        Self(Box::new(Inner { kind: Kind::Graphql, what, graphql: errors, ..Inner::default() }))
            .hint("the data that came is in `data` of the answer; `graphql_errors` lists all errors")
    }

    /// Adds the errors of a GraphQL response in the body to the error of a status.
    pub(crate) fn with_graphql(mut self, secret: Option<&SecretString>) -> Self {
        // ASP.NET's problem details have `errors` as well, as an object.
        if self.0.kind == Kind::Status
            && let Some(Value::Object(answer)) = self.json_text().ok().and_then(|text| serde_json::from_str(&text).ok())
            && let Some(list @ Value::Array(items)) = answer.value("errors")
            && !items.is_empty()
        {
            self.0.graphql = read_errors(&list.to_string(), secret);
            self.0.what = format!("{}: {}", self.0.what, summary(&self.0.graphql));
        }
        self
    }

    pub(crate) fn with_close_code(mut self, code: u16) -> Self {
        self.0.close_code = Some(code);
        self
    }

    /// Returns the errors of a GraphQL response without data, or with a status such as 401. Those beside data are in
    /// [`Answer`](crate::graphql::Answer).
    pub fn graphql_errors(&self) -> &[GraphqlError] {
        &self.0.graphql
    }

    /// Returns the code with which the service closed the WebSocket: 4401, 4403, 4429 and so on, or one of RFC 6455.
    pub fn close_code(&self) -> Option<u16> {
        self.0.close_code
    }

    /// Returns whether the service answered a GraphQL document with errors, and without data.
    pub fn is_graphql(&self) -> bool {
        self.0.kind == Kind::Graphql
    }

    /// Returns whether the WebSocket broke, was refused or was closed.
    pub fn is_socket(&self) -> bool {
        self.0.kind == Kind::Socket
    }
}

/// Returns the first error, and the number of further ones.
fn summary(errors: &[GraphqlError]) -> String {
    let first = errors.first().map_or("no reason given", GraphqlError::message);
    match errors.len() {
        0 | 1 => first.to_owned(),
        count => format!("{first}, and {} more", count - 1),
    }
}

/// Reads a list of errors. An item that is not an error object counts as an error without a message.
pub(crate) fn read_errors(text: &str, secret: Option<&SecretString>) -> Vec<GraphqlError> {
    if text == "null" {
        return Vec::new();
    }
    let text = match secret {
        Some(secret) if text.contains(secret.expose_secret()) => scrub_text(text, secret.expose_secret()),
        _ => text.to_owned(),
    };
    let list = match serde_json::from_str(&text) {
        Ok(Value::Array(list)) => list,
        Ok(single) => vec![single],
        Err(_) => Vec::new(),
    };
    list.into_iter().map(GraphqlError::read).collect()
}

impl GraphqlError {
    /// Reads each valid part, so that an invalid one, such as a path that is null, does not affect the others.
    fn read(value: Value) -> Self {
        let Value::Object(mut parts) = value else { return Self::default_with(None) };
        let mut part = |name| parts.remove(name).unwrap_or_default();
        let list = |value| if let Value::Array(items) = value { items } else { Vec::new() };
        Self {
            locations: lenient::from_str(&part("locations").to_string()).unwrap_or_default(),
            path: list(part("path")),
            extensions: if let Value::Object(members) = part("extensions") { members } else { Object::new() },
            ..Self::default_with(part("message").as_str())
        }
    }

    fn default_with(message: Option<&str>) -> Self {
        Self { message: message.unwrap_or("an error without a message").to_owned(), ..Self::default() }
    }

    /// Returns the service's message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the positions in the document.
    pub fn locations(&self) -> &[GraphqlLocation] {
        &self.locations
    }

    /// Returns the path to the field: names and indexes.
    pub fn path(&self) -> &[Value] {
        &self.path
    }

    /// Returns the extensions.
    pub fn extensions(&self) -> &Object {
        &self.extensions
    }

    /// Returns the `code` of the extensions, in which many services put the kind of error.
    pub fn code(&self) -> Option<&str> {
        self.extensions.value("code").and_then(Value::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::read_errors;

    #[test]
    fn an_odd_part_of_an_error_costs_no_other() {
        let odd = [
            r#"{"message":"no","extensions":{"code":"BUSY"}}"#,
            r#"{"message":"no","extensions":{"code":"BUSY"},"path":null,"locations":null}"#,
            r#"{"message":"no","extensions":{"code":"BUSY"},"path":"a.b","locations":{"line":1}}"#,
            r#"{"message":"no","extensions":{"code":"BUSY"},"locations":[{"line":-1,"column":"x"}]}"#,
            r#"{"message":7,"extensions":{"code":"BUSY"}}"#,
        ];
        for text in odd {
            let [error] = &read_errors(&format!("[{text}]"), None)[..] else { panic!("{text}") };
            assert_eq!(error.code(), Some("BUSY"), "{text}");
        }
        for text in ["7", "[]", "{}", r#"{"extensions":[],"message":null}"#] {
            let [error] = &read_errors(&format!("[{text}]"), None)[..] else { panic!("{text}") };
            assert_eq!((error.message(), error.code()), ("an error without a message", None), "{text}");
        }
    }
}
