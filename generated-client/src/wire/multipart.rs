//! The parts of a multipart form.

use serde_json::Value;

use super::{Argument, to_bytes, to_value};
use crate::Upload;

/// The parts of a multipart body, in order.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) parts: Vec<Part>,
    pub(crate) error: Option<serde_json::Error>,
}

#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) upload: Upload,
    /// A file says a name and a media type, whether it was given one or not.
    pub(crate) file: bool,
}

impl Parts {
    /// Adds a file.
    pub(crate) fn file(&mut self, name: &'static str, upload: Upload) {
        self.parts.push(Part { name, upload, file: true });
    }

    /// Adds a file, if there is one.
    pub(crate) fn optional_file(&mut self, name: &'static str, upload: Option<Upload>) {
        if let Some(upload) = upload {
            self.file(name, upload);
        }
    }

    /// Adds each file, under the same name.
    pub(crate) fn files(&mut self, name: &'static str, uploads: Vec<Upload>) {
        for upload in uploads {
            self.file(name, upload);
        }
    }

    /// Adds the files, if there are any.
    pub(crate) fn optional_files(&mut self, name: &'static str, uploads: Option<Vec<Upload>>) {
        self.files(name, uploads.unwrap_or_default());
    }

    /// Adds a value as text: a string as it is, another value as JSON writes it. Null adds nothing.
    pub(crate) fn text(&mut self, name: &'static str, value: impl Argument) {
        match to_value(&value) {
            Ok(value) => self.value(name, &value),
            Err(error) => self.fail(error),
        }
    }

    /// Adds a value as text, if there is one.
    pub(crate) fn optional_text(&mut self, name: &'static str, value: impl Argument) {
        self.text(name, value);
    }

    /// Adds each element of an array as text, under the same name.
    pub(crate) fn texts(&mut self, name: &'static str, values: impl Argument) {
        match to_value(&values) {
            Ok(Value::Array(values)) => values.iter().for_each(|value| self.value(name, value)),
            Ok(value) => self.value(name, &value),
            Err(error) => self.fail(error),
        }
    }

    /// Adds each element of an array as text, if there is one.
    pub(crate) fn optional_texts(&mut self, name: &'static str, values: impl Argument) {
        self.texts(name, values);
    }

    /// Adds a value as JSON.
    pub(crate) fn json(&mut self, name: &'static str, value: impl Argument) {
        match to_bytes(&value) {
            Ok(text) => self.plain(name, Upload::bytes(text).content_type("application/json")),
            Err(error) => self.fail(error),
        }
    }

    /// Adds a value as JSON, if there is one.
    pub(crate) fn optional_json<T: Argument>(&mut self, name: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.json(name, value);
        }
    }

    fn value(&mut self, name: &'static str, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.plain(name, Upload::bytes(text.clone())),
            other => self.plain(name, Upload::bytes(other.to_string())),
        }
    }

    fn plain(&mut self, name: &'static str, upload: Upload) {
        self.parts.push(Part { name, upload, file: false });
    }

    fn fail(&mut self, error: serde_json::Error) {
        self.error.get_or_insert(error);
    }
}

/// Gives a struct `into_parts`, from a table of its members: Rust name, kind, name on the wire.
///
/// Kinds: `file` (`Upload`), `files` (`Vec<Upload>`), `text` (a scalar), `texts` (a `Vec` of scalars), `json` (anything);
/// `optional_` before each for an `Option` of the same.
macro_rules! multipart {
    ($type:ident { $($field:ident : $kind:ident $wire:literal),* $(,)? }) => {
        impl $type {
            pub(crate) fn into_parts(self) -> $crate::wire::Parts {
                let mut parts = $crate::wire::Parts::default();
                $(parts.$kind($wire, self.$field);)*
                parts
            }
        }
    };
}
pub(crate) use multipart;
