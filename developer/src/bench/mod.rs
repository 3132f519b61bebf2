//! `cargo xtask bench`: the speed of driftless beside that of other generators, measured in turn on one machine.

mod build;
mod calls;
mod checked;
mod clients;
mod figures;
mod growth;
mod measure;
mod plot;
mod programs;
mod stages;
mod synthetic;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use self::figures::{Figure, tables};
use self::programs::{GENERATORS, Programs};
pub(crate) use self::stages::one as stages;
use crate::console::{data, progress, result};
use crate::failure::{Exit, Failure};
use crate::flags::{self, BenchPart};
use crate::interrupt::Interrupt;
use crate::workspace::Workspace;

/// The contracts without arguments, beside the pinned one; those that are absent are skipped with a word.
const CONTRACTS: [&str; 4] = [
    "dotnet/Radarr+Radarr__src_Radarr.Api.V3_openapi.json",
    "dotnet/Prowlarr+Prowlarr__src_Prowlarr.Api.V1_openapi.json",
    "dotnet/Squidex+squidex__frontend_generator_Generator_cache.json",
    "openapi3/github.json",
];

#[derive(Debug)]
struct Contract {
    name: String,
    path: PathBuf,
}

/// A run of the command.
#[derive(Debug)]
struct Bench<'a> {
    workspace: &'a Workspace,
    interrupt: &'a Interrupt,
    /// For all that is written.
    folder: PathBuf,
    programs: Programs,
    runs: u32,
    only: &'a [BenchPart],
    json: bool,
    figures: Vec<Figure>,
}

pub(crate) fn run(workspace: &Workspace, flags: &flags::BenchFlags) -> Result<ExitCode, Failure> {
    let (_runtime, interrupt) = Interrupt::start()?;
    let mut bench = Bench {
        workspace,
        interrupt: &interrupt,
        folder: workspace.path("target/bench"),
        programs: Programs::new(workspace.path("target/peers"))?,
        runs: flags.runs,
        only: &flags.only,
        json: flags.json,
        figures: Vec::new(),
    };
    if flags.install {
        return bench.install();
    }
    if flags.programs {
        return checked::run(&bench);
    }
    if cfg!(debug_assertions) {
        progress("built without optimisation: for figures of speed use `cargo run --release -p developer -- bench`");
    }
    // The stages run in this process.
    if flags.only.is_empty() || flags.only.iter().any(|part| *part != BenchPart::Stages) {
        bench.build_own()?;
    }
    progress(&machine());
    let of_contracts = [BenchPart::Generation, BenchPart::Stages, BenchPart::Check, BenchPart::Build];
    let contracts = if of_contracts.into_iter().any(|part| bench.wants(part)) {
        contracts(workspace, &flags.contracts)
    } else {
        Vec::new()
    };
    for contract in contracts {
        if bench.wants(BenchPart::Stages) {
            stages::run(&mut bench, &contract)?;
        }
        if ![BenchPart::Generation, BenchPart::Check, BenchPart::Build].into_iter().any(|part| bench.wants(part)) {
            continue;
        }
        let clients = clients::run(&mut bench, &contract)?;
        if contract.name == "github" && bench.wants(BenchPart::Build) {
            build::run(&mut bench, &contract.name, &clients)?;
        }
    }
    if bench.wants(BenchPart::Calls) {
        calls::run(&bench)?;
    }
    if bench.wants(BenchPart::Growth) {
        growth::run(&mut bench, flags)?;
    }
    if bench.json {
        data(&serde_json::to_string_pretty(&bench.figures).unwrap_or_default());
    }
    Ok(ExitCode::SUCCESS)
}

