//! Everything that a command reads of a workspace before it decides.

use time::OffsetDateTime;

use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::lock::{FoundLock, Lock};
use crate::settings::Settings;
use crate::transaction::Change;
use crate::workspace::{DRIFT, LOCK, Workspace};

/// Everything that a command reads before it decides.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) settings: Settings,
    pub(crate) lock: FoundLock,
    pub(crate) files: Files,
    /// `YYYY-MM-DD`, in UTC.
    pub(crate) today: String,
}

/// The day, as `YYYY-MM-DD` in UTC.
pub(crate) fn today() -> String {
    OffsetDateTime::now_utc().date().to_string()
}

impl Inputs {
    pub(crate) fn read(workspace: &Workspace) -> Result<Self, Failure> {
        Self::new(Files::read(workspace)?, today())
    }

    pub(crate) fn new(files: Files, today: String) -> Result<Self, Failure> {
        let settings = Settings::from_files(&files)?;
        let lock = Lock::find(files.get(LOCK));
        Ok(Self { settings, lock, files, today })
    }

    /// Fails if a file that is to be replaced or removed changed since it was read: a download can take a minute, and an editor saves.
    pub(crate) fn unchanged(&self, workspace: &Workspace, changes: &[Change]) -> Result<(), Failure> {
        for path in changes.iter().map(Change::path).filter(|path| *path != DRIFT) {
            if workspace.read(path)?.as_deref() != self.files.get(path) {
                return Err(Failure::new(
                    Exit::Stale,
                    "output/changed",
                    format!("{path} was changed while the command ran; nothing was written"),
                    "run the command again",
                ));
            }
        }
        Ok(())
    }
}
