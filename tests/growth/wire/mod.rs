//! Compares the effects of a drift report with running programs: a client of the old contract calls a server that implements
//! the new one.

mod caller;
mod others;
mod schemas;
mod service;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use driftless_codegen::drift::Wire;
use driftless_codegen::{Names, Output};
use serde_json::{Map, Value, json};

use self::caller::{Arguments, BODY, Caller};
use self::schemas::{How, Schemas};
use self::service::{Manner, Seen, Service, parameters, successes};
use super::verdicts::{Reported, known};
use super::{Case, SHARED, cases, lay_out};
use crate::support::{Programs, cargo, read, root};

/// The response of the service to the requests of the old client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Request {
    #[default]
    AsBefore,
    /// It is refused with some values, which are beyond a limit.
    AtTheLimit,
    /// It is taken for something else than before, without a word.
    Misunderstood,
    Refused,
}

/// The way in which the old client reads the answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    #[default]
    AsBefore,
    /// Read, except for values that were not possible before: larger ones, another status.
    AtTheLimit,
    /// A value is read that was not sent.
    Misread,
    NotRead,
}

impl Request {
    fn says(self) -> &'static str {
        match self {
            Self::AsBefore => "as before",
            Self::AtTheLimit => "refused beyond the limit",
            Self::Misunderstood => "understood otherwise",
            Self::Refused => "refused",
        }
    }
}

impl Answer {
    fn says(self) -> &'static str {
        match self {
            Self::AsBefore => "as before",
            Self::AtTheLimit => "what is new is not read",
            Self::Misread => "misread",
            Self::NotRead => "not read",
        }
    }
}

/// The observed effects of one change.
#[derive(Clone, Debug, Default)]
struct Met {
    request: Request,
    answer: Answer,
    /// The exchanges that show them.
    why: Vec<String>,
    calls: usize,
    /// Calls that fail at the service before, with the reason.
    left_out: Vec<String>,
}

impl Met {
    fn request(&mut self, request: Request, why: String) {
        self.request = self.request.max(request);
        self.why.push(why);
    }

    fn answer(&mut self, answer: Answer, why: String) {
        self.answer = self.answer.max(answer);
        self.why.push(why);
    }

    /// The effect that a report has to state.
    fn wire(&self) -> Wire {
        match (self.request, self.answer) {
            (Request::Refused, _) | (_, Answer::NotRead | Answer::Misread) => Wire::Break,
            (Request::AsBefore, Answer::AsBefore) => Wire::Safe,
            _ => Wire::Risk,
        }
    }
}

/// The client before, as a running program.
struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
    input: ChildStdin,
}

