//! Programs that call a client: one is compiled, started, and told its calls line by line.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use driftless::child::{self, Owned};
use driftless::failure::{Exit, Failure};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless_sandbox::conformance::{Argument, Case, Known, Recorded, Recorder};
use serde_json::Value;

/// One build at a time.
static BUILDS: Mutex<()> = Mutex::new(());

/// Compiles a program in a folder of that name, and returns its copy. If it does not compile, returns the first errors.
pub(crate) fn compile(
    workspace: &Workspace,
    folder: &Path,
    name: &str,
    interrupt: &Interrupt,
) -> Result<Result<PathBuf, String>, Failure> {
    let package = folder.join(name);
    if let Some(lock) = workspace.read("Cargo.lock")?.filter(|_| !package.join("Cargo.lock").exists()) {
        write(&package.join("Cargo.lock"), &lock)?;
    }
    // The next package has a program of the same name, which is copied before.
    let _one = BUILDS.lock().unwrap_or_else(PoisonError::into_inner);
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
    fs::copy(&built, &program).map_err(|error| Failure::file("copy", &built, &error))?;
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
    output: BufReader<ChildStdout>,
    _child: Owned,
}

impl Calls {
    pub(crate) fn start(program: &Path, recorder: Recorder) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        command.arg(recorder.address()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child: Child = command.spawn().map_err(|error| Failure::file("start", program, &error))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let child = Owned(child);
        match (input, output) {
            (Some(input), Some(output)) => Ok(Self { recorder, input, output: BufReader::new(output), _child: child }),
            _ => Err(ended("it has no standard input")),
        }
    }

    /// Lets the program perform a call, and returns its outcome.
    pub(crate) fn call(&mut self, index: usize, arguments: &[Known], body: Option<&Value>) -> Result<Value, Failure> {
        let line = serde_json::json!([index, arguments, body]).to_string();
        writeln!(self.input, "{line}").map_err(|error| ended(&error.to_string()))?;
        let mut outcome = String::new();
        self.output.read_line(&mut outcome).map_err(|error| ended(&error.to_string()))?;
        serde_json::from_str(&outcome).map_err(|_| ended(&line))
    }

    /// Performs the call of a case: the requests, and the outcome that the program prints.
    pub(crate) fn perform(&mut self, index: usize, case: &Case) -> Result<(Vec<Recorded>, Value), Failure> {
        self.recorder.prepare(&case.answer);
        let argument = |argument: &Argument| (argument.place.clone(), argument.name.clone(), argument.value.clone());
        let arguments: Vec<Known> = case.arguments.iter().map(argument).collect();
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
