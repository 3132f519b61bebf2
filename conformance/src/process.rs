//! Programs that call a client: one is compiled, started, and told its calls line by line.

use std::fs::{self, File, TryLockError};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use driftless::child::{self, Owned};
use driftless::console;
use driftless::failure::{Exit, Failure};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless_sandbox::conformance::{Argument, Case, Known, Recorded, Recorder};
use serde_json::Value;

/// The longest time of a call. The client has limits of its own.
const LONGEST: Duration = Duration::from_secs(300);
/// The time between two looks for a signal.
const PAUSE: Duration = Duration::from_millis(20);

/// The right to write and compile programs below `target/conformance`: all have one target folder, where programs of one name replace
/// each other.
pub(crate) struct Build(#[expect(dead_code, reason = "the file is locked as long as it is open")] File);

impl Build {
    /// Excludes other builds, those of other processes, too, until the value is dropped.
    pub(crate) fn begin(workspace: &Workspace, interrupt: &Interrupt) -> Result<Self, Failure> {
        let folder = workspace.path("target/conformance");
        fs::create_dir_all(&folder).map_err(|error| Failure::file("create", &folder, &error))?;
        let path = folder.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| Failure::file("open", &path, &error))?;
        let (start, mut is_told) = (Instant::now(), false);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(Failure::file("lock", &path, &error)),
            }
            // A process that is just being started holds the file for a moment, too.
            if !is_told && start.elapsed() > Duration::from_secs(1) {
                console::progress("waiting for another run of conformance that compiles in target/conformance");
                is_told = true;
            }
            interrupt.check()?;
            std::thread::sleep(PAUSE);
        }
    }
}

/// Compiles a program in a folder of that name, and returns its copy. If it does not compile, returns the first errors.
pub(crate) fn compile(
    workspace: &Workspace,
    folder: &Path,
    name: &str,
    _: &Build,
    interrupt: &Interrupt,
) -> Result<Result<PathBuf, String>, Failure> {
    let package = folder.join(name);
    if let Some(lock) = workspace.read("Cargo.lock")?.filter(|_| !package.join("Cargo.lock").exists()) {
        write(&package.join("Cargo.lock"), &lock)?;
    }
    let target = workspace.path("target/conformance/target");
    let mut command = child::cargo();
    command.args(["build", "--quiet", "--message-format", "short"]).current_dir(&package);
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", &target);
    let ended = child::run(&mut command, None, interrupt)?;
    if !ended.status.is_some_and(|status| status.success()) {
        let errors = String::from_utf8_lossy(&ended.stderr);
        let errors: Vec<&str> = errors.lines().filter(|line| line.contains("error")).take(10).collect();
        return Ok(Err(errors.join("\n")));
    }
    let built = target.join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let program = folder.join(format!("{name}-program{}", std::env::consts::EXE_SUFFIX));
    // The next package has a program of the same name. The copy of an earlier run can be in use, and stays as it is.
    let copy = program.with_extension("new");
    fs::copy(&built, &copy).map_err(|error| Failure::file("copy", &built, &error))?;
    fs::rename(&copy, &program).map_err(|error| Failure::file("replace", &program, &error))?;
    Ok(Ok(program))
}

pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if fs::read(path).is_ok_and(|known| known == content) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
    }
    fs::write(path, content).map_err(|error| Failure::file("write", path, &error))
}

/// The program, and the server that it calls.
pub(crate) struct Calls {
    pub(crate) recorder: Recorder,
    input: ChildStdin,
    lines: Receiver<String>,
    interrupt: Interrupt,
    _child: Owned,
}

impl Calls {
    /// Starts the program. The word `token` lets its client have a token, beside the keys that it has anyway.
    pub(crate) fn start(
        program: &Path,
        recorder: Recorder,
        words: &[&str],
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        command.arg(recorder.address()).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Owned(command.spawn().map_err(|error| Failure::file("start", program, &error))?);
        let (Some(input), Some(output)) = (child.0.stdin.take(), child.0.stdout.take()) else {
            return Err(ended("it has no standard input"));
        };
        let (sender, lines) = channel();
        // It ends with the program.
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Self { recorder, input, lines, interrupt: interrupt.clone(), _child: child })
    }

    /// Lets the program perform a call, and returns its outcome.
    pub(crate) fn call(&mut self, index: usize, arguments: &[Known], body: Option<&Value>) -> Result<Value, Failure> {
        let line = serde_json::json!([index, arguments, body]).to_string();
        writeln!(self.input, "{line}").map_err(|error| ended(&error.to_string()))?;
        let start = Instant::now();
        let outcome = loop {
            match self.lines.recv_timeout(PAUSE) {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Disconnected) => return Err(ended(&line)),
                Err(RecvTimeoutError::Timeout) => self.interrupt.check()?,
            }
            if start.elapsed() > LONGEST {
                return Err(ended(&format!("no result after {} s: {line}", LONGEST.as_secs())));
            }
        };
        serde_json::from_str(&outcome).map_err(|_| ended(&line))
    }

    /// Performs the call of a case: the requests, and the outcome that the program prints.
    pub(crate) fn perform(&mut self, index: usize, case: &Case) -> Result<(Vec<Recorded>, Value), Failure> {
        self.recorder.prepare(&case.answer);
        let argument = |argument: &Argument| (argument.place.clone(), argument.name.clone(), argument.value.clone());
        let arguments: Vec<Known> =
            case.arguments.iter().filter(|argument| !argument.is_left_out).map(argument).collect();
        let outcome = self.call(index, &arguments, case.body.as_ref())?;
        Ok((self.recorder.recorded(), outcome))
    }
}

fn ended(why: &str) -> Failure {
    Failure::new(
        Exit::Stale,
        "conformance/program",
        format!("the program that calls the client ended early: {why}"),
        "this is a defect of the client: repeat the case, and report it with the contract",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_excludes_others() {
        let workspace = Workspace::find(Some(concat!(env!("CARGO_MANIFEST_DIR"), "/..").into())).unwrap();
        let one = Build::begin(&workspace, &Interrupt::default()).unwrap();
        let other = File::open(workspace.path("target/conformance/lock")).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(one);
    }

    #[cfg(unix)]
    #[test]
    fn a_call_ends_with_its_program() {
        let mut calls =
            Calls::start(Path::new("false"), Recorder::start().unwrap(), &[], &Interrupt::default()).unwrap();
        assert_eq!(calls.call(0, &[], None).unwrap_err().code, "conformance/program");
    }
}
