//! The log of calls: one line each, for people.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::texts::one_line;
use crate::Failure;

/// Bytes of the arguments in a line.
const ARGUMENTS: usize = 2048;
/// Bytes of other texts in a line.
const TEXT: usize = 200;

/// The log of calls.
pub(super) struct CallLog(Mutex<Box<dyn Write + Send>>);

impl CallLog {
    /// Appends to a file that only its owner reads, or writes to standard error.
    pub(super) fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = file else { return Ok(Self::new(std::io::stderr())) };
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| {
            Failure::usage(
                format!("the log {} cannot be written: {error}", path.display()),
                "name another file with --log",
            )
        })?;
        Ok(Self::new(file))
    }

    pub(super) fn new(out: impl Write + Send + 'static) -> Self {
        Self(Mutex::new(Box::new(out)))
    }

    /// Begins a line: it is written when the call ends, also if its future is dropped.
    pub(super) fn begin<'l>(&'l self, tool: &str) -> LogLine<'l> {
        LogLine {
            log: self,
            tool: one_line(tool, TEXT),
            arguments: String::new(),
            begin: Instant::now(),
            outcome: None,
        }
    }

    fn write(&self, line: &str) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A client must not lose an answer because a disk is full.
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
}

/// A call that is not finished.
pub(super) struct LogLine<'l> {
    log: &'l CallLog,
    tool: String,
    arguments: String,
    begin: Instant,
    outcome: Option<String>,
}

impl LogLine<'_> {
    /// Sets the arguments, without secrets.
    pub(super) fn arguments(&mut self, arguments: &serde_json::Value) {
        self.arguments = one_line(&arguments.to_string(), ARGUMENTS);
    }

    /// Ends the line.
    pub(super) fn end(mut self, outcome: &str) {
        self.outcome = Some(one_line(outcome, TEXT));
    }
}

impl Drop for LogLine<'_> {
    fn drop(&mut self) {
        let now = OffsetDateTime::now_utc();
        let now = now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default();
        let outcome = self.outcome.as_deref().unwrap_or("dropped");
        let duration = self.begin.elapsed().as_millis();
        let mut line = format!("{now} {}", self.tool);
        if !self.arguments.is_empty() {
            line.push(' ');
            line.push_str(&self.arguments);
        }
        // Writing to a string does not fail.
        let _ = writeln!(line, " -> {outcome}, {duration} ms");
        self.log.write(&line);
    }
}
