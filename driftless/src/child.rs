//! Programs that this one starts, waits for, and never leaves behind.

use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// The end of a program, and its output.
#[derive(Debug)]
pub struct Ended {
    /// `None`: it was killed, because its time was over.
    pub status: Option<ExitStatus>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// The cargo that runs this program, without the variables that it set for this program: build scripts of other packages would
/// take them for theirs, and run anew.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let own = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "OUT_DIR"];
        if own.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

/// A process that ends with this value.
#[derive(Debug)]
pub struct Owned(pub Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process with a group of its own: the processes that it starts end with this value, too.
#[derive(Debug)]
pub struct Group(Owned);

impl Group {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// The system does not start it.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn().map(|child| Self(Owned(child)))
    }

    /// Takes its standard output, if that is a pipe.
    pub fn output(&mut self) -> Option<ChildStdout> {
        self.0.0.stdout.take()
    }

    /// The status of the process, if it has ended.
    ///
    /// # Errors
    ///
    /// The system does not say.
    pub fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.0.try_wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        end_group(self.0.0.id());
    }
}

/// Ends the processes of a group, by the identifier of its first process.
#[cfg(unix)]
pub fn end_group(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // It may have ended by itself.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Elsewhere, processes do not have groups.
#[cfg(not(unix))]
pub fn end_group(_: u32) {}

/// Goes on as another program: signals reach it, and nothing is left to end before it.
///
/// # Errors
///
/// The system does not start it.
#[cfg(unix)]
pub fn become_of(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec())
}

/// Starts another program, and waits for its end.
///
/// # Errors
///
/// The system does not start it.
#[cfg(not(unix))]
pub fn become_of(command: &mut Command) -> io::Result<ExitCode> {
    let status = Owned(command.spawn()?).0.wait()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs a program to its end, for `limit` at most. A signal ends it, and the wait.
pub fn run(command: &mut Command, limit: Option<Duration>, interrupt: &Interrupt) -> Result<Ended, Failure> {
    let program = std::path::PathBuf::from(command.get_program());
    let failed = |action: &'static str| {
        let program = program.clone();
        move |error: io::Error| Failure::file(action, &program, &error)
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Owned(command.spawn().map_err(failed("start"))?);
    let (stdout, stderr) = (reader(child.0.stdout.take()), reader(child.0.stderr.take()));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait().map_err(failed("wait for"))? {
            break Some(status);
        }
        interrupt.check()?;
        if limit.is_some_and(|limit| start.elapsed() > limit) {
            break None;
        }
        // A program that ends soon is noticed soon.
        std::thread::sleep((start.elapsed() / 8).clamp(Duration::from_micros(500), Duration::from_millis(5)));
    };
    drop(child);
    Ok(Ended { status, stdout: stdout.join().unwrap_or_default(), stderr: stderr.join().unwrap_or_default() })
}

fn reader<R: Read + Send + 'static>(pipe: Option<R>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A broken pipe ends the output: the bytes before it are all that there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}
