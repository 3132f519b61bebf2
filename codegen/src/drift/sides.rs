//! A value of the contract before, and one of the contract after: by name, so that they are not mixed up.

use std::ops::{Index, IndexMut};

/// One of the two contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum When {
    /// The contract before.
    Before,
    /// The contract after.
    After,
}

impl When {
    pub(super) const BOTH: [Self; 2] = [Self::Before, Self::After];

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::After => Self::Before,
        }
    }
}

/// A value of each contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sides<T> {
    /// Of the contract before.
    pub before: T,
    /// Of the contract after.
    pub after: T,
}

impl<T> Sides<T> {
    pub(super) fn as_ref(&self) -> Sides<&T> {
        Sides { before: &self.before, after: &self.after }
    }

    pub(super) fn map<U>(self, mut change: impl FnMut(T) -> U) -> Sides<U> {
        Sides { before: change(self.before), after: change(self.after) }
    }

    pub(super) fn zip<U>(self, other: Sides<U>) -> Sides<(T, U)> {
        Sides { before: (self.before, other.before), after: (self.after, other.after) }
    }
}

impl<T> Sides<Option<T>> {
    /// A value that only one contract has.
    pub(super) fn only(when: When, value: T) -> Self {
        match when {
            When::Before => Self { before: Some(value), after: None },
            When::After => Self { before: None, after: Some(value) },
        }
    }

    /// The value that only one contract has, and which one that is.
    pub(super) fn lone(self) -> Option<(When, T)> {
        match self {
            Self { before: Some(value), after: None } => Some((When::Before, value)),
            Self { before: None, after: Some(value) } => Some((When::After, value)),
            _ => None,
        }
    }

    /// The values of both.
    pub(super) fn both(self) -> Option<Sides<T>> {
        Some(Sides { before: self.before?, after: self.after? })
    }
}

impl<T> Index<When> for Sides<T> {
    type Output = T;

    fn index(&self, when: When) -> &T {
        match when {
            When::Before => &self.before,
            When::After => &self.after,
        }
    }
}

impl<T> IndexMut<When> for Sides<T> {
    fn index_mut(&mut self, when: When) -> &mut T {
        match when {
            When::Before => &mut self.before,
            When::After => &mut self.after,
        }
    }
}

impl<T> IntoIterator for Sides<T> {
    type Item = (When, T);
    type IntoIter = std::array::IntoIter<(When, T), 2>;

    fn into_iter(self) -> Self::IntoIter {
        [(When::Before, self.before), (When::After, self.after)].into_iter()
    }
}
