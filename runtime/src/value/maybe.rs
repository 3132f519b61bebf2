//! A member that is absent, null or a value.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member of a request that may be left out, be null, or be a value, if the contract distinguishes these.
///
/// ```
/// use driftless_runtime::Maybe;
///
/// let unchanged: Maybe<i64> = Maybe::Absent;
/// let cleared: Maybe<i64> = Maybe::Null;
/// let set = Maybe::from(5);
/// assert!(unchanged.is_absent() && cleared.is_null());
/// assert_eq!(set.into_option(), Some(5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Maybe<T> {
    /// The member is left out.
    #[default]
    Absent,
    /// The member is `null`.
    Null,
    /// The member has a value.
    Value(T),
}

impl<T> Maybe<T> {
    /// Returns whether the member is left out.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns whether the member is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the value, if there is one.
    pub const fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value for changes in place, if there is one.
    pub const fn as_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Applies `change` to the value, if there is one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Maybe<U> {
        match self {
            Self::Absent => Maybe::Absent,
            Self::Null => Maybe::Null,
            Self::Value(value) => Maybe::Value(change(value)),
        }
    }

    /// Returns the value, or `other` if it is absent or null.
    pub fn unwrap_or(self, other: T) -> T {
        self.into_option().unwrap_or(other)
    }

    /// Returns the value, or the result of `other` if it is absent or null.
    pub fn unwrap_or_else(self, other: impl FnOnce() -> T) -> T {
        self.into_option().unwrap_or_else(other)
    }

    /// Returns the value, or the default of its type if it is absent or null.
    pub fn unwrap_or_default(self) -> T
    where
        T: Default,
    {
        self.into_option().unwrap_or_default()
    }

    /// Returns whether there is a value.
    pub const fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }

    /// Takes the value out, and leaves the member absent.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Returns the value, if there is one. Absent and null both become `None`.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl<T> From<T> for Maybe<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

/// `None` becomes null: a value that was requested and does not exist. To leave the member out, use [`Maybe::Absent`].
impl<T> From<Option<T>> for Maybe<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

/// Absent and null both become `None`.
impl<T> From<Maybe<T>> for Option<T> {
    fn from(value: Maybe<T>) -> Self {
        value.into_option()
    }
}

impl From<&str> for Maybe<String> {
    fn from(value: &str) -> Self {
        Self::Value(value.to_owned())
    }
}

impl<T: Serialize> Serialize for Maybe<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            _ => serializer.serialize_none(),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}