impl Running {
    fn start(case: &Case, before: &Output, caller: &Caller, address: &str) -> Self {
        let folder = Programs::get().target().join("growth").join(format!("{}-wire", case.name));
        lay_out(&folder, before, before, "");
        let features: Vec<String> = before.features.iter().map(|feature| format!("{:?}", feature.name)).collect();
        let manifest = format!(
            "[package]\nname = \"consumer\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
             platform-client = {{ path = \"../client\", features = [{}] }}\nserde.workspace = true\n\
             serde_json.workspace = true\ntokio = {{ workspace = true, features = [\"rt\"] }}\n{SHARED}",
            features.join(", ")
        );
        fs::write(folder.join("consumer/Cargo.toml"), manifest).unwrap();
        fs::write(folder.join("consumer/src/main.rs"), &caller.source).unwrap();
        let target = Programs::get().target().join("growth/target");
        let run = cargo(&["build", "--quiet", "--offline", "-p", "consumer", "--bin", "consumer"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", &target)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&run.stderr));
        let program = folder.join(format!("caller{}", std::env::consts::EXE_SUFFIX));
        // The next case builds a program of the same name.
        fs::copy(target.join(format!("debug/consumer{}", std::env::consts::EXE_SUFFIX)), &program).unwrap();
        let mut child = std::process::Command::new(program)
            .arg(address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, lines: BufReader::new(output), input }
    }

    fn perform(&mut self, operation: &str, arguments: &Map<String, Value>) -> Value {
        writeln!(self.input, "{}", json!({"operation": operation, "arguments": arguments})).unwrap();
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{operation}: {error}: {line}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An operation of a contract, with the values that a client before sends.
struct Operation<'c> {
    key: String,
    item: &'c Value,
    value: &'c Value,
}

fn operations(contract: &Value) -> Vec<Operation<'_>> {
    let paths = contract["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, value)| Operation {
            key: format!("{} {path}", method.to_uppercase()),
            item,
            value,
        })
    });
    all.filter(|operation| operation.value["responses"].is_object()).collect()
}

impl Operation<'_> {
    /// The arguments that a client of this contract sends, by the names on the wire.
    fn arguments(&self, contract: &Value, known: &Arguments, how: How) -> Map<String, Value> {
        let schemas = Schemas { contract, sent: true };
        let mut arguments = Map::new();
        for parameter in parameters(schemas, self.item, self.value) {
            let name = parameter["name"].as_str().unwrap();
            let value = schemas.value(&parameter["schema"], how);
            let is_sent = |is_needed: &bool| *is_needed || how != How::Least && !value.is_null();
            if known.get(name).is_some_and(is_sent) {
                arguments.insert(name.to_owned(), value);
            }
        }
        let body = schemas.resolve(&self.value["requestBody"]);
        let contents = body["content"].as_object();
        let media = contents.and_then(|all| all.get("application/json").or_else(|| all.values().next()));
        if let Some(media) = media
            && known.get(BODY).is_some_and(|is_needed| *is_needed || how != How::Least)
        {
            arguments.insert(BODY.to_owned(), schemas.value(&media["schema"], how));
        }
        arguments
    }

    /// The operation as the contract has it, with the schemas that it refers to.
    fn whole(&self, contract: &Value) -> String {
        let mut text = format!("{} {}", self.item["parameters"], self.value);
        let (mut known, mut from) = (BTreeSet::new(), 0);
        while let Some(at) = text[from..].find("\"$ref\":\"#") {
            from += at + 9;
            let pointer = text[from..].split('"').next().unwrap_or_default().to_owned();
            if known.insert(pointer.clone()) {
                text.push_str(&contract.pointer(&pointer).unwrap_or(&Value::Null).to_string());
            }
        }
        text
    }
}

/// One call, on both sides.
struct Exchange {
    seen: Seen,
    /// The value that the client read, or its error.
    read: Result<Value, String>,
}

impl Exchange {
    fn is_refused(&self) -> bool {
        !self.seen.complaints.refused.is_empty()
    }
}

struct Meeting<'c> {
    case: &'c Case,
    before: Arc<Value>,
    caller: Caller,
    program: Running,
    service: Service,
    /// Exchanges with the old service, by operation and variation.
    usual: BTreeMap<String, Exchange>,
    /// `true` if each call has to succeed at the old service; otherwise failing calls are left out.
    is_strict: bool,
}

impl<'c> Meeting<'c> {
    fn start(case: &'c Case, before: &Output, runtime: &tokio::runtime::Runtime, is_strict: bool) -> Self {
        let schemas = Schemas { contract: &case.contract, sent: true };
        let names: BTreeMap<String, Vec<String>> = operations(&case.contract)
            .iter()
            .map(|operation| {
                let all = parameters(schemas, operation.item, operation.value);
                let all = all.iter().filter_map(|parameter| Some(parameter["name"].as_str()?.to_owned()));
                (operation.key.clone(), all.collect())
            })
            .collect();
        let caller = Caller::new(before, |key| names.get(key).cloned().unwrap_or_default());
        let service = runtime.block_on(Service::start());
        let program = Running::start(case, before, &caller, &service.address);
        let before = Arc::new(case.contract.clone());
        Self { case, before, caller, program, service, usual: BTreeMap::new(), is_strict }
    }

