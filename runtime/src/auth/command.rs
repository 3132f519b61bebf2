//! A secret that a command prints.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    io::Read as _,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use secrecy::{SecretString, zeroize::Zeroize as _};

use super::{SecretSource, secret};
use crate::{
    clock::{self, Until},
    error::{Error, Kind},
};

/// The longest secret, in bytes.
const LONGEST: u64 = 64 * 1024;

/// The interval between checks for the end of the command.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Reads a secret from the standard output of a command: for secret managers.
///
/// The command runs for each token request, without a shell. It has 10 s unless set otherwise. Its output is one text
/// of at most 64 KiB; a line break at the end is left out. Its standard error is not printed, since it may contain the
/// secret. It does not inherit the environment variables that secrets are read from.
///
/// Use it also for the system's keyring: `secret-tool lookup service my-service` on Linux, `security
/// find-generic-password -s my-service -w` on macOS.
///
/// ```
/// use driftless_runtime::auth::{ClientCredentials, SecretCommand};
///
/// let secret = SecretCommand::new("pass").arg("show").arg("service/my-service");
/// let credential = ClientCredentials::new("https://issuer.example", "my-service", secret);
/// # let _ = credential;
/// ```
#[derive(Clone)]
pub struct SecretCommand {
    program: OsString,
    arguments: Vec<OsString>,
    limit: Duration,
}

impl SecretCommand {
    /// Creates a source from a program: a path, or a name to look up in `PATH`.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self { program: program.as_ref().to_owned(), arguments: Vec::new(), limit: Duration::from_secs(10) }
    }

    /// Adds an argument. Every user of the machine can read it: it may name a secret, but must not be one.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Sets the time limit of the command.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    fn refuse(&self, rule: &str) -> Error {
        Error::with(Kind::Secret, format!("the command `{}` {rule}", self.program.to_string_lossy()))
            .hint("run it by hand to see its output")
    }

    fn run(&self, child: &mut Child) -> Result<Vec<u8>, Error> {
        let Some(output) = child.stdout.take() else { return Err(self.refuse("has no output")) };
        let (sender, receiver) = mpsc::channel();
        // On its own thread: a child of the command may keep the output open after the command's end.
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = output.take(LONGEST + 1).read_to_end(&mut bytes);
            if let Err(mpsc::SendError((_, mut bytes))) = sender.send((read.is_ok(), bytes)) {
                bytes.zeroize();
            }
        });
        let end = Until::after(self.limit);
        let (read, bytes) = match receiver.recv_timeout(self.limit.min(clock::LONGEST)) {
            Ok(answer) => answer,
            Err(_) => return Err(self.refuse(&format!("did not end within {}", clock::seconds(self.limit)))),
        };
        if !read {
            return Err(self.refuse("cannot be read"));
        }
        if bytes.len() as u64 > LONGEST {
            return Err(self.refuse("printed more than 64 KiB"));
        }
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(bytes),
                Ok(Some(status)) => {
                    let code =
                        status.code().map_or_else(|| "by a signal".to_owned(), |code| format!("with status {code}"));
                    return Err(self.refuse(&format!("ended {code}")));
                }
                Ok(None) if !end.is_over(Instant::now()) => std::thread::sleep(LOOK_AGAIN),
                Ok(None) => return Err(self.refuse(&format!("did not end within {}", clock::seconds(self.limit)))),
                Err(cause) => return Err(self.refuse(&format!("cannot be waited for: {cause}"))),
            }
        }
    }
}

impl SecretSource for SecretCommand {
    fn read(&self) -> Result<SecretString, Error> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        secret::withhold(&mut command);
        let mut child =
            command.spawn().map_err(|cause| self.refuse(&format!("cannot be started: {}", cause.kind())))?;
        let outcome = self.run(&mut child);
        if outcome.is_err() {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
        let mut bytes = outcome?;
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => secret::line(text).map_or_else(|| Err(self.refuse("printed nothing")), |text| Ok(text.into())),
            Err(_) => Err(self.refuse("printed text that is not UTF-8")),
        };
        bytes.zeroize();
        text
    }

    fn describe(&self) -> String {
        format!("the output of `{}`", self.program.to_string_lossy())
    }
}

impl fmt::Debug for SecretCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretCommand").field("program", &self.program).finish_non_exhaustive()
    }
}
