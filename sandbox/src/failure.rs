//! Errors of the program.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// An error that ends the program: a code, the problem, and the next step.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: &'static str,
    pub(crate) exit: u8,
}

pub(crate) const CONFIGURATION: u8 = 5;
pub(crate) const SYSTEM: u8 = 6;

impl Failure {
    /// Prints it, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let _ = writeln!(io::stderr(), "{self}");
        ExitCode::from(self.exit)
    }
}

/// A sandbox that does not start.
pub(crate) fn failed(error: &platform_sandbox::Error) -> Failure {
    let (exit, hint) = match error.code() {
        "sandbox-seed" | "sandbox-full" => (CONFIGURATION, "fix the file of `--seed`, or leave the flag out"),
        "sandbox-host" => (CONFIGURATION, "pass the host alone with `--public-host`, such as sandbox"),
        "sandbox-cors" => (CONFIGURATION, "pass an origin as browsers send it with `--cors`: http://localhost:5173"),
        "sandbox-revision" => (CONFIGURATION, "choose 1 or 2 with `--contract-revision`"),
        "sandbox-compliance-team" => {
            (CONFIGURATION, "choose one of them with `--compliance-team`, or leave the flag out")
        }
        "sandbox-data" | "sandbox-data-in-use" => (SYSTEM, "choose another file with `--data`, or leave the flag out"),
        "sandbox-secret-file" | "sandbox-secrets-in-use" => {
            (SYSTEM, "choose another folder with `--secrets`, or make it writable")
        }
        "sandbox-foreign-file" => (SYSTEM, "remove it if it is not needed, or choose another folder with `--secrets`"),
        "sandbox-graphiql" => {
            (SYSTEM, "run sandbox/graphiql/install.sh and pass the folder that it prints, or leave the flag out")
        }
        "sandbox-random" => (SYSTEM, "run the command on a system that returns random bytes"),
        _ => (
            CONFIGURATION,
            "choose another address or port with `--listen`, `--port` and `--compliance-port`; use port 0 for any free one",
        ),
    };
    Failure { code: error.code(), message: format!("the sandbox cannot start: {error}"), hint, exit }
}

/// An error of the operating system before the start.
pub(crate) fn refused(code: &'static str, error: &io::Error) -> Failure {
    let message = format!("the sandbox cannot start: {error}");
    Failure { code, message, hint: "run the command again", exit: SYSTEM }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}\n  → {}", self.code, screened(&self.message), self.hint)
    }
}

/// Removes control characters of terminals: names come from a seed, paths from users.
pub(crate) fn screened(text: &str) -> String {
    text.chars().fold(String::new(), |mut screened_text, letter| {
        match letter {
            '\n' | ' '..='~' => screened_text.push(letter),
            _ if letter.is_alphanumeric() => screened_text.push(letter),
            _ => screened_text.extend(letter.escape_default()),
        }
        screened_text
    })
}
