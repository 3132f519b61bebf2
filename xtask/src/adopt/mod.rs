//! `cargo xtask adopt`: another service in the place of the sandbox's platform.

mod leaving;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use platform_codegen::{Contract, FamilyRule, Setup, line, propose};

use crate::console::{Steps, count, progress, result};
use crate::failure::{Exit, Failure};
use crate::flags::{Adopt, Regenerate};
use crate::interrupt::{Interrupt, restore_by};
use crate::regenerate::{self, from_source, reserved};
use crate::settings::Settings;
use crate::source;
use crate::workspace::{CLIENT, CONFIGURATION, GENERATED, NAMES, SNAPSHOTS, Workspace};
use leaving::{Leaving, remove};

/// Where the first program is written.
const PROGRAM: &str = "generated-client/examples/first.rs";

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

    let leaving = Leaving::of(workspace)?;
    say(&families, &leaving);
    if flags.dry_run {
        result("");
        text.lines().for_each(result);
        return Ok(ExitCode::SUCCESS);
    }
    let kept = Arc::new(Kept::take(workspace, &leaving)?);
    let restored = Arc::clone(&kept);
    restore_by(Some(Box::new(move || {
        if let Err(failure) = restored.restore() {
            progress(&failure.to_string());
        }
    })));
    let written = write(workspace, &text, &leaving).and_then(|()| regenerate::run(workspace, &from));
    let outcome = written.and_then(|code| Ok((code, first(workspace)?)));
    match outcome {
        Ok((code, has_program)) => {
            restore_by(None);
            next(flags.base_url.as_deref(), has_program);
            Ok(code)
        }
        Err(failure) => {
            kept.restore()?;
            restore_by(None);
            Err(failure)
        }
    }
}

