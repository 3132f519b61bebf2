//! A minimal workspace in a temporary folder, the real program, and small HTTP servers on loopback.

pub(crate) mod contract;
pub(crate) mod server;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use tempfile::TempDir;

pub(crate) const CONFIGURATION: &str = concat!(
    r#"
[source]
base_url_env = "TEST_BASE_URL"
stand_in = { package = "platform-sandbox", manifest = ""#,
    env!("CARGO_MANIFEST_DIR"),
    r#"/../Cargo.toml" }
[source.token]
variables = "TEST_"
scope = "api"

[[family]]
name = "things"
prefixes = ["/api/things"]
"#
);

/// A workspace with the files that `regenerate` needs.
pub(crate) struct Workspace {
    folder: TempDir,
}

/// The outcome of a run of the program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = Self { folder };
        workspace.write("specs/codegen.toml", CONFIGURATION);
        workspace.write("generated-client/Cargo.toml", "[package]\nname = \"platform-client\"\n\n[features]\n");
        workspace.write("generated-client/src/lib.rs", "//! A client.\n");
        workspace
    }

    /// One with the contract of [`contract::small`] pinned.
    pub(crate) fn pinned() -> Self {
        let workspace = Self::new();
        workspace.pin(&contract::small());
        workspace
    }

    pub(crate) fn pin(&self, contract: &str) -> Run {
        self.write("contract.json", contract);
        let run = self.run(&["regenerate", "--contract", "contract.json", "--accept-loss"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        run
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, content: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        fs::write(path, content).expect("written");
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
    }

    /// Writes a file with another text in place of one that it holds.
    pub(crate) fn replace(&self, relative: &str, from: &str, to: &str) {
        let text = self.read(relative);
        assert!(text.contains(from), "{relative} does not hold {from:?}");
        self.write(relative, &text.replace(from, to));
    }

    /// Runs git, with nothing of the machine's configuration.
    pub(crate) fn git(&self, arguments: &[&str]) -> Run {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
        let mut command = Command::new("git");
        command.args(identity).args(arguments).current_dir(self.root());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.output().expect("git runs").into()
    }

    /// Commits everything.
    pub(crate) fn commit(&self) {
        for arguments in [&["add", "-A"][..], &["commit", "-q", "-m", "x"]] {
            let run = self.git(arguments);
            assert_eq!(run.code, Some(0), "{run:?}");
        }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(crate::PROGRAM);
        command.arg("--workspace").arg(self.root()).args(arguments).current_dir(self.root());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("TEST_") || name.starts_with("PLATFORM_") || name.to_lowercase().ends_with("_proxy") {
                command.env_remove(name);
            }
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, &[])
    }

    pub(crate) fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
        let mut command = self.command(arguments);
        command.envs(environment.iter().copied());
        command.output().expect("the program runs").into()
    }

    /// All files but those of the staging folder, with their contents.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        self.files().into_iter().map(|path| (path.clone(), fs::read(self.path(&path)).expect("read"))).collect()
    }

    /// When each file was last written.
    pub(crate) fn times(&self) -> BTreeMap<String, SystemTime> {
        let time = |path: &str| fs::metadata(self.path(path)).and_then(|file| file.modified()).expect("a time");
        self.files().into_iter().map(|path| (path.clone(), time(&path))).collect()
    }

    /// The generated sources.
    pub(crate) fn generated(&self) -> Vec<String> {
        let files = self.files().into_iter();
        files.filter(|path| path.starts_with("generated-client/src/generated/")).collect()
    }

    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut waiting = vec![self.root().to_path_buf()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).expect("listed") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    if path.file_name().is_some_and(|name| name != ".regenerate") {
                        waiting.push(path);
                    }
                } else {
                    files.push(path.strip_prefix(self.root()).expect("inside").to_string_lossy().replace('\\', "/"));
                }
            }
        }
        files.sort();
        files
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    /// Asserts an early end: exit code, and words that the message holds.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing in\n{}", self.stderr);
        }
    }

    #[track_caller]
    pub(crate) fn succeeds(&self, words: &[&str]) {
        assert_eq!(self.code, Some(0), "{self:?}");
        for word in words {
            let output = format!("{}{}", self.stdout, self.stderr);
            assert!(output.contains(word), "{word:?} is missing in\n{output}");
        }
    }
}

/// Reads the output of a program until it says `word`, sends it one signal, and waits for its end.
pub(crate) fn interrupted(mut child: std::process::Child, word: &str) -> Run {
    let pipe: Box<dyn Read + Send> = match child.stdout.take() {
        Some(stdout) => Box::new(stdout),
        None => Box::new(child.stderr.take().expect("one of them is piped")),
    };
    let lines = BufReader::new(pipe).lines();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            // The test may have ended.
            let _ = send.send(line);
        }
    });
    let limit = Duration::from_secs(120);
    let mut lines = Vec::new();
    while !lines.last().is_some_and(|line: &String| line.contains(word)) {
        lines.push(receive.recv_timeout(limit).unwrap_or_else(|_| panic!("{word} was not said: {lines:?}")));
    }
    // Into the middle of the work.
    sleep(Duration::from_millis(300));
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(status.success());
    let start = Instant::now();
    while child.try_wait().expect("waits").is_none() {
        if start.elapsed() > limit {
            child.kill().expect("killed by its id");
            child.wait().expect("gone");
            panic!("one signal does not end it: {lines:?}");
        }
        sleep(Duration::from_millis(10));
    }
    lines.extend(receive.iter());
    let code = child.wait().expect("ended").code();
    Run { code, stdout: String::new(), stderr: lines.join("\n") }
}
