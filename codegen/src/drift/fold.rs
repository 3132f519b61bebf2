//! The same change at many places is one row, which names how many places there are.

use std::collections::HashMap;

use super::finding::Finding;

/// So many findings with the same change are one row.
const FEWEST: usize = 5;

/// Places that a folded row names.
const EXAMPLES: usize = 3;

/// A row of a section: a finding, and those that say the same of another subject.
pub(super) struct Row<'f> {
    /// Number of the finding in its section, from zero.
    pub(super) index: usize,
    pub(super) finding: &'f Finding,
    /// With their numbers in the section.
    pub(super) alike: Vec<(usize, &'f Finding)>,
}

impl Row<'_> {
    /// How many findings say the same, with the subjects of some; empty for a row that stands alone.
    pub(super) fn note(&self) -> String {
        if self.alike.is_empty() {
            return String::new();
        }
        let examples: Vec<String> =
            self.alike.iter().take(EXAMPLES).map(|(_, finding)| code(&finding.subject)).collect();
        let more = if self.alike.len() > EXAMPLES { ", …" } else { "" };
        format!("the same at {} more: {}{more}", self.alike.len(), examples.join(", "))
    }
}

/// The findings of one section as rows, in their order. Each finding stands in exactly one row.
pub(super) fn rows<'f>(findings: &[&'f Finding]) -> Vec<Row<'f>> {
    let mut sizes: HashMap<_, usize> = HashMap::new();
    for key in findings.iter().filter_map(|finding| delta(finding)) {
        *sizes.entry(key).or_default() += 1;
    }
    let mut rows: Vec<Row<'f>> = Vec::new();
    let mut first: HashMap<_, usize> = HashMap::new();
    for (index, finding) in findings.iter().copied().enumerate() {
        let folds = delta(finding).filter(|key| sizes.get(key).is_some_and(|size| *size >= FEWEST));
        let row = folds.map_or(rows.len(), |key| *first.entry(key).or_insert(rows.len()));
        match rows.get_mut(row) {
            Some(row) => row.alike.push((index, finding)),
            None => rows.push(Row { index, finding, alike: Vec::new() }),
        }
    }
    rows
}

/// What two findings have in common that are images of one change. A change that names no value, such as "is gone", says
/// nothing about a common cause, and silent findings are looked at one by one.
fn delta(finding: &Finding) -> Option<impl Eq + std::hash::Hash + '_> {
    let Finding { rule, client, contract, keyword, change, direction, assumed, .. } = finding;
    let says = !keyword.is_empty() || change.contains('`');
    (says && !finding.silent).then(|| {
        let effects = (*client as u8, *contract as u8, finding.source as u8);
        let noticed = (&finding.symptom, &finding.other_clients);
        (rule.entry().id, effects, keyword, change, *direction as u8, *assumed, noticed)
    })
}

fn code(subject: &str) -> String {
    format!("`{}`", subject.replace('`', "'"))
}
