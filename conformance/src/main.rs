//! `cargo driftless conformance`.

mod flags;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;
use driftless::approvals::OF_FAULTS;
use driftless::bounded::read_bounded;
use driftless::console;
use driftless::develop::{self, Sources};
use driftless::failure::{Exit, Failure};
use driftless::folders;
use driftless::interrupt::Interrupt;
use driftless::sarif::printed;
use driftless::workspace::{Workspace, pinned_path};
use driftless_codegen::line;
use driftless_conformance::sarif::DocumentFiles;
use driftless_conformance::{
    Exercise, GENERATE, Options, Report, Served, check, check_cli, generate, junit, observe, sarif, table,
};

use crate::flags::{Command, Flags, Format, SEED};

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
    let upstream = flags.against.sandbox()?;
    let service = flags.against.service(&workspace, &runtime, &interrupt)?;
    let served = match &upstream {
        Some(upstream) => Some(Served::At(upstream.clone())),
        None => flags.sandbox.then_some(Served::Started(&runtime)),
    };
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
            if let Some(served) = &served {
                let exercise = Exercise { served, seed: flags.seed, bounds: flags.against.bounds() };
                return driftless_conformance::exercise(&workspace, &name, &sources, &exercise, &interrupt);
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
        if flags.contracts.is_empty() && report.failed.is_none() && service.is_none() && served.is_none() && !flags.cli
        {
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
