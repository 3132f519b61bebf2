//! The answers of a real service: the contract, and the client, are compared with them.

use driftless::develop::{ServiceAnswer, Sources};
use driftless::failure::{Exit, Failure};
use driftless::interrupt::Interrupt;
use driftless::workspace::{Workspace, pinned_path};
use driftless_codegen::{CatalogOperation, line};
use driftless_sandbox::conformance::{Fault, Judge, Known, Lists, Observed, Verdict};
use serde_json::Value;

use crate::process::Calls;
use crate::report::{Report, Row};
use crate::run::{Prepared, offer};

/// The bodies of errors are read up to here.
const ERRORS: usize = 64 * 1024;

/// Sends a request: method, path with query, `Accept`.
pub type Ask<'a> = &'a mut dyn FnMut(&str, &str, &str) -> Result<Option<ServiceAnswer>, Failure>;

/// Reads with each operation of GET and HEAD whose arguments can be known, and compares the answers with the contract. The client
/// reads the same answers. No value of an answer is in the report, and no key that the contract does not have, unless `shows_values`.
///
/// # Errors
///
/// There are several contracts, one cannot be read, the client cannot be compiled or ends early, the first request is not answered, or
/// each answer refuses the credentials.
pub fn observe(
    workspace: &Workspace,
    name: &str,
    sources: &Sources,
    shows_values: bool,
    ask: Ask<'_>,
    interrupt: &Interrupt,
) -> Result<Report, Failure> {
    if let [(first, _), _, ..] = sources.contracts.as_slice() {
        return Err(Failure::configuration(
            "conformance/against",
            format!("{} contracts are pinned, and --against names the service of one", sources.contracts.len()),
            format!("name the contract of the service, such as {}", pinned_path(first)),
        ));
    }
    let Prepared { catalog, judges, mut calls, .. } =
        Prepared::new(workspace, name, sources, 1, &|_| {}, &[], interrupt)?;
    let mut report = Report::new(name, 1);
    let mut lists = Lists::default();
    let mut answers = Answers::default();
    let is_safe = |operation: &CatalogOperation| ["GET", "HEAD"].contains(&operation.method.as_str());
    let mut operations: Vec<_> =
        catalog.operations.iter().enumerate().filter(|(_, operation)| is_safe(operation)).collect();
    // A path of an item comes behind that of its list.
    operations.sort_by_key(|(_, operation)| (operation.path.matches('{').count(), &operation.path));
    for (index, operation) in operations {
        interrupt.check()?;
        let Some(judge) = judges.get(&operation.document) else { continue };
        let mut one =
            One { judge, operation, index, calls: &mut calls, lists: &mut lists, answers: &mut answers, shows_values };
        let verdict = one.verdict(ask)?;
        report.rows.push(Row::new(operation, format!("{} {} against", operation.method, operation.path), verdict));
    }
    if answers.all > 0 && answers.all == answers.refused {
        return Err(Failure::new(
            Exit::Download,
            "conformance/credentials",
            format!("the service refuses the credentials of all {} requests: status 401 or 403", answers.all),
            "name other credentials: --header-env HEADER=VARIABLE or --header-file HEADER=FILE",
        ));
    }
    Ok(report)
}

/// The number of answers, and of those with the status 401 or 403.
#[derive(Default)]
struct Answers {
    all: usize,
    refused: usize,
}

/// One operation.
struct One<'o> {
    judge: &'o Judge,
    operation: &'o CatalogOperation,
    index: usize,
    calls: &'o mut Calls,
    lists: &'o mut Lists,
    answers: &'o mut Answers,
    shows_values: bool,
}

