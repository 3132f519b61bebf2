//! An object whose members the contract does not declare.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::Error;

/// An object whose members are not declared: each is kept, in the order of the document, and is read by its name.
///
/// ```
/// use platform_runtime::Object;
///
/// let project: Object = [("name", "Atlas")].into_iter().collect();
/// assert_eq!(project.get::<String>("name").unwrap().as_deref(), Some("Atlas"));
/// assert_eq!(project.get::<String>("absent").unwrap(), None);
/// assert!(project.get::<i64>("name").unwrap_err().is_decode());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Map<String, Value>);

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// The member as a `T`; `None` when it is missing or null.
    ///
    /// # Errors
    ///
    /// The member is there and is no `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => T::deserialize(value).map(Some).map_err(|cause| Error::member(name, &cause)),
        }
    }

    /// The member as it is, if there is one.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Sets a member, and returns what it replaces.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(name.into(), value.into())
    }

    /// Takes a member out. The order of the others stays.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The whole object as a `T`.
    ///
    /// # Errors
    ///
    /// The object is no `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(&self.0).map_err(|cause| Error::decode("the object", &cause))
    }
}

impl From<Map<String, Value>> for Object {
    fn from(members: Map<String, Value>) -> Self {
        Self(members)
    }
}

impl From<Object> for Map<String, Value> {
    fn from(object: Object) -> Self {
        object.0
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object.0)
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self)
    }
}
