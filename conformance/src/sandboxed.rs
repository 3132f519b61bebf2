//! Every operation of a client against a sandbox of its contract.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use driftless::develop::Sources;
use driftless::failure::{Exit, Failure};
use driftless::interrupt::{Interrupt, Runtime};
use driftless::workspace::{Workspace, pinned_path};
use driftless_codegen::{CatalogOperation, line};
use driftless_sandbox::conformance::{
    Call, Fault, Items, Judge, Observed, Offer, Recorded, Relayed, Upstream, Verdict, in_order,
};
use serde_json::Value;

use crate::process::Calls;
use crate::report::{AnswerKind, Report, Row};
use crate::run::{Prepared, offer};

/// The time for one call.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The characters of a body that a report quotes.
const QUOTED: usize = 200;

/// A sandbox of a contract.
#[derive(Debug)]
pub enum Served<'r> {
    /// One that is started for each contract, on a free port, with its state in memory.
    Started(&'r Runtime),
    /// One that runs.
    At(Upstream),
}

/// The limits of the calls of one contract.
#[derive(Clone, Copy, Debug)]
pub struct CallBounds {
    /// The most calls.
    pub requests: usize,
    /// The time after which no operation is called.
    pub time: Duration,
}

/// The sandbox, and the calls that it gets.
#[derive(Debug)]
pub struct Exercise<'e> {
    /// The sandbox.
    pub served: &'e Served<'e>,
    /// Decides the values of all arguments, and those of a sandbox that is started.
    pub seed: u64,
    /// The limits.
    pub bounds: CallBounds,
}

/// Calls each operation of a client once, of all methods, and compares the answers of a sandbox with the contract. The client reads the
/// same bytes. Identifiers come from earlier answers.
///
/// # Errors
///
/// There are several contracts, one cannot be read, or the client cannot be compiled or ends early.
pub fn exercise(
    workspace: &Workspace,
    name: &str,
    sources: &Sources,
    exercise: &Exercise<'_>,
    interrupt: &Interrupt,
) -> Result<Report, Failure> {
    let contract = match sources.contracts.as_slice() {
        [(_, contract)] => contract,
        several => {
            let first = several.first().map(|(first, _)| pinned_path(first)).unwrap_or_default();
            return Err(Failure::configuration(
                "conformance/sandbox",
                format!("{} contracts are pinned, and a sandbox serves the client of one", several.len()),
                format!("name a contract, such as {first}"),
            ));
        }
    };
    let Prepared { catalog, judges, mut calls, .. } =
        Prepared::new(workspace, name, sources, exercise.seed, &|_| {}, &["token"], interrupt)?;
    let mut started = None;
    let upstream = match exercise.served {
        Served::At(upstream) => upstream.clone(),
        Served::Started(runtime) => {
            let mut options = driftless_sandbox::Options::default();
            options.seed = exercise.seed;
            let sandbox = runtime.block_on(driftless_sandbox::start_with(contract, options)).map_err(|error| {
                Failure::new(Exit::Contract, "conformance/sandbox", format!("{name}: {error}"), error.advice())
            })?;
            let upstream = Upstream::on_loopback(&sandbox.base_url(), TIMEOUT);
            started = Some((runtime, sandbox));
            upstream.ok_or_else(|| {
                let message = "the sandbox does not listen on loopback";
                Failure::new(Exit::Stale, "conformance/sandbox", message, "this is a defect: please report it")
            })?
        }
    };
    let (mut report, mut items) = (Report::new(name, exercise.seed), Items::default());
    let mut answers = crate::report::Answers::default();
    let (begun, mut sent, mut removed) = (Instant::now(), 0, HashSet::new());
    let operations = catalog.operations.iter().map(|operation| (operation.method.as_str(), operation.path.as_str()));
    for index in in_order(operations) {
        interrupt.check()?;
        let Some(operation) = catalog.operations.get(index) else { continue };
        let Some(judge) = judges.get(&operation.document) else { continue };
        let is_over = sent >= exercise.bounds.requests || begun.elapsed() >= exercise.bounds.time;
        let (kind, verdict) = match is_over {
            true => uncalled("the limit of calls or of time is reached"),
            false => {
                let mut one = One {
                    judge,
                    operation,
                    index,
                    calls: &mut calls,
                    items: &mut items,
                    removed: &mut removed,
                    upstream: &upstream,
                };
                one.verdict()?
            }
        };
        sent += usize::from(kind != AnswerKind::Uncalled);
        answers.add(kind);
        let row = Row::new(operation, format!("{} {} sandbox", operation.method, operation.path), verdict);
        report.rows.push(Row { answer: Some(kind), ..row });
    }
    report.answers = Some(answers);
    if let Some((runtime, sandbox)) = started {
        runtime.block_on(sandbox.stop());
    }
    Ok(report)
}

