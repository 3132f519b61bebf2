//! What a reviewer reads: one finding a cause.

use std::collections::BTreeSet;

use serde::Serialize;

use super::change::Direction;
use super::rule::{Rule, Wire};

/// A place in a contract as it was published.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Site {
    /// Name of the document.
    pub document: String,
    /// JSON pointer (RFC 6901).
    pub pointer: String,
    /// What stands there, as short text.
    pub value: String,
}

/// One cause, whatever the number of operations that it reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of change it is.
    pub rule: Rule,
    /// What it does to a program that is already built.
    pub wire: Wire,
    /// What changed, in wire names, such as `CreateComponent.kind`.
    pub subject: String,
    /// What a rule about many keywords, values or media types is about here.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub keyword: String,
    /// What happened to the subject; each text of the contract stands between backticks.
    pub change: String,
    /// Who notices, and how; empty where nobody does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub symptom: String,
    /// Where it was; `None` for what is new.
    pub before: Option<Site>,
    /// Where it is; `None` for what is gone.
    pub after: Option<Site>,
    /// Who sends it.
    pub direction: Direction,
    /// The operations that reach it.
    pub operations: BTreeSet<String>,
    /// Whether all of these operations are marked as assumed.
    pub assumed: bool,
    /// The same change in the words of oasdiff.
    pub aliases: BTreeSet<String>,
    /// Twelve characters that stay the same as long as the change is the same.
    pub fingerprint: String,
}

/// Something that differs, and that no rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unjudged {
    /// Name of the document.
    pub document: String,
    /// JSON pointer in the contract before; in the contract after, where only that has it.
    pub pointer: String,
    /// Whether only the contract after has it.
    pub added: bool,
}

/// All that differs between two contracts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// Sorted by what they cost, then by subject.
    pub findings: Vec<Finding>,
    /// How many operations there are, and how many of them are on both sides.
    pub operations: Operations,
    /// How many places of documentation differ.
    pub documentation: usize,
    /// How many places say the same in another way.
    pub spelling: usize,
    /// What no rule speaks of.
    pub not_judged: Vec<Unjudged>,
}

/// Numbers of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Operations {
    /// In the contracts before.
    pub before: usize,
    /// In the contracts after.
    pub after: usize,
    /// Of these, how many belong together.
    pub paired: usize,
}

impl Drift {
    /// Adds what was found in another document.
    pub(super) fn take(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.findings.sort_by(|one, other| {
            let key = |finding: &Finding| (finding.rule, finding.subject.clone(), finding.fingerprint.clone());
            other.wire.cmp(&one.wire).then_with(|| key(one).cmp(&key(other)))
        });
        self.operations.before += other.operations.before;
        self.operations.after += other.operations.after;
        self.operations.paired += other.operations.paired;
        self.documentation += other.documentation;
        self.spelling += other.spelling;
        self.not_judged.extend(other.not_judged);
    }

    /// Whether most operations have no counterpart: these are the contracts of different services.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        /// With fewer operations, a new version may look like another service.
        const FEW: usize = 10;
        let smaller = self.operations.before.min(self.operations.after);
        smaller >= FEW && self.operations.paired * 2 < smaller
    }

    /// What the change as a whole does to programs that are already built.
    #[must_use]
    pub fn wire(&self) -> Wire {
        self.findings.iter().map(|finding| finding.wire).max().unwrap_or(Wire::None)
    }

    /// How many findings cost so much.
    #[must_use]
    pub fn count(&self, wire: Wire) -> usize {
        self.findings.iter().filter(|finding| finding.wire == wire).count()
    }
}
