//! Values as types, and types as values.

use serde::{Serialize, de::DeserializeOwned};

use crate::{Error, Object, Value, json::lenient};

impl Value {
    /// Whatever serialises, as a value. Numbers keep their digits.
    ///
    /// # Errors
    ///
    /// It does not serialise as JSON, or values stand in each other more than 128 deep.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Result<Self, Error> {
        let text = serde_json::to_string(value);
        text.and_then(|text| serde_json::from_str(&text)).map_err(|cause| Error::encode(&cause))
    }

    /// The value as a `T`, read as the body of a response is.
    ///
    /// # Errors
    ///
    /// The value is not a `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, Error> {
        typed(self).map_err(|cause| Error::decode("the value", &cause).hint("ask for it as another type"))
    }
}

impl Object {
    /// The member as a `T`, read as the body of a response is; `None` when it is missing or null.
    ///
    /// # Errors
    ///
    /// The member is there and is not a `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => typed(value).map(Some).map_err(|cause| Error::member(name, &cause)),
        }
    }

    /// The whole object as a `T`, read as the body of a response is.
    ///
    /// # Errors
    ///
    /// The object is not a `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, Error> {
        typed(self).map_err(|cause| Error::decode("the object", &cause).hint("ask for it as another type"))
    }
}

/// By way of the text, so that every type reads the digits that are there.
fn typed<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, serde_json::Error> {
    lenient::from_slice(&serde_json::to_vec(value)?)
}
