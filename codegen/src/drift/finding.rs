//! Findings, which a reviewer reads: one for each cause.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::action::Action;
use super::change::{Direction, Kept};
use super::item_change::{ItemChange, Source};
use super::rule::{Rule, Wire};
use super::sides::Sides;

/// The method of each operation, by document and place: `Forum::get_thread(thread_id: Uuid) -> types::Thread`.
pub(super) type Calls = HashMap<(String, String), String>;

/// A part of a contract: the last token of its pointer, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) name: String,
    pub(super) value: serde_json::Value,
}

/// A place in a contract as it was published.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Site {
    /// Name of the document.
    pub document: String,
    /// JSON pointer (RFC 6901).
    pub pointer: String,
    /// The value there, as short text.
    pub value: String,
}

/// One cause, whatever the number of operations that it reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind of change.
    pub rule: Rule,
    /// The effect on a program that was built with this client: it asks for one media type, reads a null where a member may be
    /// left out, and keeps values that it does not know.
    pub client: Wire,
    /// The effect on any client of the contract, by a strict reading.
    pub contract: Wire,
    /// The effect on a program that is compiled again; `None` as well if no items were compared.
    pub source: Source,
    /// `true` if running programs notice it, and the compiler does not: [`Finding::action`] is the work to do.
    pub silent: bool,
    /// The work for people who call these operations; `None` if no items were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The changed part, in wire names, such as `CreateComponent.kind`.
    pub subject: String,
    /// The keyword, value or media type, for a rule about many of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub keyword: String,
    /// The predicate of a sentence about the subject; each text of the contract stands between backticks.
    pub change: String,
    /// The symptom; empty if no program that was built with this client has one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub symptom: String,
    /// The symptom of other clients, if it costs them more.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub other_clients: String,
    /// The place before; `None` if it is new.
    pub before: Option<Site>,
    /// The place after; `None` if it is gone.
    pub after: Option<Site>,
    /// The sender.
    pub direction: Direction,
    /// The operations that reach it.
    pub operations: BTreeSet<String>,
    /// The route families of these operations; empty where no items were compared.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub families: BTreeSet<String>,
    /// `true` if all of these operations are marked as assumed.
    pub assumed: bool,
    /// The public Rust items that change with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemChange>,
    /// All places that it was found at.
    #[serde(skip)]
    pub(super) places: Places,
    /// The place that refers to another schema now, which the finding tells of a difference of.
    #[serde(skip)]
    pub(super) head: Option<String>,
    /// Twelve characters that stay the same as long as the change is the same.
    pub fingerprint: String,
}

/// The places of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) document: String,
    /// JSON pointers as published, before and after.
    pub(super) own: Sides<BTreeSet<String>>,
    /// Those of the operations that reach it.
    pub(super) operations: Sides<BTreeSet<String>>,
    /// The pairs of schemas, as [`Met::schemas`] has them.
    pub(super) schemas: BTreeSet<usize>,
    /// The values at the place, before and after.
    pub(super) parts: Sides<Option<Excerpt>>,
}

/// The places that were compared with each other, as published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Met {
    /// Places that moved, before → after.
    pub(super) moves: HashMap<String, String>,
    /// Pairs of schemas: the place on each side, and the pairs that lie in it.
    pub(super) schemas: Vec<(Sides<String>, Vec<usize>)>,
}

/// Something that differs, and that no rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unjudged {
    /// Name of the document.
    pub document: String,
    /// JSON pointer in the contract before; in the contract after, where only that has it.
    pub pointer: String,
    /// `true` if only the contract after has it.
    pub added: bool,
}

