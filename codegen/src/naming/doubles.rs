//! Pinned names that two things of the contract have.
//!
//! Two branches give one name to two things, and git keeps the lines of both. Only one of them can have the name, and callers of
//! the other would call something else without an error, so a person settles it.

use std::collections::BTreeMap;

use crate::{Problem, Report};

/// The names that pins gave, and their owners.
#[derive(Debug, Default)]
pub(crate) struct Doubles {
    /// Kind, the owner that the name is unique in, and the name → key of the first thing that has it.
    given: BTreeMap<(&'static str, String, String), String>,
    report: Report,
}

impl Doubles {
    /// Notes that the contract has the thing with this key, and that its pin says `name`. The kind is the first word of its line.
    pub(crate) fn note(&mut self, kind: &'static str, owner: &str, key: &str, name: &str) {
        let place = (kind, owner.to_owned(), name.to_owned());
        match self.given.get(&place) {
            Some(first) if first != key => {
                let first = first.clone();
                self.report.push(problem(kind, &first, key, name));
                self.report.push(problem(kind, key, &first, name));
            }
            Some(_) => {}
            None => drop(self.given.insert(place, key.to_owned())),
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

fn problem(kind: &'static str, key: &str, other: &str, name: &str) -> Problem {
    Problem {
        code: "names/double",
        document: crate::rules::NAMES.to_owned(),
        pointer: Some(format!("{kind} {key}")),
        position: None,
        message: format!("the name `{name}` is also that of `{other}`"),
        hint: "remove the line of the one that gets another name, or choose it in [rename] of specs/codegen.toml"
            .to_owned(),
    }
}
