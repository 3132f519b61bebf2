//! `cargo driftless conformance`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use driftless::bounded::read_bounded;
use driftless::develop::{self, Sources};
use driftless::failure::{Exit, Failure};
use driftless::flags::Scope;
use driftless::interrupt::Interrupt;
use driftless::{console, workspace::Workspace};
use driftless_conformance::{GENERATE, Options, Report, check, generate};

const ABOUT: &str = "\
Each operation is called with its required arguments, with all arguments, and once for each declared status. The values are
sampled from the contract. A case is right, a fault of the client, a contradiction of the contract, or not judged.

Examples:
  cargo driftless conformance                          the pinned contracts of the workspace
  cargo driftless conformance contract.json            a file, with the client crate of the workspace as a frame
  cargo driftless conformance --case 'GET /pets everything' --seed 7
                                                       one case again

Exit codes:
  0    no fault
  2    faults, what --strict refuses, or a client that does not compile
  4    a contract cannot be read
  5    command line, configuration or lock
  6    the file system refused
  130  interrupted";

/// Calls every operation of a generated client, and compares the bytes with the contract.
#[derive(Debug, Parser)]
#[command(name = "cargo driftless conformance", bin_name = "cargo driftless conformance", version, after_help = ABOUT)]
struct Flags {
    #[command(flatten)]
    scope: Scope,
    /// Contracts, instead of the pinned ones. A `codegen.toml` beside a contract configures its client.
    #[arg(value_name = "CONTRACT")]
    contracts: Vec<PathBuf>,
    /// Number that decides the values of all arguments and answers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Runs one case, by the name that a report gives it.
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// Prints the verdicts as JSON.
    #[arg(long)]
    json: bool,
    /// Names the cases that are not judged, with the reasons.
    #[arg(long)]
    limits: bool,
    /// Compares each request with that of progenitor's client: a case that is right, and differs, is disputed. It needs a contract of
    /// OpenAPI 3.0, and the package registry.
    #[arg(long)]
    progenitor: bool,
    /// Ends with exit code 2 if a case is disputed, or a contract has no second judge.
    #[arg(long, requires = "progenitor")]
    strict: bool,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if let (true, Some(contract)) = (arguments.next().is_some_and(|first| first == GENERATE), arguments.next()) {
        return match generate(Path::new(&contract)) {
            Ok(client) => {
                console::data(&client);
                ExitCode::SUCCESS
            }
            Err(reason) => {
                console::progress(&reason);
                ExitCode::FAILURE
            }
        };
    }
    develop::ended(Flags::try_parse(), run)
}

fn run(flags: Flags) -> Result<ExitCode, Failure> {
    let workspace = develop::workspace(&flags.scope)?;
    let (_runtime, interrupt) = Interrupt::start()?;
    let own = || std::env::current_exe().map_err(|error| Failure::file("find", Path::new("this program"), &error));
    let second = if flags.progenitor { Some(own()?) } else { None };
    let options = Options { seed: flags.seed, case: flags.case.clone(), second };
    let (mut reports, mut ended): (Vec<Report>, Option<Exit>) = Default::default();
    for (name, sources) in subjects(&workspace, &flags)? {
        let report = match check(&workspace, &name, &sources, &options, &|_| {}, &interrupt) {
            Ok(report) => report,
            // The other contracts are judged nevertheless.
            Err(failure) if failure.exit != Exit::Interrupted && flags.contracts.len() > 1 => {
                console::failure(&format!("{name}: {failure}"));
                ended.get_or_insert(failure.exit);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        if !flags.json {
            console::data(&(report.text(flags.limits) + "\n"));
        }
        reports.push(report);
    }
    if flags.case.is_some() && reports.iter().all(|report| report.rows.is_empty()) {
        let message = "no operation has a case of that name";
        return Err(Failure::configuration(
            "conformance/case",
            message,
            "copy the name from a report, with its quotes",
        ));
    }
    if flags.json {
        console::data(&(serde_json::to_string_pretty(&reports).unwrap_or_default() + "\n"));
    }
    let is_open = |report: &Report| report.count("disputed") > 0 || !report.unheard.is_empty();
    let is_right = reports.iter().all(|report| report.count("fault") == 0 && !(flags.strict && is_open(report)));
    let exit = ended.or_else(|| (!is_right).then_some(Exit::Stale));
    Ok(exit.map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// The named contracts, else the pinned ones as one client.
fn subjects(workspace: &Workspace, flags: &Flags) -> Result<Vec<(String, Sources)>, Failure> {
    if flags.contracts.is_empty() {
        return Ok(vec![("pinned".to_owned(), develop::pinned(workspace)?)]);
    }
    let mut subjects = Vec::new();
    for path in &flags.contracts {
        let bytes = read_bounded(path).map_err(|error| Failure::file("read", path, &error))?;
        let setup = develop::setup_beside(path)?.unwrap_or_default();
        let setup = driftless_codegen::Setup { reserved: develop::reserved(workspace)?, ..setup };
        let contracts = vec![(develop::DEFAULT_NAME.to_owned(), bytes)];
        // A folder for each contract is common, with one name for the file.
        let named = match path.file_stem() {
            Some(stem) if stem == "contract" || stem == "openapi" => path.parent().and_then(Path::file_name),
            stem => stem,
        };
        let name = named.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        subjects.push((name, Sources { contracts, setup, ..Sources::default() }));
    }
    Ok(subjects)
}
