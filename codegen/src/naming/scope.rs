//! Names that must differ from each other.

use std::collections::{BTreeSet, HashMap};

use super::ident::{camel, member_name};
use crate::text::Ident;

/// The identifier that a wish becomes.
pub(super) fn ident(wish: &str) -> Ident {
    let upper = wish.starts_with(char::is_uppercase);
    Ident::derived(wish, if upper { camel } else { member_name })
}

/// A namespace: every name is claimed once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    taken: BTreeSet<String>,
    /// Name → the least number that may be free behind it: all below have been given.
    numbers: HashMap<String, usize>,
}

impl Scope {
    /// A scope in which some names are taken from the start.
    pub(crate) fn with<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: names.into_iter().map(str::to_owned).collect(), numbers: HashMap::new() }
    }

    /// Takes `name` if it is free.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// The first free one of `wishes`, else the last of them with a number. Whatever the wishes are, it is an identifier.
    pub(crate) fn claim<'a>(&mut self, wishes: impl IntoIterator<Item = &'a str>) -> Ident {
        let mut last = Ident::fixed("unnamed");
        for wish in wishes {
            let name = ident(wish);
            if self.take(&name) {
                return name;
            }
            last = name;
        }
        let stem = last.trim_end_matches('_');
        let mut number = self.numbers.get(stem).copied().unwrap_or(2);
        loop {
            let name = last.numbered(number);
            number += 1;
            if self.take(&name) {
                self.numbers.insert(stem.to_owned(), number);
                return name;
            }
        }
    }
}
