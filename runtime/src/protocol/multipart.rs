//! The parts of a multipart form.

use std::borrow::Cow;

use super::{Argument, Style, style, to_bytes, to_value};
use crate::Upload;
use crate::json::Value;

/// The parts of a multipart body, in order.
#[derive(Debug, Default)]
pub struct Parts {
    /// The parts.
    pub parts: Vec<Part>,
    /// The error of a part that could not be written: the request fails with it before it is sent.
    pub error: Option<serde_json::Error>,
}

/// One part.
#[derive(Debug)]
pub struct Part {
    /// The name of the field.
    pub name: Cow<'static, str>,
    /// Its contents.
    pub upload: Upload,
    /// Headers of the part that the contract declares.
    pub headers: &'static [(&'static str, &'static str)],
    /// A file has a name and a media type, whether or not they were set.
    pub file: bool,
}

impl Part {
    /// Returns the media type of the part.
    pub(crate) fn media_type(&self) -> Option<&str> {
        self.upload.content_type.as_deref().or(self.file.then_some("application/octet-stream"))
    }
}

impl Parts {
    /// Adds a file.
    pub fn file(&mut self, name: &'static str, upload: Upload) {
        self.parts.push(Part { name: name.into(), upload, headers: &[], file: true });
    }

    /// Adds a file under a dynamic name.
    #[cfg(feature = "graphql")]
    pub(crate) fn named_file(&mut self, name: String, upload: Upload) {
        self.parts.push(Part { name: name.into(), upload, headers: &[], file: true });
    }

    /// Adds a file, if there is one.
    pub fn optional_file(&mut self, name: &'static str, upload: Option<Upload>) {
        if let Some(upload) = upload {
            self.file(name, upload);
        }
    }

    /// Adds each file, under the same name.
    pub fn files(&mut self, name: &'static str, uploads: Vec<Upload>) {
        for upload in uploads {
            self.file(name, upload);
        }
    }

    /// Adds the files, if there are any.
    pub fn optional_files(&mut self, name: &'static str, uploads: Option<Vec<Upload>>) {
        self.files(name, uploads.unwrap_or_default());
    }

    /// Adds a value as text: a string as it is, another value as JSON. Null adds nothing.
    pub fn text(&mut self, name: &'static str, value: impl Argument) {
        match to_value(&value) {
            Ok(value) => self.value(name, &value),
            Err(error) => self.fail(error),
        }
    }

    /// Adds a value as text, if there is one.
    pub fn optional_text(&mut self, name: &'static str, value: impl Argument) {
        self.text(name, value);
    }

    /// Adds each element of an array as text, under the same name.
    pub fn texts(&mut self, name: &'static str, values: impl Argument) {
        match to_value(&values) {
            Ok(Value::Array(values)) => values.iter().for_each(|value| self.value(name, value)),
            Ok(value) => self.value(name, &value),
            Err(error) => self.fail(error),
        }
    }

    /// Adds each element of an array as text, if there is one.
    pub fn optional_texts(&mut self, name: &'static str, values: impl Argument) {
        self.texts(name, values);
    }

    /// Adds a value as JSON.
    pub fn json(&mut self, name: &'static str, value: impl Argument) {
        match to_bytes(&value) {
            Ok(text) => self.plain(name, Upload::bytes(text).content_type("application/json")),
            Err(error) => self.fail(error),
        }
    }

    /// Adds a value as JSON, if there is one.
    pub fn optional_json<T: Argument>(&mut self, name: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.json(name, value);
        }
    }

    /// Adds each element of an array as JSON, in a part of its own.
    pub fn jsons<T: Argument>(&mut self, name: &'static str, values: Vec<T>) {
        for value in values {
            self.json(name, value);
        }
    }

    /// Adds each element of an array as JSON, if there is one.
    pub fn optional_jsons<T: Argument>(&mut self, name: &'static str, values: Option<Vec<T>>) {
        self.jsons(name, values.unwrap_or_default());
    }

    /// Adds a value in a style: the pairs of a query, each in a part, without encoding.
    pub fn styled(&mut self, name: &'static str, how: Style, value: &dyn Argument) {
        match to_value(value) {
            Ok(value) => match style::check(name, how, &value, style::strict) {
                Ok(()) => {
                    for (name, text) in style::entries(name, how, &value) {
                        self.plain(name, Upload::bytes(text));
                    }
                }
                Err(cause) => self.fail(serde::ser::Error::custom(cause)),
            },
            Err(error) => self.fail(error),
        }
    }

    /// Applies the contract's encoding to the parts from `first` on: a media type, for those without one, and headers.
    pub fn encode(&mut self, first: usize, media_type: &'static str, headers: &'static [(&'static str, &'static str)]) {
        for part in self.parts.iter_mut().skip(first) {
            part.headers = headers;
            // A file may have a media type of its own; text of the client has the contract's.
            let keeps = part.file && part.upload.content_type.is_some();
            if !media_type.is_empty() && !keeps {
                part.upload.content_type = Some(media_type.to_owned());
            }
        }
    }

    fn value(&mut self, name: &'static str, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.plain(name, Upload::bytes(text.clone())),
            other => self.plain(name, Upload::bytes(other.to_string())),
        }
    }

    fn plain(&mut self, name: impl Into<Cow<'static, str>>, upload: Upload) {
        self.parts.push(Part { name: name.into(), upload, headers: &[], file: false });
    }

    fn fail(&mut self, error: serde_json::Error) {
        self.error.get_or_insert(error);
    }
}

