//! What the service answers to a document.

use bytes::Bytes;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    error::{Error, scrub},
    wire::lenient,
};

/// What to do where data is not as the schema says.
const BREAKS: &str = "a text: ask for a type that fits; a document of the client: the answer breaks the schema that is \
    pinned, or a scalar is mapped in [scalars] to a type that does not fit. `cargo xtask regenerate` says whether the schema \
    has changed; where it has not, the service is at fault";

/// The answer to a document: its data, and what went wrong with parts of it.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    data: Option<T>,
    errors: Vec<GraphqlError>,
    extensions: Map<String, Value>,
}

/// One error of an answer, as the GraphQL specification writes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct GraphqlError {
    message: String,
    locations: Vec<Location>,
    path: Vec<Value>,
    extensions: Map<String, Value>,
}

/// A place in the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Location {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    errors: Option<&'a RawValue>,
    #[serde(default)]
    extensions: Option<Map<String, Value>>,
}

impl<T> Answer<T> {
    /// The data; `None` when the service gave none. Beside [`errors`](Self::errors), parts of it may be null.
    pub fn data(&self) -> Option<&T> {
        self.data.as_ref()
    }

    /// What went wrong with parts of the document, or with all of it.
    pub fn errors(&self) -> &[GraphqlError] {
        &self.errors
    }

    /// What the service adds beside data and errors.
    pub fn extensions(&self) -> &Map<String, Value> {
        &self.extensions
    }

    /// The data, when nothing went wrong with any part of it.
    ///
    /// # Errors
    ///
    /// There are errors, or there is no data.
    pub fn into_data(self) -> Result<T, Error> {
        match self.data {
            Some(data) if self.errors.is_empty() => Ok(data),
            _ => Err(Error::graphql(self.errors)),
        }
    }
}

impl<T: DeserializeOwned> Answer<T> {
    /// Reads an answer. The secret is blanked out of what the service says.
    pub(super) fn read(body: &Bytes, secret: Option<&SecretString>) -> Result<Self, Error> {
        let wire: Wire<'_> = serde_json::from_slice(body).map_err(|cause| {
            Error::decode("the answer", &cause)
                .hint("the service is at fault, or something else answers at this path: it is not an answer of GraphQL")
        })?;
        let errors = wire.errors.map(|errors| read_errors(errors.get(), secret)).unwrap_or_default();
        let data = match wire.data.filter(|data| data.get() != "null") {
            None => None,
            Some(data) => match lenient::from_slice(data.get().as_bytes()) {
                Ok(data) => Some(data),
                // Where the service left out what the type needs, its reason says more than the decoder's.
                Err(_) if !errors.is_empty() => None,
                Err(cause) => return Err(Error::decode("the data of the answer", &cause).hint(BREAKS)),
            },
        };
        if data.is_none() && errors.is_empty() && wire.errors.is_none() && wire.data.is_none() {
            return Err(Error::new(crate::error::Kind::Decode, "the answer has neither data nor errors")
                .hint("something else answers at this path: check the path of the GraphQL interface"));
        }
        Ok(Self { data, errors, extensions: wire.extensions.unwrap_or_default() })
    }

    /// An answer with data, or with partial data.
    pub(super) fn with_data(self) -> Result<Self, Error> {
        if self.data.is_some() { Ok(self) } else { Err(Error::graphql(self.errors)) }
    }
}

/// A list of errors. What is none counts as one that says nothing.
pub(super) fn read_errors(text: &str, secret: Option<&SecretString>) -> Vec<GraphqlError> {
    if text == "null" {
        return Vec::new();
    }
    let text = match secret {
        Some(secret) if text.contains(secret.expose_secret()) => {
            String::from_utf8_lossy(&scrub(text.to_owned().into(), Some(secret))).into_owned()
        }
        _ => text.to_owned(),
    };
    let list = match serde_json::from_str(&text) {
        Ok(Value::Array(list)) => list,
        Ok(single) => vec![single],
        Err(_) => Vec::new(),
    };
    list.into_iter().map(GraphqlError::lenient).collect()
}

impl GraphqlError {
    /// Takes each part that is one, so that an odd part, such as a path that is null, does not cost the others.
    fn lenient(value: Value) -> Self {
        let Value::Object(mut parts) = value else { return Self::default_with(None) };
        let mut part = |name| parts.remove(name).unwrap_or_default();
        Self {
            locations: serde_json::from_value(part("locations")).unwrap_or_default(),
            path: serde_json::from_value(part("path")).unwrap_or_default(),
            extensions: serde_json::from_value(part("extensions")).unwrap_or_default(),
            ..Self::default_with(part("message").as_str())
        }
    }

    fn default_with(message: Option<&str>) -> Self {
        Self { message: message.unwrap_or("an error without a message").to_owned(), ..Self::default() }
    }

    /// What the service says.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The places in the document.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// The field of the answer: names and indexes.
    pub fn path(&self) -> &[Value] {
        &self.path
    }

    /// What the service adds.
    pub fn extensions(&self) -> &Map<String, Value> {
        &self.extensions
    }

    /// The `code` of the extensions, by which many services name the kind of error.
    pub fn code(&self) -> Option<&str> {
        self.extensions.get("code").and_then(Value::as_str)
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
