//! One contract: its client, the program that calls it, and the verdicts.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use driftless::child::{self, Owned};
use driftless::develop::Sources;
use driftless::failure::{Exit, Failure};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless::{console, features, stand_alone};
use driftless_codegen::{Catalog, CatalogOperation, Contract, Output, catalog, generate, line};
use driftless_sandbox::conformance::{Case, Judge, Known, Offer, Recorded, Recorder, Verdict};
use serde_json::Value;

use crate::names::Names;
use crate::prism::Prism;
use crate::program;
use crate::report::{Report, Row};

/// The cases of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Decides the values of all arguments.
    pub seed: u64,
    /// Runs the case of that name only.
    pub case: Option<String>,
    /// Lets Prism judge the requests, too.
    pub prism: bool,
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
    /// Generates the client of a contract, compiles the program that calls it, and starts it.
    pub(crate) fn new(
        workspace: &Workspace,
        name: &str,
        sources: &Sources,
        seed: u64,
        change: Change<'_>,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let contracts: Vec<Contract<'_>> =
            sources.contracts.iter().map(|(name, bytes)| Contract { name, bytes }).collect();
        let refused = |report: driftless_codegen::Report| {
            Failure::new(
                Exit::Contract,
                "conformance/contract",
                report.to_string(),
                "correct the contract, or name another one",
            )
        };
        let mut output = generate(&contracts, &sources.setup, &sources.names).map_err(refused)?;
        let catalog = catalog(&contracts, &sources.setup, &sources.names).map_err(refused)?;
        change(&mut output.files);
        let servers = sources.setup.config.servers.iter().filter(|server| server.name != "main");
        let servers: Vec<String> = servers.map(|server| server.name.clone()).collect();
        let source = program::source(&catalog, &output.credentials.schemes, &servers);
        let folder = folder(workspace, name);
        let program = build(workspace, &folder, &output, &catalog, &source, interrupt)?;
        let judges = judges(sources, seed)?;
        let recorder = Recorder::start().map_err(|error| Failure::file("listen on", Path::new("127.0.0.1"), &error))?;
        Ok(Self { catalog, judges, calls: Calls::start(&program, recorder)?, output })
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
        Prepared::new(workspace, name, sources, options.seed, change, interrupt)?;
    let mut report = Report::new(name, options.seed);
    let mut prisms =
        if options.prism { prisms(&folder(workspace, name), sources, interrupt)? } else { BTreeMap::new() };
    let is_wanted = |id: &str| options.case.as_ref().is_none_or(|only| only == id);
    let names = Names { files: &output.files, sources };
    for (index, operation) in catalog.operations.iter().enumerate() {
        interrupt.check()?;
        let Some(judge) = judges.get(&operation.document) else { continue };
        for case in judge.cases(&offer(operation)) {
            let id = match &case {
                Ok(case) => &case.id,
                Err((id, _)) => id,
            };
            if !is_wanted(id) {
                continue;
            }
            report.rows.push(match case {
                Ok(case) => {
                    let row = calls.perform(judge, index, operation, &case)?;
                    let prism = prisms.get_mut(&operation.document).zip(calls.recorded.last());
                    row.disputed(prism.and_then(|(prism, recorded)| prism.refusal(recorded)))
                }
                Err((id, verdict)) => Row::new(operation, id, verdict),
            });
        }
        report.rows.extend(names.of_operation(operation).filter(|row| is_wanted(&row.case)));
    }
    let types = catalog.types.iter().filter_map(|ty| names.of_type(ty, judges.get(&ty.document)?));
    report.rows.extend(types.filter(|row| is_wanted(&row.case)));
    Ok(report)
}

/// The folder of a contract's client.
fn folder(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.path("target/conformance").join(stand_alone::slug(name))
}

/// A Prism for each document; a document without one is named, with the reason.
fn prisms(folder: &Path, sources: &Sources, interrupt: &Interrupt) -> Result<BTreeMap<String, Prism>, Failure> {
    let mut prisms = BTreeMap::new();
    for (name, bytes) in &sources.contracts {
        let ending = if bytes.trim_ascii_start().starts_with(b"{") { "json" } else { "yaml" };
        let file = folder.join(format!("{}.{ending}", stand_alone::slug(name)));
        write(&file, bytes)?;
        match Prism::start(&file, interrupt)? {
            Ok(prism) => {
                prisms.insert(name.clone(), prism);
            }
            Err(why) => console::progress(&format!("SKIPPED: Prism does not judge {}: {}", line(name), line(&why))),
        }
    }
    Ok(prisms)
}

fn judges(sources: &Sources, seed: u64) -> Result<BTreeMap<String, Judge>, Failure> {
    let judge = |(name, bytes): &(String, Vec<u8>)| match Judge::read(bytes, seed) {
        Ok(judge) => Ok((name.clone(), judge)),
        Err(error) => {
            Err(Failure::new(Exit::Contract, "conformance/contract", format!("{name}: {error}"), error.advice()))
        }
    };
    sources.contracts.iter().map(judge).collect()
}

