//! Compares what should be in the tree with what is there, and with what the lock says was written.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::HEADER;

use super::Desired;
use crate::console::word;
use crate::failure::Failure;
use crate::features;
use crate::lock::{Lock, digest, sha256};
use crate::transaction::Change;
use crate::workspace::{
    BLOCK, CLIENT_MANIFEST, CONTRACTS, GENERATED, LOCK, NAMES, REPORTS, SCHEMA, Workspace, pinned_path,
};

/// Why a file is not what it should be.
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

/// One file that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StaleFile {
    pub(crate) path: String,
    pub(crate) cause: Cause,
    /// Whether the tool has a content for it.
    wanted: bool,
    /// Whether it says itself that it is generated.
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

/// What was written by earlier runs, and from which inputs.
#[derive(Debug)]
pub(crate) struct Known {
    /// Path → hash of the last content that the tool wrote; empty where only that is known, that it is something else than
    /// what is there.
    outputs: BTreeMap<String, String>,
    lock: Option<Lock>,
}

impl Known {
    /// What the lock lists. Without one, what carries the generated header or stands under a name that only the tool
    /// uses counts as the tool's own, in the state in which it is found.
    ///
    /// The lock has one digest over all outputs. Where it does not fit, `expected` says what the tool wrote: what it writes
    /// from the inputs of that run.
    pub(crate) fn of(
        workspace: &Workspace,
        lock: Option<&Lock>,
        expected: impl FnOnce(&Lock) -> Option<BTreeMap<String, String>>,
    ) -> Result<Self, Failure> {
        let Some(lock) = lock else { return Self::unlocked(workspace) };
        let outputs = match &lock.earlier {
            Some(earlier) => earlier.hashes.clone(),
            None => {
                let found = Self::found(workspace, lock)?;
                if digest(&found) == lock.digest {
                    found
                } else {
                    let mut expected = expected(lock).unwrap_or_default();
                    lock.outputs.iter().map(|path| (path.clone(), expected.remove(path).unwrap_or_default())).collect()
                }
            }
        };
        Ok(Self { outputs, lock: Some(lock.clone()) })
    }

    /// What the lock alone can tell: whether a pinned contract or the schema is what was pinned, and whether a file is there.
    pub(crate) fn of_pins(workspace: &Workspace, lock: &Lock) -> Result<Self, Failure> {
        let mut outputs: BTreeMap<String, String> =
            lock.outputs.iter().map(|path| (path.clone(), String::new())).collect();
        outputs.extend(Self::found(workspace, lock)?);
        outputs.extend(lock.documents.iter().map(|document| (pinned_path(&document.name), document.canonical.clone())));
        outputs.extend(lock.schema.iter().map(|hash| (SCHEMA.to_owned(), hash.clone())));
        Ok(Self { outputs, lock: Some(lock.clone()) })
    }

    fn unlocked(workspace: &Workspace) -> Result<Self, Failure> {
        let mut outputs = BTreeMap::new();
        for path in territory(workspace)? {
            let Some(bytes) = workspace.read(&path)? else { continue };
            if !path.starts_with(GENERATED) || bytes.starts_with(HEADER.as_bytes()) {
                outputs.insert(path, sha256(&bytes));
            }
        }
        if let Some(block) = current_block(workspace)? {
            outputs.insert(BLOCK.to_owned(), sha256(block.as_bytes()));
        }
        Ok(Self { outputs, lock: None })
    }

    /// The outputs that are there.
    fn found(workspace: &Workspace, lock: &Lock) -> Result<BTreeMap<String, String>, Failure> {
        let mut found = BTreeMap::new();
        for path in &lock.outputs {
            let bytes = match path == BLOCK {
                true => current_block(workspace)?.map(String::into_bytes),
                false => workspace.read(path)?,
            };
            found.extend(bytes.map(|bytes| (path.clone(), sha256(&bytes))));
        }
        Ok(found)
    }

    /// Which inputs differ from those of the last run.
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
    pub(crate) fn of(workspace: &Workspace, desired: &Desired, known: &Known) -> Result<Self, Failure> {
        let inputs = known.changed_inputs(desired);
        let mut survey = Self { findings: Vec::new(), obsolete: BTreeSet::new() };
        let mut paths: BTreeSet<String> = desired.files.keys().cloned().collect();
        paths.extend(known.outputs.keys().filter(|path| *path != BLOCK).cloned());
        paths.extend(territory(workspace)?);
        for path in paths {
            let found = workspace.read(&path)?;
            let wanted = desired.files.get(&path).map(String::as_bytes);
            survey.file(path, found.as_deref(), wanted, known, &inputs);
        }
        let block = current_block(workspace)?;
        survey.file(
            BLOCK.to_owned(),
            block.as_deref().map(str::as_bytes),
            Some(desired.block.as_bytes()),
            known,
            &inputs,
        );
        for (path, wanted) in [(LOCK, &desired.lock_text), (NAMES, &desired.names_text)] {
            let found = workspace.read(path)?;
            if found.as_deref() != Some(wanted.as_bytes()) {
                let cause = if found.is_some() { Cause::Inputs(inputs.clone()) } else { Cause::Missing };
                survey.findings.push(StaleFile { path: path.to_owned(), cause, wanted: true, generated: false });
            }
        }
        Ok(survey)
    }

