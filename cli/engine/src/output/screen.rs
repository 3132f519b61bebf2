//! Standard output, through a pager if it is longer than the terminal.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

use super::{Streams, written};
use crate::failure::Failure;
use crate::terminal::Terminal;

/// The program that shows long outputs if `PAGER` is not set: it ends by itself at the end of a short text, passes
/// colours, and leaves the text on the terminal.
const DEFAULT: &str = "less -FRX";

/// The options of `less` if neither the command nor the variable `LESS` has others.
const LESS: &str = "FRX";

/// Bytes that are collected before the pager starts, however few lines they have.
const COLLECTED: usize = 1 << 20;

/// The command of a pager.
#[derive(Clone, Debug)]
pub(super) struct Pager {
    /// The program and its arguments. Empty: no pager.
    pub(super) command: Vec<String>,
}

impl Pager {
    /// No pager.
    pub(super) const NONE: Self = Self { command: Vec::new() };

    /// The pager of the variable `PAGER`, else `less`.
    pub(super) fn from_environment() -> Self {
        Self::new(std::env::var("PAGER").ok().as_deref())
    }

    /// Splits a command as a shell does, without the other abilities of one. An empty command, `cat`, and a command with an
    /// open quote are no pager.
    pub(super) fn new(command: Option<&str>) -> Self {
        let mut command = shlex::split(command.unwrap_or(DEFAULT)).unwrap_or_default();
        if matches!(command.as_slice(), [program] if program == "cat") {
            command.clear();
        }
        Self { command }
    }

    /// Starts the pager; `None` if it cannot be started.
    fn start(&self) -> Option<Child> {
        let (program, arguments) = self.command.split_first()?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", LESS);
        }
        command.spawn().ok()
    }
}

/// Standard output of a command, and its sentences for standard error, which are printed at the end: a pager uses the
/// terminal until then.
#[derive(Debug)]
pub(crate) struct Screen {
    out: PagedOutput,
    notes: Vec<u8>,
}

impl Screen {
    /// Standard output. Without a terminal, the pager is not used.
    pub(super) fn stdout(terminal: &Terminal, pager: Pager) -> Self {
        Self::new(Box::new(io::stdout()), terminal, pager)
    }

    pub(super) fn new(direct: Box<dyn Write>, terminal: &Terminal, pager: Pager) -> Self {
        let is_paged = terminal.is_terminal && !pager.command.is_empty();
        let state = if is_paged { PageState::Collecting { text: Vec::new(), lines: 0 } } else { PageState::Direct };
        Self { out: PagedOutput { direct, state, pager, height: terminal.height }, notes: Vec::new() }
    }

    /// The streams for a printer.
    pub(crate) fn streams(&mut self) -> Streams<'_> {
        Streams { out: &mut self.out, err: &mut self.notes }
    }

    /// Prints the rest, waits until the pager ends, and prints the sentences on standard error. Call it after an error, too.
    pub(crate) fn finish(mut self, err: &mut dyn Write) -> Result<(), Failure> {
        let result = written(self.out.close());
        // Nothing is left to do if nobody reads standard error.
        let _ = err.write_all(&self.notes);
        result
    }
}

/// Writes to standard output, or to a pager once the text is longer than the terminal.
struct PagedOutput {
    direct: Box<dyn Write>,
    state: PageState,
    pager: Pager,
    height: usize,
}

#[derive(Debug)]
enum PageState {
    Direct,
    Collecting { text: Vec<u8>, lines: usize },
    Paging(Child),
}

impl PagedOutput {
    fn close(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, PageState::Direct) {
            PageState::Direct => {}
            PageState::Collecting { text, .. } => self.direct.write_all(&text)?,
            PageState::Paging(mut child) => {
                // `wait` closes the pipe first, so the pager sees the end of the text.
                child.wait()?;
            }
        }
        self.direct.flush()
    }
}

impl Write for PagedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            PageState::Direct => self.direct.write(bytes),
            PageState::Paging(child) => match &mut child.stdin {
                Some(stdin) => stdin.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            PageState::Collecting { text, lines } => {
                text.extend_from_slice(bytes);
                *lines += bytes.iter().filter(|byte| **byte == b'\n').count();
                // The last line of the terminal has the prompt.
                if *lines < self.height && text.len() < COLLECTED {
                    return Ok(bytes.len());
                }
                let text = std::mem::take(text);
                self.state = self.pager.start().map_or(PageState::Direct, PageState::Paging);
                self.write_all(&text)?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            PageState::Direct => self.direct.flush(),
            PageState::Paging(child) => child.stdin.as_mut().map_or(Ok(()), Write::flush),
            // The text may still become longer than the terminal.
            PageState::Collecting { .. } => Ok(()),
        }
    }
}

/// A program that ends before its pager would leave the terminal to both of them.
impl Drop for PagedOutput {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

impl std::fmt::Debug for PagedOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PagedOutput").field("state", &self.state).finish_non_exhaustive()
    }
}
