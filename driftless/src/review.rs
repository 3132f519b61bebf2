//! The test of a workspace that fails until somebody looked at the texts of the pinned contracts.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::console::count;
use crate::failure::Failure;
use crate::inputs::Inputs;
use crate::lock::{FoundLock, Lock};
use crate::regenerate::snapshots::{ACCEPT, NAMED, accepted, path, written};
use crate::regenerate::{desired, names, pinned};
use crate::schema;
use crate::workspace::{SNAPSHOTS, Workspace};

/// The texts that a reviewer reads of the pinned contracts, against those that were accepted (`specs/snapshots`).
///
/// A workspace has one test with it, which the version of insta that the workspace chooses writes the snapshots for:
///
/// ```no_run
/// # fn insta_snapshot(_name: &str, _text: &str) {}
/// let review = driftless::Review::read(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))?;
/// review.check(|name, text| insta_snapshot(name, text))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Review {
    workspace: Workspace,
    inputs: Inputs,
    texts: BTreeMap<String, String>,
}

/// The texts differ from the accepted ones. The message names them, and the next steps.
#[derive(Debug)]
pub struct NotAccepted(String);

impl fmt::Display for NotAccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAccepted {}

impl Review {
    /// Generates the client of the workspace in a folder from its pinned contracts, and keeps the texts for reviewers.
    ///
    /// # Errors
    ///
    /// The contracts cannot be read, or make no client.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, Failure> {
        let workspace = Workspace::find(Some(folder.as_ref().to_path_buf()))?;
        let inputs = Inputs::read(&workspace)?;
        let (files, lock) = (&inputs.files, lock(&inputs));
        let pins = pinned(files, lock, true)?;
        let schema = schema::pinned(files, lock, true)?;
        let names = names(files)?;
        let texts = desired(files, &inputs.settings, (&pins, None), schema.as_deref(), &names)?.output.review;
        Ok(Self { workspace, inputs, texts })
    }

    /// The folder of the accepted snapshots.
    pub fn folder(&self) -> PathBuf {
        self.workspace.path(SNAPSHOTS)
    }

    /// Compares with the accepted texts. `assert` is called for each text that is accepted, or is to be (`INSTA_UPDATE=always`). A text
    /// that differs is written beside its snapshot for `cargo insta review`, unless `INSTA_UPDATE` is `no`.
    ///
    /// # Errors
    ///
    /// Texts differ. The error has a few lines, however much they differ.
    pub fn check(&self, mut assert: impl FnMut(&str, &str)) -> Result<(), NotAccepted> {
        let failed = |failure: Failure| NotAccepted(failure.to_string());
        let accepted = accepted(&self.inputs.files);
        let update = std::env::var("INSTA_UPDATE").unwrap_or_default();
        let file = |name: &str, end: &str| self.workspace.path(&(path(name) + end));
        let write = |error: std::io::Error, path: &Path| failed(Failure::file("write", path, &error));
        let mut differing: Vec<String> = Vec::new();
        for (name, text) in &self.texts {
            let known = accepted.get(name);
            let waiting = file(name, ".new");
            // It is there only where an earlier run left it.
            let _ = fs::remove_file(&waiting);
            // insta would print each line that differs, which may be all lines of the client.
            if update == "always" || known.is_some_and(|known| known.trim_end() == text.trim_end()) {
                assert(name, text);
                continue;
            }
            differing.push(differs(name, known, Some(text)));
            if update != "no" {
                fs::write(&waiting, written(text)).map_err(|error| write(error, &waiting))?;
            }
        }
        for (name, known) in accepted.iter().filter(|(name, _)| !self.texts.contains_key(*name)) {
            let gone = file(name, "");
            match update.as_str() {
                "always" => fs::remove_file(&gone).map_err(|error| write(error, &gone))?,
                _ => differing.push(differs(name, Some(known), None)),
            }
        }
        if differing.is_empty() {
            return Ok(());
        }
        let pins = pinned(&self.inputs.files, lock(&self.inputs), false);
        Err(NotAccepted(advice(&differing, pins)))
    }
}

/// The lock, if it can be read.
fn lock(inputs: &Inputs) -> Option<&Lock> {
    match &inputs.lock {
        FoundLock::Valid(lock) => Some(lock),
        _ => None,
    }
}

/// The advice about snapshots that differ: those of an edited contract are not to be accepted. It is the same few lines however
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

/// Describes the difference of a text from the one that was accepted.
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
