//! The output of the commands: results on stdout, progress and errors on stderr.

mod foreign;

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::program::named;

pub use foreign::{address, hide, redacted, screened, word};

/// One line of a result. A text of a contract or a server cannot add another one, and cannot steer the terminal.
pub fn result(text: &str) {
    // A closed pipe (`| head`) ends the reading, not the work.
    let _ = writeln!(std::io::stdout().lock(), "{}", foreign::screened(text));
}

/// One line about the work under way.
pub fn progress(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", foreign::screened(&named(text)));
}

/// One line of a result that names a command to run.
pub(crate) fn advice(text: &str) {
    result(&named(text));
}

/// A result for another program, as it is.
pub fn data(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// A message of several lines. Texts of others in it were made part of a line before.
pub fn failure(text: &str) {
    text.lines().for_each(progress);
}

/// The step under way: a spinner on a terminal, one plain line a step elsewhere.
#[derive(Debug)]
pub(crate) struct Steps {
    bar: Option<ProgressBar>,
}

impl Steps {
    pub(crate) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar }
    }

    /// Steps that nobody sees.
    pub(crate) const fn silent() -> Self {
        Self { bar: None }
    }

    /// A step begins; the one before it is over.
    pub(crate) fn step(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(foreign::screened(text)),
            None => progress(text),
        }
    }

    /// Something worth keeping on the screen.
    pub(crate) fn note(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(foreign::screened(&named(text))),
            None => progress(text),
        }
    }

    /// Shows the progress of a download, on a terminal only.
    pub(crate) fn bytes(&self, text: &str, received: usize) {
        if let Some(bar) = &self.bar {
            bar.set_message(foreign::screened(&format!("{text}: {}", size(received))));
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Bytes for people.
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// A count with its noun, in the plural where needed.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