    /// `None`: the arguments cannot be read from a line, such as files.
    fn exchange(&mut self, operation: &str, arguments: &Map<String, Value>, manner: Manner) -> Option<Exchange> {
        self.service.prepare(manner);
        let line = self.program.perform(operation, arguments);
        if line["argument"] == "" {
            return None;
        }
        let Some(seen) = self.service.seen() else {
            assert!(!self.is_strict, "{operation} sent nothing: {line}\n{arguments:?}");
            return None;
        };
        let read = match line.get("read") {
            Some(value) => Ok(value.clone()),
            None => Err(line.to_string()),
        };
        Some(Exchange { seen, read })
    }

    /// The effects that the old client observes at a server that implements another contract.
    fn meets(&mut self, after: &Value) -> Met {
        let mut met = Met::default();
        let after = Arc::new(after.clone());
        let before = Arc::clone(&self.before);
        let news: BTreeMap<String, (String, Vec<String>)> = operations(&after)
            .iter()
            .map(|operation| (operation.key.clone(), (operation.whole(&after), successes(operation.value))))
            .collect();
        for operation in operations(&before) {
            let new = news.get(&operation.key);
            if new.is_some_and(|(whole, _)| *whole == operation.whole(&before)) {
                continue;
            }
            let Some(known) = self.caller.operations.get(&operation.key).cloned() else { continue };
            let usual_statuses = successes(operation.value);
            let mut statuses = usual_statuses.clone();
            statuses.extend(new.into_iter().flat_map(|(_, statuses)| statuses.clone()));
            statuses.sort();
            statuses.dedup();
            if statuses.is_empty() {
                statuses.push("default".to_owned());
            }
            let first = usual_statuses.first().unwrap_or(&statuses[0]).clone();
            let requests = How::ALL.into_iter().map(|how| (how, first.clone(), How::First));
            let answers = How::ALL.into_iter().flat_map(|how| statuses.iter().map(move |one| (how, one.clone())));
            let answers = answers.map(|(how, status)| (How::First, status, how));
            for (sent, status, how) in requests.chain(answers) {
                let arguments = operation.arguments(&before, &known, sent);
                let manner =
                    |contract: &Arc<Value>| Manner { contract: Arc::clone(contract), status: status.clone(), how };
                let name = format!("{} {sent:?} {status} {how:?}", operation.key);
                if !self.usual.contains_key(&name) {
                    let usual = self.exchange(&operation.key, &arguments, manner(&before));
                    let Some(usual) = usual else { continue };
                    let read =
                        usual.read.as_ref().map(|read| differing(read, usual.seen.sent.as_ref().unwrap_or(read)));
                    if !self.is_strict && (usual.is_refused() || !matches!(read, Ok(None))) {
                        met.left_out.push(format!("{name}: {:?} {read:?}", usual.seen.complaints.refused.first()));
                        continue;
                    }
                    assert!(!usual.is_refused(), "{}: {name}: {:?}", self.case.name, usual.seen.complaints);
                    assert!(matches!(read, Ok(None)), "{}: {name}: {read:?}: {:?}", self.case.name, usual.seen.sent);
                    self.usual.insert(name.clone(), usual);
                }
                let Some(now) = self.exchange(&operation.key, &arguments, manner(&after)) else { continue };
                let is_new = how == How::Wide || !usual_statuses.is_empty() && !usual_statuses.contains(&status);
                compare(&name, &self.usual[&name], &now, [sent == How::Wide, is_new], &mut met);
            }
        }
        met
    }
}

