//! The command line, by the judge of clients: `cargo driftless conformance --cli`.
//!
//! One program serves all contracts: what differs between services is the table of operations, and its client's servers and security
//! schemes. It is a process for each case, with words that follow from the documented rules. As many processes run at once as the machine has
//! cores.

mod commands;
mod table;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use driftless::child::{self, Ended};
use driftless::develop::Sources;
use driftless::failure::{Exit, Failure};
use driftless::interrupt::Interrupt;
use driftless::stand_alone;
use driftless::workspace::Workspace;
use driftless_codegen::{Catalog, CatalogOperation, Contract, Setup, catalog, generate};
use driftless_sandbox::conformance::{BodyForm, Case, Flaw, Judge, Offer, Recorded, Recorder, Verdict};
use serde_json::{Value, json};

use self::commands::{CommandLine, Commands};
use self::words::{Files, Given, Words, words};
use crate::process::{Build, compile, write};
use crate::report::{AtShell, Report, Row};
use crate::run::{Options, judges, offer, refused};

/// The program of the judge.
const PROGRAM: &str = include_str!("program.rs");

/// The longest time of a command.
const LONGEST: Duration = Duration::from_secs(60);

/// The file with the table of a contract.
const TABLE: &str = "operations.table";

/// Changes the table of a contract: a test changes it to see whether the judge notices.
pub type TableChange<'a> = &'a dyn Fn(&mut String);

/// The parts that all workers read.
struct Judged<'j> {
    catalog: &'j Catalog,
    judges: &'j BTreeMap<String, Judge>,
    commands: Commands<'j>,
    /// A contract has a scheme for tokens, so the program has one.
    has_token: bool,
    options: &'j Options,
    table: String,
    program: PathBuf,
    folder: PathBuf,
    interrupt: &'j Interrupt,
}

/// A worker: its server, and a folder that no other worker writes to.
struct Shell<'j> {
    judged: &'j Judged<'j>,
    folder: PathBuf,
    recorder: Recorder,
}

/// Calls each operation of a contract at the shell, and judges the requests and the output.
///
/// # Errors
///
/// The contract cannot be read, or the program cannot be compiled or started.
pub fn check_cli(
    workspace: &Workspace,
    name: &str,
    sources: &Sources,
    options: &Options,
    change: TableChange<'_>,
    interrupt: &Interrupt,
) -> Result<Report, Failure> {
    let contracts: Vec<Contract<'_>> = sources.contracts.iter().map(|(name, bytes)| Contract { name, bytes }).collect();
    let setup = Setup { table: true, ..sources.setup.clone() };
    let output = generate(&contracts, &setup, &sources.names).map_err(refused)?;
    let catalog = catalog(&contracts, &setup, &sources.names).map_err(refused)?;
    let judges = judges(sources, options.seed)?;
    let mut table = table::prepared(output.table.as_deref().unwrap_or_default(), &output.credentials);
    change(&mut table);
    let folder = workspace.path("target/conformance/cli").join(stand_alone::slug(name));
    write(&folder.join(TABLE), table.as_bytes())?;
    let program = program(workspace, interrupt)?;
    let commands = Commands::new(&catalog);
    let has_token = judges.values().any(Judge::takes_token);
    let judged =
        Judged { catalog: &catalog, judges: &judges, commands, has_token, options, table, program, folder, interrupt };

    let mut report = Report::new(name, options.seed);
    let mut at_shell = AtShell::default();
    for (index, rows) in judged.rows()? {
        let causes = rows.iter().filter(|row| row.class == "limit").map(|row| row.expected.clone());
        match (causes.clone().count() < rows.len(), causes.take(1).next(), catalog.operations.get(index)) {
            (true, ..) => at_shell.callable += 1,
            (false, Some(cause), Some(operation)) => {
                at_shell.others.push((format!("{}.{}", operation.family, operation.name), cause));
            }
            _ => {}
        }
        report.rows.extend(rows);
    }
    report.at_shell = Some(at_shell);
    Ok(report)
}

