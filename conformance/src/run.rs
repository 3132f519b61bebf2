//! One contract: its client, the program that calls it, and the verdicts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use driftless::develop::Sources;
use driftless::failure::{Exit, Failure};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless::{console, features, stand_alone};
use driftless_codegen::{Catalog, CatalogInput, CatalogOperation, Contract, Output, catalog, generate, line};
use driftless_sandbox::conformance::{Case, Judge, Offer, Recorded, Recorder, Verdict};
use serde_json::Value;

use crate::names::Names;
use crate::prism::Prism;
use crate::process::{Build, Calls, compile, write};
use crate::program;
use crate::report::{Report, Row};
use crate::second::Second;

/// The cases of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Decides the values of all arguments.
    pub seed: u64,
    /// Runs the case of that name only.
    pub case: Option<String>,
    /// Lets Prism judge the requests, too.
    pub prism: bool,
    /// Compares the requests with those of progenitor's client. This program generates it, called with [`GENERATE`](crate::GENERATE).
    pub second: Option<PathBuf>,
}

/// Changes the generated files of a client, by their paths: a test changes them to see whether the judge notices.
pub type Change<'a> = &'a dyn Fn(&mut BTreeMap<String, String>);

/// A client, and the program that calls it.
pub(crate) struct Prepared {
    pub(crate) catalog: Catalog,
    pub(crate) judges: BTreeMap<String, Judge>,
    pub(crate) calls: Calls,
    output: Output,
}

impl Prepared {
    /// Generates the client of a contract, compiles the program that calls it, and starts it with further words.
    pub(crate) fn new(
        workspace: &Workspace,
        name: &str,
        sources: &Sources,
        seed: u64,
        change: Change<'_>,
        words: &[&str],
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let contracts: Vec<Contract<'_>> =
            sources.contracts.iter().map(|(name, bytes)| Contract { name, bytes }).collect();
        let mut output = generate(&contracts, &sources.setup, &sources.names).map_err(refused)?;
        let catalog = catalog(&contracts, &sources.setup, &sources.names).map_err(refused)?;
        change(&mut output.files);
        let servers = sources.setup.config.servers.iter().filter(|server| server.name != "main");
        let servers: Vec<String> = servers.map(|server| server.name.clone()).collect();
        let source = program::source(&catalog, &output.credentials.schemes, &servers);
        let folder = folder(workspace, name);
        let judges = judges(sources, seed)?;
        // Until the program runs: another run with the same name replaces it.
        let one = Build::begin(workspace, interrupt)?;
        let program = build(workspace, &folder, &output, &catalog, &source, &one, interrupt)?;
        let recorder = Recorder::start().map_err(|error| Failure::file("listen on", Path::new("127.0.0.1"), &error))?;
        Ok(Self { catalog, judges, calls: Calls::start(&program, recorder, words, interrupt)?, output })
    }
}

/// Generates the client of a contract, calls each of its operations, and judges the calls.
///
/// # Errors
///
/// The contract cannot be read, the client cannot be compiled, or the program ends early.
pub fn check(
    workspace: &Workspace,
    name: &str,
    sources: &Sources,
    options: &Options,
    change: Change<'_>,
    interrupt: &Interrupt,
) -> Result<Report, Failure> {
    let Prepared { catalog, judges, mut calls, output } =
        Prepared::new(workspace, name, sources, options.seed, change, &[], interrupt)?;
    let mut report = Report::new(name, options.seed);
    let mut prisms = BTreeMap::new();
    if options.prism {
        prisms = self::prisms(&folder(workspace, name), sources, &mut report, interrupt)?;
    }
    let is_wanted = |id: &str| options.case.as_ref().is_none_or(|only| only == id);
    let names = Names { files: &output.files, sources };
    let mut seconds = seconds(workspace, &folder(workspace, name), sources, options, interrupt)?;
    for (index, operation) in catalog.operations.iter().enumerate() {
        interrupt.check()?;
        let Some(judge) = judges.get(&operation.document) else { continue };
        for case in judge.cases(&offer(operation, |input| !input.is_argument)) {
            let id = match &case {
                Ok(case) => &case.id,
                Err((id, _)) => id,
            };
            if !is_wanted(id) {
                continue;
            }
            report.rows.push(match case {
                Ok(case) => {
                    let (recorded, outcome) = calls.perform(index, &case)?;
                    report.traffic.get_or_insert_default().add(&recorded);
                    let row = Row::new(operation, case.id.clone(), verdict(judge, &case, &recorded, &outcome));
                    let second = seconds.get_mut(&operation.document).zip(recorded.last());
                    let opinion = second.and_then(|(second, ours)| second.opinion(operation, &case, ours));
                    let prism = prisms.get_mut(&operation.document).zip(recorded.last());
                    let refusal =
                        prism.map(|(prism, recorded)| prism.refusal(recorded, interrupt)).transpose()?.flatten();
                    row.with_opinion(opinion).disputed(refusal).with_call(judge, &case, recorded.last(), &outcome)
                }
                Err((id, verdict)) => Row::new(operation, id, verdict),
            });
        }
        report.rows.extend(names.of_operation(operation).filter(|row| is_wanted(&row.case)));
    }
    let types = catalog.types.iter().filter_map(|ty| names.of_type(ty, judges.get(&ty.document)?));
    report.rows.extend(types.filter(|row| is_wanted(&row.case)));
    report.unheard.extend(seconds.into_iter().filter_map(|(name, second)| Some((name, second.reason()?))));
    report.unheard.extend(prisms.into_iter().filter_map(|(name, prism)| Some((name, prism.reason()?))));
    Ok(report)
}

/// The folder of a contract's client.
fn folder(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.path("target/conformance").join(stand_alone::slug(name))
}

