//! Prism (npm's `@stoplight/prism-cli`) as another judge of requests: it validates those that the client sent.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use driftless::child::Owned;
use driftless::failure::Failure;
use driftless::interrupt::Interrupt;
use driftless_sandbox::conformance::Recorded;
use serde_json::Value;

/// The version that is downloaded.
const PACKAGE: &str = "@stoplight/prism-cli@5.16.0";
/// The variable with the path of an installed Prism.
const VARIABLE: &str = "PRISM";
/// The time until it listens, with a download.
const START: Duration = Duration::from_secs(180);
/// The time for one answer.
const ANSWER: Duration = Duration::from_secs(20);
/// The largest answer that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The errors by which Prism refuses a request; the others are about its own answers, or about credentials.
const REFUSALS: [&str; 4] =
    ["UNPROCESSABLE_ENTITY", "NO_PATH_MATCHED_ERROR", "NO_METHOD_MATCHED_ERROR", "INVALID_CONTENT_TYPE"];

/// A running Prism, with one contract.
pub(crate) struct Prism {
    address: SocketAddr,
    /// The opinions on requests: many cases send the same one.
    known: HashMap<Vec<u8>, Option<String>>,
    _child: Owned,
}

impl Prism {
    /// Starts it with a contract. The inner error says why this machine has none.
    pub(crate) fn start(contract: &Path, interrupt: &Interrupt) -> Result<Result<Self, String>, Failure> {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let address = match free {
            Ok(address) => address,
            Err(error) => return Ok(Err(format!("no port is free: {error}"))),
        };
        let mut command = match std::env::var_os(VARIABLE) {
            Some(program) => Command::new(program),
            None => {
                let mut command = Command::new("npx");
                command.args(["--yes", PACKAGE]);
                command
            }
        };
        command.args(["mock", "--errors", "--host", "127.0.0.1", "--port", &address.port().to_string()]).arg(contract);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = match command.spawn() {
            Ok(child) => Owned(child),
            Err(error) => return Ok(Err(format!("{program} does not start: {error}"))),
        };
        let start = Instant::now();
        while TcpStream::connect_timeout(&address, ANSWER).is_err() {
            interrupt.check()?;
            if let Ok(Some(status)) = child.0.try_wait() {
                return Ok(Err(format!(
                    "{program} ended with {status}: it is out of reach, or does not read the contract"
                )));
            }
            if start.elapsed() > START {
                return Ok(Err(format!("{program} does not listen")));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(Ok(Self { address, known: HashMap::new(), _child: child }))
    }

    /// Why Prism refuses a request; `None`: it does not.
    pub(crate) fn refusal(&mut self, recorded: &Recorded) -> Option<String> {
        let request = bytes(recorded, self.address);
        if let Some(known) = self.known.get(&request) {
            return known.clone();
        }
        let answer = self.answer(&request).unwrap_or_default();
        let refusal = refusal(&answer);
        self.known.insert(request, refusal.clone());
        refusal
    }

    fn answer(&self, request: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&self.address, ANSWER)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(request)?;
        let mut answer = Vec::new();
        stream.take(LARGEST).read_to_end(&mut answer)?;
        Ok(answer)
    }
}

/// The request as it was recorded, for another server.
fn bytes(recorded: &Recorded, address: SocketAddr) -> Vec<u8> {
    let mut head =
        format!("{} {} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n", recorded.method, recorded.target);
    let own = ["host", "connection", "content-length", "transfer-encoding", "x-request-id", "user-agent", "expect"];
    for (name, value) in recorded.headers.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !recorded.body.is_empty() {
        head.push_str(&format!("content-length: {}\r\n", recorded.body.len()));
    }
    [head.as_bytes(), b"\r\n", &recorded.body].concat()
}

/// The reason of an answer that refuses the request: the header `sl-violations` if the contract declares the status, else a problem
/// (RFC 9457).
fn refusal(answer: &[u8]) -> Option<String> {
    let begin = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, body) = answer.split_at_checked(begin)?;
    let head = String::from_utf8_lossy(head);
    let headers = head.lines().filter_map(|line| line.split_once(':'));
    let mut violations = headers.filter(|(name, _)| name.eq_ignore_ascii_case("sl-violations"));
    if let Some(list) = violations.find_map(|(_, list)| serde_json::from_str::<Vec<Value>>(list).ok()) {
        let is_request = |one: &&Value| one.pointer("/location/0").is_some_and(|side| side == "request");
        // Credentials are not compared: 401 is about them.
        let is_credential = |one: &&Value| one.get("code").is_some_and(|code| *code == 401 || *code == "401");
        return reasons(list.iter().filter(is_request).filter(|one| !is_credential(one)));
    }
    let (first, last) = (body.iter().position(|byte| *byte == b'{')?, body.iter().rposition(|byte| *byte == b'}')?);
    let problem: Value = serde_json::from_slice(body.get(first..=last)?).ok()?;
    let kind = problem.get("type")?.as_str()?.split_once("prism/errors#")?.1;
    if !REFUSALS.contains(&kind) {
        return None;
    }
    let list = problem.get("validation").and_then(Value::as_array);
    reasons(list.into_iter().flatten()).or_else(|| Some(format!("{kind}: {}", text(&problem, "detail"))))
}