/// `is_wide`: the request has values as large as can be; `is_new`: the answer is one that was not possible before.
fn compare(name: &str, usual: &Exchange, now: &Exchange, [is_wide, is_new]: [bool; 2], met: &mut Met) {
    met.calls += 1;
    let complaints = &now.seen.complaints;
    if let Some(why) = complaints.refused.first() {
        let what = if is_wide { Request::AtTheLimit } else { Request::Refused };
        return met.request(what, format!("{name}: {why}"));
    }
    if let (Some(why), true) = (complaints.beyond.first(), usual.seen.complaints.beyond.is_empty()) {
        met.request(Request::AtTheLimit, format!("{name}: {why}"));
    }
    let other = usual.seen.taken.iter().find(|(key, value)| !holds(now.seen.taken.get(*key), value));
    if let Some((key, value)) = other {
        met.request(Request::Misunderstood, format!("{name}: {key} {value} → {:?}", now.seen.taken.get(key)));
    }
    match (&now.read, &now.seen.sent) {
        (Err(error), _) => {
            let what = if is_new { Answer::AtTheLimit } else { Answer::NotRead };
            met.answer(what, format!("{name}: {error}"));
        }
        (Ok(read), Some(sent)) => {
            if let Some(place) = differing(read, sent) {
                met.answer(Answer::Misread, format!("{name}: {place}"));
            }
        }
        _ => {}
    }
}

/// Returns whether the value that the service takes now contains the one that it took before.
fn holds(now: Option<&Value>, before: &Value) -> bool {
    match (now, before) {
        (None, Value::Null) => true,
        (None, _) => false,
        (Some(Value::Object(now)), Value::Object(before)) => {
            before.iter().all(|(key, value)| holds(now.get(key), value))
        }
        (Some(Value::Array(now)), Value::Array(before)) => {
            now.len() == before.len() && now.iter().zip(before).all(|(now, before)| holds(Some(now), before))
        }
        (Some(now), before) => now == before,
    }
}

/// The position of a value that was read and not sent.
fn differing(read: &Value, sent: &Value) -> Option<String> {
    match (read, sent) {
        (Value::Null, _) => None,
        (Value::Object(read), Value::Object(sent)) => read.iter().find_map(|(key, value)| {
            Some(format!("{key} {}", differing(value, sent.get(key).unwrap_or(&Value::Null))?))
        }),
        (Value::Array(read), Value::Array(sent)) if read.len() == sent.len() => {
            read.iter().zip(sent).find_map(|(read, sent)| differing(read, sent))
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        (read, sent) => (read != sent).then(|| format!("{sent} is read as {read}")),
    }
}

/// The observed effects, a line for each contract and change: the test below writes the file, and the guide has it as a table.
pub(super) const MET: &str = "tests/growth/wire/met.txt";

#[test]
#[ignore = "builds and runs a client of each contract: .ci/run runs it"]
fn a_running_client_meets_what_the_report_says() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (mut wrong, mut lines) = (Vec::new(), String::new());
    for case in cases().into_iter().filter(|case| case.name != "grown") {
        let before = case.client(&case.contract, &Names::default());
        let mut meeting = Meeting::start(&case, &before, &runtime, true);
        for Reported { what, contract, drift } in &known(&case, &before).1 {
            let met = meeting.meets(contract);
            lines.push_str(&format!("{}\t{what}\t{}\t{}\n", case.name, met.request.says(), met.answer.says()));
            assert!(met.calls > 0 || drift.client() < Wire::Risk, "{}: {what}: no call meets it", case.name);
            // For a running program, an addition and a change without effect are the same.
            if met.wire() != drift.client().max(Wire::Safe) {
                let why: Vec<&String> = met.why.iter().take(2).collect();
                let (request, answer) = (met.request, met.answer);
                wrong.push(format!(
                    "{}: {what}: told {:?}, met {request:?} {answer:?}: {why:#?}",
                    case.name,
                    drift.client()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} verdicts are wrong:\n{}", wrong.len(), wrong.join("\n"));
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(root().join(MET), &lines).unwrap();
    }
    let known = read(MET);
    let is_known = |line: &&str| known.lines().any(|other| other == *line);
    let other: Vec<&str> = lines.lines().filter(|line| !is_known(line)).collect();
    assert!(other.is_empty(), "{MET} says something else; run this with INSTA_UPDATE=always\n{}", other.join("\n"));
}
