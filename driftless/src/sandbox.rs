//! The program that stands in for the service: the source if nothing is configured. It is a program of its own, so that whoever has a
//! deployment never compiles it.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::oneshot;

use crate::child::{Owned, cargo};
use crate::failure::{Exit, Failure};
use crate::settings::SourceSettings;
use crate::workspace::{CONFIGURATION, Workspace};

/// Time that a sandbox has to end after its standard input.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest part of the program's output that is kept, in bytes.
const KEPT: u64 = 1024 * 1024;

/// The program that stands in for the service: a package of the workspace, or of another one.
#[derive(Debug)]
pub(crate) struct Program {
    package: String,
    manifest: PathBuf,
    /// The program of a regeneration, if the package has several.
    bin: Option<String>,
    default_features: bool,
}

impl Program {
    /// The program that the configuration names.
    pub(crate) fn new(workspace: &Workspace, source: &SourceSettings) -> Result<Self, Failure> {
        let stand_in = source.stand_in.as_ref().ok_or_else(|| {
            Failure::configuration(
                "sandbox/none",
                "no deployment is configured, and no program stands in for it",
                format!(
                    "name the deployment: `base_url` in [source] of {CONFIGURATION}, --base-url or --contract\n\
                     or name a program that serves a contract on loopback: stand_in = {{ package = \"…\" }} in [source]"
                ),
            )
        })?;
        let manifest = stand_in.manifest.as_deref().unwrap_or(Path::new("Cargo.toml"));
        Ok(Self {
            package: stand_in.package.clone(),
            manifest: workspace.root().join(manifest),
            bin: stand_in.bin.clone(),
            default_features: stand_in.default_features.unwrap_or(true),
        })
    }

    /// Compiles all of the package where that is needed, and runs its default program.
    pub(crate) fn command(&self, quiet: bool) -> Command {
        self.run(quiet, &[])
    }

    /// Compiles the part for a regeneration where that is needed, and runs it.
    fn source(&self) -> Command {
        let mut flags = Vec::new();
        flags.extend((!self.default_features).then_some("--no-default-features"));
        flags.extend(self.bin.iter().flat_map(|bin| ["--bin", bin]));
        self.run(true, &flags)
    }

    fn run(&self, quiet: bool, flags: &[&str]) -> Command {
        let mut command = cargo();
        command.arg("run").args(quiet.then_some("--quiet")).args(flags);
        // cargo reads the configuration of the current folder and those above. Without the profiles of the program's own, it would
        // compile all of its libraries once more.
        if let Some(configuration) = self.configuration(&std::env::current_dir().unwrap_or_default()) {
            command.arg("--config").arg(configuration);
        }
        command.args(["--package", &self.package, "--manifest-path"]).arg(&self.manifest).arg("--");
        command
    }

    /// The cargo configuration of the program's workspace, if cargo does not read it in `current` anyway.
    fn configuration(&self, current: &Path) -> Option<PathBuf> {
        let root = std::path::absolute(self.manifest.parent()?).ok()?;
        let configuration = root.join(".cargo/config.toml");
        (!current.starts_with(&root) && configuration.is_file()).then_some(configuration)
    }
}

/// A sandbox that runs beside this program, and ends with it.
#[derive(Debug)]
pub(crate) struct LocalSandbox {
    pub(crate) addresses: Addresses,
    process: Process,
}

