//! Every operation of a client against a sandbox of its contract.

mod answered;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use driftless::develop::Sources;
use driftless::failure::{Exit, Failure};
use driftless::interrupt::{Interrupt, Runtime};
use driftless::workspace::{Workspace, pinned_path};
use driftless_codegen::{CatalogOperation, line};
use driftless_sandbox::conformance::{
    Call, Fault, Items, Judge, Offer, Recorded, Relayed, Upstream, Verdict, in_order,
};
use serde_json::Value;

use self::answered::{answered, read};
use crate::process::Calls;
use crate::report::{AnswerKind, Report, Row};
use crate::run::{Prepared, offer};

/// The time for one call.
const TIMEOUT: Duration = Duration::from_secs(30);

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
/// There are several contracts, one cannot be read, the client cannot be compiled or ends early, or the sandbox performs no operation.
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
    // It stops when it is dropped, on each way out.
    let _started;
    let upstream = match exercise.served {
        Served::At(upstream) => upstream.clone(),
        Served::Started(runtime) => {
            let mut options = driftless_sandbox::Options::default();
            options.seed = exercise.seed;
            let sandbox = runtime.block_on(driftless_sandbox::start_with(contract, options)).map_err(|error| {
                Failure::new(Exit::Contract, "conformance/sandbox", format!("{name}: {error}"), error.advice())
            })?;
            let url = sandbox.base_url();
            _started = Running { runtime, sandbox: Some(sandbox) };
            Upstream::on_loopback(&url, TIMEOUT).map_err(|why| {
                let message = format!("the address of the sandbox: {why}");
                Failure::new(Exit::Stale, "conformance/sandbox", message, "this is a defect: please report it")
            })?
        }
    };
    let (mut report, mut items) = (Report::new(name, exercise.seed), Items::default());
    let mut answers = crate::report::Answers::default();
    let (begun, mut tally, mut removed) = (Instant::now(), Tally::default(), HashSet::new());
    let operations = catalog.operations.iter().map(|operation| (operation.method.as_str(), operation.path.as_str()));
    for index in in_order(operations) {
        interrupt.check()?;
        let Some(operation) = catalog.operations.get(index) else { continue };
        let Some(judge) = judges.get(&operation.document) else { continue };
        let is_over = tally.calls >= exercise.bounds.requests || begun.elapsed() >= exercise.bounds.time;
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
                    tally: &mut tally,
                };
                one.verdict()?
            }
        };
        tally.calls += usize::from(kind != AnswerKind::Uncalled);
        answers.add(kind);
        let row = Row::new(operation, format!("{} {} sandbox", operation.method, operation.path), verdict);
        report.rows.push(Row { answer: Some(kind), ..row });
    }
    report.answers = Some(answers);
    tally.fails(&report)?;
    Ok(report)
}

/// A sandbox that stops with this value.
struct Running<'r> {
    runtime: &'r Runtime,
    sandbox: Option<driftless_sandbox::Sandbox>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(sandbox) = self.sandbox.take() {
            self.runtime.block_on(sandbox.stop());
        }
    }
}

/// The calls, and the answers to them.
#[derive(Debug, Default)]
struct Tally {
    calls: usize,
    /// Those with the status 401 or 403.
    refused: usize,
    /// Those below 400 that the client reads.
    performed: usize,
}

