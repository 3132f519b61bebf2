//! The end of a command that did not succeed: one or two lines on standard error, and an exit code by class.

use std::fmt;
use std::process::ExitCode;

use driftless_runtime::{Error, ErrorKind, download::summary};

use crate::terminal::plain;

/// The class of a failure, which is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The service answered with an error that has no class of its own, or something failed on this machine.
    Failed = 1,
    /// The command, a value or the configuration is wrong. Nothing was sent.
    Usage = 2,
    /// The service does not accept the credential, or the program has none.
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
    /// The fault, in one line. Empty: it is printed already.
    pub message: String,
    /// The next step, without a full stop. Empty: the message says all.
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

/// The longest message, in characters. A problem of a service can be a page.
const LONGEST: usize = 600;

/// The failure of a call, or of a step before it.
pub(crate) fn failure(error: &Error) -> Failure {
    let parts = summary(error);
    let mut message = error.operation().map(|operation| format!("{operation}: ")).unwrap_or_default();
    message += &parts.what;
    if error.kind() == ErrorKind::Status
        && let Some(problem) = error.problem()
    {
        let first = problem.errors.iter().find_map(|(name, texts)| Some(format!("{name}: {}", texts.first()?)));
        for text in [problem.title.as_ref(), problem.detail.as_ref(), first.as_ref()].into_iter().flatten() {
            message += ": ";
            message += text;
        }
    }
    if error.kind() == ErrorKind::Status
        && error.problem().is_none()
        && let Some(text) = body_text(error)
    {
        message += ": ";
        message += &text;
    }
    if error.is_server_error()
        && let Some(id) = error.trace_id().or(error.request_id())
    {
        message += &format!(" [{id}]");
    }
    let hint = match error.is_submission_unknown() {
        true => "it is unknown whether the service processed the request: check before you send it again".to_owned(),
        false => parts.hint,
    };
    Failure::new(exit(error), one_line(&message), one_line(&hint))
}

/// The text of a body that is not problem details, by the names that services give it.
fn body_text(error: &Error) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(error.raw_body()).ok()?;
    let text = |value: &serde_json::Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    ["/message", "/error_description", "/error/message", "/errors/0/message", "/detail", "/title", "/error"]
        .iter()
        .find_map(|pointer| text(body.pointer(pointer)?))
}

/// The class of an error.
fn exit(error: &Error) -> Exit {
    Facts {
        kind: error.kind(),
        unknown: error.is_submission_unknown(),
        unauthorized: error.is_unauthorized(),
        not_found: error.is_not_found(),
        refused: error.is_client_error() || error.is_bad_request() || error.is_forbidden() || error.is_rate_limited(),
        server: error.is_server_error(),
        passing: error.is_retryable(),
        sent: error.was_sent(),
    }
    .exit()
}

/// The properties of an error that decide about its class.
#[derive(Clone, Copy, Debug)]
struct Facts {
    kind: ErrorKind,
    unknown: bool,
    unauthorized: bool,
    not_found: bool,
    refused: bool,
    server: bool,
    passing: bool,
    sent: bool,
}

impl Facts {
    fn exit(self) -> Exit {
        use ErrorKind as Kind;

        // A later status says nothing about an attempt that was lost before it.
        match self.kind {
            _ if self.unknown => Exit::Unknown,
            _ if self.unauthorized => Exit::Authentication,
            #[cfg(feature = "operations")]
            Kind::Missing => Exit::NotFound,
            _ if self.not_found => Exit::NotFound,
            _ if self.server => Exit::Unreachable,
            _ if self.refused => Exit::Refused,
            // An issuer that cannot answer now says nothing about the credential.
            Kind::Token if self.passing => Exit::Unreachable,
            Kind::Token | Kind::Secret => Exit::Authentication,
            Kind::Connect | Kind::Transport | Kind::Timeout | Kind::Socket => Exit::Unreachable,
            Kind::Configuration | Kind::Request => Exit::Usage,
            #[cfg(feature = "operations")]
            Kind::Reference | Kind::LabelMismatch => Exit::Usage,
            Kind::File if !self.sent => Exit::Usage,
            _ => Exit::Failed,
        }
    }
}

/// The text on one line, without control characters, and not longer than a reader bears.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.replace(['\n', '\r', '\t', '\u{2028}', '\u{2029}'], " ");
    let mut characters = plain(&line).chars().collect::<Vec<_>>();
    if characters.len() > LONGEST {
        characters.truncate(LONGEST);
        characters.push('…');
    }
    characters.into_iter().collect()
}

/// Texts of a service can be in it, so control characters are escaped.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(&self.message))?;
        if !self.hint.is_empty() {
            write!(f, "\n  next: {}", plain(&self.hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Prints the help that was asked for, or the error of a command line.
pub(crate) fn usage(error: &clap::Error) -> Result<(), Failure> {
    // A write to a closed terminal has nowhere to be reported.
    let _ = error.print();
    match error.use_stderr() {
        false => Ok(()),
        true => Err(Failure::new(Exit::Usage, "", "")),
    }
}

#[cfg(test)]
#[path = "failure/tests.rs"]
mod tests;
