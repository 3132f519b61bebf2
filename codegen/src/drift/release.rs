//! The version of a release with this change, and its changelog.

use std::collections::BTreeMap;

use serde::Serialize;

use super::finding::Drift;
use super::item_change::{ItemChange, OFF, Source, once};
use super::rule::Rule;

/// The version that a change asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Release {
    /// The version now.
    pub current: String,
    /// The next one, by semantic versioning: breaks of the next compile decide.
    pub next: String,
    /// The next one for those who count the default features only.
    pub default_features: String,
}

/// Items that are gone or new, and that a line of the changelog names.
const TOGETHER: usize = 8;

impl Drift {
    /// The version after `current`; `None` where that is not a version, or where no items were compared.
    #[must_use]
    pub fn release(&self, current: &str) -> Option<Release> {
        self.unexplained.as_ref()?;
        let numbers: Vec<u64> = current.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [major, minor, patch] = numbers[..] else { return None };
        let changed = !self.findings.is_empty() || self.source() > Source::None;
        let next = |source: Source| match (source, major) {
            _ if !changed => current.to_owned(),
            (Source::Major, 0) => format!("0.{}.0", minor.saturating_add(1)),
            (Source::Major, _) => format!("{}.0.0", major.saturating_add(1)),
            (Source::Minor, 1..) => format!("{major}.{}.0", minor.saturating_add(1)),
            _ => format!("{major}.{minor}.{}", patch.saturating_add(1)),
        };
        let items = self.items();
        let default = items.iter().filter(|(change, _)| not_default(change).is_none()).map(|(change, _)| change.source);
        let moved = self.findings.iter().filter(|finding| finding.rule == Rule::BasePathMoved);
        let default = default.chain(moved.map(|finding| finding.source));
        Some(Release {
            current: current.to_owned(),
            next: next(self.source()),
            default_features: next(default.max().unwrap_or_default()),
        })
    }

    /// The changes that a program may have to follow, ready for the changelog: a line for each item that changed, those that do not compile any more
    /// first; then removed and new ones, several items a line.
    #[must_use]
    pub fn changelog(&self) -> Vec<String> {
        let items = once(self.items().into_iter().map(|(change, _)| change).collect());
        let with = |source: Source| items.iter().filter(move |change| change.source == source);
        let line = |change: &ItemChange| match not_default(change) {
            Some(feature) => format!("{} (feature `{feature}`).", change.says()),
            None => format!("{}.", change.says()),
        };
        let is_told_together = |change: &&ItemChange| change.before.is_none() || change.after.is_none();
        let all = with(Source::Major).chain(with(Source::Minor)).copied();
        let (together, alone): (Vec<&ItemChange>, Vec<&ItemChange>) = all.partition(is_told_together);
        let mut by_feature: BTreeMap<(bool, Option<&str>), Vec<&ItemChange>> = BTreeMap::new();
        for change in together {
            by_feature.entry((change.before.is_none(), not_default(change))).or_default().push(change);
        }
        let listed = by_feature.into_iter().flat_map(|((is_new, feature), changes)| {
            let feature = feature.map(|feature| format!(" (feature `{feature}`)")).unwrap_or_default();
            let word = if is_new { "New" } else { "Gone" };
            let lines = changes.chunks(TOGETHER).map(|some| {
                let names: Vec<String> = some.iter().map(|change| change.name()).collect();
                format!("{word}: {}{feature}.", names.join(", "))
            });
            lines.collect::<Vec<_>>()
        });
        alone.into_iter().map(line).chain(listed).collect()
    }
}

/// The feature that programs have to turn on to have the item, where it is not on by default.
pub(super) fn not_default(change: &ItemChange) -> Option<&'static str> {
    let features = change.features();
    OFF.into_iter().find(|feature| features.contains(feature))
}
