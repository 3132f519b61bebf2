//! Swaps a set of files so that a reader, or a kill at any instant, sees the old ones or the new ones.
//!
//! New contents and a journal are staged in a hidden folder of the workspace and flushed to the disk. Renaming the
//! journal to its committed name is the one atomic step: before it nothing has changed, after it the next run carries
//! the swap to its end ([`Guard::recover`]). The contents are then renamed into place and the journal is removed.

mod journal;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::lock::HashedText;
use crate::tree::{Kind, Tree};
use crate::workspace::{STAGING, Workspace};
use journal::{DRAFT, Journal, Left, STAGED, staged};

pub(crate) use journal::JOURNAL;

/// Number of attempts to get the lock, and the pause between them. If a run is killed while it starts git, the child has the
/// lock until it has become git.
const TRIES: u32 = 25;
const PAUSE: Duration = Duration::from_millis(20);

/// One file to swap; paths are relative to the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Write { path: String, content: HashedText },
    Remove { path: String },
}

impl Change {
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Write { path, .. } | Self::Remove { path } => path,
        }
    }
}

/// The right to change the workspace: no other run holds it at the same time.
#[derive(Debug)]
pub(crate) struct Guard {
    tree: Tree,
    _lock: File,
}

/// Returns whether a swap was committed and not carried to its end.
pub(crate) fn is_interrupted(workspace: &Workspace) -> Result<bool, Failure> {
    Ok(workspace.tree()?.kind(JOURNAL)?.is_some())
}

impl Guard {
    /// Excludes other runs until the value is dropped.
    pub(crate) fn acquire(workspace: &Workspace) -> Result<Self, Failure> {
        let tree = workspace.tree()?;
        let path = format!("{STAGING}/lock");
        let lock = tree.lock_file(&path)?;
        let mut tries = TRIES;
        loop {
            tries -= 1;
            match lock.try_lock() {
                Ok(()) => return Ok(Self { tree, _lock: lock }),
                Err(TryLockError::WouldBlock) if tries > 0 => sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(Failure::configuration(
                        "files/busy",
                        "another `cargo xtask regenerate` works on this workspace",
                        "wait for its end and run the command again",
                    ));
                }
                Err(TryLockError::Error(error)) => {
                    return Err(Failure::file("lock", &workspace.path(&path), &error));
                }
            }
        }
    }

    /// Carries a committed swap to its end, and clears the rest of an uncommitted one. Returns the number of files of the
    /// committed one, or `None`.
    pub(crate) fn recover(&self) -> Result<Option<usize>, Failure> {
        let journal = Journal::read(&self.tree)?;
        if let Some(journal) = &journal {
            self.apply(journal, &mut |_| Ok(()))?;
        }
        self.clear()?;
        Ok(journal.map(|journal| journal.files.len()))
    }

    /// Makes all changes, or none.
    pub(crate) fn commit(&self, changes: &[Change], interrupt: &Interrupt) -> Result<(), Failure> {
        if changes.is_empty() {
            return Ok(());
        }
        let outcome = self.run(changes, interrupt, &mut |_| Ok(()));
        if outcome.is_err() && matches!(self.tree.kind(JOURNAL), Ok(None)) {
            // The first error is the one to report; the next run clears the rest.
            let _ = self.clear();
        }
        outcome
    }

    /// `before` is asked before every step that changes the disk; an error from it ends the run on the spot.
    fn run(&self, changes: &[Change], interrupt: &Interrupt, before: &mut Before<'_>) -> Result<(), Failure> {
        self.clear()?;
        self.preflight(changes)?;
        let journal = self.stage(changes, before)?;
        interrupt.defer()?;
        before("commit")?;
        self.tree.rename(DRAFT, JOURNAL)?;
        self.tree.flush(STAGING);
        self.apply(&journal, before).map_err(|failure| Failure {
            hint: format!("{}\n`cargo xtask regenerate --offline` then completes the swap", failure.hint),
            ..failure
        })?;
        self.clear()
    }

    fn stage(&self, changes: &[Change], before: &mut Before<'_>) -> Result<Journal, Failure> {
        let journal = Journal::new(&self.tree, changes)?;
        before("folder")?;
        self.tree.create_folder(STAGED)?;
        for (index, change) in changes.iter().enumerate() {
            if let Change::Write { path, content } = change {
                before("stage")?;
                self.tree.create(&staged(index), content.as_bytes(), self.tree.permissions(path)?)?;
            }
        }
        before("draft")?;
        self.tree.create(DRAFT, &journal.bytes(), None)?;
        self.tree.flush(STAGED);
        self.tree.flush(STAGING);
        Ok(journal)
    }

    /// Fails before anything is written if something would stop the swap after the commit.
    fn preflight(&self, changes: &[Change]) -> Result<(), Failure> {
        self.tree.create_folder(STAGING)?;
        let staging = self.tree.nearest(DRAFT)?;
        // Most files share their folders.
        let mut paths = BTreeMap::new();
        for change in changes {
            let path = change.path();
            if self.tree.check(path)? == Some(Kind::Folder) {
                return Err(Failure::file("write", Path::new(path), &ErrorKind::IsADirectory.into()));
            }
            paths.insert(path.rsplit_once('/').map(|(folder, _)| folder), path);
        }
        let folders = paths.into_values().map(|path| self.tree.nearest(path));
        for folder in folders.collect::<Result<BTreeSet<_>, _>>()? {
            usable(&folder, &staging).map_err(|error| Failure::file("write into", &folder, &error))?;
        }
        Ok(())
    }

    fn apply(&self, journal: &Journal, before: &mut Before<'_>) -> Result<(), Failure> {
        let mut folders = BTreeSet::new();
        for ((index, step), left) in journal.files.iter().enumerate().zip(journal.left(&self.tree)?) {
            folders.extend(step.path.rsplit_once('/').map(|(folder, _)| folder));
            before("apply")?;
            match left {
                Left::Nothing => {}
                Left::Place => self.tree.rename(&staged(index), &step.path)?,
                Left::Remove => self.tree.remove(&step.path)?,
            }
        }
        for folder in folders {
            self.tree.flush(folder);
            self.tree.prune(folder);
        }
        before("finish")?;
        self.tree.remove(JOURNAL)
    }

    /// Removes all but the lock file; the journal is gone by now, or was never committed.
    fn clear(&self) -> Result<(), Failure> {
        self.tree.remove_folder(STAGED)?;
        self.tree.remove(DRAFT)
    }
}

type Before<'a> = dyn FnMut(&'static str) -> Result<(), Failure> + 'a;

#[cfg(unix)]
fn usable(folder: &Path, staging: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{Access, access};

    if !folder.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    access(folder, Access::WRITE_OK | Access::EXEC_OK)?;
    if fs::metadata(folder)?.dev() == fs::metadata(staging)?.dev() {
        Ok(())
    } else {
        Err(ErrorKind::CrossesDevices.into())
    }
}

#[cfg(not(unix))]
fn usable(folder: &Path, _staging: &Path) -> io::Result<()> {
    if fs::metadata(folder)?.permissions().readonly() { Err(ErrorKind::PermissionDenied.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
