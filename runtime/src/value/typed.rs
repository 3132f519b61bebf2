//! Conversions between values and types.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Error, Object, Value,
    json::{Finite, lenient},
};

impl Value {
    /// Converts any serializable type to a value. Numbers keep their digits.
    ///
    /// # Errors
    ///
    /// It does not serialize as JSON, has a number that is not finite, or the nesting is deeper than 128.
    pub fn from_serialize(value: &(impl Serialize + ?Sized)) -> Result<Self, Error> {
        let mut text = Vec::new();
        let written = value.serialize(Finite(&mut serde_json::Serializer::new(&mut text)));
        written.and_then(|()| serde_json::from_slice(&text)).map_err(|cause| Error::encode(&cause))
    }

    /// Converts the value to a `T`, read like the body of a response.
    ///
    /// # Errors
    ///
    /// The value is not a `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, Error> {
        typed(self).map_err(|cause| Error::decode("the value", &cause).hint("ask for it as another type"))
    }
}

impl Object {
    /// Converts the member to a `T`, read like the body of a response; `None` if it is missing or null.
    ///
    /// # Errors
    ///
    /// The member exists and is not a `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => typed(value).map(Some).map_err(|cause| Error::member(name, &cause)),
        }
    }

    /// Converts the whole object to a `T`, read like the body of a response.
    ///
    /// # Errors
    ///
    /// The object is not a `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, Error> {
        typed(self).map_err(|cause| Error::decode("the object", &cause).hint("ask for it as another type"))
    }
}

/// Converted through the text, so that every type reads the original digits.
fn typed<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, serde_json::Error> {
    lenient::from_str(&serde_json::to_string(value)?)
}
