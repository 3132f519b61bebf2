//! Everything that a command reads of a workspace before it decides.

use time::OffsetDateTime;

use crate::failure::Failure;
use crate::files::Files;
use crate::lock::{FoundLock, Lock};
use crate::settings::Settings;
use crate::workspace::{LOCK, Workspace};

/// Everything that a command reads before it decides.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) settings: Settings,
    pub(crate) lock: FoundLock,
    pub(crate) files: Files,
    /// `YYYY-MM-DD`, in UTC.
    pub(crate) today: String,
}

impl Inputs {
    pub(crate) fn read(workspace: &Workspace) -> Result<Self, Failure> {
        Self::new(Files::read(workspace)?, OffsetDateTime::now_utc().date().to_string())
    }

    pub(crate) fn new(files: Files, today: String) -> Result<Self, Failure> {
        let settings = Settings::from_files(&files)?;
        let lock = Lock::find(files.get(LOCK));
        Ok(Self { settings, lock, files, today })
    }
}
