//! The generators that are compared, and how each of them is installed and called.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// A generator of clients in Rust.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) name: &'static str,
    /// Its pinned version; empty for the one of this workspace.
    pub(super) version: &'static str,
    registry: Registry,
    /// Arguments of a generation: `{contract}` and `{folder}` stand for paths.
    arguments: &'static [&'static str],
    /// Its client crate, below the folder.
    crate_folder: &'static str,
    /// The text with which its source begins an operation, to count them.
    pub(super) operation: &'static str,
    /// Features of the client with which the program of `build` is compiled; none are the defaults.
    pub(super) features: &'static [&'static [&'static str]],
    /// Three operations of GitHub: `first`, `second` and `third` are the results.
    pub(super) calls: &'static str,
}

/// The features by default.
const DEFAULT: &[&[&str]] = &[&[]];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registry {
    /// The one of this workspace.
    Own,
    Crates,
    Python,
}

pub(super) const GENERATORS: [Generator; 6] = [
    Generator {
        name: "driftless",
        version: "",
        registry: Registry::Own,
        arguments: &["new", "{folder}", "--contract", "{contract}", "--name", "client"],
        crate_folder: "generated-client",
        operation: "",
        features: &[&[], &["issues", "repos", "users"]],
        calls: r#"let service = client::Service::builder("https://api.github.com").build().unwrap();
    use client::families::{issues, repos};
    let first = service.repos().get(repos::GetArguments { owner, repo }).await;
    let second = service.users().get_by_username(user).await;
    let third = service.issues().get(issues::GetArguments { owner, repo, issue_number: issue }).await;"#,
    },
    Generator {
        name: "oas3-gen",
        version: "0.29.0",
        registry: Registry::Crates,
        arguments: &["generate", "client-mod", "--workspace", "-i", "{contract}", "-o", "{folder}"],
        crate_folder: "",
        operation: "pub async fn parse_response",
        features: DEFAULT,
        calls: r#"let service = client::GitHubV3RestApiClient::new();
    let (owner, repo) = (owner.to_owned(), repo.to_owned());
    let path = client::ReposGetRequestPath { owner: owner.clone(), repo: repo.clone() };
    let first = service.repos_get(client::ReposGetRequest { path }).await;
    let path = client::UsersGetByUsernameRequestPath { username: user.to_owned() };
    let second = service.users_get_by_username(client::UsersGetByUsernameRequest { path }).await;
    let path = client::IssuesGetRequestPath { owner, repo, issue_number: issue };
    let third = service.issues_get(client::IssuesGetRequest { path }).await;"#,
    },
    Generator {
        name: "openapi-to-rust",
        version: "0.23.0",
        registry: Registry::Crates,
        arguments: &["generate", "{contract}"],
        crate_folder: "",
        operation: "pub async fn ",
        features: DEFAULT,
        calls: r#"let service = client::generated::client::HttpClient::new().with_base_url("https://api.github.com");
    let first = service.repos_get(owner, repo).await;
    let second = service.users_get_by_username(user).await;
    let third = service.issues_get(owner, repo, issue).await;"#,
    },
    Generator {
        name: "ploidy",
        version: "0.15.0",
        registry: Registry::Crates,
        arguments: &["generate", "rust", "{contract}", "-o", "{folder}"],
        crate_folder: "",
        operation: "pub async fn ",
        features: DEFAULT,
        calls: r#"let (service, issue) = (client::Client::new("https://api.github.com").unwrap(), issue.to_string());
    let first = service.repos_get(owner, repo).await;
    let second = service.users_get_by_username(user).await;
    let third = service.issues_get(owner, repo, &issue).await;"#,
    },
    Generator {
        name: "cargo-progenitor",
        version: "0.15.1",
        registry: Registry::Crates,
        arguments: &["progenitor", "-i", "{contract}", "-o", "{folder}", "-n", "client", "-v", "0.1.0"],
        crate_folder: "",
        operation: "pub async fn ",
        features: DEFAULT,
        calls: r#"let service = client::Client::new("https://api.github.com");
    let first = service.repos_get(owner, repo).await;
    let second = service.users_get_by_username(user).await;
    let third = service.issues_get(owner, repo, issue).await;"#,
    },
    Generator {
        name: "openapi-generator-cli",
        version: "7.26.0",
        registry: Registry::Python,
        arguments: &["generate", "-g", "rust", "--skip-validate-spec", "-i", "{contract}", "-o", "{folder}"],
        crate_folder: "",
        operation: "pub async fn ",
        features: DEFAULT,
        calls: r#"let service = client::apis::configuration::Configuration::new();
    let first = client::apis::repos_api::repos_slash_get(&service, owner, repo).await;
    let second = client::apis::users_api::users_slash_get_by_username(&service, user).await;
    let third = client::apis::issues_api::issues_slash_get(&service, owner, repo, issue).await;"#,
    },
];

/// The places of the generators.
#[derive(Debug)]
pub(super) struct Programs {
    /// The one of this workspace.
    pub(super) own: PathBuf,
    /// The folder with the others.
    pub(super) peers: PathBuf,
}

impl Programs {
    /// `own` is this program until the bench has built the one to measure: it has the same commands.
    pub(super) fn new(peers: PathBuf) -> Result<Self, Failure> {
        let own = std::env::current_exe().map_err(|error| Failure::file("find", Path::new("developer"), &error))?;
        Ok(Self { own, peers })
    }
}

