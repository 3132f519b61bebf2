//! The one way in which a command ends early: a code, a message, the next steps, and an exit code.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use driftless_codegen::line;

/// Exit codes of every command; `flags.rs` documents them for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Drift at or above the gate.
    Drift,
    /// Stale or hand-edited output, or findings of `tidy` and `corpus`.
    Stale,
    /// Download or authentication.
    Download,
    /// The received bytes are not a usable contract.
    Contract,
    /// Configuration, command line or lock.
    Configuration,
    /// The file system refused.
    Files,
    /// Ctrl-C or a termination signal.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Drift => 1,
            Exit::Stale => 2,
            Exit::Download => 3,
            Exit::Contract => 4,
            Exit::Configuration => 5,
            Exit::Files => 6,
            Exit::Interrupted => 130,
        })
    }
}

/// The reason that a command ended early.
#[derive(Debug)]
pub struct Failure {
    /// Stable code, such as `download/dns`.
    pub code: &'static str,
    /// The error, with the file, line or pointer.
    pub message: String,
    /// The next steps, one a line.
    pub hint: String,
    pub exit: Exit,
}

impl Failure {
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), exit }
    }

    pub fn configuration(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, code, message, hint)
    }

    /// A file operation that the system refused.
    pub fn file(action: &str, path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let (code, hint) = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                ("files/no-space", "free some space and run the command again")
            }
            ErrorKind::ReadOnlyFilesystem => {
                ("files/read-only", "make the file system writable and run the command again")
            }
            ErrorKind::PermissionDenied => ("files/permission", "give yourself write access and run the command again"),
            _ => ("files/refused", "fix what the system names and run the command again"),
        };
        Self::new(Exit::Files, code, format!("cannot {action} {}: {error}", line(&path.to_string_lossy())), hint)
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)?;
        for line in self.hint.lines() {
            write!(f, "\n  → {line}")?;
        }
        Ok(())
    }
}
