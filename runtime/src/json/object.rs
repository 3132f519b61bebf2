//! An object with undeclared members.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::Value;

/// An object with undeclared members: each is kept, in the order of the document, and is read by its name.
///
/// ```
/// use driftless_runtime::Object;
///
/// let project: Object = [("name", "Atlas")].into_iter().collect();
/// assert_eq!(project.get::<String>("name").unwrap().as_deref(), Some("Atlas"));
/// assert_eq!(project.get::<String>("absent").unwrap(), None);
/// assert!(project.get::<i64>("name").unwrap_err().is_decode());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(IndexMap<String, Value>);

impl Object {
    /// Creates an object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the member as a value, if there is one.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns the member as a value, if there is one.
    pub fn value_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.get_mut(name)
    }

    /// Returns whether there is a member of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Sets a member, and returns the one that it replaces.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(name.into(), value.into())
    }

    /// Removes a member. The order of the others stays.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Iterates over the members, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value)> {
        self.0.iter_mut().map(|(name, value)| (name.as_str(), value))
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().collect::<Vec<_>>().into_iter()
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for Object {
    fn from(members: serde_json::Map<String, serde_json::Value>) -> Self {
        members.into_iter().collect()
    }
}

/// Of several members with one name, the last is kept.
impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Object {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        self.0.extend(members.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(members),
            _ => Err(D::Error::custom("a value that is not an object")),
        }
    }
}