/// All that differs between two contracts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// Sorted by cost, then by subject.
    pub findings: Vec<Finding>,
    /// Number of the operations of each side, and of those on both sides.
    pub operations: Operations,
    /// Number of the places of documentation that differ.
    pub documentation: usize,
    /// Number of the places with the same meaning in another form.
    pub spelling: usize,
    /// One sentence for each document that another generator wrote, as far as the documents show it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<String>,
    /// Differences that no rule covers.
    pub not_judged: Vec<Unjudged>,
    /// Public Rust items that changed, and that no finding explains; `None`: no items were compared.
    pub unexplained: Option<Vec<ItemChange>>,
    /// The method of each operation, before and after.
    #[serde(skip)]
    pub(super) calls: Sides<Calls>,
    /// The places that were compared with each other, by document.
    #[serde(skip)]
    pub(super) met: BTreeMap<String, Met>,
    /// Places that stay as they were although others changed by the same rule and keyword.
    #[serde(skip)]
    pub(super) kept: Kept,
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

impl Finding {
    /// The symptoms: those of programs that were built with this client, then those of all other clients of the contract.
    #[must_use]
    pub fn noticed(&self) -> Vec<String> {
        let mut noticed = vec![self.symptom.clone()];
        if self.contract > self.client.max(Wire::Safe) {
            let verb = if self.contract == Wire::Break { "break" } else { "may break" };
            let how = if self.other_clients.is_empty() { String::new() } else { format!(" ({})", self.other_clients) };
            noticed.push(format!("other clients of the contract {verb}{how}"));
        }
        noticed.retain(|sentence| !sentence.is_empty());
        noticed
    }
}

impl Drift {
    /// Adds the findings of another document.
    pub(super) fn take(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.sort();
        self.met.extend(other.met);
        for (rule, places) in other.kept {
            self.kept.entry(rule).or_default().extend(places);
        }
        self.operations.before += other.operations.before;
        self.operations.after += other.operations.after;
        self.operations.paired += other.operations.paired;
        self.documentation += other.documentation;
        self.spelling += other.spelling;
        self.not_judged.extend(other.not_judged);
        self.published.extend(other.published);
    }

    /// The worst first, and of these the ones that the compiler does not point at.
    pub(super) fn sort(&mut self) {
        self.findings.sort_by(|one, other| {
            let key = |finding: &Finding| (finding.rule, finding.subject.clone(), finding.fingerprint.clone());
            let weight = |finding: &Finding| (finding.client, finding.silent, finding.contract);
            weight(other).cmp(&weight(one)).then_with(|| key(one).cmp(&key(other)))
        });
    }

    /// Reports whether most operations have no counterpart: these are the contracts of different services.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        /// With fewer operations, a new version may look like another service.
        const FEW: usize = 10;
        let smaller = self.operations.before.min(self.operations.after);
        smaller >= FEW && self.operations.paired * 2 < smaller
    }

    /// The effect of the whole change on programs that were built with this client.
    #[must_use]
    pub fn client(&self) -> Wire {
        self.findings.iter().map(|finding| finding.client).max().unwrap_or(Wire::None)
    }

    /// The effect of the whole change on any client of the contract.
    #[must_use]
    pub fn contract(&self) -> Wire {
        self.findings.iter().map(|finding| finding.contract).max().unwrap_or(Wire::None)
    }

    /// The effect of the change as a whole on programs that are compiled again.
    #[must_use]
    pub fn source(&self) -> Source {
        let unexplained = self.unexplained.iter().flatten().map(|change| change.source);
        self.findings.iter().map(|finding| finding.source).chain(unexplained).max().unwrap_or_default()
    }

    /// All items that changed, each with the fingerprints of the findings that explain it.
    #[must_use]
    pub fn items(&self) -> Vec<(&ItemChange, Vec<&str>)> {
        let mut items: Vec<(&ItemChange, Vec<&str>)> = Vec::new();
        let mut known: HashMap<(&str, &str), usize> = HashMap::new();
        let explained = self
            .findings
            .iter()
            .flat_map(|finding| finding.items.iter().map(move |change| (change, Some(finding.fingerprint.as_str()))));
        let unexplained = self.unexplained.iter().flatten().map(|change| (change, None));
        for (change, finding) in explained.chain(unexplained) {
            let index = *known.entry((change.path(), change.kind())).or_insert(items.len());
            if index == items.len() {
                items.push((change, Vec::new()));
            }
            items[index].1.extend(finding);
        }
        items.sort_by(|one, other| one.0.path().cmp(other.0.path()));
        items
    }
}