/// Fails where git has changes that are not committed: what is written over could not be brought back.
fn clean(workspace: &Workspace) -> Result<(), Failure> {
    let git = Command::new("git").arg("-C").arg(workspace.root()).args(["status", "--porcelain"]).output();
    let refuse = |what: &str, hint: &str| Err(Failure::configuration("adopt/not-clean", what, hint));
    match git {
        Ok(output) if output.status.success() && output.stdout.is_empty() => Ok(()),
        Ok(output) if output.status.success() => {
            let changed = String::from_utf8_lossy(&output.stdout).lines().count();
            let what = format!("git reports {} that are not committed", count(changed, "change", "changes"));
            refuse(
                &what,
                "commit them or put them aside (git stash): the command overwrites files of the sandbox's platform",
            )
        }
        _ => refuse("the workspace is not a git repository, or git is missing", "git init && git add -A && git commit"),
    }
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
fn say(families: &[FamilyRule], leaving: &Leaving) {
    let families: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    let names = if families.is_empty() { "none: by tags".to_owned() } else { families.join(", ") };
    result(&format!("adopt       writes {CONFIGURATION} anew, with families from tags and paths: {names}"));
    result("            without bindings, servers, corrections and renames of the service before it");
    result(&format!("            removes what was accepted of it in {SNAPSHOTS}: the first run writes that anew"));
    for path in leaving.removed.iter().filter(|path| !path.starts_with(SNAPSHOTS)) {
        result(&format!("            removes {path}"));
    }
    result(&format!("            begins {NAMES} afresh, pins the contract, and rewrites the client"));
}

/// Files as they were, to bring back.
struct Kept(Vec<(PathBuf, Option<Vec<u8>>)>);

impl Kept {
    fn take(workspace: &Workspace, leaving: &Leaving) -> Result<Self, Failure> {
        let paths = leaving.paths().chain([CONFIGURATION, NAMES, PROGRAM].map(str::to_owned));
        let kept = paths.map(|path| Ok((workspace.path(&path), workspace.read(&path)?)));
        Ok(Self(kept.collect::<Result<_, Failure>>()?))
    }

    fn restore(&self) -> Result<(), Failure> {
        for (path, content) in &self.0 {
            match content {
                Some(content) => fs::write(path, content).map_err(|error| Failure::file("write", path, &error))?,
                None => remove(path)?,
            }
        }
        Ok(())
    }
}

fn write(workspace: &Workspace, text: &str, leaving: &Leaving) -> Result<(), Failure> {
    leaving.carry_out(workspace)?;
    remove(&workspace.path(NAMES))?;
    let configuration = workspace.path(CONFIGURATION);
    fs::write(&configuration, text).map_err(|error| Failure::file("write", &configuration, &error))
}

/// Writes a program that makes one call, where an operation needs nothing for it. Whether there is one.
fn first(workspace: &Workspace) -> Result<bool, Failure> {
    let surface = workspace.read(CLIENT)?.unwrap_or_default();
    let surface = String::from_utf8_lossy(&surface).into_owned();
    let path = workspace.path(PROGRAM);
    let source = |family: &str| -> String {
        let read = workspace.read(&format!("{GENERATED}/families/{family}.rs"));
        String::from_utf8_lossy(&read.ok().flatten().unwrap_or_default()).into_owned()
    };
    let Some((family, operation)) = simple_call(&surface, source) else {
        remove(&path)?;
        return Ok(false);
    };
    let text = program(family, operation);
    let folder = path.parent().map(fs::create_dir_all).transpose();
    folder.and_then(|_| fs::write(&path, text)).map_err(|error| Failure::file("write", &path, &error))?;
    Ok(true)
}

/// A program that makes this call, in lines as `cargo fmt` has them.
fn program(family: &str, operation: &str) -> String {
    let call = format!("let answer = service.{family}().{operation}().await?;");
    let call = match call.len() {
        ..=116 => call,
        _ => format!("let family = service.{family}();\n    let answer = family.{operation}().await?;"),
    };
    format!(
        "//! A first call of the service, with the variables of `Platform::from_env`.\n\
         #![allow(clippy::print_stdout, reason = \"a program for a terminal\")]\n\n\
         use platform_client::Platform;\n\n\
         #[tokio::main]\n\
         async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    \
             let service = Platform::from_env()?;\n    \
             {call}\n    \
             println!(\"{{answer:?}}\");\n    \
             Ok(())\n\
         }}\n"
    )
}

/// FamilyRule and name of the shortest operation that reads something, needs no argument and answers with something. `source` is
/// the code of a family: it says which operations are deprecated, or need a feature.
fn simple_call(surface: &str, source: impl Fn(&str) -> String) -> Option<(&str, &str)> {
    let simple = |line: &&str| line.contains("  GET ") && line.contains("  () -> ") && !line.contains("  () -> ()");
    let calls = surface.lines().filter(simple).filter_map(|line| line.split("  ").next()?.split_once('.'));
    let mut calls: Vec<(&str, &str)> = calls.collect();
    calls.sort_by_key(|(family, operation)| (family.len() + operation.len(), *family, *operation));
    calls.into_iter().find(|(family, operation)| {
        let source = source(family);
        let before = source.split(&format!("pub fn {operation}(")).next().unwrap_or_default();
        let own =
            before.lines().rev().take_while(|line| line.trim_start().starts_with(['#', '/']) || line.trim().is_empty());
        !own.map(str::trim_start).any(|line| line.starts_with("#[deprecated") || line.starts_with("#[cfg"))
    })
}

/// What comes after it.
fn next(base_url: Option<&str>, has_program: bool) {
    result("");
    result("next        the variables of a program and of the next download:");
    let url = base_url.unwrap_or("https://service.example");
    result(&format!("              export PLATFORM_BASE_URL={url} PLATFORM_TOKEN=…"));
    if has_program {
        result(&format!("            a first program, {PROGRAM}:"));
        result("              cargo run -p platform-client --example first");
    }
    result(&format!("            look through {CONFIGURATION}; after a change, cargo xtask regenerate --offline"));
    result("            cargo test --workspace --all-features, then git add -A and git commit");
    result("            the way back, before the commit: git stash --include-untracked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_call_is_the_shortest_that_needs_nothing() {
        let surface = "a.one  GET /a/{id}  (id: i32) -> A  [200]\na.two  POST /a  () -> A  [200]\na.three  GET /a  () -> ()  [200]\n\
                       aa.fourth  GET /b  () -> Vec<A>  [200]\na.five  GET /c  () -> A  [200]\nb.seven  GET /c  () -> A  [200]\n";
        let source = |family: &str| match family {
            "a" => "    /// Five.\n    #[deprecated]\n    pub fn five(self) {}\n".to_owned(),
            _ => "    #[deprecated]\n    pub fn other(self) {}\n    /// Seven.\n    pub fn seven(self) {}\n".to_owned(),
        };
        assert_eq!(simple_call(surface, source), Some(("b", "seven")));
        assert!(program("b", "seven").contains("    let answer = service.b().seven().await?;\n"));
        let long = program(&"f".repeat(40), &"s".repeat(70));
        assert!(long.lines().all(|line| line.len() <= 120), "{long}");
        assert_eq!(simple_call("a.one  GET /a/{id}  (id: i32) -> A  [200]\n", source), None);
    }
}
