//! `cargo driftless conformance`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use driftless::approvals::OF_FAULTS;
use driftless::bounded::read_bounded;
use driftless::console;
use driftless::develop::{self, Sources};
use driftless::failure::{Exit, Failure};
use driftless::flags::{Scope, day};
use driftless::interrupt::Interrupt;
use driftless::sarif::printed;
use driftless::workspace::{Workspace, pinned_path};
use driftless_codegen::line;
use driftless_conformance::sarif::DocumentFiles;
use driftless_conformance::{Options, Report, check, junit, sarif};

const ABOUT: &str = "\
Each operation is called with its required arguments, with all arguments, and once for each declared status. The values are
sampled from the contract. A case is right, a fault of the client, a contradiction of the contract, or not judged.

Examples:
  cargo driftless conformance                          the pinned contracts of the workspace
  cargo driftless conformance contract.json            a file, with the client crate of the workspace as a frame
  cargo driftless conformance --case 'GET /pets everything' --seed 7
                                                       one case again
  cargo driftless conformance --format junit --output conformance.xml
                                                       tests for a pipeline
  cargo driftless conformance accept 3fa2c0 --reason 'agreed with the team' --until 2026-12-31
                                                       lets a fault pass, in specs/accepted-faults.toml

Exit codes:
  0    no fault
  2    faults, or a client that does not compile
  4    a contract cannot be read
  5    command line, configuration or lock; an entry of specs/accepted-faults.toml that matches no fault
  6    the file system refused
  130  interrupted";

/// The seed of a run that names none. The cases depend on it.
const SEED: u64 = 1;

/// Calls every operation of a generated client, and compares the bytes with the contract.
#[derive(Debug, Parser)]
#[command(name = "cargo driftless conformance", bin_name = "cargo driftless conformance", version, after_help = ABOUT)]
#[command(args_conflicts_with_subcommands = true)]
struct Flags {
    #[command(flatten)]
    scope: Scope,
    #[command(subcommand)]
    command: Option<Command>,
    /// Contracts, instead of the pinned ones. A `codegen.toml` beside a contract configures its client.
    #[arg(value_name = "CONTRACT")]
    contracts: Vec<PathBuf>,
    /// Number that decides the values of all arguments and answers.
    #[arg(long, value_name = "N", default_value_t = SEED)]
    seed: u64,
    /// Runs one case, by the name that a report gives it.
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// Format of the report.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the report into a file, instead of printing it.
    #[arg(long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Names the cases that are not judged, with the reasons.
    #[arg(long)]
    limits: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Accepts faults of the client of the pinned contracts: they stay in the report, and the command does not fail.
    Accept {
        /// Fingerprints, or beginnings of them that fit one fault each.
        #[arg(required = true, value_name = "FINGERPRINT")]
        fingerprints: Vec<String>,
        /// The reason, for readers of specs/accepted-faults.toml.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// The last day on which it counts; without one, as long as the fault is there.
        #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
        until: Option<String>,
    },
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// JUnit XML, for the tests of a pipeline.
    Junit,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
}

fn main() -> ExitCode {
    develop::ended(Flags::try_parse(), run)
}

