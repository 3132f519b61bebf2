//! The programs of the workspace, built as `cargo test --all-features` builds them, and run as processes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use super::root;

/// The result of a run of a program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
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

/// Built programs by name: `xtask`, the sandbox, and the examples whose features exist.
pub(crate) struct Programs(BTreeMap<String, PathBuf>);

impl Programs {
    /// Builds them once per run of the tests; nothing is left to build if the tests of the workspace were built before.
    pub(crate) fn get() -> &'static Self {
        static PROGRAMS: OnceLock<Programs> = OnceLock::new();
        PROGRAMS.get_or_init(|| {
            // Without examples, cargo leaves the features of tests out, and builds every dependency anew.
            let mut command = cargo(&["build", "--quiet", "--all-features", "--bins", "--examples"]);
            command.args(["-p", "platform-client", "-p", "platform-sandbox", "-p", "xtask"]);
            let output = command.arg("--message-format=json").stderr(Stdio::inherit()).output().unwrap();
            assert!(output.status.success(), "the programs cannot be built");
            let mut programs = BTreeMap::new();
            for line in String::from_utf8(output.stdout).unwrap().lines() {
                let message: Value = serde_json::from_str(line).unwrap();
                if let (Some(program), Some(name)) =
                    (message["executable"].as_str(), message["target"]["name"].as_str())
                {
                    programs.insert(name.to_owned(), PathBuf::from(program));
                }
            }
            Self(programs)
        })
    }

    /// A command that runs a program at the root of the workspace, without the environment that configures it.
    pub(crate) fn command(&self, name: &str) -> Command {
        let program = self.0.get(name).unwrap_or_else(|| panic!("{name} is not built"));
        let mut command = Command::new(program);
        command.current_dir(root());
        plain(&mut command);
        command
    }

    /// The folder that cargo builds into.
    pub(crate) fn target(&self) -> PathBuf {
        self.0.get("xtask").and_then(|program| program.ancestors().nth(2)).unwrap().to_path_buf()
    }

    /// Runs `cargo xtask` with arguments.
    pub(crate) fn xtask(&self, arguments: &[&str]) -> Run {
        self.command("xtask").args(arguments).output().unwrap().into()
    }
}

/// A run of the cargo that runs this test, at the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    plain(&mut command);
    command
}

/// Removes variables that would configure the programs, and those that cargo sets for a test: build scripts would read them.
fn plain(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().into_owned();
        let about_the_test = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "OUT_DIR", "PLATFORM_"];
        if about_the_test.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
}