/// The address and the client that a sandbox prints.
#[derive(Debug, Deserialize)]
pub(crate) struct Addresses {
    pub(crate) base_url: String,
    pub(crate) auth_url: String,
    pub(crate) clients: Vec<SandboxClient>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SandboxClient {
    pub(crate) client_id: String,
    pub(crate) secret_file: std::path::PathBuf,
}

/// Its standard input is a pipe of ours: however this program ends, the end of the pipe ends the sandbox.
#[derive(Debug)]
struct Process(Owned);

impl Drop for Process {
    fn drop(&mut self) {
        let child = &mut self.0.0;
        drop(child.stdin.take());
        // The files with its secrets go with an orderly end.
        let start = Instant::now();
        while matches!(child.try_wait(), Ok(None)) && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl LocalSandbox {
    /// Compiles the sandbox where that is needed, starts it, and waits until it listens.
    pub(crate) async fn start(program: &Program, flags: &[&str]) -> Result<Self, Failure> {
        let mut command = program.source();
        command.args(["--json", "--end-with-stdin"]).args(flags.iter().map(OsString::from));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| not_started(&error))?;
        let mut process = Process(Owned(child));
        let child = &mut process.0.0;
        let (stderr, line) = (child.stderr.take().map(keep), first_line(child.stdout.take()));
        let line = line.await.unwrap_or_default();
        match serde_json::from_str(&line) {
            Ok(addresses) => Ok(Self { addresses, process }),
            Err(_) => {
                drop(child.stdin.take());
                let status = child.wait().map_err(|error| not_started(&error))?;
                let stderr = stderr.and_then(|stderr| stderr.join().ok()).unwrap_or_default();
                Err(refused(status, &String::from_utf8_lossy(&stderr)))
            }
        }
    }

    /// Ends it, and waits for that.
    pub(crate) fn stop(self) {
        drop(self.process);
    }
}

/// The first line of a program; empty when it ends without one.
fn first_line(stdout: Option<ChildStdout>) -> oneshot::Receiver<String> {
    let (sender, receiver) = oneshot::channel();
    // A thread of its own: a read cannot be given up when a signal comes.
    std::thread::spawn(move || {
        let mut line = String::new();
        if let Some(stdout) = stdout {
            // Only text makes lines.
            let _ = BufReader::new(stdout.take(KEPT)).read_line(&mut line);
        }
        let _ = sender.send(line);
    });
    receiver
}

/// The beginning of a program's output. The rest is read, too, so that the program does not wait for a reader.
fn keep<R: Read + Send + 'static>(mut pipe: R) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.by_ref().take(KEPT).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        bytes
    })
}

fn not_started(error: &std::io::Error) -> Failure {
    let message = format!("cargo, which compiles the sandbox, cannot be started: {error}");
    Failure::new(Exit::Files, "sandbox/start", message, "check that `cargo` is on the PATH")
}

/// The reason that a sandbox, or its compilation, ended before it listened.
fn refused(status: ExitStatus, stderr: &str) -> Failure {
    let mut lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let reason = lines.next().map_or_else(|| status.to_string(), str::to_owned);
    let hint =
        "`cargo xtask sandbox` shows all that it says\nor name another source: see `cargo xtask regenerate --help`";
    let exit = if status.code() == Some(6) { Exit::Files } else { Exit::Configuration };
    Failure::new(exit, "sandbox/start", format!("the sandbox cannot start: {}", driftless_codegen::line(&reason)), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_workspace_has_the_profiles_of_that_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = folder.path().join("Cargo.toml");
        let program = Program { package: "stand-in".to_owned(), manifest, bin: None, default_features: true };
        assert_eq!(program.configuration(Path::new("/")), None, "it has no configuration");
        let configuration = folder.path().join(".cargo/config.toml");
        std::fs::create_dir(folder.path().join(".cargo")).expect("a folder");
        std::fs::write(&configuration, "").expect("a file");
        assert_eq!(program.configuration(Path::new("/")), Some(configuration));
        assert_eq!(program.configuration(&folder.path().join("specs")), None, "cargo reads it by itself");
    }

    #[test]
    fn a_regeneration_runs_the_program_that_is_named_and_leaves_features_out() {
        let manifest = PathBuf::from("/nowhere/Cargo.toml");
        let bin = Some("part".to_owned());
        let program = Program { package: "stand-in".to_owned(), manifest, bin, default_features: false };
        let arguments = |command: Command| -> Vec<_> { command.get_args().map(OsString::from).collect() };
        assert_eq!(
            arguments(program.source()),
            [
                "run",
                "--quiet",
                "--no-default-features",
                "--bin",
                "part",
                "--package",
                "stand-in",
                "--manifest-path",
                "/nowhere/Cargo.toml",
                "--"
            ]
        );
        assert_eq!(
            arguments(program.command(false)),
            ["run", "--package", "stand-in", "--manifest-path", "/nowhere/Cargo.toml", "--"]
        );
    }
}
