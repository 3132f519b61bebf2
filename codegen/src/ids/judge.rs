//! Places that do not fit their entry.

use std::collections::BTreeSet;

use crate::output::Unused;
use crate::{IdRule, Names, Problem, Report};

/// Decides who has to know: a mistake in the configuration ends a run. If programs know the identifier, the contract has added, changed or
/// removed a place, which is named at the end of the run, and the place keeps the type of the contract.
#[derive(Debug)]
pub(super) struct Judge<'p> {
    known: BTreeSet<&'p str>,
    report: Report,
    unused: Vec<Unused>,
}

impl<'p> Judge<'p> {
    pub(super) fn new(pins: &'p Names) -> Self {
        let known = pins.ids.values().map(String::as_str).collect();
        Self { known, report: Report::default(), unused: Vec::new() }
    }

    /// A problem with one or several entries.
    pub(super) fn refuse(&mut self, rules: &[&IdRule], problem: Problem) {
        match rules.iter().all(|rule| self.known.contains(rule.name.as_str())) {
            true => self.say(problem.pointer.unwrap_or_default(), problem.message),
            false => self.report.push(problem),
        }
    }

    /// A problem of the configuration, whatever the contract is.
    pub(super) fn push(&mut self, problem: Problem) {
        self.report.push(problem);
    }

    /// Names a part of an entry that changes nothing.
    pub(super) fn say(&mut self, pointer: String, what: String) {
        self.unused.push(Unused { pointer, what });
    }

    pub(super) fn finish(self) -> Result<Vec<Unused>, Report> {
        self.report.into_result(self.unused)
    }
}
