//! What reviewers accepted of the pinned contracts: a snapshot for each text of a review, kept by insta.
//!
//! The first ones are written with the first client, since there is nothing to compare them with. After that only who accepts
//! a change writes them: until then `cargo test` fails, and shows the difference.

use std::collections::BTreeMap;

use crate::console::{count, result};
use crate::failure::Failure;
use crate::transaction::Change;
use crate::workspace::{SNAPSHOTS, Workspace};

/// Accepts all that changed.
const ACCEPT: &str = "INSTA_UPDATE=always cargo test -p xtask snapshots";

/// Most snapshots that are named.
const NAMED: usize = 20;

/// The texts of a review, against those that were accepted.
#[derive(Debug)]
pub(super) struct Snapshots<'a> {
    review: &'a BTreeMap<String, String>,
    /// `None`: nothing was accepted yet.
    differing: Option<Vec<String>>,
}

impl<'a> Snapshots<'a> {
    pub(super) fn of(workspace: &Workspace, review: &'a BTreeMap<String, String>) -> Result<Self, Failure> {
        let accepted = accepted(workspace)?;
        if accepted.is_empty() {
            return Ok(Self { review, differing: None });
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
        Ok(Self { review, differing: Some(differing) })
    }

    /// What to write where no snapshot exists yet.
    pub(super) fn first(&self) -> Vec<Change> {
        let review = self.review.iter().filter(|_| self.differing.is_none());
        review.map(|(name, text)| Change::Write { path: path(name), content: written(text).into_bytes() }).collect()
    }

    pub(super) fn print(&self) {
        let all = count(self.review.len(), "snapshot", "snapshots");
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

fn path(name: &str) -> String {
    format!("{SNAPSHOTS}/{name}.snap")
}

/// As insta writes a snapshot.
fn written(text: &str) -> String {
    format!("---\nsource: xtask/src/regenerate/snapshots.rs\n---\n{}\n", text.trim_end())
}

/// What was accepted, by name.
fn accepted(workspace: &Workspace) -> Result<BTreeMap<String, String>, Failure> {
    let mut accepted = BTreeMap::new();
    for path in workspace.files_below(SNAPSHOTS)? {
        let name = path.strip_prefix(SNAPSHOTS).and_then(|rest| rest.strip_prefix('/')?.strip_suffix(".snap"));
        if let Some(name) = name {
            let text = String::from_utf8_lossy(&workspace.read(&path)?.unwrap_or_default()).replace("\r\n", "\n");
            let content =
                text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or("", |(_, text)| text);
            accepted.insert(name.to_owned(), content.to_owned());
        }
    }
    Ok(accepted)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::lock::{FoundLock, Lock};
    use crate::regenerate::{desired, from_disk, names};
    use crate::schema;
    use crate::settings::Settings;

    fn workspace() -> Workspace {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        Workspace::find(Some(root.to_path_buf())).expect("a workspace")
    }

    fn lock(workspace: &Workspace) -> Option<Lock> {
        match Lock::find(workspace).expect("a lock") {
            FoundLock::Valid(lock) => Some(*lock),
            _ => None,
        }
    }

    /// What the pinned contracts say today, whoever pinned them and however.
    fn review(workspace: &Workspace) -> BTreeMap<String, String> {
        let lock = lock(workspace);
        let settings = Settings::read(workspace).expect("a configuration");
        let pins = from_disk(workspace, lock.as_ref(), true).expect("pinned contracts");
        let schema = schema::from_disk(workspace, lock.as_ref(), true).expect("a schema, or none");
        let names = names(workspace, lock.as_ref()).expect("names");
        desired(workspace, &settings, &pins, schema.as_deref(), &names).expect("a client").output.review
    }

    /// What to do about snapshots that differ: those of an edited contract are not to be accepted. It is the same few lines however
    /// much they differ.
    fn advice<T>(differing: &[String], pins: Result<T, Failure>) -> String {
        let (named, more) = differing.split_at(differing.len().min(NAMED));
        let mut text = format!(
            "nobody accepted what the pinned contracts say of {}:\n  {}\n",
            count(differing.len(), "snapshot", "snapshots"),
            named.join("\n  ")
        );
        if !more.is_empty() {
            text.push_str(&format!("  … and {} more\n", more.len()));
        }
        match pins {
            Ok(_) => {
                text + &format!(
                    "read specs/drift.md, then accept them one by one (`cargo insta review`) or all: {ACCEPT}; git shows each line"
                )
            }
            Err(failure) => text + &format!("the snapshots are not at fault\n{failure}"),
        }
    }

    /// How a text differs from the one that was accepted.
    fn differs(name: &str, known: Option<&String>, text: Option<&String>) -> String {
        let lines = |text: Option<&String>| -> BTreeMap<String, i64> {
            let mut lines = BTreeMap::new();
            for line in text.iter().flat_map(|text| text.trim_end().lines()) {
                *lines.entry(line.to_owned()).or_default() += 1;
            }
            lines
        };
        let (before, after) = (lines(known), lines(text));
        let only = |own: &BTreeMap<String, i64>, other: &BTreeMap<String, i64>| -> i64 {
            own.iter().map(|(line, number)| (number - other.get(line).unwrap_or(&0)).max(0)).sum()
        };
        format!("{name}: +{} −{} lines", only(&after, &before), only(&before, &after))
    }

    #[test]
    fn an_edited_contract_is_undone_and_a_downloaded_one_accepted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let copy = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
        let lock = lock(&workspace());
        for pinned in workspace().files_below("specs/contracts").expect("files") {
            let text = workspace().read(&pinned).expect("read").expect("a file");
            fs::create_dir_all(copy.path(&pinned).parent().expect("a folder")).expect("created");
            fs::write(copy.path(&pinned), text).expect("written");
        }
        let many: Vec<String> = (0..1_000).map(|number| format!("api__{number}: +1 −1 lines")).collect();
        let said = || advice(&many, from_disk(&copy, lock.as_ref(), false));
        assert!(said().lines().count() <= 40, "{}", said());
        assert!(said().contains(ACCEPT), "{}", said());
        let name = &lock.as_ref().expect("a lock").documents[0].name;
        let path = copy.path(&format!("specs/contracts/{name}.json"));
        let edited = fs::read_to_string(&path).expect("read") + "\n";
        fs::write(&path, edited).expect("written");
        assert!(!said().contains(ACCEPT) && said().contains("git checkout"), "{}", said());
    }

    /// Somebody edited, merged or downloaded a contract, and nobody has looked at what that changes.
    #[test]
    fn the_pinned_contracts_are_those_that_were_reviewed() {
        let workspace = workspace();
        let review = review(&workspace);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(workspace.path(SNAPSHOTS));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let accepted = accepted(&workspace).expect("snapshots");
        let update = std::env::var("INSTA_UPDATE").unwrap_or_default();
        let mut differing: Vec<String> = Vec::new();
        for (name, text) in &review {
            let known = accepted.get(name);
            let waiting = workspace.path(&(path(name) + ".new"));
            let _ = fs::remove_file(&waiting);
            // insta would print each line that differs, which may be all lines of the client.
            if update == "always" || known.is_some_and(|known| known.trim_end() == text.trim_end()) {
                settings.bind(|| insta::assert_snapshot!(name.as_str(), text));
                continue;
            }
            differing.push(differs(name, known, Some(text)));
            if update != "no" {
                fs::write(&waiting, written(text)).expect("written");
            }
        }
        for (name, known) in accepted.iter().filter(|(name, _)| !review.contains_key(*name)) {
            match update.as_str() {
                "always" => fs::remove_file(workspace.path(&path(name))).expect("removed"),
                _ => differing.push(differs(name, Some(known), None)),
            }
        }
        let pins = from_disk(&workspace, lock(&workspace).as_ref(), false);
        assert!(differing.is_empty(), "{}", advice(&differing, pins));
    }

    #[test]
    fn snapshots_are_read_as_they_are_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
        let texts = |names: &[(&str, &str)]| -> BTreeMap<String, String> {
            names.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        let review = texts(&[("api__a", "a.one  GET /a\n---\nx\n"), ("wire__a", "GET /a\n")]);
        let snapshots = Snapshots::of(&workspace, &review).expect("read");
        let first = snapshots.first();
        assert_eq!(first.len(), 2);
        for change in first {
            let Change::Write { path, content } = change else { panic!("{change:?}") };
            fs::create_dir_all(workspace.path(SNAPSHOTS)).expect("created");
            fs::write(workspace.path(&path), content).expect("written");
        }
        let same = Snapshots::of(&workspace, &review).expect("read");
        assert_eq!((same.differing.clone(), same.first()), (Some(Vec::new()), Vec::new()));
        let changed = texts(&[("api__a", "a.one  GET /a\n---\ny\n"), ("wire__b", "GET /b\n")]);
        let changed = Snapshots::of(&workspace, &changed).expect("read");
        let names = ["api__a", "wire__b (new)", "wire__a (gone)"].map(str::to_owned);
        assert_eq!((changed.differing.clone(), changed.first()), (Some(names.to_vec()), Vec::new()));
    }
}
