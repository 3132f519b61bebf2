//! Names that must differ from each other.

use std::collections::BTreeSet;

use super::ident::{camel, member_name};
use crate::text::ident::checked;

/// A namespace: every name is claimed once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
    /// A scope in which some names are taken from the start.
    pub(crate) fn with<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: names.into_iter().map(str::to_owned).collect() }
    }

    /// Takes `name` if it is free.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// The first free one of `wishes`, else the last of them with a number. Whatever the wishes are, it is an identifier.
    pub(crate) fn claim<'a>(&mut self, wishes: impl IntoIterator<Item = &'a str>) -> String {
        let mut last = String::new();
        for wish in wishes {
            let upper = wish.starts_with(char::is_uppercase);
            let wish = checked(wish, if upper { camel } else { member_name });
            if self.take(&wish) {
                return wish;
            }
            last = wish;
        }
        let separator = if last.starts_with(char::is_uppercase) { "" } else { "_" };
        let mut number = 2_usize;
        loop {
            let name = format!("{}{separator}{number}", last.trim_end_matches('_'));
            if self.take(&name) {
                return name;
            }
            number += 1;
        }
    }
}