/// The first violations that are errors.
fn reasons<'v>(list: impl Iterator<Item = &'v Value>) -> Option<String> {
    let reason = |one: &Value| {
        let place = one.get("location").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        format!("{}: {}", place.collect::<Vec<_>>().join("."), text(one, "message"))
    };
    let reasons: Vec<String> = list.filter(|one| text(one, "severity") == "Error").take(3).map(reason).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(kind: &str, validation: &Value) -> Vec<u8> {
        let problem = json!({ "type": format!("https://stoplight.io/prism/errors#{kind}"), "detail": "why", "validation": validation });
        format!("HTTP/1.1 422 x\r\ntransfer-encoding: chunked\r\n\r\n1f\r\n{problem}\r\n0\r\n\r\n").into_bytes()
    }

    #[test]
    fn only_what_is_wrong_with_the_request_is_a_refusal() {
        let errors = json!([
            { "location": ["query", "limit"], "severity": "Error", "message": "must be integer" },
            { "location": ["body"], "severity": "Warning", "message": "deprecated" },
        ]);
        // A contract that declares the status gets its body, and Prism's reason in a header.
        let with_header = |side: &str| {
            let list =
                json!([{ "location": [side, "query", "limit"], "severity": "Error", "message": "must be integer" }]);
            format!("HTTP/1.1 422 x\r\nsl-violations: {list}\r\n\r\n{{\"code\":1}}").into_bytes()
        };
        let table = [
            (answer("UNPROCESSABLE_ENTITY", &errors), Some("query.limit: must be integer")),
            (answer("NO_PATH_MATCHED_ERROR", &Value::Null), Some("NO_PATH_MATCHED_ERROR: why")),
            (answer("UNAUTHORIZED", &Value::Null), None),
            (answer("NOT_ACCEPTABLE", &Value::Null), None),
            (b"HTTP/1.1 200 x\r\n\r\n{\"type\":\"cat\"}".to_vec(), None),
            (with_header("request"), Some("request.query.limit: must be integer")),
            (with_header("response"), None),
            (b"HTTP/1.1 204 x\r\n\r\n".to_vec(), None),
            (b"\xff".to_vec(), None),
        ];
        for (answer, expected) in table {
            assert_eq!(refusal(&answer).as_deref(), expected, "{}", String::from_utf8_lossy(&answer));
        }
    }

    #[test]
    fn the_request_is_sent_as_it_was_recorded() {
        let headers = [("host", "a"), ("x-a", "1"), ("content-length", "9"), ("content-type", "text/plain")];
        let recorded = Recorded {
            method: "POST".to_owned(),
            target: "/a?b=c%20d".to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            body: b"body".to_vec(),
        };
        let expected = "POST /a?b=c%20d HTTP/1.1\r\nhost: 127.0.0.1:1\r\nconnection: close\r\nx-a: 1\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nbody";
        assert_eq!(String::from_utf8(bytes(&recorded, ([127, 0, 0, 1], 1).into())).unwrap(), expected);
    }
}
