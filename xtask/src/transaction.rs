//! Swaps a set of files so that a reader, or a kill at any instant, sees the old ones or the new ones.
//!
//! New contents and a journal are staged in a hidden folder of the workspace and flushed to the disk. Renaming the
//! journal to its committed name is the one atomic step: before it nothing has changed, after it the next run carries
//! the swap to its end ([`Guard::recover`]). The contents are then renamed into place and the journal is removed.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::lock::sha256;
use crate::workspace::{STAGING, Workspace};

/// One file to swap; paths are relative to the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Write { path: String, content: Vec<u8> },
    Remove { path: String },
}

impl Change {
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Write { path, .. } | Self::Remove { path } => path,
        }
    }
}

/// What the journal says of one file: its place and, unless it is removed, the hash of its new content.
#[derive(Debug, Deserialize, Serialize)]
struct Step {
    path: String,
    sha256: Option<String>,
}

/// The right to change the workspace: no other run holds it at the same time.
#[derive(Debug)]
pub(crate) struct Guard {
    staging: PathBuf,
    root: PathBuf,
    _lock: File,
}

/// Whether a swap was committed and not carried to its end.
pub(crate) fn is_interrupted(workspace: &Workspace) -> bool {
    workspace.path(STAGING).join("journal").exists()
}

