//! `cargo driftless conformance`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use driftless::approvals::OF_FAULTS;
use driftless::bounded::read_bounded;
use driftless::console;
use driftless::develop::{self, Bounds, LiveService, SecretHeader, Sources};
use driftless::failure::{Exit, Failure};
use driftless::flags::{Scope, day, seconds};
use driftless::folders;
use driftless::interrupt::{Interrupt, Runtime};
use driftless::sarif::printed;
use driftless::workspace::{Workspace, pinned_path};
use driftless_codegen::line;
use driftless_conformance::sarif::DocumentFiles;
use driftless_conformance::{GENERATE, Options, Report, check, check_cli, generate, junit, observe, sarif, table};

const ABOUT: &str = "\
Each operation is called with its required arguments, with all arguments, and once for each declared status. The values are
sampled from the contract. A case is right, a fault of the client, a contradiction of the contract, or not judged.

Examples:
  cargo driftless conformance                          the pinned contracts of the workspace
  cargo driftless conformance contract.json            a file, with the client crate of the workspace as a frame
  cargo driftless conformance contracts                all contracts of a folder, and a table of the counts
  cargo driftless conformance --case 'GET /pets everything' --seed 7
                                                       one case again
  cargo driftless conformance --cli                    the operations at the shell
  cargo driftless conformance --format junit --output conformance.xml
                                                       tests for a pipeline
  cargo driftless conformance accept 3fa2c0 --reason 'agreed with the team' --until 2026-12-31
                                                       lets a fault pass, in specs/accepted-faults.toml
  cargo driftless conformance --against https://service.example --only-safe
                                                       a real service: the answers to GET and HEAD

Exit codes:
  0    no fault
  2    faults, mismatches, what --strict refuses, or a client that does not compile
  3    the service of --against does not answer, or refuses the credentials
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
    /// Contracts, instead of the pinned ones: files, and folders with all contracts below. A `codegen.toml` beside a contract
    /// configures its client.
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
    /// The same as `--format json`.
    #[arg(long, hide = true, conflicts_with = "format")]
    json: bool,
    /// Write the report into a file, instead of printing it.
    #[arg(long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Names the cases that are not judged, with the reasons.
    #[arg(long)]
    limits: bool,
    /// Lets Prism judge the requests, too: the program of the variable PRISM, else npm's, which npx downloads.
    #[arg(long, conflicts_with = "against")]
    prism: bool,
    /// Compares each request with that of progenitor's client: a case that is right, and differs, is disputed. It needs a contract of
    /// OpenAPI 3.0, and the package registry.
    #[arg(long, conflicts_with = "against")]
    progenitor: bool,
    /// Judges the command line of the contract, in place of its client: each operation is called at the shell, with words that follow from
    /// the documented rules of flags.
    #[arg(long, conflicts_with_all = ["against", "prism", "progenitor"])]
    cli: bool,
    /// Ends with exit code 2 if a case is disputed, or if --progenitor or --prism did not compare a contract.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    against: AgainstFlags,
}