impl Tally {
    /// Fails if no operation was performed. A report that fails anyway says more.
    fn fails(&self, report: &Report) -> Result<(), Failure> {
        if self.calls == 0 || self.performed > 0 || report.fails() {
            return Ok(());
        }
        let first = report.rows.iter().find(|row| row.answer.is_some_and(|kind| kind != AnswerKind::Uncalled));
        let first = first.map(|row| format!("{}: {}", line(&row.case), row.sentence())).unwrap_or_default();
        let (code, why, hint) = match self.refused == self.calls {
            true => {
                ("conformance/credentials", "refuses the credentials of", "start the sandbox with --no-credentials")
            }
            false => ("conformance/sandbox", "performs none of", "run the sandbox of the contract that is named"),
        };
        let message = format!("the sandbox {why} {} calls; the first: {first}", self.calls);
        Err(Failure::new(Exit::Download, code, message, hint))
    }
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
    tally: &'o mut Tally,
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
        let (requests, reply) = (self.calls.recorder.recorded(), self.calls.recorder.replies().pop());
        Ok(match exchanged((&self.operation.method, &self.operation.path), requests, reply, &outcome) {
            Ok((request, reply)) => self.judged(&offer, &call, (&request, &reply), &outcome),
            Err(verdict) => verdict,
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
        let is_removed = self.removed.contains(&request.target);
        self.tally.refused += usize::from(matches!(reply.status, 401 | 403));
        if read.is_ok() && reply.status < 400 {
            self.tally.performed += 1;
        }
        if read.is_ok() && reply.status < 300 {
            self.items.learn(&self.operation.method, &self.operation.path, call, reply);
            if request.method == "DELETE" {
                self.removed.insert(request.target.clone());
            }
        }
        let verdict = self.judge.observe(offer, observed, true);
        answered(self.judge.declared(offer), call, is_removed, reply, verdict, read)
    }
}

/// The last request of a call and its answer, or the verdict on a call that has none.
fn exchanged(
    (method, path): (&str, &str),
    mut requests: Vec<Recorded>,
    reply: Option<Result<Relayed, String>>,
    outcome: &Value,
) -> Result<(Recorded, Relayed), (AnswerKind, Verdict)> {
    if let Some(why) = outcome.get("argument").and_then(Value::as_str) {
        return Err(uncalled(&format!("the types of the client cannot have the arguments: {why}")));
    }
    if let Some((request, flaw)) = requests.iter().find_map(|request| Some((request, request.flaw.as_ref()?))) {
        return Err((AnswerKind::Uncalled, framed(request, flaw)));
    }
    match (requests.pop(), reply) {
        (Some(request), Some(Ok(reply))) => Ok((request, reply)),
        (Some(request), reply) => {
            let why = reply.and_then(Result::err).unwrap_or_else(|| "no answer".to_owned());
            Err((AnswerKind::Wrong, silent(&request, &why)))
        }
        (None, _) => Err((AnswerKind::Uncalled, unsent(method, path, outcome))),
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

fn framed(request: &Recorded, flaw: &str) -> Verdict {
    Verdict::Fault(Fault {
        place: "length".to_owned(),
        rule: "RFC 9112, section 6",
        expected: format!("one length of the body of {} {}", request.method, line(&request.target)),
        actual: line(flaw).into_owned(),
    })
}

/// All arguments could be made, so the client has no reason to fail before it sends a request.
fn unsent(method: &str, path: &str, outcome: &Value) -> Verdict {
    let why = outcome.get("error").and_then(Value::as_str).unwrap_or("no request");
    Verdict::Fault(Fault {
        place: "request".to_owned(),
        rule: "Paths Object",
        expected: line(&format!("a request of {method} {path}")).into_owned(),
        actual: line(why).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_sandbox_stops_with_the_value_that_started_it() {
        let (runtime, _interrupt) = Interrupt::start().unwrap();
        let contract = br#"{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{}}"#;
        let started = driftless_sandbox::start_with(contract, driftless_sandbox::Options::default());
        let sandbox = runtime.block_on(started).unwrap();
        let address = sandbox.origin().trim_start_matches("http://").to_owned();
        let fails = || {
            let _running = Running { runtime: &runtime, sandbox: Some(sandbox) };
            assert!(TcpStream::connect(&address).is_ok());
            Err::<(), _>(())
        };
        assert!(fails().is_err());
        assert!(TcpStream::connect(&address).is_err());
    }

    #[test]
    fn calls_of_which_none_is_performed_are_a_failure() {
        let row = |class| Row { class, answer: Some(AnswerKind::Problem), ..Row::default() };
        let report = |class| Report { rows: vec![row(class)], ..Report::default() };
        for (calls, refused, performed, class, code) in [
            (0, 0, 0, "limit", None),
            (2, 2, 0, "limit", Some("conformance/credentials")),
            (2, 1, 0, "limit", Some("conformance/sandbox")),
            (2, 1, 1, "limit", None),
            (2, 2, 0, "mismatch", None),
        ] {
            let failure = Tally { calls, refused, performed }.fails(&report(class)).err();
            assert_eq!(failure.as_ref().map(|failure| failure.code), code, "{calls} {refused} {performed} {class}");
            assert!(failure.is_none_or(|failure| failure.exit == Exit::Download));
        }
    }

    #[test]
    fn a_client_that_sends_nothing_or_a_broken_length_is_at_fault() {
        let (whole, broken) =
            (Recorded::default(), Recorded { flaw: Some("3 bytes".to_owned()), ..Recorded::default() });
        let (reply, late) = (Some(Ok(Relayed::default())), Some(Err("late".to_owned())));
        let (read, error) = (json!({ "read": 1 }), json!({ "error": "runtime/url: no\nurl", "status": null }));
        let argument = json!({ "argument": "a text" });
        for (requests, reply, outcome, expected) in [
            (vec![], None, &error, "Uncalled Fault request: runtime/url: no\\nurl"),
            (vec![], None, &read, "Uncalled Fault request: no request"),
            (vec![], None, &argument, "Uncalled Limit"),
            (vec![broken.clone()], None, &error, "Uncalled Fault length: 3 bytes"),
            // The client repeats the request.
            (vec![broken, whole.clone()], reply.clone(), &read, "Uncalled Fault length: 3 bytes"),
            (vec![whole.clone()], late, &error, "Wrong Mismatch connection: late"),
            (vec![whole], reply, &read, "exchanged"),
        ] {
            let actual = match exchanged(("GET", "/a"), requests, reply, outcome) {
                Ok(_) => "exchanged".to_owned(),
                Err((kind, Verdict::Fault(fault))) => format!("{kind:?} Fault {}: {}", fault.place, fault.actual),
                Err((kind, Verdict::Mismatch(fault))) => format!("{kind:?} Mismatch {}: {}", fault.place, fault.actual),
                Err((kind, Verdict::Limit(_))) => format!("{kind:?} Limit"),
                Err((kind, verdict)) => format!("{kind:?} {verdict:?}"),
            };
            assert_eq!(actual, expected);
        }
    }
}