fn uncalled(why: &str) -> (AnswerKind, Verdict) {
    (AnswerKind::Uncalled, Verdict::Limit(line(why).into_owned()))
}

/// One operation.
struct One<'o> {
    judge: &'o Judge,
    operation: &'o CatalogOperation,
    index: usize,
    calls: &'o mut Calls,
    items: &'o mut Items,
    /// The targets of the DELETE requests that succeeded: another operation can have the same path.
    removed: &'o mut HashSet<String>,
    upstream: &'o Upstream,
}

impl One<'_> {
    fn verdict(&mut self) -> Result<(AnswerKind, Verdict), Failure> {
        let offer = offer(self.operation, |input| !input.is_argument);
        let call = match self.judge.call(&offer, self.items) {
            Ok(call) => call,
            Err(verdict) => return Ok((AnswerKind::Uncalled, verdict)),
        };
        self.calls.recorder.relay(self.upstream);
        let outcome = self.calls.call(self.index, &call.arguments, call.body.as_ref())?;
        if let Some(why) = outcome.get("argument").and_then(Value::as_str) {
            return Ok(uncalled(&format!("the types of the client cannot have the arguments: {why}")));
        }
        let request = self.calls.recorder.recorded().pop();
        let reply = self.calls.recorder.replies().pop();
        Ok(match (request, reply) {
            (Some(request), Some(Ok(reply))) => self.judged(&offer, &call, (&request, &reply), &outcome),
            (Some(request), Some(Err(why))) => (AnswerKind::Wrong, silent(&request, &why)),
            _ => {
                let why = outcome.get("error").and_then(Value::as_str).unwrap_or("it sends no request");
                uncalled(&format!("the client: {why}"))
            }
        })
    }

    fn judged(
        &mut self,
        offer: &Offer,
        call: &Call,
        (request, reply): (&Recorded, &Relayed),
        outcome: &Value,
    ) -> (AnswerKind, Verdict) {
        let observed = reply.observed();
        let read = read(observed, outcome);
        let verdict = self.judge.observe(offer, observed, true);
        let declared = self.judge.declared(offer);
        let is_declared = declared.describes(reply.status);
        let is_problem = reply.status >= 400;
        if read.is_ok() && reply.status < 300 {
            self.items.learn(&self.operation.method, &self.operation.path, call, reply);
        }
        let is_removed = self.removed.contains(&request.target);
        if read.is_ok() && reply.status < 300 && request.method == "DELETE" {
            self.removed.insert(request.target.clone());
        }
        let why = || {
            let made_up = match call.made_up.as_slice() {
                _ if is_removed => "; an earlier call removed the item".to_owned(),
                [] => String::new(),
                names => format!("; no answer named an item for {}", names.join(", ")),
            };
            let body: String = String::from_utf8_lossy(&reply.body).chars().take(QUOTED).collect();
            format!("status {}{made_up}: {}", reply.status, line(&body))
        };
        match (verdict, read) {
            // The item does not exist, and the contract has no status for that.
            (Verdict::Mismatch(_), Ok(()))
                if !is_declared && reply.status == 404 && (is_removed || !call.made_up.is_empty()) =>
            {
                (AnswerKind::Undeclared, Verdict::Limit(format!("an undeclared status, read as an error: {}", why())))
            }
            // A contract that says nothing of a body does not forbid the reason of an error.
            (Verdict::Mismatch(fault), Ok(()))
                if is_problem && fault.place == "body" && !declared.has_body(reply.status) =>
            {
                (AnswerKind::Problem, Verdict::Limit(format!("a declared error: {}", why())))
            }
            (Verdict::Mismatch(_), Ok(())) if !declared.has_success() && !is_problem => (
                AnswerKind::Undeclared,
                Verdict::Limit(format!("the contract declares no success, and the client reads: {}", why())),
            ),
            (Verdict::Mismatch(fault), read) => {
                let reads = if read.is_ok() { "the client reads it" } else { "the client does not read it" };
                let kind = match (is_declared, &read) {
                    (_, Err(_)) => AnswerKind::Unread,
                    (false, Ok(())) => AnswerKind::Undeclared,
                    (true, Ok(())) => AnswerKind::Wrong,
                };
                let actual = format!("{}; {reads}; {}", fault.actual, why());
                (kind, Verdict::Mismatch(Fault { actual, ..fault }))
            }
            (_, Err(actual)) => (AnswerKind::Unread, Verdict::Fault(unread(reply, &actual))),
            (_, Ok(())) if !is_declared => {
                (AnswerKind::Undeclared, Verdict::Limit(format!("an undeclared status, read as an error: {}", why())))
            }
            (_, Ok(())) if is_problem => (AnswerKind::Problem, Verdict::Limit(format!("a declared error: {}", why()))),
            (_, Ok(())) => (AnswerKind::Success, Verdict::Right),
        }
    }
}

