//! The rows of the report: one for each cause. The same change at many places is one row, and so is a decision about the whole
//! service, such as another naming policy, although each of its places is another name.

mod headline;
mod respelled;

use std::collections::{BTreeSet, HashMap};

use super::change::Direction;
use super::finding::{Drift, Finding};
use super::gather::is_count;
use super::item_change::{ItemChange, Source, once};
use super::rule::{Grouping, NameKind, Rule, Wire};
use super::sides::Sides;
use respelled::{Respelled, member};

/// So many places with the same change are one row.
pub(super) const FEWEST: usize = 5;

/// A cause, and the findings that come of it.
#[derive(Clone, Debug)]
pub struct Row<'f> {
    /// The letter of its section and its number there, such as `B3`; within another row, one more: `B3.2`.
    pub number: String,
    /// Its section: the worst of its findings.
    pub client: Wire,
    /// The changed part, a name of the contract; or a number, such as `12 members`.
    pub subject: String,
    /// True if the subject is a number, and no name.
    pub is_counted: bool,
    /// The predicate of a sentence about it; texts of the contract stand between backticks.
    pub change: String,
    /// With their indices; the first one costs most.
    pub findings: Vec<(usize, &'f Finding)>,
    /// True for a part of a row of which the compiler tells.
    is_told: bool,
    /// True if the items of both clients were compared.
    pub(super) has_items: bool,
}

impl<'f> Row<'f> {
    fn single(number: String, index: usize, finding: &'f Finding, has_items: bool) -> Self {
        Self {
            number,
            client: finding.client,
            subject: finding.subject.clone(),
            is_counted: is_count(&finding.subject),
            change: finding.change.clone(),
            findings: vec![(index, finding)],
            is_told: false,
            has_items,
        }
    }

    /// A row for each of its findings, where it has several.
    #[must_use]
    pub fn parts(&self) -> Vec<Row<'f>> {
        if self.findings.len() < 2 {
            return Vec::new();
        }
        let is_told = !self.is_silent();
        let numbered = self.findings.iter().zip(1..);
        numbered
            .map(|((index, finding), part)| Row {
                is_told,
                ..Row::single(format!("{}.{part}", self.number), *index, finding, self.has_items)
            })
            .collect()
    }

    /// The change in one sentence: texts of the contract stand between backticks.
    #[must_use]
    pub fn says(&self) -> String {
        let subject = if self.is_counted { self.subject.clone() } else { format!("`{}`", self.subject) };
        format!("{subject} {}{}", self.change, self.reach())
    }

    /// The symptoms, of the findings that decide its section.
    #[must_use]
    pub fn noticed(&self) -> Vec<String> {
        let worst = self.findings.iter().filter(|(_, finding)| finding.client == self.client);
        let sentences: Vec<String> = worst.flat_map(|(_, finding)| finding.noticed()).collect();
        let mut known = BTreeSet::new();
        let parts = sentences.iter().flat_map(|sentence| sentence.split("; ")).filter(|part| known.insert(*part));
        match self.findings.len() {
            1 => sentences,
            _ => parts.map(str::to_owned).collect(),
        }
    }

    /// The sender, and the number of operations.
    pub(super) fn reach(&self) -> String {
        let findings = || self.findings.iter().map(|(_, finding)| finding);
        let is_any = |direction| findings().any(|finding| [Direction::Both, direction].contains(&finding.direction));
        let direction = match (is_any(Direction::Request), is_any(Direction::Response)) {
            (true, true) => "request and response",
            (false, true) => "response",
            _ => "request",
        };
        let assumed = if findings().all(|finding| finding.assumed) { ", assumed" } else { "" };
        let operations: BTreeSet<&str> =
            findings().flat_map(|finding| &finding.operations).map(String::as_str).collect();
        match operations.len() {
            0 => String::new(),
            1 => format!(" ({direction}, 1 operation{assumed})"),
            several => format!(" ({direction}, {several} operations{assumed})"),
        }
    }

    /// The public Rust items that change with it.
    pub(super) fn items(&self) -> Vec<&'f ItemChange> {
        let mut known = BTreeSet::new();
        let all = self.findings.iter().flat_map(|(_, finding)| &finding.items);
        once(all.filter(|change| known.insert((change.path(), change.kind()))).collect())
    }

    /// The effect on a program that is compiled again.
    pub(super) fn source(&self) -> Source {
        self.findings.iter().map(|(_, finding)| finding.source).max().unwrap_or_default()
    }

    /// True if running programs notice it, and nothing that does not compile any more leads to it.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        !self.is_told && self.source() < Source::Major && self.findings.iter().any(|(_, finding)| finding.silent)
    }

    /// True if running programs notice it, and only items of other rows lead to it.
    pub(super) fn is_told_elsewhere(&self) -> bool {
        self.has_items && self.client >= Wire::Risk && !self.is_silent() && self.items().is_empty()
    }

    /// True if it costs other clients of the contract more than this one.
    pub(super) fn costs_others_more(&self) -> bool {
        self.findings.iter().any(|(_, finding)| finding.contract > finding.client.max(self.client).max(Wire::Safe))
    }

    /// The families of the operations that reach it.
    pub(super) fn families(&self) -> BTreeSet<&'f str> {
        self.findings.iter().flat_map(|(_, finding)| &finding.families).map(String::as_str).collect()
    }
}

