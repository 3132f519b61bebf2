//! The end of a command that did not succeed: one or two lines on standard error, and an exit code by class.

use std::fmt;
use std::process::ExitCode;

/// The class of a failure, which is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The service answered with an error that has no class of its own, or something failed on this machine.
    Failed = 1,
    /// The command, a value or the configuration is wrong. Nothing was sent.
    Usage = 2,
    /// The service does not accept the credential, or there is none.
    Authentication = 3,
    /// The service does not have it, or does not show it to this caller.
    NotFound = 4,
    /// The service refuses the request: the other statuses of the class 4xx.
    Refused = 5,
    /// The service cannot be reached, or fails itself (5xx).
    Unreachable = 6,
    /// The request may or may not have had an effect.
    Unknown = 7,
    /// An asynchronous operation ended without success, or goes on.
    Unsuccessful = 8,
    /// The reader of standard output has gone, and wants no more.
    Done = 0,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure of a command.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What happened: one line. Empty: it is printed already.
    pub message: String,
    /// The next step, without a full stop. Empty: there is no other than to read the message.
    pub hint: String,
}

impl Failure {
    /// Creates a failure.
    pub fn new(exit: Exit, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: hint.into() }
    }

    /// The reader of standard output has gone, as `head` goes.
    pub(crate) fn closed_pipe() -> Self {
        Self::new(Exit::Done, "", "")
    }

    /// Prints it to standard error.
    #[allow(clippy::print_stderr, reason = "the end of a command")]
    pub(crate) fn print(&self, program: &str) {
        if !self.message.is_empty() {
            eprintln!("{program}: {self}");
        }
    }

    /// A wrong command line, value or file: nothing was sent.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message, hint)
    }
}

/// Texts of a service can be in it, so control characters are escaped.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::terminal::plain(&self.message))?;
        if !self.hint.is_empty() {
            write!(f, "\n  next: {}", crate::terminal::plain(&self.hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// A failed call.
pub(crate) fn failure(error: &driftless_runtime::Error) -> Failure {
    Failure::new(Exit::Failed, error.to_string(), "")
}

/// Prints the help that was asked for, or the error of a command line.
pub(crate) fn usage(error: &clap::Error) -> Result<(), Failure> {
    // A write to a closed terminal has nowhere to be reported.
    let _ = error.print();
    match error.use_stderr() {
        false => Ok(()),
        true => Err(Failure::new(Exit::Usage, "", "")),
    }
}
