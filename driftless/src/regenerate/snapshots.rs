//! The snapshots that reviewers accepted of the pinned contracts, one for each text of a review, kept by insta.
//!
//! The first ones are written with the first client, since there is nothing to compare them with. After that only who accepts
//! a change writes them: until then `cargo test` fails, and shows the difference.

use std::collections::BTreeMap;

use crate::console::{count, result};
use crate::files::Files;
use crate::transaction::Change;
use crate::workspace::SNAPSHOTS;

/// Accepts all that changed.
pub(crate) const ACCEPT: &str = "INSTA_UPDATE=always cargo test -p xtask --test snapshots";

/// Most snapshots that are named.
pub(crate) const NAMED: usize = 20;

/// The texts of a review, against those that were accepted.
#[derive(Debug)]
pub(super) struct Snapshots {
    /// `None`: nothing was accepted yet.
    differing: Option<Vec<String>>,
}

impl Snapshots {
    pub(super) fn new(files: &Files, review: &BTreeMap<String, String>) -> Self {
        let accepted = accepted(files);
        if accepted.is_empty() {
            return Self { differing: None };
        }
        let mut differing = Vec::new();
        for (name, text) in review {
            match accepted.get(name) {
                None => differing.push(format!("{name} (new)")),
                Some(known) if known.trim_end() != text.trim_end() => differing.push(name.clone()),
                Some(_) => {}
            }
        }
        differing
            .extend(accepted.keys().filter(|name| !review.contains_key(*name)).map(|name| format!("{name} (gone)")));
        Self { differing: Some(differing) }
    }

    /// The files to write if no snapshot exists yet.
    pub(super) fn first(&self, review: &BTreeMap<String, String>) -> Vec<Change> {
        let review = review.iter().filter(|_| self.differing.is_none());
        review.map(|(name, text)| Change::Write { path: path(name), content: written(text).into() }).collect()
    }

    pub(super) fn print(&self, review: &BTreeMap<String, String>) {
        let all = count(review.len(), "snapshot", "snapshots");
        match self.differing.as_deref() {
            None => result(&format!("reviewed    {all} written to {SNAPSHOTS}: the first ones")),
            Some([]) => result(&format!("reviewed    {all}, none changed")),
            Some(differing) => {
                result(&format!(
                    "reviewed    {} of {all} changed; read the difference, then: {ACCEPT}",
                    differing.len()
                ));
                differing.iter().take(NAMED).for_each(|name| result(&format!("  {name}")));
                if differing.len() > NAMED {
                    result(&format!("  … and {} more", differing.len() - NAMED));
                }
            }
        }
    }
}

pub(crate) fn path(name: &str) -> String {
    format!("{SNAPSHOTS}/{name}.snap")
}

/// As insta writes a snapshot.
pub(crate) fn written(text: &str) -> String {
    format!("---\nsource: xtask/tests/snapshots.rs\n---\n{}\n", text.trim_end())
}

/// The accepted texts, by name.
pub(crate) fn accepted(files: &Files) -> BTreeMap<String, String> {
    let mut accepted = BTreeMap::new();
    for (path, bytes) in files.below(SNAPSHOTS) {
        let name = path.strip_prefix(SNAPSHOTS).and_then(|rest| rest.strip_prefix('/')?.strip_suffix(".snap"));
        if let Some(name) = name {
            let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
            let content =
                text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or("", |(_, text)| text);
            accepted.insert(name.to_owned(), content.to_owned());
        }
    }
    accepted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_read_as_they_are_written() {
        let texts = |names: &[(&str, &str)]| -> BTreeMap<String, String> {
            names.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        let review = texts(&[("api__a", "a.one  GET /a\n---\nx\n"), ("wire__a", "GET /a\n")]);
        let first = Snapshots::new(&Files::default(), &review).first(&review);
        assert_eq!(first.len(), 2);
        let files: Files = first
            .into_iter()
            .map(|change| match change {
                Change::Write { path, content } => (path, content.as_bytes().to_vec()),
                Change::Remove { path } => panic!("{path} is removed"),
            })
            .collect();
        let same = Snapshots::new(&files, &review);
        assert_eq!((same.differing.clone(), same.first(&review)), (Some(Vec::new()), Vec::new()));
        let review = texts(&[("api__a", "a.one  GET /a\n---\ny\n"), ("wire__b", "GET /b\n")]);
        let changed = Snapshots::new(&files, &review);
        let names = ["api__a", "wire__b (new)", "wire__a (gone)"].map(str::to_owned);
        assert_eq!((changed.differing.clone(), changed.first(&review)), (Some(names.to_vec()), Vec::new()));
    }
}