/// Indices of findings about names that are spelled otherwise, and mean the same.
pub(super) fn respelled(findings: &[Finding]) -> BTreeSet<usize> {
    respelled::find(findings).into_iter().flat_map(|one| one.findings).collect()
}

/// The common part of findings of one cause.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Cause<'f> {
    /// Each name is spelled otherwise.
    Respelled(NameKind, Wire),
    /// A discriminator has another name, and with it a member of each variant.
    Discriminator(Sides<String>),
    /// A place refers to another schema, with the differences between the two.
    Referred(&'f str),
    /// The same was decided for many places, whose values differ; of media types, for requests or for responses.
    Decided(Rule, Wire, Option<Direction>),
    /// The same changed into the same.
    Same(Rule, Wire, &'f str, &'f str),
}

/// Findings with their indices, and their common cause.
type Group<'f> = (Option<Cause<'f>>, Vec<(usize, &'f Finding)>);

impl Drift {
    /// All rows, section by section.
    #[must_use]
    pub fn rows(&self) -> Vec<Row<'_>> {
        let respelled = respelled::find(&self.findings);
        let mut exceptions = self.kept.clone();
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (cause, mut findings) in self.grouped(&respelled) {
            // The members of a discriminator are its images, and a difference behind a reference is a part of it.
            findings.sort_by_key(|(_, finding)| match cause {
                Some(Cause::Discriminator(..)) => finding.rule != Rule::DiscriminatorChanged,
                Some(Cause::Referred(_)) => finding.rule != Rule::SchemaReplaced,
                _ => false,
            });
            let (Some((index, first)), client) = (findings.first(), findings.iter().map(|(_, f)| f.client).max())
            else {
                continue;
            };
            let mut row = Row::single(String::new(), *index, first, self.unexplained.is_some());
            row.client = client.unwrap_or(Wire::None);
            if let (Some(cause), true) = (cause, findings.len() > 1) {
                (row.subject, row.change) = headline::sentence(&cause, &findings, &respelled, &mut exceptions);
                row.is_counted = row.subject != first.subject;
            }
            row.findings = findings;
            rows.push(row);
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.client));
        for section in rows.chunk_by_mut(|one, other| one.client == other.client) {
            for (row, number) in section.iter_mut().zip(1..) {
                row.number = format!("{}{number}", row.client.letter());
            }
        }
        rows
    }

    /// The findings by their common cause, in the order of the first of each.
    fn grouped<'f>(&'f self, respelled: &[Respelled]) -> Vec<Group<'f>> {
        let mut causes: HashMap<usize, Cause<'f>> = HashMap::new();
        let mut sizes: HashMap<Cause<'f>, usize> = HashMap::new();
        for one in respelled {
            let worst = one.findings.iter().map(|index| self.findings[*index].client).max().unwrap_or(Wire::None);
            let cause = Cause::Respelled(one.kind, worst);
            // A policy is one, whatever it costs here and there.
            let all = respelled.iter().filter(|other| other.kind == one.kind).count();
            sizes.insert(cause.clone(), all);
            causes.extend(one.findings.iter().map(|index| (*index, cause.clone())));
        }
        causes.retain(|_, cause| sizes.get(cause).is_some_and(|size| *size >= FEWEST));
        for (index, cause) in discriminators(&self.findings) {
            // However few: its members are its images.
            sizes.insert(cause.clone(), FEWEST);
            causes.insert(index, cause);
        }
        let heads = self.findings.iter().filter(|finding| finding.rule == Rule::SchemaReplaced);
        let heads: BTreeSet<&str> = heads.filter_map(|finding| finding.head.as_deref()).collect();
        for (index, finding) in self.findings.iter().enumerate() {
            if let Some(head) = finding.head.as_deref().filter(|head| heads.contains(head)) {
                sizes.insert(Cause::Referred(head), FEWEST);
                causes.insert(index, Cause::Referred(head));
            }
        }
        for (index, finding) in self.findings.iter().enumerate() {
            if let (false, Some(cause)) = (causes.contains_key(&index), Cause::from_finding(finding)) {
                *sizes.entry(cause.clone()).or_default() += 1;
                causes.insert(index, cause);
            }
        }
        causes.retain(|_, cause| sizes.get(cause).is_some_and(|size| *size >= FEWEST));
        let mut groups: Vec<Group<'f>> = Vec::new();
        let mut first: HashMap<Cause<'f>, usize> = HashMap::new();
        for (index, finding) in self.findings.iter().enumerate() {
            let cause = causes.remove(&index);
            let group = cause.clone().map_or(groups.len(), |cause| *first.entry(cause).or_insert(groups.len()));
            match groups.get_mut(group) {
                Some((_, findings)) => findings.push((index, finding)),
                None => groups.push((cause, vec![(index, finding)])),
            }
        }
        groups
    }
}