impl Bench<'_> {
    fn wants(&self, part: BenchPart) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// A part that others need runs once if it is not wanted itself.
    fn runs_of(&self, part: BenchPart) -> u32 {
        if self.wants(part) { self.runs } else { 1 }
    }

    fn report(&mut self, figures: impl IntoIterator<Item = Figure>) {
        let figures: Vec<Figure> = figures.into_iter().collect();
        if !self.json {
            tables(&figures).lines().for_each(result);
        }
        self.figures.extend(figures);
    }

    /// cargo in a folder outside of the workspace, with one folder of compiled dependencies for all of them.
    fn cargo(&self, folder: &Path) -> Command {
        let mut command = crate::child::cargo();
        command.current_dir(folder).env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", self.folder.join("target"));
        command
    }

    /// Builds the program that users install, for all parts that start it.
    fn build_own(&mut self) -> Result<(), Failure> {
        progress("building the program to measure");
        let mut command = crate::child::cargo();
        let arguments = ["build", "--locked", "--release", "--package", "driftless", "--message-format", "json"];
        command.args(arguments).current_dir(self.workspace.root());
        let ended = crate::child::run(&mut command, None, self.interrupt)?;
        let has_built = ended.status.is_some_and(|status| status.success());
        self.programs.own = executable(&ended.stdout).filter(|_| has_built).ok_or_else(|| {
            let errors = String::from_utf8_lossy(&ended.stderr);
            let message = errors.lines().map(driftless_codegen::line).collect::<Vec<_>>().join("\n");
            Failure::new(Exit::Stale, "bench/build", message, "run `cargo build --locked --release -p driftless`")
        })?;
        Ok(())
    }

    fn install(&self) -> Result<ExitCode, Failure> {
        for generator in &GENERATORS {
            let outcome = generator.install(&self.programs, self.interrupt)?;
            progress(&format!("{}: {}", generator.title(), outcome.err().unwrap_or_else(|| "installed".to_owned())));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The program that cargo has built, by its messages.
fn executable(messages: &[u8]) -> Option<PathBuf> {
    let messages = serde_json::Deserializer::from_slice(messages).into_iter::<serde_json::Value>();
    let of_message = |message: serde_json::Value| {
        let is_own = message.pointer("/target/name")? == "cargo-driftless";
        message.get("executable")?.as_str().filter(|_| is_own).map(PathBuf::from)
    };
    messages.filter_map(Result::ok).find_map(of_message)
}

/// The contracts that exist, of those given or of those by default.
fn contracts(workspace: &Workspace, given: &[PathBuf]) -> Vec<Contract> {
    let known = |name: &str| workspace.path("../shared/contracts").join(name);
    let paths: Vec<PathBuf> = match given {
        [] => {
            CONTRACTS.iter().map(|name| known(name)).chain([workspace.path("specs/contracts/platform.json")]).collect()
        }
        given => given.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect(),
    };
    let (present, absent): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.is_file());
    for path in absent {
        progress(&format!("skipped: {} does not exist", driftless_codegen::line(&path.to_string_lossy())));
    }
    let name = |path: &Path| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        stem.split(['+', '_']).next().unwrap_or_default().to_owned()
    };
    present.into_iter().map(|path| Contract { name: name(&path), path }).collect()
}

/// The machine, and its load: figures of different machines do not compare.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let model = read("/proc/cpuinfo");
    let model = model.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("\t: unknown processor");
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    format!("{cores} cores, {}, load {load}", model.trim_start_matches(['\t', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::flags::{Command, Flags};

    #[test]
    fn flags_choose_contracts_and_parts() {
        let parse = |arguments: &str| Flags::try_parse_from(arguments.split(' '));
        let Ok(Flags { command: Command::Bench(flags), .. }) =
            parse("developer bench a.json --only check --only growth --runs 3")
        else {
            panic!("the flags of bench")
        };
        assert_eq!((flags.runs, flags.most, flags.json, flags.install), (3, 10_000, false, false));
        assert_eq!((flags.contracts.len(), &flags.only[..]), (1, &[BenchPart::Check, BenchPart::Growth][..]));
        for wrong in [
            "developer bench --runs 0",
            "developer bench --only speed",
            "developer bench --install --runs 2",
            "developer bench --programs --json",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_program_is_where_cargo_has_put_it() {
        let messages = br#"{"reason":"compiler-artifact","target":{"name":"driftless"},"executable":null}
            {"reason":"compiler-artifact","target":{"name":"other"},"executable":"/t/other"}
            {"reason":"compiler-artifact","target":{"name":"cargo-driftless"},"executable":"/t/release/cargo-driftless"}
            {"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some(PathBuf::from("/t/release/cargo-driftless")));
        assert_eq!(executable(b"error: no such package"), None);
    }

    #[test]
    fn contracts_that_are_absent_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("Cargo.toml"), "[workspace]\n").expect("written");
        let present = folder.path().join("Radarr+Radarr__src.json");
        std::fs::write(&present, "{}").expect("written");
        let workspace = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
        let contracts = contracts(&workspace, &[present, folder.path().join("absent.json")]);
        assert_eq!(contracts.iter().map(|contract| contract.name.as_str()).collect::<Vec<_>>(), ["Radarr"]);
        assert!(super::contracts(&workspace, &[]).is_empty());
    }
}