/// Implements `into_parts` for a struct, from a table of its members: Rust name, kind, name on the wire, and optionally
/// the contract's encoding of the part: a media type (empty: none) and headers.
///
/// Kinds: `file` (`Upload`), `files` (`Vec<Upload>`), `text` (a scalar), `texts` (a `Vec` of scalars), `json` (any
/// value), `jsons` (a `Vec` of any values), and in a style `joined`, `spaced`, `piped`, `tabbed`, `deep`, `exploded`;
/// `optional_` before each for an `Option` of the same.
#[doc(hidden)]
#[macro_export]
macro_rules! __multipart {
    ($type:ident {
        $($field:ident : $kind:ident $wire:literal $(($media:literal $(, ($header:literal, $text:literal))*))?),* $(,)?
    }) => {
        impl $type {
            #[inline]
            pub(crate) fn into_parts(self) -> $crate::codegen::Parts {
                let mut parts = <$crate::codegen::Parts as ::core::default::Default>::default();
                $(
                    let first = parts.parts.len();
                    $crate::codegen::part!(parts, $kind, $wire, self.$field);
                    $(parts.encode(first, $media, &[$(($header, $text)),*]);)?
                    let _ = first;
                )*
                parts
            }
        }
    };
}

/// Adds one member of a form.
#[doc(hidden)]
#[macro_export]
macro_rules! __part {
    ($parts:ident, joined, $wire:literal, $value:expr) => {
        $parts.styled($wire, $crate::codegen::Style::FormUnexploded, &$value)
    };
    ($parts:ident, spaced, $wire:literal, $value:expr) => {
        $parts.styled($wire, $crate::codegen::Style::Space, &$value)
    };
    ($parts:ident, piped, $wire:literal, $value:expr) => {
        $parts.styled($wire, $crate::codegen::Style::Pipe, &$value)
    };
    ($parts:ident, tabbed, $wire:literal, $value:expr) => {
        $parts.styled($wire, $crate::codegen::Style::Tab, &$value)
    };
    ($parts:ident, deep, $wire:literal, $value:expr) => {
        $parts.styled($wire, $crate::codegen::Style::Deep, &$value)
    };
    ($parts:ident, exploded, $wire:literal, $value:expr) => {
        $parts.styled($wire, $crate::codegen::Style::Form, &$value)
    };
    ($parts:ident, optional_joined, $wire:literal, $value:expr) => {
        $crate::codegen::part!($parts, joined, $wire, $value)
    };
    ($parts:ident, optional_spaced, $wire:literal, $value:expr) => {
        $crate::codegen::part!($parts, spaced, $wire, $value)
    };
    ($parts:ident, optional_piped, $wire:literal, $value:expr) => {
        $crate::codegen::part!($parts, piped, $wire, $value)
    };
    ($parts:ident, optional_tabbed, $wire:literal, $value:expr) => {
        $crate::codegen::part!($parts, tabbed, $wire, $value)
    };
    ($parts:ident, optional_deep, $wire:literal, $value:expr) => {
        $crate::codegen::part!($parts, deep, $wire, $value)
    };
    ($parts:ident, optional_exploded, $wire:literal, $value:expr) => {
        $crate::codegen::part!($parts, exploded, $wire, $value)
    };
    ($parts:ident, $kind:ident, $wire:literal, $value:expr) => {
        $parts.$kind($wire, $value)
    };
}