fn unread(reply: &Relayed, actual: &str) -> Fault {
    let body: String = String::from_utf8_lossy(&reply.body).chars().take(QUOTED).collect();
    Fault {
        place: "answer".to_owned(),
        rule: "Responses Object",
        expected: format!("a result: the answer of status {} fits the contract: {}", reply.status, line(&body)),
        actual: line(actual).into_owned(),
    }
}

fn silent(request: &Recorded, why: &str) -> Verdict {
    Verdict::Mismatch(Fault {
        place: "connection".to_owned(),
        rule: "Paths Object",
        expected: format!("an answer to {} {}", request.method, line(&request.target)),
        actual: line(why).into_owned(),
    })
}

/// Returns whether the client has read an answer: its value, or an error with its status from 400 on, and with its problem, if it is one.
fn read(observed: Observed<'_>, outcome: &Value) -> Result<(), String> {
    let status = outcome.get("status").and_then(Value::as_u64);
    let is_problem = observed.media_type.to_ascii_lowercase().starts_with("application/problem+json");
    let has_problem = outcome.get("problem").and_then(Value::as_bool) == Some(true);
    let is_read = match observed.status {
        400.. => status == Some(u64::from(observed.status)) && (has_problem || !is_problem),
        // A redirection is a result, or an error: the client decides by its configuration.
        300..400 => outcome.get("read").is_some() || status == Some(u64::from(observed.status)),
        _ => outcome.get("read").is_some(),
    };
    let error = outcome.get("error").and_then(Value::as_str).unwrap_or("a result");
    if is_read { Ok(()) } else { Err(error.to_owned()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_read_as_a_value_or_as_an_error_of_its_status() {
        let problem = "application/problem+json; charset=utf-8";
        for (status, media_type, outcome, is_read) in [
            (200, "", json!({ "read": null }), true),
            (200, "", json!({ "error": "x", "status": 200 }), false),
            (302, "", json!({ "error": "x", "status": 302 }), true),
            (404, "", json!({ "error": "x", "status": 404 }), true),
            (404, "", json!({ "error": "x", "status": null }), false),
            (404, "", json!({ "read": 1 }), false),
            (404, problem, json!({ "error": "x", "status": 404, "problem": true }), true),
            (404, problem, json!({ "error": "x", "status": 404, "problem": false }), false),
        ] {
            let observed = Observed { status, media_type, body: b"" };
            assert_eq!(read(observed, &outcome).is_ok(), is_read, "{status} {media_type} {outcome}");
        }
    }
}