impl Flags {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// A real service, in place of the judge's own server.
#[derive(Debug, Args)]
struct AgainstFlags {
    /// Base URL of a service: its answers are compared with the contract, and the client has to read them.
    #[arg(long, value_name = "URL", requires = "only_safe", conflicts_with_all = ["seed", "case"])]
    against: Option<String>,
    /// With --against: send GET and HEAD only. Required: other methods are never sent, and the command line says so.
    #[arg(long, requires = "against")]
    only_safe: bool,
    /// With --against: a header with the secret of a variable, in place of the usual credentials.
    #[arg(long, value_name = "HEADER=VARIABLE", requires = "against", value_parser = pair)]
    header_env: Option<(String, String)>,
    /// With --against: a header with the secret of a protected file, in place of the usual credentials.
    #[arg(long, value_name = "HEADER=FILE", requires = "against", conflicts_with = "header_env", value_parser = pair)]
    header_file: Option<(String, String)>,
    /// With --against: the most requests.
    #[arg(long, value_name = "N", requires = "against", default_value_t = 200)]
    limit: usize,
    /// With --against: the most requests in a second.
    #[arg(long, value_name = "N", requires = "against", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// With --against: the time after which no request is sent.
    #[arg(long, value_name = "SECONDS", requires = "against", default_value = "300", value_parser = seconds)]
    time: Duration,
    /// With --against: the report contains values of answers, too, not only their places and types.
    #[arg(long, requires = "against")]
    show_values: bool,
}

/// The time for one request to a service.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest body of a service that is read, in bytes.
const LARGEST: usize = 8 * 1024 * 1024;

impl AgainstFlags {
    /// The service that the flags name.
    fn service(
        &self,
        workspace: &Workspace,
        runtime: &Runtime,
        interrupt: &Interrupt,
    ) -> Result<Option<LiveService>, Failure> {
        let Some(base) = &self.against else { return Ok(None) };
        let env = self.header_env.clone().map(|(name, env)| SecretHeader { name, env: Some(env), file: None });
        let file =
            self.header_file.clone().map(|(name, file)| SecretHeader { name, env: None, file: Some(file.into()) });
        let bounds = Bounds {
            requests: self.limit,
            pause: Duration::from_secs(1) / self.rate,
            time: self.time,
            timeout: TIMEOUT,
            body: LARGEST,
        };
        runtime.block_on(interrupt.or(LiveService::connect(workspace, base, env.or(file).as_ref(), bounds))).map(Some)
    }
}

/// `NAME=VALUE`.
fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| "write NAME=VALUE".to_owned())
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