impl Guard {
    /// Excludes other runs until the value is dropped.
    pub(crate) fn acquire(workspace: &Workspace) -> Result<Self, Failure> {
        let staging = workspace.path(STAGING);
        fs::create_dir_all(&staging).map_err(|error| Failure::file("create", &staging, &error))?;
        let path = staging.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|error| Failure::file("open", &path, &error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { staging, root: workspace.root().to_path_buf(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(Failure::configuration(
                "files/busy",
                "another `cargo xtask regenerate` works on this workspace",
                "wait for its end and run the command again",
            )),
            Err(TryLockError::Error(error)) => Err(Failure::file("lock", &path, &error)),
        }
    }

    /// Carries a committed swap to its end, and clears what an uncommitted one left. The number of files that the
    /// committed one was about, or `None`.
    pub(crate) fn recover(&self) -> Result<Option<usize>, Failure> {
        let steps = self.journal()?;
        if let Some(steps) = &steps {
            self.apply(steps, &mut |_| Ok(()))?;
        }
        self.clear()?;
        Ok(steps.map(|steps| steps.len()))
    }

    /// Makes all changes, or none.
    pub(crate) fn commit(&self, changes: &[Change], interrupt: &Interrupt) -> Result<(), Failure> {
        if changes.is_empty() {
            return Ok(());
        }
        let outcome = self.run(changes, interrupt, &mut |_| Ok(()));
        if outcome.is_err() && !self.staging.join("journal").exists() {
            // The first error is the one to report; what stays here is cleared by the next run.
            let _ = self.clear();
        }
        outcome
    }

    /// `before` is asked before every step that changes the disk; an error from it ends the run on the spot.
    fn run(&self, changes: &[Change], interrupt: &Interrupt, before: &mut Before<'_>) -> Result<(), Failure> {
        self.clear()?;
        let steps = self.stage(changes, before)?;
        self.preflight(changes)?;
        interrupt.defer()?;
        before("commit")?;
        let (draft, journal) = (self.staging.join("journal.draft"), self.staging.join("journal"));
        fs::rename(&draft, &journal).map_err(|error| Failure::file("commit", &journal, &error))?;
        flush_folder(&self.staging);
        self.apply(&steps, before).map_err(|failure| Failure {
            hint: format!("{}\n`cargo xtask regenerate --offline` then carries the swap to its end", failure.hint),
            ..failure
        })?;
        self.clear()
    }

    fn stage(&self, changes: &[Change], before: &mut Before<'_>) -> Result<Vec<Step>, Failure> {
        let folder = self.staging.join("staged");
        before("folder")?;
        fs::create_dir_all(&folder).map_err(|error| Failure::file("create", &folder, &error))?;
        let mut steps = Vec::with_capacity(changes.len());
        for (index, change) in changes.iter().enumerate() {
            let sha256 = match change {
                Change::Write { path, content } => {
                    before("stage")?;
                    let staged = folder.join(index.to_string());
                    write_flushed(&staged, content).map_err(|error| Failure::file("write", &staged, &error))?;
                    if let Ok(existing) = fs::metadata(self.root.join(path)) {
                        fs::set_permissions(&staged, existing.permissions())
                            .map_err(|error| Failure::file("write", &staged, &error))?;
                    }
                    Some(sha256(content))
                }
                Change::Remove { .. } => None,
            };
            steps.push(Step { path: change.path().to_owned(), sha256 });
        }
        let draft = self.staging.join("journal.draft");
        let text = serde_json::to_vec(&steps).unwrap_or_default();
        before("draft")?;
        write_flushed(&draft, &text).map_err(|error| Failure::file("write", &draft, &error))?;
        flush_folder(&folder);
        flush_folder(&self.staging);
        Ok(steps)
    }

    /// Finds out before the commit what would stop the swap after it.
    fn preflight(&self, changes: &[Change]) -> Result<(), Failure> {
        let folders: BTreeSet<PathBuf> = changes
            .iter()
            .filter_map(|change| {
                let target = self.root.join(change.path());
                target.ancestors().skip(1).find(|folder| folder.exists()).map(Path::to_path_buf)
            })
            .collect();
        for folder in folders {
            usable(&folder, &self.staging).map_err(|error| Failure::file("write into", &folder, &error))?;
        }
        for change in changes {
            let target = self.root.join(change.path());
            if target.is_dir() {
                let error = io::Error::from(ErrorKind::IsADirectory);
                return Err(Failure::file("write", &target, &error));
            }
        }
        Ok(())
    }

    fn apply(&self, steps: &[Step], before: &mut Before<'_>) -> Result<(), Failure> {
        let mut folders = BTreeSet::new();
        for (index, step) in steps.iter().enumerate() {
            let target = self.root.join(&step.path);
            if let Some(parent) = target.parent() {
                folders.insert(parent.to_path_buf());
            }
            before("apply")?;
            match &step.sha256 {
                Some(hash) => self.place(index, &target, hash)?,
                None => remove(&target).map_err(|error| Failure::file("remove", &target, &error))?,
            }
        }
        for folder in &folders {
            flush_folder(folder);
            prune(folder, &self.root);
        }
        before("finish")?;
        let journal = self.staging.join("journal");
        remove(&journal).map_err(|error| Failure::file("remove", &journal, &error))
    }

    fn place(&self, index: usize, target: &Path, hash: &str) -> Result<(), Failure> {
        let staged = self.staging.join("staged").join(index.to_string());
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
        }
        match fs::rename(&staged, target) {
            Ok(()) => Ok(()),
            // An earlier run has already brought it here.
            Err(error) if error.kind() == ErrorKind::NotFound => match fs::read(target) {
                Ok(content) if sha256(&content) == hash => Ok(()),
                _ => Err(Failure::new(
                    Exit::Files,
                    "files/staged-lost",
                    format!("the staged content of {} is gone", target.display()),
                    format!("remove {} and run `cargo xtask regenerate --offline --overwrite`", self.staging.display()),
                )),
            },
            Err(error) => Err(Failure::file("replace", target, &error)),
        }
    }

    fn journal(&self) -> Result<Option<Vec<Step>>, Failure> {
        let path = self.staging.join("journal");
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::file("read", &path, &error)),
        };
        let steps = serde_json::from_slice::<Vec<Step>>(&bytes).ok();
        let steps = steps.filter(|steps| steps.iter().all(|step| is_inside(&step.path)));
        steps.map(Some).ok_or_else(|| {
            Failure::new(
                Exit::Files,
                "files/journal",
                format!("{} is no journal of this tool", path.display()),
                format!("remove {} and run `cargo xtask regenerate --offline`", self.staging.display()),
            )
        })
    }

    /// Removes all but the lock file; the journal is gone by now, or was never committed.
    fn clear(&self) -> Result<(), Failure> {
        let (staged, draft) = (self.staging.join("staged"), self.staging.join("journal.draft"));
        match fs::remove_dir_all(&staged) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::file("remove", &staged, &error)),
            _ => remove(&draft).map_err(|error| Failure::file("remove", &draft, &error)),
        }
    }
}

type Before<'a> = dyn FnMut(&'static str) -> Result<(), Failure> + 'a;

fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn write_flushed(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Not every system can flush a folder; where it cannot, the order of the steps still holds for a killed process.
fn flush_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Removes folders that became empty, upwards; a folder that holds something refuses, which is the end.
fn prune(folder: &Path, root: &Path) {
    let mut folder = Some(folder);
    while let Some(current) = folder.filter(|current| current.starts_with(root) && *current != root) {
        if fs::remove_dir(current).is_err() {
            return;
        }
        folder = current.parent();
    }
}

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
