//! Asynchronous operations: submitted through a store, so that a program that is killed loses nothing and submits nothing twice.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, Command};
use driftless_runtime::codegen::GeneratedClient;
use driftless_runtime::operations::{
    Binding, Cancel, Entry, Events, Observation, Operation, OperationOutcome, OperationState, Operations, SqliteStore,
    States, Status, Watched,
};
use driftless_runtime::{Bytes, Client, Object, Submission, Value};

use crate::Program;
use crate::answer::{Sink, written};
use crate::context::Context;
use crate::describe::{fixed, method};
use crate::failure::{Exit, Failure, failure};
use crate::output::{RowWriter, Streams};
use crate::send::{Given, bytes, call};
use crate::table::Table;
use crate::terminal::plain;

/// The time for which a command waits for another one that submits under its label: that of a call.
const TURN: Duration = Duration::from_secs(60);

/// `operations`: those that this program has submitted.
pub(crate) fn command() -> Command {
    let one = |name: &'static str, about: &'static str| {
        let help = "The identifier that `operations list` prints, or a label";
        Command::new(name).about(about).arg(Arg::new("operation").required(true).value_name("OPERATION").help(help))
    };
    Command::new("operations")
        .about("Asynchronous operations that were submitted from this machine")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(Command::new("list").about("Lists those that are not finished"))
        .subcommand(one("watch", "Prints each state as it comes, until the operation has ended"))
        .subcommand(one("wait", "Waits until the operation has ended"))
        .subcommand(
            one("resume", "Goes on waiting, also for an operation of which it is unknown whether it was submitted")
                .arg(
                    Arg::new("id")
                        .long("id")
                        .value_name("ID")
                        .help("Identifier of the operation at the service, if its response was lost"),
                ),
        )
        .subcommand(one("cancel", "Asks the service to cancel it"))
        .subcommand(one("forget", "Removes it from the list; the operation itself goes on"))
}

/// Submits the operation, and waits for it if that is asked for.
pub(crate) async fn submit(
    context: &Context,
    client: &Client,
    kind: &str,
    given: Given,
    matches: &ArgMatches,
) -> Result<(), Failure> {
    let sink = context.sink()?;
    let operations = operations(&context.program, context.table, client)?;
    let label = matches.get_one::<String>("label");
    let started = Instant::now();
    // Of commands with one label at once, one submits. The others wait, and find its operation.
    let turn = match label {
        Some(label) => {
            let time = context.timeout.unwrap_or(TURN);
            Some(crate::account::turn(&context.program, &[client.base_url(), label], time).await?)
        }
        None => None,
    };
    let form = given.form();
    let call = call(client, given.operation, form, &given.values, given.content, bytes);
    let call = match context.timeout {
        Some(time) => call.deadline(time.saturating_sub(started.elapsed())),
        None => call,
    };
    let submission: Submission<'_, Bytes> = Submission::from_call(call, fixed(kind.to_owned()));
    let operation = match label {
        Some(label) => operations.submit_or_resume(submission.label(label)).await,
        None => submission.submit(&operations).await,
    };
    drop(turn);
    let operation = operation.map_err(|error| failure(&error))?;
    let correlation = operation.reference().correlation().to_owned();
    if matches.get_flag("wait") {
        let called = label.cloned().unwrap_or_else(|| operation.reference().correlation().to_owned());
        return wait(context, &sink, operation, &called, false).await;
    }
    let accepted = operation.accepted::<Value>().unwrap_or_else(|_| Value::Object(described(&operation)));
    sink.value(&accepted)?;
    sink.note(&format!("Accepted. `{} operations wait {correlation}` waits for its end.", context.program.name))
}