/// The parts of an operation that the client offers.
pub(crate) fn offer(operation: &CatalogOperation) -> Offer {
    let inputs = operation.inputs.iter();
    Offer {
        method: operation.method.clone(),
        pointer: operation.pointer.clone(),
        parameters: inputs.map(|input| (input.place.to_owned(), input.wire.clone())).collect(),
        media_type: operation.body.as_ref().map(|body| body.media_type.clone()),
        is_body_required: operation.body.as_ref().is_some_and(|body| body.required),
        accept: operation.accept.clone(),
    }
}

/// Compiles the program with the client. Both lie below `target`, so that a later run compiles the changes only.
fn build(
    workspace: &Workspace,
    folder: &Path,
    output: &Output,
    catalog: &Catalog,
    source: &str,
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
         tokio = {{ version = \"1\", features = [\"rt\"] }}\n\n[profile.dev]\ndebug = false\n\n[workspace]\n",
        package_name(&client).unwrap_or(package),
        enabled.join(", ")
    );
    let caller = folder.join("caller");
    write(&caller.join("Cargo.toml"), manifest.as_bytes())?;
    write(&caller.join("src/main.rs"), source.as_bytes())?;
    if let Some(lock) = workspace.read("Cargo.lock")?.filter(|_| !caller.join("Cargo.lock").exists()) {
        write(&caller.join("Cargo.lock"), &lock)?;
    }
    let target = workspace.path("target/conformance/target");
    let mut command = child::cargo();
    command.args(["build", "--quiet", "--message-format", "short"]).current_dir(&caller);
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", &target);
    let ended = child::run(&mut command, None, interrupt)?;
    if !ended.status.is_some_and(|status| status.success()) {
        let errors = String::from_utf8_lossy(&ended.stderr);
        let errors: Vec<&str> = errors.lines().filter(|line| line.contains("error")).take(10).collect();
        return Err(Failure::new(
            Exit::Stale,
            "conformance/compile",
            format!("the client and the program that calls it do not compile:\n{}", errors.join("\n")),
            format!(
                "this is a defect of the generator: please report it with the contract; the program is in {}",
                caller.display()
            ),
        ));
    }
    let built = target.join("debug").join(format!("caller{}", std::env::consts::EXE_SUFFIX));
    // The next contract builds a program of the same name.
    let program = folder.join(format!("program{}", std::env::consts::EXE_SUFFIX));
    fs::copy(&built, &program).map_err(|error| Failure::file("copy", &built, &error))?;
    Ok(program)
}

/// The name of the package in a folder.
fn package_name(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let package = manifest.split("[package]").nth(1)?;
    let line = package.lines().find(|line| line.starts_with("name"))?;
    Some(line.split('"').nth(1)?.to_owned())
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if fs::read(path).is_ok_and(|known| known == content) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
    }
    fs::write(path, content).map_err(|error| Failure::file("write", path, &error))
}

/// The program, and the server that it calls.
pub(crate) struct Calls {
    pub(crate) recorder: Recorder,
    /// The requests of the last case.
    recorded: Vec<Recorded>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _child: Owned,
}

impl Calls {
    fn start(program: &Path, recorder: Recorder) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        command.arg(recorder.address()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child: Child = command.spawn().map_err(|error| Failure::file("start", program, &error))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let child = Owned(child);
        match (input, output) {
            (Some(input), Some(output)) => {
                let output = BufReader::new(output);
                Ok(Self { recorder, recorded: Vec::new(), input, output, _child: child })
            }
            _ => Err(ended("it has no standard input")),
        }
    }

    /// Lets the program perform a call, and returns its outcome.
    pub(crate) fn call(&mut self, index: usize, arguments: &[Known], body: Option<&Value>) -> Result<Value, Failure> {
        let line = serde_json::json!([index, arguments, body]).to_string();
        writeln!(self.input, "{line}").map_err(|error| ended(&error.to_string()))?;
        let mut outcome = String::new();
        self.output.read_line(&mut outcome).map_err(|error| ended(&error.to_string()))?;
        serde_json::from_str(&outcome).map_err(|_| ended(&line))
    }

    fn perform(
        &mut self,
        judge: &Judge,
        index: usize,
        operation: &CatalogOperation,
        case: &Case,
    ) -> Result<Row, Failure> {
        self.recorder.prepare(&case.answer);
        let arguments: Vec<Known> = case
            .arguments
            .iter()
            .map(|argument| (argument.place.clone(), argument.name.clone(), argument.value.clone()))
            .collect();
        let outcome = self.call(index, &arguments, case.body.as_ref())?;
        self.recorded = self.recorder.recorded();
        let verdict = verdict(judge, case, &self.recorded, &outcome);
        Ok(Row::new(operation, case.id.clone(), verdict).with_call(judge, case, self.recorded.last(), &outcome))
    }
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

fn ended(why: &str) -> Failure {
    Failure::new(
        Exit::Stale,
        "conformance/program",
        format!("the program that calls the client ended early: {why}"),
        "this is a defect of the client: repeat the case, and report it with the contract",
    )
}
