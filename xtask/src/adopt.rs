//! `cargo xtask adopt`: another service in the place of the sandbox's platform.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::{fs, io};

use platform_codegen::{Contract, FamilyRule, Setup, line, propose};

use crate::console::{Steps, count, result};
use crate::failure::{Exit, Failure};
use crate::flags::{Adopt, Regenerate};
use crate::interrupt::Interrupt;
use crate::regenerate::{self, from_source, reserved};
use crate::settings::Settings;
use crate::source;
use crate::workspace::{CONFIGURATION, GRAPHQL, NAMES, SCHEMA, Workspace};

/// The configuration of a service that nothing is known of, before its families.
const HEAD: &str = "\
# How the client is made. Written by people; `cargo xtask regenerate` reads it. docs/configuration.md lists every key.

[source]
base_url_env = \"PLATFORM_BASE_URL\"

# The token for the download, by the names of its places, never by its value: the variables that programs read.
[source.token]
variables = \"PLATFORM_\"
";

pub(crate) fn run(workspace: &Workspace, flags: &Adopt) -> Result<ExitCode, Failure> {
    if !flags.dry_run {
        clean(workspace)?;
    }
    let from = Regenerate {
        base_url: flags.base_url.clone(),
        contract: flags.contract.clone(),
        drop_schema: true,
        connect_timeout: flags.connect_timeout,
        timeout: flags.timeout,
        ..Regenerate::default()
    };
    let (runtime, interrupt) = Interrupt::start()?;
    let steps = Steps::new();
    let bare = Settings::parse(HEAD)?;
    let work = source::fetch(workspace, &bare, &from, None, &steps);
    let pins = from_source(workspace, None, runtime.block_on(interrupt.or(work))?.contracts)?;
    let contracts: Vec<Contract<'_>> =
        pins.iter().map(|pin| Contract { name: &pin.entry.name, bytes: pin.canonical.as_bytes() }).collect();
    let setup = Setup { reserved: reserved(workspace)?, ..Setup::default() };
    let families = propose(&contracts, &setup).map_err(|report| {
        Failure::new(Exit::Contract, "contract/not-usable", report.to_string(), "nothing was written")
    })?;
    let text = configuration(&families);
    Settings::parse(&text)?;
    drop((interrupt, runtime, steps));

    let documents = documents(workspace)?;
    say(&families, &documents);
    if flags.dry_run {
        result("");
        text.lines().for_each(result);
        return Ok(ExitCode::SUCCESS);
    }
    let kept = Kept::take(workspace, documents)?;
    let outcome = write(workspace, &text, &kept).and_then(|()| regenerate::run(workspace, &from));
    if outcome.is_err() {
        kept.restore()?;
        return outcome;
    }
    next(workspace, flags.base_url.as_deref());
    outcome
}

/// Fails where git has changes that are not committed: what is written over could not be brought back.
fn clean(workspace: &Workspace) -> Result<(), Failure> {
    let git = Command::new("git").arg("-C").arg(workspace.root()).args(["status", "--porcelain"]).output();
    let refuse = |what: &str, hint: &str| Err(Failure::configuration("adopt/not-clean", what, hint));
    match git {
        Ok(output) if output.status.success() && output.stdout.is_empty() => Ok(()),
        Ok(output) if output.status.success() => {
            let changed = String::from_utf8_lossy(&output.stdout).lines().count();
            let what = format!("git has {} that are not committed", count(changed, "change", "changes"));
            refuse(
                &what,
                "commit them or put them aside (git stash): the command writes over files of the sandbox's platform",
            )
        }
        _ => refuse("the workspace is not a git repository, or git is missing", "git init && git add -A && git commit"),
    }
}

/// The GraphQL documents of the service that is pinned, relative to the workspace.
fn documents(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let files = workspace.files_below(GRAPHQL)?.into_iter();
    Ok(files.filter(|path| path.ends_with(".graphql") && path != SCHEMA).collect())
}

