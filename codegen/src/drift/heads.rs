//! Places that refer to another schema now: a difference between the two schemas is part of that one change.

use std::collections::{BTreeMap, HashMap};

use super::finding::Finding;
use super::rule::Rule;

/// A place that refers to another schema costs as much as the worst difference of the two.
pub(super) fn cost(findings: &mut [Finding]) {
    let mut worst: BTreeMap<String, Finding> = BTreeMap::new();
    for part in findings.iter().filter(|finding| finding.rule != Rule::SchemaReplaced) {
        let Some(head) = &part.head else { continue };
        let is_worse = |known: &Finding| (part.client, part.contract) > (known.client, known.contract);
        if worst.get(head).is_none_or(is_worse) {
            worst.insert(head.clone(), part.clone());
        }
    }
    for finding in findings.iter_mut().filter(|finding| finding.rule == Rule::SchemaReplaced) {
        if let Some(part) = finding.head.as_ref().and_then(|head| worst.get(head)) {
            (finding.client, finding.contract) = (part.client, part.contract);
            (finding.symptom, finding.other_clients) = (part.symptom.clone(), part.other_clients.clone());
        }
    }
}

/// A difference behind a reference is a part of its change, and so are the items that it explains.
pub(super) fn own(owners: &mut [Vec<usize>], findings: &[Finding]) {
    let heads = findings.iter().enumerate().filter(|(_, finding)| finding.rule == Rule::SchemaReplaced);
    let heads: HashMap<&str, usize> =
        heads.filter_map(|(index, finding)| Some((finding.head.as_deref()?, index))).collect();
    for owner in owners.iter_mut().flatten() {
        let head = findings.get(*owner).and_then(|finding| heads.get(finding.head.as_deref()?));
        *owner = head.copied().unwrap_or(*owner);
    }
    owners.iter_mut().for_each(|owners| {
        owners.sort_unstable();
        owners.dedup();
    });
}
