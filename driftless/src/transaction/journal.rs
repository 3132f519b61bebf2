//! The journal of a swap, and the checks before it is trusted.
//!
//! A journal on the disk may have been written by anybody. It is taken only if it names files that the tool writes, and each
//! file is as the journal says it was before, or is to be after the swap.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Change;
use crate::failure::{Exit, Failure};
use crate::features;
use crate::lock::sha256;
use crate::tree::{Kind, Tree};
use crate::workspace::{CLIENT_MANIFEST, STAGING, is_written};

const VERSION: u32 = 1;
/// Largest journal that is read, in bytes: some hundred thousand files.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The journal, relative to the workspace.
pub(crate) const JOURNAL: &str = "specs/.regenerate/journal";
/// The same before the swap is committed.
pub(super) const DRAFT: &str = "specs/.regenerate/journal.draft";
/// New contents, each under the number of its step.
pub(super) const STAGED: &str = "specs/.regenerate/staged";

/// The steps, in order.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    version: u32,
    pub(super) files: Vec<FileChange>,
    /// This process stages the contents. It knows them, and only sees whether they are still there.
    #[serde(skip)]
    is_own: bool,
}

/// One file, with the SHA-256 of its content before and after; `None` where there is no file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileChange {
    pub(super) path: String,
    before: Option<String>,
    pub(super) after: Option<String>,
}

/// Only the version: it distinguishes a journal of another version from a file that is not a journal.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// The rest of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Nothing,
    Place,
    Remove,
}

impl Journal {
    /// The journal of changes to the current tree.
    pub(super) fn new(tree: &Tree, changes: &[Change]) -> Result<Self, Failure> {
        let mut files = Vec::with_capacity(changes.len());
        for change in changes {
            let path = change.path().to_owned();
            if !is_written(&path) {
                return Err(Failure::new(
                    Exit::Files,
                    "files/territory",
                    format!("{path:?} is not a file that this tool writes; nothing was written"),
                    "report this",
                ));
            }
            let before = tree.read(&path)?.as_deref().map(sha256);
            let after = match change {
                Change::Write { content, .. } => Some(content.hash().to_owned()),
                Change::Remove { .. } => None,
            };
            files.push(FileChange { path, before, after });
        }
        Ok(Self { version: VERSION, files, is_own: true })
    }

    /// As it is written.
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The committed journal, if there is one.
    pub(super) fn read(tree: &Tree) -> Result<Option<Self>, Failure> {
        let Some(bytes) = tree.read_up_to(JOURNAL, LARGEST)? else { return Ok(None) };
        let version =
            serde_json::from_slice::<Version>(&bytes).map_err(|_| refused("it is not a journal of this tool"))?;
        if version.version != VERSION {
            return Err(refused(&format!("it has version {}; this tool writes {VERSION}", version.version)));
        }
        let journal =
            serde_json::from_slice::<Self>(&bytes).map_err(|_| refused("it is not a journal of this tool"))?;
        let mut seen = BTreeSet::new();
        for step in &journal.files {
            if !is_written(&step.path) {
                return Err(refused(&format!("it names {:?}, which this tool never writes", step.path)));
            }
            if !seen.insert(&step.path) {
                return Err(refused(&format!("it names {:?} twice", step.path)));
            }
        }
        Ok(Some(journal))
    }

    /// The rest of each step. No step is taken before all of them are known.
    pub(super) fn left(&self, tree: &Tree) -> Result<Vec<Left>, Failure> {
        self.files.iter().enumerate().map(|(index, step)| step.left(tree, index, self.is_own)).collect()
    }
}

impl FileChange {
    fn left(&self, tree: &Tree, index: usize, is_own: bool) -> Result<Left, Failure> {
        let path = &self.path;
        let current = tree.read(path)?;
        let hash = current.as_deref().map(sha256);
        if hash == self.after {
            return Ok(Left::Nothing);
        }
        if hash != self.before {
            return Err(refused(&format!("{path} was edited by hand since the run that was interrupted")));
        }
        let Some(after) = &self.after else { return Ok(Left::Remove) };
        let staged = staged(index);
        let gone = || refused(&format!("the new content of {path} is gone, or is not what the journal says"));
        if is_own && path != CLIENT_MANIFEST {
            return if tree.kind(&staged)? == Some(Kind::File) { Ok(Left::Place) } else { Err(gone()) };
        }
        let staged = tree.read(&staged)?.filter(|content| sha256(content) == *after).ok_or_else(gone)?;
        let is_more = || !features::differs_in_block_only(&current.unwrap_or_default(), &staged);
        if path == CLIENT_MANIFEST && is_more() {
            return Err(refused(&format!("it changes more of {path} than the generated features")));
        }
        Ok(Left::Place)
    }
}

/// The staged file of a step.
pub(super) fn staged(index: usize) -> String {
    format!("{STAGED}/{index}")
}

fn refused(reason: &str) -> Failure {
    Failure::new(
        Exit::Files,
        "files/journal",
        format!("the journal {JOURNAL} of an interrupted run cannot be completed: {reason}; nothing was written"),
        format!(
            "see what differs: git status\n\
             remove {STAGING}, and write everything anew: cargo xtask regenerate --offline --overwrite"
        ),
    )
}