impl<'f> Cause<'f> {
    /// A change that names no value, such as "is gone", says nothing of a common cause.
    fn from_finding(finding: &'f Finding) -> Option<Self> {
        let Finding { rule, client, keyword, change, .. } = finding;
        let sent = Some(Direction::Request).filter(|sent| finding.direction == *sent);
        match rule.entry().grouping {
            Grouping::ByRule => Some(Self::Decided(*rule, *client, None)),
            Grouping::SentApart => Some(Self::Decided(*rule, *client, sent)),
            Grouping::ByChange => {
                let says = !keyword.is_empty() || change.contains('`');
                says.then_some(Self::Same(*rule, *client, keyword, change))
            }
        }
    }
}

/// Discriminators that have another name, and the members that come and go with them, by index.
fn discriminators(findings: &[Finding]) -> Vec<(usize, Cause<'_>)> {
    let names = |finding: &Finding| {
        Sides { before: &finding.before, after: &finding.after }
            .map(|site| site.as_ref().map_or_else(String::new, |site| site.value.clone()))
    };
    let renamed = findings.iter().filter(|finding| finding.rule == Rule::DiscriminatorChanged);
    let renamed: BTreeSet<Sides<String>> = renamed.map(names).collect();
    let mut images = Vec::new();
    for (index, finding) in findings.iter().enumerate() {
        if finding.rule == Rule::DiscriminatorChanged {
            images.push((index, Cause::Discriminator(names(finding))));
        }
        let Some((NameKind::Member, side)) = finding.rule.entry().named else { continue };
        let name = member(finding);
        let names = renamed.iter().find(|names| Some(&names[side]) == name.as_ref());
        images.extend(names.map(|names| (index, Cause::Discriminator(names.clone()))));
    }
    images
}