/// The form of a report.
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
    let (runtime, interrupt) = Interrupt::start()?;
    let service = flags.against.service(&workspace, &runtime, &interrupt)?;
    let own = || std::env::current_exe().map_err(|error| Failure::file("find", Path::new("this program"), &error));
    let second = if flags.progenitor { Some(own()?) } else { None };
    let options = Options { seed: flags.seed, case: flags.case.clone(), prism: flags.prism, second };
    let (mut reports, mut ended): (Vec<(Report, DocumentFiles)>, Option<Exit>) = Default::default();
    for (name, path) in subjects(&flags)? {
        interrupt.check()?;
        let mut files = DocumentFiles::new();
        let read = Subject::read(&workspace, path.as_deref());
        let judged = read.and_then(|Subject { sources, files: of_it }| {
            files = of_it;
            if flags.cli {
                return check_cli(&workspace, &name, &sources, &options, &|_| {}, &interrupt);
            }
            let Some(service) = &service else {
                return check(&workspace, &name, &sources, &options, &|_| {}, &interrupt);
            };
            let mut ask = |method: &str, target: &str, accept: &str| {
                runtime.block_on(interrupt.or(service.ask(method, target, accept)))
            };
            observe(&workspace, &name, &sources, flags.against.show_values, &mut ask, &interrupt)
        });
        let mut report = match judged {
            Ok(report) => report,
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            // The other contracts are judged nevertheless.
            Err(failure) => {
                console::failure(&format!("{}: {failure}", line(&name)));
                ended.get_or_insert(failure.exit);
                Report { contract: name, seed: flags.seed, failed: Some(failure.message), ..Report::default() }
            }
        };
        if flags.contracts.is_empty() && report.failed.is_none() && service.is_none() && !flags.cli {
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
        if flags.format() == Format::Text && flags.output.is_none() && report.failed.is_none() {
            console::data(&(report.text(flags.limits) + "\n"));
        }
        report.is_strict = flags.strict;
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
    let is_right = !reports.iter().any(|(report, _)| report.fails());
    publish(&flags, &reports)?;
    let exit = ended.or_else(|| (!is_right).then_some(Exit::Stale));
    Ok(exit.map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// Prints the report, or writes it into a file.
fn publish(flags: &Flags, reports: &[(Report, DocumentFiles)]) -> Result<(), Failure> {
    let only = || reports.iter().map(|(report, _)| report).cloned().collect::<Vec<_>>();
    let all: Vec<&Report> = reports.iter().map(|(report, _)| report).collect();
    let table = if all.len() > 1 { table(&all) } else { String::new() };
    let text = match flags.format() {
        Format::Text => all.iter().map(|report| report.text(flags.limits) + "\n").chain([table.clone()]).collect(),
        Format::Json => printed(&serde_json::json!(only()))?,
        Format::Junit => junit::document(&only()),
        Format::Sarif => printed(&sarif::log(reports))?,
    };
    match &flags.output {
        Some(path) => {
            fs::write(path, text.trim_end().to_owned() + "\n").map_err(|error| Failure::file("write", path, &error))
        }
        // Each contract was printed when it was judged.
        None if flags.format() == Format::Text => {
            if !table.is_empty() {
                console::data(table.trim_end());
            }
            Ok(())
        }
        None => {
            console::data(text.trim_end());
            Ok(())
        }
    }
}

/// A contract to judge, and the files of the workspace that have its documents.
struct Subject {
    sources: Sources,
    files: DocumentFiles,
}

/// Names of the contracts, with their paths: those that are named, and those of folders, which begin with the smallest one. `None`:
/// the pinned contracts as one client.
fn subjects(flags: &Flags) -> Result<Vec<(String, Option<PathBuf>)>, Failure> {
    if flags.contracts.is_empty() {
        return Ok(vec![("pinned".to_owned(), None)]);
    }
    let mut subjects = Vec::new();
    for path in &flags.contracts {
        let mut contracts = folders::contracts(std::slice::from_ref(path))?;
        contracts.sort_by_key(|(_, path)| fs::metadata(path).map_or(0, |metadata| metadata.len()));
        subjects.extend(contracts.into_iter().map(|(name, file)| match path.is_dir() {
            true => (name, Some(file)),
            false => (named(&file), Some(file)),
        }));
    }
    Ok(subjects)
}

/// The name of a file. A folder for each contract is common, with one name for the file.
fn named(path: &Path) -> String {
    let name = match path.file_stem() {
        Some(stem) if stem == "contract" || stem == "openapi" => path.parent().and_then(Path::file_name).or(Some(stem)),
        stem => stem,
    };
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

impl Subject {
    fn read(workspace: &Workspace, path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else {
            let sources = develop::pinned(workspace)?;
            let files =
                sources.contracts.iter().map(|(name, bytes)| (name.clone(), (pinned_path(name), bytes.clone())));
            return Ok(Self { files: files.collect(), sources });
        };
        let bytes = read_bounded(path).map_err(|error| Failure::file("read", path, &error))?;
        let setup = develop::setup_beside(path)?.unwrap_or_default();
        let setup = driftless_codegen::Setup { reserved: develop::reserved(workspace)?, ..setup };
        let document = develop::DEFAULT_NAME.to_owned();
        let file = workspace.relative(path).map(|file| (document.clone(), (file, bytes.clone())));
        let sources = Sources { contracts: vec![(document, bytes)], setup, ..Sources::default() };
        Ok(Self { sources, files: file.into_iter().collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_a_format_of_the_report() {
        let format = |words: &[&str]| Flags::try_parse_from(["x"].iter().chain(words)).map(|flags| flags.format());
        for (words, expected) in [
            (&[][..], Format::Text),
            (&["--json"], Format::Json),
            (&["--format", "json"], Format::Json),
            (&["--format", "sarif"], Format::Sarif),
        ] {
            assert_eq!(format(words).unwrap(), expected, "{words:?}");
        }
        assert!(format(&["--json", "--format", "sarif"]).is_err());
    }

    #[test]
    fn a_contract_is_named_by_its_file_or_its_folder() {
        for (path, name) in [
            ("pets.json", "pets"),
            ("a/pets.json", "pets"),
            ("a/contract.json", "a"),
            ("contract.json", "contract"),
            ("./openapi.yaml", "openapi"),
            ("../openapi.yaml", "openapi"),
        ] {
            assert_eq!(named(Path::new(path)), name, "{path}");
        }
    }
}
