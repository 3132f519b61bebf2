//! Faults with their places, at most a given number of them.

use std::fmt::Write as _;

use super::{Fault, FaultKind};

/// Bytes of a name in a message.
const NAME: usize = 60;

/// A place in the value.
#[derive(Clone, Copy)]
pub(super) enum At<'p> {
    Root,
    Member(&'p At<'p>, &'p str),
    Item(&'p At<'p>, usize),
}

impl At<'_> {
    /// JSON pointer of the place.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Root => {}
            Self::Member(parent, name) => {
                parent.write(out);
                out.push('/');
                out.push_str(&short(name).replace('~', "~0").replace('/', "~1"));
            }
            Self::Item(parent, index) => {
                parent.write(out);
                // Writing to a string does not fail.
                let _ = write!(out, "/{index}");
            }
        }
    }
}

/// Faults, at most `limit`.
pub(super) struct Faults {
    pub(super) list: Vec<Fault>,
    pub(super) limit: usize,
}

impl Faults {
    pub(super) fn add(&mut self, at: At<'_>, kind: FaultKind, message: impl Into<String>) {
        if self.list.len() < self.limit {
            self.list.push(Fault { pointer: at.pointer(), message: message.into(), kind });
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    pub(super) fn is_strictly_valid(&self) -> bool {
        !self.list.iter().any(|fault| fault.kind.is_strict())
    }

    pub(super) fn has_errors(&self) -> bool {
        self.list.iter().any(|fault| fault.kind.is_error())
    }
}

/// A name of the contract or of the value in a message.
pub(super) fn short(name: &str) -> String {
    if name.len() <= NAME {
        return name.to_owned();
    }
    let mut out: String = name.chars().take(NAME / 2).collect();
    out.push('…');
    out
}
