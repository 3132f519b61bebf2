//! Pinned and chosen names that two things of the contract have.
//!
//! Two branches give one name to two things, in `specs/names.lock` or in `[rename]`, and git keeps the lines of both. Only one of
//! them can have the name, and callers of the other would call something else without an error, so a person settles it.

use std::collections::BTreeMap;

use super::scope::ident;
use crate::{Problem, Report, pointer, rules};

/// A thing of the contract.
#[derive(Clone, Debug)]
struct Named {
    key: String,
    from: From,
}

/// The place that gives a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Rename,
    Line,
    /// The line of the type or operation, which lists its published members.
    Published,
}

/// The names that pins and the configuration give, and their owners.
#[derive(Debug, Default)]
pub(crate) struct Doubles {
    /// Kind, the owner that the name is unique in, and the name → the first thing that has it.
    given: BTreeMap<(&'static str, String, String), Named>,
    report: Report,
}

impl Doubles {
    /// Notes that the contract has the thing with this key, and that its pin says `name`, or `[rename]` where it `is_chosen`. The
    /// kind is the first word of its line.
    pub(crate) fn note(&mut self, kind: &'static str, owner: &str, key: &str, name: &str, is_chosen: bool) {
        self.add(kind, owner, key, name, if is_chosen { From::Rename } else { From::Line });
    }

    /// The same for a member whose name is derived, and was published.
    pub(crate) fn note_published(&mut self, kind: &'static str, owner: &str, key: &str, name: &str) {
        self.add(kind, owner, key, name, From::Published);
    }

    fn add(&mut self, kind: &'static str, owner: &str, key: &str, name: &str, from: From) {
        let place = (kind, owner.to_owned(), ident(name).to_string());
        let named = Named { key: key.to_owned(), from };
        match self.given.get(&place) {
            Some(first) if first.key != key => {
                let first = first.clone();
                self.report.push(problem((kind, owner), &first, key, name));
                self.report.push(problem((kind, owner), &named, &first.key, name));
            }
            Some(_) => {}
            None => drop(self.given.insert(place, named)),
        }
    }

    /// All names that two things have.
    ///
    /// # Errors
    ///
    /// A problem for each line.
    pub(crate) fn check(&mut self) -> Result<(), Report> {
        std::mem::take(&mut self.report).into_result(())
    }
}

/// A problem where the name is written.
fn problem((kind, owner): (&'static str, &str), named: &Named, other: &str, name: &str) -> Problem {
    let message = format!("the name `{name}` is also that of `{other}`");
    if named.from == From::Rename {
        let place = pointer::join("/rename", &named.key);
        return rules::problem(
            "names/double",
            place,
            message,
            "choose a name that nothing else has, or remove the entry",
        );
    }
    let is_published = named.from == From::Published;
    let (pointer, message, hint) = match is_published {
        true => (
            format!("published {owner}"),
            format!("`{}`: {message}", named.key),
            format!(
                "choose another name for one of them in [rename] of specs/codegen.toml, such as {:?} = \"{name}_2\"",
                named.key
            ),
        ),
        false => (
            format!("{kind} {}", named.key),
            message,
            "remove the line of the one that gets another name, or choose it in [rename] of specs/codegen.toml"
                .to_owned(),
        ),
    };
    Problem {
        code: "names/double",
        document: rules::NAMES.to_owned(),
        pointer: Some(pointer),
        position: None,
        message,
        hint,
    }
}
