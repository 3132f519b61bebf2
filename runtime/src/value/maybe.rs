//! A member that is absent, null or a value.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member of a request that may be left out, be null, or be a value, where the contract tells these apart.
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
    /// Whether the member is left out.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether the member is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value, if there is one.
    pub const fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The value, to be changed in place, if there is one.
    pub const fn as_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The value changed by `change`, where there is one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Maybe<U> {
        match self {
            Self::Absent => Maybe::Absent,
            Self::Null => Maybe::Null,
            Self::Value(value) => Maybe::Value(change(value)),
        }
    }

    /// The value, or `other` where it is missing or null.
    pub fn unwrap_or(self, other: T) -> T {
        self.into_option().unwrap_or(other)
    }

    /// The value, or what `other` gives where it is missing or null.
    pub fn unwrap_or_else(self, other: impl FnOnce() -> T) -> T {
        self.into_option().unwrap_or_else(other)
    }

    /// The value, or the default of its type where it is missing or null.
    pub fn unwrap_or_default(self) -> T
    where
        T: Default,
    {
        self.into_option().unwrap_or_default()
    }

    /// Whether there is a value.
    pub const fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }

    /// Takes the value out, and leaves the member absent.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// The value, if there is one. Absent and null both become `None`.
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

/// `None` becomes null: a value that was asked for and is not there. To leave the member out, say [`Maybe::Absent`].
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