/// Runs a subcommand of `operations`. The end of a wait by `--timeout` has a failure of its own.
pub(crate) async fn run<P>(context: &Context, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + std::ops::Deref<Target = Client>,
{
    let exit = match matches.subcommand_name() {
        Some("cancel") => Exit::Unknown,
        Some("list" | "forget") => Exit::Failed,
        _ => return subcommand::<P>(context, matches).await,
    };
    tokio::select! {
        result = subcommand::<P>(context, matches) => result,
        () = passed(context) => {
            Err(Failure::new(exit, "the command has not ended in the time of `--timeout`", "run it again with more time"))
        }
    }
}

async fn subcommand<P>(context: &Context, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + std::ops::Deref<Target = Client>,
{
    let sink = context.sink()?;
    let client = context.client::<P>()?;
    let operations = operations(&context.program, context.table, &client)?;
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    if name == "list" {
        let unfinished = operations.unfinished().await.map_err(|error| failure(&error))?;
        for unreadable in &unfinished.unreadable {
            sink.note(&format!("{}: {}", unreadable.place(), unreadable.error()))?;
        }
        return sink.value(&Value::Array(unfinished.entries.iter().map(|entry| Value::Object(row(entry))).collect()));
    }
    let wanted = matches.get_one::<String>("operation").map(String::as_str).unwrap_or_default();
    let entry = entry(&context.program, &operations, wanted).await?;
    match name {
        "forget" => {
            let removed = operations.forget(&entry).await.map_err(|error| failure(&error))?;
            sink.note(if removed { "Forgotten." } else { "It has changed meanwhile, and stays: try again." })
        }
        "cancel" => {
            let operation = operations.resume(&entry).map_err(|error| failure(&error))?;
            operation.cancel().await.map_err(|error| failure(&error))?;
            sink.note("The service was asked to cancel it.")
        }
        _ => {
            let id = (name == "resume").then(|| matches.get_one::<String>("id")).flatten();
            let operation = match id {
                Some(id) => operations.adopt(entry.intent().correlation(), id).await,
                None => operations.resume(&entry),
            };
            wait(context, &sink, operation.map_err(|error| failure(&error))?, wanted, name == "watch").await
        }
    }
}

/// The entry of an identifier, or of a label.
pub(crate) async fn entry(program: &Program, operations: &Operations, wanted: &str) -> Result<Entry, Failure> {
    if let Some(entry) = operations.labelled(wanted).await.map_err(|error| failure(&error))? {
        return Ok(entry);
    }
    let unfinished = operations.unfinished().await.map_err(|error| failure(&error))?;
    let fits = |entry: &&Entry| {
        entry.intent().correlation() == wanted || entry.reference().is_some_and(|reference| reference.id() == wanted)
    };
    unfinished.entries.iter().find(fits).cloned().ok_or_else(|| {
        let message = format!("no operation {wanted:?} was submitted from this machine, or it is finished");
        Failure::new(Exit::NotFound, message, format!("`{} operations list` prints those that are not", program.name))
    })
}

/// Waits for the end. Ctrl-C ends the waiting only.
async fn wait(
    context: &Context,
    sink: &Sink<'_>,
    operation: Operation,
    called: &str,
    prints_all: bool,
) -> Result<(), Failure> {
    let mut watch = operation.watch();
    let observe = async {
        let mut last = String::new();
        let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
        // Columns of a table would change their width with each state.
        let prints_rows = prints_all && !sink.printer.is_table();
        let mut rows = prints_rows.then(|| sink.printer.rows(Streams { out: &mut out, err: &mut err }));
        while let Some(observation) = watch.next().await {
            let observation = observation.map_err(|error| failure(&error))?;
            let line = progress(&observation);
            if let Some(rows) = &mut rows {
                rows.row(&Value::Object(observed(&observation)))?;
                rows.flush()?;
            } else if prints_all {
                written(writeln!(std::io::stdout(), "{}", plain(&line)))?;
            } else if line != last {
                sink.note(&line)?;
            }
            last = line;
        }
        rows.map_or(Ok::<(), Failure>(()), RowWriter::end)
    };
    let goes_on = || {
        let hint = format!("`{} operations wait {called}` goes on waiting", context.program.name);
        Failure::new(Exit::Unsuccessful, "the operation is still running", hint)
    };
    tokio::select! {
        result = observe => result?,
        _ = tokio::signal::ctrl_c() => {
            // The terminal has `^C` on the line.
            sink.note("")?;
            return Err(goes_on());
        }
        () = passed(context) => return Err(goes_on()),
    }
    let Some(outcome) = watch.outcome() else { return Err(goes_on()) };
    ended(context, sink, &operation, &outcome, prints_all).await
}

/// Ends when the time of `--timeout` has passed; never without one.
async fn passed(context: &Context) {
    match context.timeout {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}

async fn ended(
    context: &Context,
    sink: &Sink<'_>,
    operation: &Operation,
    outcome: &OperationOutcome,
    has_printed: bool,
) -> Result<(), Failure> {
    if outcome.is_final() {
        operation.finish(outcome).await.map_err(|error| failure(&error))?;
    }
    if let Some(last) = outcome.last().filter(|_| !has_printed) {
        let mut object = observed(last);
        object.set("outcome", outcome.name());
        sink.value(&Value::Object(object))?;
    }
    match outcome.is_success() {
        true => Ok(()),
        false => {
            let message = format!("the operation ended without success: {}", outcome.name());
            let hint = match outcome.is_final() {
                true => String::new(),
                false => format!(
                    "`{} operations wait {}` asks again",
                    context.program.name,
                    operation.reference().correlation()
                ),
            };
            Err(Failure::new(Exit::Unsuccessful, message, hint))
        }
    }
}

/// The state in words, with the events.
pub(crate) fn progress(observation: &Observation) -> String {
    let state =
        observation.raw_state().map_or_else(|| state(observation.state()).to_owned(), |raw| plain(raw).into_owned());
    let events: Vec<&str> = observation.events().iter().map(String::as_str).collect();
    match events.is_empty() {
        true => state,
        false => format!("{state}: {}", events.join(", ")),
    }
}

fn state(state: OperationState) -> &'static str {
    match state {
        OperationState::Pending => "pending",
        OperationState::Succeeded => "succeeded",
        OperationState::Failed => "failed",
        OperationState::Cancelled => "cancelled",
        OperationState::NotVisible => "not visible",
        _ => "unknown",
    }
}

fn observed(observation: &Observation) -> Object {
    let mut object = Object::new();
    object.set("state", state(observation.state()));
    if let Some(raw) = observation.raw_state() {
        object.set("raw_state", raw);
    }
    object.set("events", observation.events().iter().cloned().collect::<Vec<_>>());
    object
}

fn described(operation: &Operation) -> Object {
    let reference = operation.reference();
    let mut object = Object::new();
    object.set("operation", reference.correlation());
    object.set("id", reference.id());
    object.set("kind", reference.kind());
    object
}

fn row(entry: &Entry) -> Object {
    let intent = entry.intent();
    let mut object = Object::new();
    object.set("operation", intent.correlation());
    object.set("kind", intent.kind());
    object.set("label", intent.label().map(str::to_owned));
    object.set("id", entry.reference().map(|reference| reference.id().to_owned()));
    object.set(
        "status",
        match entry.status() {
            Status::SubmissionUnknown => "unknown whether it was submitted",
            Status::Accepted => "accepted",
            Status::Finished => "finished",
            _ => "given up",
        },
    );
    object.set("state", entry.last().map(progress));
    object
}

/// The store of this machine, with all bindings of the table.
pub(crate) fn operations(program: &Program, table: Table, client: &Client) -> Result<Operations, Failure> {
    let folder = crate::account::state_folder(program)?;
    let path: PathBuf = folder.join("operations.sqlite");
    let store = SqliteStore::open(&path).map_err(|error| failure(&error))?;
    let mut operations = client.operations().with_store(store);
    for kind in table.bindings() {
        if let Some(binding) = binding(table, kind) {
            operations = operations.with_binding(binding);
        }
    }
    Ok(operations)
}

/// A binding, as generated code has it.
fn binding(table: Table, kind: &str) -> Option<&'static Binding> {
    let line = table.binding(kind)?;
    let text = |value: &Value, pointer: &str| {
        value.pointer(pointer).and_then(Value::as_str).map(|text| fixed(text.to_owned()))
    };
    let list = |value: &Value, pointer: &str| -> &'static [&'static str] {
        let values = value.pointer(pointer).and_then(Value::as_array);
        let texts = values.into_iter().flatten().filter_map(Value::as_str).map(|text| fixed(text.to_owned()));
        Vec::leak(texts.collect())
    };
    let watch = line.get("watch").map(|watch| Watched {
        path: text(watch, "/path").unwrap_or_default(),
        parameter: text(watch, "/parameter").unwrap_or_default(),
        header: text(watch, "/header"),
    });
    let events = line.get("events").map(|events| Events {
        list: text(events, "/list").unwrap_or_default(),
        name: text(events, "/name").unwrap_or_default(),
        pushed: text(events, "/pushed"),
        required: list(events, "/required"),
    });
    let cancel = line.get("cancel").map(|cancel| Cancel {
        method: method(cancel.pointer("/method").and_then(Value::as_str).unwrap_or_default()),
        path: text(cancel, "/path").unwrap_or_default(),
        parameter: text(cancel, "/parameter").unwrap_or_default(),
    });
    Some(Box::leak(Box::new(Binding {
        kind: fixed(kind.to_owned()),
        method: method(line.pointer("/method").and_then(Value::as_str).unwrap_or_default()),
        path: text(&line, "/path")?,
        identifier: text(&line, "/identifier")?,
        query: text(&line, "/query").unwrap_or_default(),
        watch,
        subscription: text(&line, "/subscription"),
        variable: text(&line, "/variable").unwrap_or_default(),
        state: text(&line, "/state")?,
        pushed_state: text(&line, "/pushed_state"),
        states: States {
            pending: list(&line, "/states/pending"),
            succeeded: list(&line, "/states/succeeded"),
            failed: list(&line, "/states/failed"),
            cancelled: list(&line, "/states/cancelled"),
        },
        events,
        cancel,
        idempotency: text(&line, "/idempotency"),
    })))
}
