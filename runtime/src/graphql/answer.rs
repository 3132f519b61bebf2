//! What the service answers to a document.

use bytes::Bytes;
use secrecy::SecretString;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    Object,
    error::{Error, GraphqlError, read_errors},
    json::lenient,
};

/// Who is at fault where data does not decode.
#[derive(Clone, Copy, Debug)]
pub(super) enum Types {
    /// Types that are generated from the schema.
    OfSchema,
    /// Types that the caller has named.
    OfCaller,
}

impl Types {
    pub(super) fn of(schema: bool) -> Self {
        if schema { Self::OfSchema } else { Self::OfCaller }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::OfSchema => {
                "the document fits the pinned schema, but the answer does not: the service is at fault, unless its schema \
                 has changed since, or a scalar is mapped in [scalars] to a type that does not fit it"
            }
            Self::OfCaller => {
                "the answer does not fit the type that the program asked for: use a type that fits the document, or `Value`"
            }
        }
    }
}

/// The answer to a document: its data, and what went wrong with parts of it.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    data: Option<T>,
    errors: Vec<GraphqlError>,
    extensions: Object,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    errors: Option<&'a RawValue>,
    #[serde(default)]
    extensions: Option<Object>,
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
    pub fn extensions(&self) -> &Object {
        &self.extensions
    }

    /// The data, when nothing went wrong with any part of it.
    ///
    /// # Errors
    ///
    /// The answer has errors, or it has no data.
    pub fn into_data(self) -> Result<T, Error> {
        match self.data {
            Some(data) if self.errors.is_empty() => Ok(data),
            Some(_) => Err(Error::graphql_partial(self.errors)),
            _ => Err(Error::graphql(self.errors)),
        }
    }
}

impl<T: DeserializeOwned> Answer<T> {
    /// Reads an answer. The secret is blanked out of what the service says.
    pub(super) fn read(body: &Bytes, secret: Option<&SecretString>, types: Types) -> Result<Self, Error> {
        // A list would be read as the members of an answer in their order.
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(Error::of(
                crate::error::Kind::Decode,
                "the answer is a list, and not the answer to one document",
            )
            .hint(
                "a proxy or an interface for batches answers at this path: check the path of the GraphQL interface",
            ));
        }
        let wire: Wire<'_> = serde_json::from_slice(body).map_err(|cause| {
            Error::decode("the answer", &cause)
                .hint("this is not a GraphQL response: the service is at fault, or something else answers at this path")
        })?;
        let errors = wire.errors.map(|errors| read_errors(errors.get(), secret)).unwrap_or_default();
        let data = match wire.data.filter(|data| data.get() != "null") {
            None => None,
            Some(data) => match lenient::from_slice(data.get().as_bytes()) {
                Ok(data) => Some(data),
                // Where the service left out what the type needs, its reason says more than the decoder's.
                Err(_) if !errors.is_empty() => None,
                Err(cause) => return Err(Error::decode("the data of the answer", &cause).hint(types.hint())),
            },
        };
        if data.is_none() && errors.is_empty() && wire.errors.is_none() && wire.data.is_none() {
            return Err(Error::of(crate::error::Kind::Decode, "the answer has neither data nor errors")
                .hint("something else answers at this path: check the path of the GraphQL interface"));
        }
        Ok(Self { data, errors, extensions: wire.extensions.unwrap_or_default() })
    }

    /// An answer with data, or with partial data.
    pub(super) fn with_data(self) -> Result<Self, Error> {
        if self.data.is_some() { Ok(self) } else { Err(Error::graphql(self.errors)) }
    }
}
