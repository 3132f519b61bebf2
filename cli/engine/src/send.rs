//! A call of an operation through the runtime.

use driftless_runtime::codegen::Raw;
use driftless_runtime::codegen::prelude::{Operation, Payload, decode};
use driftless_runtime::{Bytes, Call, Client, Error, Value};

use crate::arguments::body::Content;
use crate::table::Described;

/// An operation with the arguments of a command line.
pub(crate) struct Given {
    pub(crate) line: Described,
    pub(crate) operation: &'static Operation,
    pub(crate) values: Vec<Option<Value>>,
    pub(crate) content: Content,
}

impl Given {
    /// The form of its body.
    pub(crate) fn form(&self) -> &'static str {
        match self.line.body.as_ref().map(|body| body.form.as_str()) {
            Some("form") => "form",
            _ => "json",
        }
    }
}

/// A call of the operation with these arguments, by the position of the parameters.
pub(crate) fn call<'c, T>(
    client: &'c Client,
    operation: &'static Operation,
    form: &str,
    values: &[Option<Value>],
    content: Content,
    decode: fn(Raw) -> Result<T, Error>,
) -> Call<'c, T> {
    let (value, text);
    let payload = match content {
        Content::None => Payload::None,
        Content::Value(given) => {
            value = given;
            if form == "form" { Payload::Form(&value) } else { Payload::Json(&value) }
        }
        Content::Text(given) => {
            text = given;
            Payload::Text(&text)
        }
        Content::Upload(upload) => Payload::Binary(upload),
        Content::Parts(parts) => Payload::Multipart(parts),
    };
    let mut call = Call::new(client, operation, &[], payload, decode);
    for (position, value) in values.iter().enumerate() {
        if let Some(value) = value {
            call.set(position, value);
        }
    }
    call
}

/// Reads the whole body.
pub(crate) fn bytes(raw: Raw) -> Result<Bytes, Error> {
    decode::bytes(raw)
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Given").field("operation", &self.operation.name).finish_non_exhaustive()
    }
}