    /// Compares the tree with the lock alone, where the pinned contracts do not allow a generation.
    pub(crate) fn of_hashes(workspace: &Workspace, known: &Known) -> Result<Self, Failure> {
        let mut survey = Self { findings: Vec::new(), obsolete: BTreeSet::new() };
        let mut paths: BTreeSet<String> = known.outputs.keys().filter(|path| *path != BLOCK).cloned().collect();
        paths.extend(territory(workspace)?);
        let mut compare = |path: String, found: Option<&[u8]>| {
            let hash = found.map(sha256);
            if hash.is_none() || hash.as_ref() != known.outputs.get(&path) {
                survey.file(path, found, None, known, "");
            }
        };
        for path in paths {
            let found = workspace.read(&path)?;
            compare(path, found.as_deref());
        }
        compare(BLOCK.to_owned(), current_block(workspace)?.as_deref().map(str::as_bytes));
        Ok(survey)
    }

    fn file(&mut self, path: String, found: Option<&[u8]>, wanted: Option<&[u8]>, known: &Known, inputs: &str) {
        let recorded = known.outputs.get(&path);
        if found == wanted && (found.is_some() || recorded.is_none()) {
            return;
        }
        let cause = match (found, recorded) {
            (None, None) => Cause::Inputs(inputs.to_owned()),
            (None, Some(_)) => Cause::Missing,
            (Some(_), None) => Cause::Unlisted,
            (Some(bytes), Some(hash)) if sha256(bytes) == *hash => Cause::Inputs(inputs.to_owned()),
            (Some(_), Some(_)) => Cause::HandEdit,
        };
        if wanted.is_none() {
            self.obsolete.insert(path.clone());
        }
        let generated = found.is_some_and(|bytes| bytes.starts_with(HEADER.as_bytes()));
        self.findings.push(StaleFile { path, cause, wanted: wanted.is_some(), generated });
    }

    /// Every file that is not what it should be, sorted by path.
    pub(crate) fn findings(&self) -> Vec<&StaleFile> {
        let mut findings: Vec<&StaleFile> = self.findings.iter().collect();
        findings.sort_by(|left, right| left.path.cmp(&right.path));
        findings
    }

    /// What must not be written over; with `overwrite`, only files that the tool has no content for, and that it did not write:
    /// those of another branch carry the generated header.
    pub(crate) fn refused(&self, overwrite: bool) -> Vec<&StaleFile> {
        let foreign = |finding: &&&StaleFile| match finding.cause {
            Cause::HandEdit => !overwrite,
            Cause::Unlisted => !(overwrite && (finding.wanted || finding.generated)),
            Cause::Inputs(_) | Cause::Missing => false,
        };
        self.findings().iter().filter(foreign).copied().collect()
    }

    /// What to write and to remove.
    pub(crate) fn changes(&self, desired: &Desired) -> Vec<Change> {
        let write = |path: &str, text: &str| Change::Write { path: path.to_owned(), content: text.into() };
        let mut changes = Vec::new();
        for finding in self.findings() {
            let path = finding.path.as_str();
            match desired.files.get(path) {
                Some(text) => changes.push(write(path, text)),
                None if path == BLOCK => changes.push(write(CLIENT_MANIFEST, &desired.manifest)),
                None if path == LOCK => changes.push(write(LOCK, &desired.lock_text)),
                None if path == NAMES => changes.push(write(NAMES, &desired.names_text)),
                // A listed file that is neither there nor wanted needs nothing but its line in the lock.
                None if finding.cause == Cause::Missing => {}
                None if self.obsolete.contains(path) => changes.push(Change::Remove { path: path.to_owned() }),
                None => {}
            }
        }
        changes
    }
}

/// Everything that stands where only the tool writes.
fn territory(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let mut paths = workspace.files_below(GENERATED)?;
    paths.extend(workspace.files_below(CONTRACTS)?);
    paths.extend(REPORTS.iter().filter(|path| workspace.path(path).is_file()).map(|path| (*path).to_owned()));
    Ok(paths)
}

fn current_block(workspace: &Workspace) -> Result<Option<String>, Failure> {
    let manifest = workspace.read(CLIENT_MANIFEST)?.unwrap_or_default();
    Ok(features::block(&String::from_utf8_lossy(&manifest)).map(str::to_owned))
}
