//! Compiles generated clients, with dependencies built once for all of them.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::median;
use super::one::Generated;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::stand_alone;
use crate::workspace::Workspace;

/// Limit of compiler errors printed for one crate.
const SHOWN: usize = 5;
const ALL: &[&str] = &["--all-features"];
const NONE: &[&str] = &["--no-default-features"];

/// The folders of the compilation.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    workspace: &'a Workspace,
    keep: Option<&'a Path>,
    interrupt: &'a Interrupt,
    folder: PathBuf,
    dependencies_built: Cell<bool>,
}

/// Result of compiling a client.
#[derive(Debug)]
pub(super) struct CheckOutcome {
    /// First errors; empty if all checks passed.
    pub(super) errors: Vec<String>,
    /// Time of the check with all features.
    pub(super) seconds: Option<f64>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        keep: Option<&'a Path>,
        interrupt: &'a Interrupt,
    ) -> Result<Self, Failure> {
        let folder = workspace.path("target/corpus");
        fs::create_dir_all(&folder).map_err(|error| Failure::file("create", &folder, &error))?;
        Ok(Self { workspace, keep, interrupt, folder, dependencies_built: Cell::new(false) })
    }

    /// Checks one client, with all features, with none, and with one of its families.
    pub(super) fn check(&self, name: &str, generated: &Generated, repeat: u32) -> Result<CheckOutcome, Failure> {
        let crate_folder = match self.keep {
            Some(keep) => keep.join(stand_alone::slug(name)),
            None => self.folder.join("client"),
        };
        super::lay_out(self.workspace, &crate_folder, generated)?;
        if !self.dependencies_built.replace(true) {
            // The result comes from the measured run below.
            self.cargo(&crate_folder, ALL)?;
            self.cargo(&crate_folder, NONE)?;
        }
        let mut seconds = Vec::new();
        let mut errors = Vec::new();
        for _ in 0..repeat {
            touch(&crate_folder.join("src/lib.rs"))?;
            let start = Instant::now();
            errors = self.cargo(&crate_folder, ALL)?;
            seconds.push(start.elapsed().as_secs_f64());
            if !errors.is_empty() {
                break;
            }
        }
        if errors.is_empty() {
            errors = self.cargo(&crate_folder, NONE)?;
        }
        if let Some(family) = one_family(&generated.features, name).filter(|_| errors.is_empty()) {
            errors = self.cargo(&crate_folder, &[NONE, &["--features", &family]].concat())?;
        }
        Ok(CheckOutcome { errors, seconds: median(seconds) })
    }

    /// Checks one crate that holds several clients. Each error is the whole paragraph of the compiler: if a macro of
    /// the client is at fault, only the rest of the paragraph names the generated file.
    pub(super) fn check_all(&self, generated: &Generated) -> Result<Vec<String>, Failure> {
        let crate_folder = self.folder.join("together");
        super::lay_out(self.workspace, &crate_folder, generated)?;
        let mut errors = Vec::new();
        let family = one_family(&generated.features, "");
        let alone = family.as_deref().map(|family| [NONE, &["--features", family]].concat());
        for features in [Some(ALL), Some(NONE), alone.as_deref()].into_iter().flatten() {
            if let Some(output) = self.run(&crate_folder, features, "human")? {
                let about =
                    |paragraph: &&str| paragraph.starts_with("error") && !paragraph.contains("could not compile");
                let paragraphs = output.split("\n\n").filter(about);
                errors.extend(paragraphs.map(|paragraph| format!("{}: {paragraph}", features.join(" "))));
            }
        }
        Ok(errors)
    }

    /// The first errors of `cargo check`; empty if it passed.
    fn cargo(&self, folder: &Path, features: &[&str]) -> Result<Vec<String>, Failure> {
        let Some(output) = self.run(folder, features, "short")? else { return Ok(Vec::new()) };
        let mut errors: Vec<&str> = output.lines().filter(|line| line.contains("error")).take(SHOWN).collect();
        if errors.is_empty() {
            errors.extend(output.lines().next());
        }
        let flags = features.join(" ");
        Ok(errors.into_iter().map(|error| format!("{flags}: {error}")).collect())
    }

    /// Runs `cargo check` and returns its errors; `None` if it passed.
    fn run(&self, folder: &Path, features: &[&str], format: &str) -> Result<Option<String>, Failure> {
        let mut command = crate::child::cargo();
        command
            .args(["check", "--quiet", "--lib", "--message-format", format])
            .args(features)
            .current_dir(folder)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TARGET_DIR", self.folder.join("target"));
        let ended = crate::child::run(&mut command, None, self.interrupt)?;
        let status = match ended.status {
            Some(status) if status.success() => return Ok(None),
            status => status.map(|status| status.to_string()).unwrap_or_default(),
        };
        Ok(Some(format!("{}\n{status}", String::from_utf8_lossy(&ended.stderr))))
    }
}

/// A family of a client, another one for another name.
fn one_family(features: &str, name: &str) -> Option<String> {
    let mut families = families(&toml::from_str(features).ok()?);
    let index = name.bytes().map(usize::from).sum::<usize>().checked_rem(families.len())?;
    Some(families.swap_remove(index))
}

/// The features of the route families in a table of features: those that are on by default.
pub(crate) fn families(features: &toml::Table) -> Vec<String> {
    let names = features.get("default").and_then(toml::Value::as_array);
    names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn touch(path: &Path) -> Result<(), Failure> {
    let now = std::time::SystemTime::now();
    let file = fs::File::options().append(true).open(path);
    file.and_then(|file| file.set_modified(now)).map_err(|error| Failure::file("touch", path, &error))
}
