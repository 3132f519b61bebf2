//! The response to a document.

use bytes::Bytes;
use secrecy::SecretString;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    Object,
    error::{Error, GraphqlError, read_errors},
    json::lenient,
};

/// The origin of the types, for errors of decoding.
#[derive(Clone, Copy, Debug)]
pub(super) enum Types {
    /// Types that are generated from the schema.
    OfSchema,
    /// Types that the caller has chosen.
    OfCaller,
}

impl Types {
    pub(super) fn from_schema(schema: bool) -> Self {
        if schema { Self::OfSchema } else { Self::OfCaller }
    }

    pub(super) const fn hint(self) -> &'static str {
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

/// The response to a document: its data, and the errors in parts of it.
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
    /// Returns the data; `None` if the service sent none. If there are [`errors`](Self::errors), parts of it may be
    /// null.
    pub fn data(&self) -> Option<&T> {
        self.data.as_ref()
    }

    /// Returns the errors in parts of the document, or in all of it.
    pub fn errors(&self) -> &[GraphqlError] {
        &self.errors
    }

    /// Returns the extensions beside data and errors.
    pub fn extensions(&self) -> &Object {
        &self.extensions
    }

    /// Returns the data if no part of it has an error.
    ///
    /// # Errors
    ///
    /// The response has errors, or it has no data.
    pub fn into_data(self) -> Result<T, Error> {
        match self.data {
            Some(data) if self.errors.is_empty() => Ok(data),
            Some(_) => Err(Error::graphql_partial(self.errors)),
            _ => Err(Error::graphql(self.errors)),
        }
    }
}

impl<T: DeserializeOwned> Answer<T> {
    /// Reads a response. The secret is blanked out of the service's messages.
    pub(super) fn read(body: &Bytes, secret: Option<&SecretString>, types: Types) -> Result<Self, Error> {
        // A list would be decoded as the members of a response in order.
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(Error::with(
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
            Some(data) => match lenient::from_str(data.get()) {
                Ok(data) => Some(data),
                // If the service left out required data, its reason is more helpful than the decoder's.
                Err(_) if !errors.is_empty() => None,
                Err(cause) => return Err(Error::decode("the data of the answer", &cause).hint(types.hint())),
            },
        };
        if data.is_none() && errors.is_empty() && wire.errors.is_none() && wire.data.is_none() {
            return Err(Error::with(crate::error::Kind::Decode, "the answer has neither data nor errors")
                .hint("something else answers at this path: check the path of the GraphQL interface"));
        }
        Ok(Self { data, errors, extensions: wire.extensions.unwrap_or_default() })
    }

    /// Returns a response with data, or with partial data.
    pub(super) fn with_data(self) -> Result<Self, Error> {
        if self.data.is_some() { Ok(self) } else { Err(Error::graphql(self.errors)) }
    }
}