/// A Prism for each document. The report gets the documents without one, with the reasons.
fn prisms(
    folder: &Path,
    sources: &Sources,
    report: &mut Report,
    interrupt: &Interrupt,
) -> Result<BTreeMap<String, Prism>, Failure> {
    let mut prisms = BTreeMap::new();
    for (name, bytes) in &sources.contracts {
        let ending = if bytes.trim_ascii_start().starts_with(b"{") { "json" } else { "yaml" };
        let file = folder.join(format!("{}.{ending}", stand_alone::slug(name)));
        write(&file, bytes)?;
        match Prism::start(&file, interrupt)? {
            Ok(prism) => {
                prisms.insert(name.clone(), prism);
            }
            Err(why) => {
                console::progress(&format!("SKIPPED: Prism does not judge {}: {}", line(name), line(&why)));
                report.unheard.push((name.clone(), format!("Prism: {}", line(&why))));
            }
        }
    }
    Ok(prisms)
}

/// The second judge of each contract.
fn seconds(
    workspace: &Workspace,
    folder: &Path,
    sources: &Sources,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<BTreeMap<String, Second>, Failure> {
    let Some(generator) = &options.second else { return Ok(BTreeMap::new()) };
    let second = |(name, bytes): &(String, Vec<u8>)| {
        let folder = folder.join(stand_alone::slug(name));
        Ok((name.clone(), Second::start(workspace, &folder, generator, bytes, interrupt)?))
    };
    sources.contracts.iter().map(second).collect()
}

/// The failure of a contract that cannot be read.
pub(crate) fn refused(report: driftless_codegen::Report) -> Failure {
    let hint = "correct the contract, or name another one";
    Failure::new(Exit::Contract, "conformance/contract", report.to_string(), hint)
}

pub(crate) fn judges(sources: &Sources, seed: u64) -> Result<BTreeMap<String, Judge>, Failure> {
    let judge = |(name, bytes): &(String, Vec<u8>)| match Judge::read(bytes, seed) {
        Ok(judge) => Ok((name.clone(), judge)),
        Err(error) => {
            Err(Failure::new(Exit::Contract, "conformance/contract", format!("{name}: {error}"), error.advice()))
        }
    };
    sources.contracts.iter().map(judge).collect()
}

/// The parts of an operation that the client offers, and the parameters that it can leave out.
pub(crate) fn offer(operation: &CatalogOperation, is_optional: fn(&CatalogInput) -> bool) -> Offer {
    let place = |input: &CatalogInput| (input.place.to_owned(), input.wire.clone());
    Offer {
        method: operation.method.clone(),
        pointer: operation.pointer.clone(),
        parameters: operation.inputs.iter().map(place).collect(),
        optional: operation.inputs.iter().filter(|input| is_optional(input)).map(place).collect(),
        media_type: operation.body.as_ref().map(|body| body.media_type.clone()),
        is_body_required: operation.body.as_ref().is_some_and(|body| body.required),
        accept: operation.accept.clone(),
        writes_xml: operation.body.as_ref().is_some_and(|body| body.form == "xml"),
        reads_xml: operation
            .statuses
            .iter()
            .filter(|status| status.form == "xml")
            .map(|status| status.status.clone())
            .collect(),
    }
}

/// Compiles the program with the client. Both lie below `target`, so that a later run compiles the changes only.
fn build(
    workspace: &Workspace,
    folder: &Path,
    output: &Output,
    catalog: &Catalog,
    source: &str,
    one: &Build,
    interrupt: &Interrupt,
) -> Result<PathBuf, Failure> {
    let client = folder.join("client");
    stand_alone::lay_out(workspace, &client, &output.files, &features::render(&output.features))?;
    let package = catalog.library.replace('_', "-");
    let mut enabled: Vec<String> = output.features.iter().map(|feature| format!("{:?}", feature.name)).collect();
    enabled.extend(
        catalog
            .operations
            .iter()
            .any(|operation| operation.features.iter().any(|name| name == "xml"))
            .then(|| "\"xml\"".to_owned()),
    );
    let manifest = format!(
        "[package]\nname = \"caller\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
         client = {{ path = \"../client\", package = {:?}, features = [{}] }}\nserde_json = \"1\"\n\
         tokio = {{ version = \"1\", features = [\"rt\"] }}\n\n[profile.dev]\ndebug = false\n",
        package_name(&client).unwrap_or(package),
        enabled.join(", ")
    );
    let caller = folder.join("caller");
    write(&caller.join("Cargo.toml"), stand_alone::inherited(workspace, &manifest)?.as_bytes())?;
    write(&caller.join("src/main.rs"), source.as_bytes())?;
    compile(workspace, folder, "caller", one, interrupt)?.map_err(|errors| {
        Failure::new(
            Exit::Stale,
            "conformance/compile",
            format!("the client and the program that calls it do not compile:\n{errors}"),
            format!(
                "this is a defect of the generator: please report it with the contract; the program is in {}",
                caller.display()
            ),
        )
    })
}

/// The name of the package in a folder.
fn package_name(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let package = manifest.split("[package]").nth(1)?;
    let line = package.lines().find(|line| line.starts_with("name"))?;
    Some(line.split('"').nth(1)?.to_owned())
}

fn verdict(judge: &Judge, case: &Case, recorded: &[Recorded], outcome: &Value) -> Verdict {
    if let Some(text) = outcome.get("argument").and_then(Value::as_str) {
        return Verdict::Limit(format!("the types of the client cannot have the arguments: {text}"));
    }
    let result = match outcome.get("read") {
        Some(value) => Ok(value.clone()),
        None => Err(outcome.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok())),
    };
    judge.judge(case, recorded, &result)
}