impl Generator {
    /// Its name and version, for a table.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, if self.version.is_empty() { env!("CARGO_PKG_VERSION") } else { self.version })
    }

    pub(super) fn is_own(&self) -> bool {
        self.registry == Registry::Own
    }

    /// Its program; the reason, if it is not installed.
    pub(super) fn program(&self, programs: &Programs) -> Result<PathBuf, String> {
        let path = match self.registry {
            Registry::Own => programs.own.clone(),
            Registry::Crates => programs.peers.join("bin").join(self.name),
            Registry::Python => programs.peers.join("python/bin").join(self.name),
        };
        if path.is_file() { Ok(path) } else { Err("skipped: not installed, see --install".to_owned()) }
    }

    /// The commands that install it.
    fn commands(&self, peers: &Path) -> Vec<Command> {
        let python = peers.join("python");
        match self.registry {
            Registry::Own => Vec::new(),
            Registry::Crates => {
                let mut command = crate::child::cargo();
                command.args(["install", "--locked", self.name, "--version", self.version, "--root"]).arg(peers);
                command.env("CARGO_TARGET_DIR", peers.join("target"));
                vec![command]
            }
            Registry::Python => {
                let mut environment = Command::new("python3");
                environment.args(["-m", "venv"]).arg(&python);
                let mut command = Command::new(python.join("bin/pip"));
                command.args(["install", "--quiet", &format!("{}=={}", self.name, self.version)]);
                vec![environment, command]
            }
        }
    }

    /// Installs it, unless it is there; the reason, if that fails.
    pub(super) fn install(&self, programs: &Programs, interrupt: &Interrupt) -> Result<Result<(), String>, Failure> {
        if self.program(programs).is_ok() {
            return Ok(Ok(()));
        }
        for mut command in self.commands(&programs.peers) {
            if let Err(reason) = super::measure::run(&mut command, interrupt)? {
                return Ok(Err(reason));
            }
        }
        Ok(Ok(()))
    }

    /// The command of a generation into a folder.
    pub(super) fn generation(&self, program: &Path, contract: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder);
        for argument in self.arguments {
            match *argument {
                "{contract}" => command.arg(contract),
                "{folder}" => command.arg(folder),
                text => command.arg(text),
            };
        }
        command
    }

    pub(super) fn client(&self, folder: &Path) -> PathBuf {
        folder.join(self.crate_folder)
    }

    /// Completes the crate that it wrote, so that cargo takes it outside of this workspace.
    pub(super) fn complete(&self, folder: &Path, workspace: &Path) -> std::io::Result<()> {
        let manifest = folder.join("Cargo.toml");
        if self.is_own() {
            let mut text = fs::read_to_string(&manifest)?;
            for member in ["driftless", "driftless-runtime"] {
                let path = workspace.join(member.trim_start_matches("driftless-"));
                let released = format!("{member} = \"={}\"", env!("CARGO_PKG_VERSION"));
                text = text.replace(&released, &format!("{member} = {{ path = {path:?} }}"));
            }
            return fs::write(&manifest, text);
        }
        if self.name == "openapi-to-rust" {
            let needed = fs::read_to_string(folder.join("src/generated/REQUIRED_DEPS.toml"))?;
            let head = "[package]\nname = \"client\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n";
            fs::write(&manifest, format!("{head}{needed}"))?;
            fs::write(folder.join("src/lib.rs"), "pub mod generated;\n")?;
        }
        let has_workspace = fs::read_to_string(&manifest)?.lines().any(|line| line.trim() == "[workspace]");
        if has_workspace { Ok(()) } else { append(&manifest, "\n[workspace]\n") }
    }
}

fn append(path: &Path, text: &str) -> std::io::Result<()> {
    fs::OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_that_is_not_installed_is_skipped_with_a_word() {
        let folder = tempfile::tempdir().expect("a folder");
        let programs = Programs::new(folder.path().to_path_buf()).expect("this program");
        let [own, peers @ ..] = &GENERATORS;
        assert!(own.is_own() && own.program(&programs).is_ok());
        for peer in peers {
            let reason = peer.program(&programs).expect_err("not installed");
            assert!(reason.starts_with("skipped: ") && reason.contains("--install"), "{reason}");
            assert!(peer.commands(folder.path()).iter().any(|command| {
                command.get_args().any(|argument| argument.to_string_lossy().contains(peer.version))
            }));
        }
    }

    #[test]
    fn paths_take_their_places_in_the_arguments() {
        for generator in &GENERATORS {
            let command = generator.generation(Path::new("p"), Path::new("c.json"), Path::new("out"));
            let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
            assert!(arguments.iter().any(|argument| argument == "c.json"), "{arguments:?}");
            assert!(!arguments.iter().any(|argument| argument.contains('{')), "{arguments:?}");
        }
    }

    #[test]
    fn a_crate_is_a_workspace_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("Cargo.toml");
        let [own, other, ..] = &GENERATORS;
        fs::write(&path, "[package]\nname = \"a\"\n").expect("written");
        for _ in 0..2 {
            other.complete(folder.path(), Path::new("/here")).expect("completed");
        }
        let text = fs::read_to_string(&path).expect("read");
        assert_eq!(text.matches("[workspace]").count(), 1, "{text}");
        let released = format!("[workspace.dependencies]\ndriftless-runtime = \"={}\"\n", env!("CARGO_PKG_VERSION"));
        fs::write(&path, released).expect("written");
        own.complete(folder.path(), Path::new("/here")).expect("completed");
        let text = fs::read_to_string(&path).expect("read");
        assert!(text.contains("driftless-runtime = { path = \"/here/runtime\" }"), "{text}");
    }
}