/// The configuration with the families.
fn configuration(families: &[FamilyRule]) -> String {
    let mut text = HEAD.to_owned();
    if !families.is_empty() {
        text.push_str("\n# The route families: a Rust module, a cargo feature and an accessor each. What no prefix claims goes by its tag.\n");
    }
    for family in families {
        let list: Vec<String> = family.prefixes.iter().map(|prefix| quoted(prefix)).collect();
        text.push_str(&format!("[[family]]\nname = {}\nprefixes = [{}]\n", quoted(&family.name), list.join(", ")));
        if !family.covers.is_empty() {
            text.push_str(&format!("covers = {}\n", quoted(&line(&family.covers))));
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

/// A TOML string: what a contract says stays text.
fn quoted(text: &str) -> String {
    toml::Value::String(text.replace(['\n', '\r'], " ")).to_string()
}

/// What the command does.
fn say(families: &[FamilyRule], documents: &[String]) {
    let families: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    let names = if families.is_empty() { "none: by tags".to_owned() } else { families.join(", ") };
    result(&format!("adopt       writes {CONFIGURATION} anew, with families from tags and paths: {names}"));
    result("            without bindings, servers, corrections and renames of the service before it");
    for path in documents {
        result(&format!("            removes {path}"));
    }
    result(&format!("            begins {NAMES} afresh, pins the contract, and rewrites the client"));
    result("            tests and examples of the service before it are left out, where they name what is gone");
}

/// Files as they were, to bring back.
struct Kept(Vec<(PathBuf, Option<Vec<u8>>)>);

impl Kept {
    fn take(workspace: &Workspace, documents: Vec<String>) -> Result<Self, Failure> {
        let paths = documents.into_iter().chain([CONFIGURATION.to_owned(), NAMES.to_owned()]);
        let kept = paths.map(|path| Ok((workspace.path(&path), workspace.read(&path)?)));
        Ok(Self(kept.collect::<Result<_, Failure>>()?))
    }

    fn restore(&self) -> Result<(), Failure> {
        for (path, content) in &self.0 {
            if let Some(content) = content {
                fs::write(path, content).map_err(|error| Failure::file("write", path, &error))?;
            }
        }
        Ok(())
    }
}

fn write(workspace: &Workspace, text: &str, kept: &Kept) -> Result<(), Failure> {
    let configuration = workspace.path(CONFIGURATION);
    for (path, _) in kept.0.iter().filter(|(path, _)| *path != configuration) {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Failure::file("remove", path, &error));
            }
            _ => {}
        }
    }
    fs::write(&configuration, text).map_err(|error| Failure::file("write", &configuration, &error))
}

/// What comes after it.
fn next(workspace: &Workspace, base_url: Option<&str>) {
    let surface = workspace.read("specs/surface.txt").ok().flatten().unwrap_or_default();
    let surface = String::from_utf8_lossy(&surface).into_owned();
    let simple = |line: &&str| line.contains("  GET ") && line.contains("  () -> ");
    let call = surface.lines().find(simple).and_then(|line| line.split("  ").next()?.split_once('.'));
    result("");
    result("next        the variables of a program and of the next download:");
    let url = base_url.unwrap_or("https://service.example");
    result(&format!("              export PLATFORM_BASE_URL={url} PLATFORM_TOKEN=…"));
    if let Some((family, operation)) = call {
        result("            a first program, generated-client/examples/first.rs:");
        for line in [
            "#[tokio::main]",
            "async fn main() -> Result<(), platform_client::Error> {",
            "    let service = platform_client::Platform::from_env()?;",
            &format!("    println!(\"{{:?}}\", service.{family}().{operation}().await?);"),
            "    Ok(())",
            "}",
        ] {
            result(&format!("              {line}"));
        }
        result("            cargo run -p platform-client --example first");
    }
    result(&format!(
        "            look through {CONFIGURATION}, then cargo xtask regenerate --offline, cargo test, git commit"
    ));
}