/// Compiles the program, if that has not been done.
fn program(workspace: &Workspace, interrupt: &Interrupt) -> Result<PathBuf, Failure> {
    let folder = workspace.path("target/conformance/cli");
    let package = folder.join("judged");
    let root = workspace.read("Cargo.toml")?.unwrap_or_default();
    // A workspace without a command line does not name the library.
    let library = match String::from_utf8_lossy(&root).contains("driftless-cli") {
        true => "driftless-cli.workspace = true".to_owned(),
        false => concat!("driftless-cli = \"=", env!("CARGO_PKG_VERSION"), "\"").to_owned(),
    };
    let manifest = format!(
        "[package]\nname = \"judged\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n{library}\n\
         driftless-runtime.workspace = true\n"
    );
    // A table of a large contract is read in each process.
    let profile = "[profile.dev]\ndebug = false\n\n[profile.dev.package.driftless-cli]\nopt-level = 1\n";
    let mut manifest = stand_alone::inherited(workspace, &manifest)?;
    if !manifest.contains("[profile") {
        manifest.push_str(profile);
    }
    write(&package.join("Cargo.toml"), manifest.as_bytes())?;
    write(&package.join("src/main.rs"), PROGRAM.as_bytes())?;
    let one = Build::begin(workspace, interrupt)?;
    compile(workspace, &folder, "judged", &one, interrupt)?.map_err(|errors| {
        Failure::new(
            Exit::Stale,
            "conformance/compile",
            format!("the program at the shell does not compile:\n{errors}"),
            format!(
                "compile it with the version of driftless-cli that has this program: it is in {}",
                package.display()
            ),
        )
    })
}

impl Judged<'_> {
    /// The rows of each operation, by its position.
    fn rows(&self) -> Result<BTreeMap<usize, Vec<Row>>, Failure> {
        let end = self.catalog.operations.len();
        let work = |number: usize, next: Next<'_>| {
            let shell = Shell::new(self, number)?;
            let mut rows = Vec::new();
            while let Some(index) = next()
                && let Some(operation) = self.catalog.operations.get(index)
            {
                if let Some(judge) = self.judges.get(&operation.document) {
                    rows.push((index, shell.rows(operation, judge)?));
                }
            }
            Ok(rows)
        };
        let workers = thread::available_parallelism().map_or(1, NonZero::get).min(end);
        let rows: Vec<Vec<_>> = shared_out(end, workers, work)?;
        Ok(rows.into_iter().flatten().collect())
    }
}

/// The position that a worker takes.
type Next<'n> = &'n dyn Fn() -> Option<usize>;

/// Shares out positions below `end`: each worker takes the next one. After a worker that fails or panics, no position is left.
fn shared_out<T: Send>(
    end: usize,
    workers: usize,
    work: impl Fn(usize, Next<'_>) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let position = AtomicUsize::new(0);
    let work = |number| {
        let _last = Last(&position, end);
        work(number, &|| Some(position.fetch_add(1, Ordering::Relaxed)).filter(|next| *next < end))
    };
    thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..workers).map(|number| scope.spawn(move || work(number))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Takes the positions that are left when it is dropped: a worker ends when none is left, fails, or panics.
struct Last<'n>(&'n AtomicUsize, usize);

impl Drop for Last<'_> {
    fn drop(&mut self) {
        self.0.store(self.1, Ordering::Relaxed);
    }
}

impl<'j> Shell<'j> {
    fn new(judged: &'j Judged<'j>, number: usize) -> Result<Self, Failure> {
        let recorder = Recorder::start().map_err(|error| Failure::file("listen on", Path::new("127.0.0.1"), &error))?;
        let folder = judged.folder.join(number.to_string());
        let home = folder.join("home");
        fs::create_dir_all(&home).map_err(|error| Failure::file("create", &home, &error))?;
        Ok(Self { judged, folder, recorder })
    }

    /// The rows of an operation: its cases, and those with a body of members once more, by their flags.
    fn rows(&self, operation: &CatalogOperation, judge: &Judge) -> Result<Vec<Row>, Failure> {
        let key = operation.binding.as_deref().and_then(|kind| table::key(&self.judged.table, kind));
        let line = CommandLine::new(&self.judged.commands, operation, key);
        let mut rows = Vec::new();
        let is_wanted = |id: &str| self.judged.options.case.as_ref().is_none_or(|only| only == id);
        // The program sends and prints XML as it is.
        let texts = Offer { writes_xml: false, reads_xml: Vec::new(), ..offer(operation, |input| !input.required) };
        for case in judge.cases(&texts) {
            self.judged.interrupt.check()?;
            let case = match case {
                Ok(case) if is_judged(&case) => case,
                Ok(_) => continue,
                Err((id, verdict)) => {
                    rows.extend(is_wanted(&id).then(|| Row::new(operation, id, verdict)));
                    continue;
                }
            };
            let case = without_key(&line, case);
            if is_wanted(&case.id) {
                rows.push(self.row(&line, operation, judge, &case, Given::Whole)?);
            }
            let by_members = format!("{} by flags", case.id);
            let members = case.body.as_ref().and_then(Value::as_object).filter(|_| line.is_json);
            if members.is_some_and(|members| !members.is_empty()) && is_wanted(&by_members) {
                let row = self.row(&line, operation, judge, &case, Given::Members)?;
                // The body of a file has said it.
                rows.extend((row.class != "limit").then_some(Row { case: by_members, ..row }.named()));
            }
        }
        Ok(rows)
    }