fn run(flags: Flags) -> Result<ExitCode, Failure> {
    let workspace = develop::workspace(&flags.scope)?;
    let (_runtime, interrupt) = Interrupt::start()?;
    let options = Options { seed: flags.seed, case: flags.case.clone() };
    let (mut reports, mut ended): (Vec<(Report, DocumentFiles)>, Option<Exit>) = Default::default();
    for Subject { name, sources, files } in subjects(&workspace, &flags)? {
        let mut report = match check(&workspace, &name, &sources, &options, &|_| {}, &interrupt) {
            Ok(report) => report,
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            // The other contracts are judged nevertheless.
            Err(failure) => {
                console::failure(&format!("{}: {failure}", line(&name)));
                ended.get_or_insert(failure.exit);
                Report { contract: name, seed: flags.seed, failed: Some(failure.message), ..Report::default() }
            }
        };
        if flags.contracts.is_empty() && report.failed.is_none() {
            if let Some(Command::Accept { fingerprints, reason, until }) = &flags.command {
                OF_FAULTS.accept(&workspace, &report.faults(), fingerprints, reason, until.as_deref(), &interrupt)?;
                return Ok(ExitCode::SUCCESS);
            }
            let unmatched = report.accept(OF_FAULTS.read(&workspace)?, &develop::today());
            // Other values have other cases.
            let is_whole = flags.case.is_none() && flags.seed == SEED;
            for (named, at) in unmatched.into_iter().filter(|_| is_whole) {
                console::failure(&format!("{}:{at}: {named} matches no fault: take the entry out", OF_FAULTS.path));
                ended.get_or_insert(Exit::Configuration);
            }
        }
        if flags.format == Format::Text && flags.output.is_none() && report.failed.is_none() {
            console::data(&(report.text(flags.limits) + "\n"));
        }
        reports.push((report, files));
    }
    if flags.case.is_some() && ended.is_none() && reports.iter().all(|(report, _)| report.rows.is_empty()) {
        let message = "no operation has a case of that name";
        return Err(Failure::configuration(
            "conformance/case",
            message,
            "copy the name from a report, with its quotes",
        ));
    }
    let is_right = reports.iter().all(|(report, _)| report.open_faults() == 0);
    publish(&flags, &reports)?;
    let exit = ended.or_else(|| (!is_right).then_some(Exit::Stale));
    Ok(exit.map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// Prints the report, or writes it into a file.
fn publish(flags: &Flags, reports: &[(Report, DocumentFiles)]) -> Result<(), Failure> {
    let only = || reports.iter().map(|(report, _)| report).cloned().collect::<Vec<_>>();
    let text = match flags.format {
        Format::Text => only().iter().map(|report| report.text(flags.limits) + "\n").collect(),
        Format::Json => printed(&serde_json::json!(only()))?,
        Format::Junit => junit::document(&only()),
        Format::Sarif => printed(&sarif::log(reports))?,
    };
    match &flags.output {
        Some(path) => {
            fs::write(path, text.trim_end().to_owned() + "\n").map_err(|error| Failure::file("write", path, &error))
        }
        // Each contract was printed when it was judged.
        None if flags.format == Format::Text => Ok(()),
        None => {
            console::data(text.trim_end());
            Ok(())
        }
    }
}

/// A contract to judge, and the files of the workspace that have its documents.
struct Subject {
    name: String,
    sources: Sources,
    files: DocumentFiles,
}

/// The named contracts, else the pinned ones as one client.
fn subjects(workspace: &Workspace, flags: &Flags) -> Result<Vec<Subject>, Failure> {
    if flags.contracts.is_empty() {
        let sources = develop::pinned(workspace)?;
        let files = sources.contracts.iter().map(|(name, bytes)| (name.clone(), (pinned_path(name), bytes.clone())));
        return Ok(vec![Subject { name: "pinned".to_owned(), files: files.collect(), sources }]);
    }
    let mut subjects = Vec::new();
    for path in &flags.contracts {
        let bytes = read_bounded(path).map_err(|error| Failure::file("read", path, &error))?;
        let setup = develop::setup_beside(path)?.unwrap_or_default();
        let setup = driftless_codegen::Setup { reserved: develop::reserved(workspace)?, ..setup };
        let document = develop::DEFAULT_NAME.to_owned();
        let file = workspace.relative(path).map(|file| (document.clone(), (file, bytes.clone())));
        // A folder for each contract is common, with one name for the file.
        let named = match path.file_stem() {
            Some(stem) if stem == "contract" || stem == "openapi" => path.parent().and_then(Path::file_name),
            stem => stem,
        };
        let name = named.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let sources = Sources { contracts: vec![(document, bytes)], setup, ..Sources::default() };
        subjects.push(Subject { name, sources, files: file.into_iter().collect() });
    }
    Ok(subjects)
}