impl One<'_> {
    fn verdict(&mut self, ask: Ask<'_>) -> Result<Verdict, Failure> {
        let offer = offer(self.operation, |input| !input.is_argument);
        let arguments = match self.judge.known(&offer, self.lists) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Verdict::Limit(why)),
        };
        if self.operation.form == "events" {
            return Ok(Verdict::Limit("a stream of events does not end".to_owned()));
        }
        // The client sends its request to the recorder; the service then gets a copy of it.
        self.calls.recorder.replay(Observed { status: 503, media_type: "", body: b"" });
        let outcome = self.calls.call(self.index, &arguments, None)?;
        let Some(request) = self.calls.recorder.recorded().pop() else {
            let why = outcome.get("argument").and_then(Value::as_str).unwrap_or("it sends no request");
            return Ok(Verdict::Limit(format!("the client: {}", line(why))));
        };
        let target = self.judge.without_keys(&request.target);
        let answer = match ask(&request.method, &target, &self.operation.accept) {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(Verdict::Limit("the limit of requests or of time is reached".to_owned())),
            // An answer that is too long, is packed wrongly, or repeats the credentials.
            Err(failure) if failure.exit == Exit::Contract || failure.code == "download/encoding" => {
                self.answers.all += 1;
                return Ok(Verdict::Limit(line(&failure.message).into_owned()));
            }
            Err(failure) if self.answers.all > 0 && failure.code.starts_with("download/") => {
                return Ok(Verdict::Limit(format!("the service does not answer: {}", line(&failure.message))));
            }
            Err(failure) => return Err(failure),
        };
        self.answers.all += 1;
        self.answers.refused += usize::from(matches!(answer.status, 401 | 403));
        let observed = Observed { status: answer.status, media_type: &answer.content_type, body: &answer.body };
        if answer.status >= 400 && answer.body.len() >= ERRORS {
            return Ok(Verdict::Limit("the body of the error is too long".to_owned()));
        }
        let verdict = self.judge.observe(&offer, observed, self.shows_values);
        if matches!(answer.status, 100..200 | 300..400) || matches!(verdict, Verdict::Limit(_)) {
            return Ok(verdict);
        }
        let read = self.read(&arguments, observed)?;
        Ok(match (verdict, read) {
            (Verdict::Mismatch(fault), read) => {
                let reads = if read.is_ok() { "the client reads it" } else { "the client does not read it" };
                let value = serde_json::from_slice::<Value>(&answer.body).ok();
                let pointer = fault.place.strip_prefix("body ").unwrap_or_default();
                let value = value.as_ref().and_then(|value| value.pointer(pointer)).filter(|_| self.shows_values);
                let value = value.map(|value| format!(" {value}")).unwrap_or_default();
                Verdict::Mismatch(Fault { actual: format!("{}{value}; {reads}", fault.actual), ..fault })
            }
            (Verdict::Right, Err(actual)) => Verdict::Fault(Fault {
                place: "answer".to_owned(),
                rule: "Responses Object",
                expected: format!("a result: the answer of status {} fits the schema", answer.status),
                actual,
            }),
            (Verdict::Right, Ok(())) if answer.status >= 400 => {
                Verdict::Limit(format!("the service refuses the request: status {}", answer.status))
            }
            (verdict, _) => {
                let value = serde_json::from_slice(&answer.body).ok().filter(|_| (200..300).contains(&answer.status));
                if let Some(value) = value {
                    self.lists.learn(&self.operation.path, &arguments, &value);
                }
                verdict
            }
        })
    }

    /// Lets the client read the answer. An error is the result of a status from 400 on.
    fn read(&mut self, arguments: &[Known], observed: Observed<'_>) -> Result<Result<(), String>, Failure> {
        self.calls.recorder.replay(observed);
        let outcome = self.calls.call(self.index, arguments, None)?;
        let status = outcome.get("status").and_then(Value::as_u64);
        let is_read = match observed.status {
            400.. => status == Some(u64::from(observed.status)),
            _ => outcome.get("read").is_some(),
        };
        let error = outcome.get("error").and_then(Value::as_str).unwrap_or("a result");
        // The text of an error can contain a part of the answer, the code before it does not.
        let error = if self.shows_values { error } else { error.split(':').next().unwrap_or_default() };
        Ok(if is_read { Ok(()) } else { Err(line(error).into_owned()) })
    }
}