    fn row(
        &self,
        line: &CommandLine,
        operation: &CatalogOperation,
        judge: &Judge,
        case: &Case,
        given: Given,
    ) -> Result<Row, Failure> {
        let mut files = Files { folder: &self.folder, count: 0 };
        let words = match words(line, case, given, &mut files)? {
            Ok(words) => words,
            Err(cause) => {
                let cause = Verdict::Limit(format!("no words express it: {cause}"));
                return Ok(Row::new(operation, case.id.clone(), cause));
            }
        };
        let (mut recorded, ended) = self.perform(case, &words)?;
        if let Some(key) = &line.key {
            recorded.iter_mut().for_each(|request| request.headers.retain(|(name, _)| name != key));
        }
        let code = ended.status.and_then(|status| status.code());
        let output = String::from_utf8_lossy(&ended.stdout);
        let result = match code {
            Some(0) => Ok(match case.answer.form {
                BodyForm::Json | BodyForm::Xml => {
                    serde_json::from_str(&output).unwrap_or_else(|_| Value::from(&*output))
                }
                BodyForm::Text => Value::from(&*output),
                BodyForm::Empty | BodyForm::Unknown => Value::Null,
            }),
            code => Err(Some(case.answer.status).filter(|status| code == exit(*status))),
        };
        let verdict = judge.judge(case, &recorded, &result);
        let texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let outcome = json!({ "exit": code, "stderr": String::from_utf8_lossy(&ended.stderr), "words": texts });
        Ok(Row::new(operation, case.id.clone(), verdict).with_call(judge, case, recorded.last(), &outcome))
    }

    /// Runs the program with these words.
    fn perform(&self, case: &Case, words: &Words) -> Result<(Vec<Recorded>, Ended), Failure> {
        self.recorder.prepare(&case.answer);
        let mut command = Command::new(&self.judged.program);
        command.args(words).env("JUDGED_TABLE", self.judged.folder.join(TABLE));
        command.env("JUDGED_BASE_URL", self.recorder.address()).env("JUDGED_ASSUMED", "1");
        if self.judged.has_token {
            command.env("JUDGED_TOKEN", "secret");
        }
        command.env("JUDGED_BASIC_USER", "user").env("JUDGED_BASIC_PASSWORD", "secret");
        for key in 0..table::KEYS {
            command.env(format!("JUDGED_KEY_K{key}"), "secret");
        }
        let home = self.folder.join("home");
        for variable in ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
            command.env(variable, &home);
        }
        let ended = child::run(&mut command, Some(LONGEST), self.judged.interrupt)?;
        Ok((self.recorder.recorded(), ended))
    }
}

/// Returns whether a case is about the command line. Answers with flaws are the client's; and the program waits, and repeats a request,
/// after an answer that says that the service is busy.
fn is_judged(case: &Case) -> bool {
    case.answer.flaw == Flaw::None && case.answer.status < 500 && ![408, 425, 429].contains(&case.answer.status)
}

/// The case without the key that the program makes.
fn without_key(line: &CommandLine, mut case: Case) -> Case {
    if let Some(key) = &line.key {
        case.arguments.retain(|argument| argument.place != "header" || !argument.name.eq_ignore_ascii_case(key));
    }
    case
}

/// The exit code for a status.
fn exit(status: u16) -> Option<i32> {
    match status {
        401 => Some(3),
        404 => Some(4),
        400..=499 => Some(5),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn workers_share_the_positions_and_end_after_one_that_fails() {
        let all = |_: usize, next: Next<'_>| Ok(std::iter::from_fn(next).collect::<Vec<_>>());
        let mut taken = shared_out(100, 3, all).unwrap().concat();
        taken.sort_unstable();
        assert_eq!(taken, (0..100).collect::<Vec<_>>());
        assert!(shared_out(0, 0, all).unwrap().is_empty());
        // The others would never end.
        let endless = usize::MAX / 2;
        let failed = shared_out(endless, 3, |number, next| match number {
            1 => Err(Failure::new(Exit::Stale, "test", String::new(), String::new())),
            _ => Ok(std::iter::from_fn(next).count()),
        });
        assert!(failed.is_err());
        let panicked = catch_unwind(|| {
            shared_out(endless, 3, |number, next| match number {
                1 => panic!("a worker panics"),
                _ => Ok(std::iter::from_fn(next).count()),
            })
        });
        assert!(panicked.is_err());
    }
}
