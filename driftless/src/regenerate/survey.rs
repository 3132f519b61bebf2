//! Compares the files with the generated ones, and with the hashes in the lock.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::HEADER;

use super::outputs::Desired;
use crate::console::word;
use crate::features;
use crate::files::Files;
use crate::lock::{HashedText, Lock, digest, sha256};
use crate::transaction::Change;
use crate::workspace::{BLOCK, CLIENT_MANIFEST, GENERATED, LOCK, MANIFEST, NAMES, SCHEMA, is_territory, pinned_path};

/// The reason why a file differs from its generated content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Its inputs changed; the text names which.
    Inputs(String),
    HandEdit,
    Missing,
    /// The tool did not write it, and it stands where only the tool writes.
    Unlisted,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Inputs(inputs) => f.write_str(inputs),
            Self::HandEdit => f.write_str("hand edit"),
            Self::Missing => f.write_str("missing"),
            Self::Unlisted => f.write_str("unlisted: the lock does not know it"),
        }
    }
}

/// One file that differs from its generated content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StaleFile {
    pub(crate) path: String,
    pub(crate) cause: Cause,
    /// `true` if the tool generates a content for it.
    wanted: bool,
    /// `true` if it carries the generated header.
    generated: bool,
}

impl StaleFile {
    pub(crate) fn is_unlisted(&self) -> bool {
        self.cause == Cause::Unlisted
    }

    /// The file, where the path names a part of one.
    pub(crate) fn file(&self) -> &str {
        if self.path == BLOCK { CLIENT_MANIFEST } else { &self.path }
    }

    /// The one command that fixes it.
    pub(crate) fn fix(&self) -> String {
        match self.cause {
            Cause::Missing if !self.wanted => format!("git checkout -- {}", word(self.file())),
            Cause::Inputs(_) | Cause::Missing => "cargo xtask regenerate --offline".to_owned(),
            Cause::HandEdit => format!("git checkout -- {}", word(self.file())),
            Cause::Unlisted if self.path.starts_with(GENERATED) => {
                format!("mv {} generated-client/src/", word(&self.path))
            }
            Cause::Unlisted => format!("mv {} specs/", word(&self.path)),
        }
    }
}

/// The outputs of earlier runs, and the inputs of the last one.
#[derive(Debug)]
pub(crate) struct Known {
    /// Path → hash of the last content that the tool wrote; empty if only that is known, that it differs from the current
    /// content.
    outputs: BTreeMap<String, String>,
    lock: Option<Lock>,
}

impl Known {
    /// The outputs that the lock lists. Without a lock, files that carry the generated header or a name that only the tool uses
    /// count as the tool's own, in their current state.
    ///
    /// The lock has one digest over all outputs. If it does not fit, `expected` gives the hashes: of the files that the tool
    /// writes from the inputs of that run.
    pub(crate) fn new(
        files: &Files,
        lock: Option<&Lock>,
        expected: impl FnOnce(&Lock) -> Option<BTreeMap<String, String>>,
    ) -> Self {
        let Some(lock) = lock else { return Self::unlocked(files) };
        let hashes = Self::hashes(files, lock);
        let outputs = if digest(&hashes) == lock.digest {
            hashes
        } else {
            let mut expected = expected(lock).unwrap_or_default();
            lock.outputs.iter().map(|path| (path.clone(), expected.remove(path).unwrap_or_default())).collect()
        };
        Self { outputs, lock: Some(lock.clone()) }
    }

    /// The outputs as far as the lock alone knows them: the hashes of pinned contracts and of the schema, and the files that exist.
    fn from_pins(files: &Files, lock: &Lock) -> Self {
        let mut outputs: BTreeMap<String, String> =
            lock.outputs.iter().map(|path| (path.clone(), String::new())).collect();
        outputs.extend(Self::hashes(files, lock));
        outputs.extend(lock.documents.iter().map(|document| (pinned_path(&document.name), document.canonical.clone())));
        outputs.extend(lock.schema.iter().map(|hash| (SCHEMA.to_owned(), hash.clone())));
        Self { outputs, lock: Some(lock.clone()) }
    }

    fn unlocked(files: &Files) -> Self {
        let is_own = |path: &str, bytes: &[u8]| !path.starts_with(GENERATED) || bytes.starts_with(HEADER.as_bytes());
        let own = territory(files).filter(|(path, bytes)| is_own(path, bytes));
        let own = own.chain(output(files, BLOCK).map(|block| (BLOCK, block)));
        Self { outputs: own.map(|(path, bytes)| (path.to_owned(), sha256(bytes))).collect(), lock: None }
    }

    /// The hashes of the outputs that exist.
    fn hashes(files: &Files, lock: &Lock) -> BTreeMap<String, String> {
        lock.outputs.iter().filter_map(|path| Some((path.clone(), sha256(output(files, path)?)))).collect()
    }

    /// The inputs that differ from those of the last run.
    fn changed_inputs(&self, desired: &Desired) -> String {
        let Some(lock) = &self.lock else { return "no lock".to_owned() };
        let mut inputs = Vec::new();
        if lock.documents != desired.lock.documents {
            inputs.push("contract");
        }
        if lock.schema != desired.lock.schema {
            inputs.push("schema");
        }
        if lock.configuration != desired.lock.configuration {
            inputs.push("configuration");
        }
        match inputs.as_slice() {
            // Equal inputs to one generator give equal outputs.
            [] => "generator".to_owned(),
            several => several.join(" and "),
        }
    }
}

/// The state of every file that is, was or will be the tool's.
#[derive(Debug)]
pub(crate) struct Survey {
    findings: Vec<StaleFile>,
    /// Files that are no longer wanted.
    obsolete: BTreeSet<String>,
}

impl Survey {
    pub(crate) fn new(files: &Files, desired: &Desired, known: &Known) -> Self {
        let inputs = known.changed_inputs(desired);
        let mut survey = Self { findings: Vec::new(), obsolete: BTreeSet::new() };
        let mut paths: BTreeSet<String> = desired.files.keys().cloned().collect();
        paths.extend(known.outputs.keys().filter(|path| *path != BLOCK).cloned());
        paths.extend(territory(files).map(|(path, _)| path.to_owned()));
        for path in paths {
            let wanted = desired.files.get(&path).map(|text| text.as_bytes());
            survey.compare(files, path, wanted, known, &inputs);
        }
        survey.compare(files, BLOCK.to_owned(), Some(desired.block.as_bytes()), known, &inputs);
        for (path, wanted) in [(LOCK, &desired.lock_text), (NAMES, &desired.names_text)] {
            let current = files.get(path);
            if current != Some(wanted.as_bytes()) {
                let cause = if current.is_some() { Cause::Inputs(inputs.clone()) } else { Cause::Missing };
                survey.findings.push(StaleFile { path: path.to_owned(), cause, wanted: true, generated: false });
            }
        }
        survey
    }

    /// Compares the files with the lock alone, if nothing can be generated from the pinned contracts.
    pub(crate) fn from_lock(files: &Files, lock: &Lock) -> Self {
        let known = Known::from_pins(files, lock);
        let mut survey = Self { findings: Vec::new(), obsolete: BTreeSet::new() };
        let mut paths: BTreeSet<String> = known.outputs.keys().filter(|path| *path != BLOCK).cloned().collect();
        paths.extend(territory(files).map(|(path, _)| path.to_owned()));
        for path in paths.into_iter().chain([BLOCK.to_owned()]) {
            let hash = output(files, &path).map(sha256);
            if hash.is_none() || hash.as_ref() != known.outputs.get(&path) {
                survey.compare(files, path, None, &known, "");
            }
        }
        survey
    }

    fn compare(&mut self, files: &Files, path: String, wanted: Option<&[u8]>, known: &Known, inputs: &str) {
        let current = output(files, &path);
        let recorded = known.outputs.get(&path);
        if current == wanted && (current.is_some() || recorded.is_none()) {
            return;
        }
        let cause = match (current, recorded) {
            (None, None) => Cause::Inputs(inputs.to_owned()),
            (None, Some(_)) => Cause::Missing,
            (Some(_), None) => Cause::Unlisted,
            (Some(bytes), Some(hash)) if sha256(bytes) == *hash => Cause::Inputs(inputs.to_owned()),
            (Some(_), Some(_)) => Cause::HandEdit,
        };
        if wanted.is_none() {
            self.obsolete.insert(path.clone());
        }
        let generated = current.is_some_and(|bytes| bytes.starts_with(HEADER.as_bytes()));
        self.findings.push(StaleFile { path, cause, wanted: wanted.is_some(), generated });
    }

    /// Every file that differs from its generated content, sorted by path.
    pub(crate) fn findings(&self) -> Vec<&StaleFile> {
        let mut findings: Vec<&StaleFile> = self.findings.iter().collect();
        findings.sort_by(|left, right| left.path.cmp(&right.path));
        findings
    }

    /// The files that must not be written over. With `overwrite`, these are only files that the tool has no content for and did
    /// not write: those of another branch carry the generated header.
    pub(crate) fn refused(&self, overwrite: bool) -> Vec<&StaleFile> {
        let foreign = |finding: &&&StaleFile| match finding.cause {
            Cause::HandEdit => !overwrite,
            Cause::Unlisted => !(overwrite && (finding.wanted || finding.generated)),
            Cause::Inputs(_) | Cause::Missing => false,
        };
        self.findings().iter().filter(foreign).copied().collect()
    }

    /// The files to write and to remove.
    pub(crate) fn changes(&self, desired: &Desired) -> Vec<Change> {
        let write = |path: &str, content: HashedText| Change::Write { path: path.to_owned(), content };
        let mut changes = Vec::new();
        for finding in self.findings() {
            let path = finding.path.as_str();
            match desired.files.get(path) {
                Some(text) => changes.push(write(path, text.clone())),
                None if path == BLOCK => changes.push(write(CLIENT_MANIFEST, desired.manifest.as_str().into())),
                None if path == LOCK => changes.push(write(LOCK, desired.lock_text.as_str().into())),
                None if path == NAMES => changes.push(write(NAMES, desired.names_text.as_str().into())),
                // A listed file that is neither there nor wanted needs nothing but its line in the lock.
                None if finding.cause == Cause::Missing => {}
                None if self.obsolete.contains(path) => changes.push(Change::Remove { path: path.to_owned() }),
                None => {}
            }
        }
        changes
    }
}

/// The files of the folders and names that only the tool writes.
/// A manifest of documents may come from another tool: it is the tool's own only if the lock lists it.
fn territory(files: &Files) -> impl Iterator<Item = (&str, &[u8])> {
    files.iter().filter(|(path, _)| is_territory(path) && *path != MANIFEST)
}

/// The content of an output: of a file, or of the block in the client's manifest.
fn output<'f>(files: &'f Files, path: &str) -> Option<&'f [u8]> {
    match path == BLOCK {
        true => features::block(std::str::from_utf8(files.get(CLIENT_MANIFEST)?).ok()?).map(str::as_bytes),
        false => files.get(path),
    }
}
