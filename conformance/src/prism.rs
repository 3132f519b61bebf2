//! Prism (npm's `@stoplight/prism-cli`) as another judge of requests: it validates those that the client sent.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use driftless::child::Group;
use driftless::failure::Failure;
use driftless::interrupt::Interrupt;
use driftless_codegen::line;
use driftless_sandbox::conformance::Recorded;
use serde_json::Value;

/// The only address that it listens on.
const HOST: &str = "127.0.0.1";
/// The version that is downloaded.
const PACKAGE: &str = "@stoplight/prism-cli@5.16.0";
/// The variable with the path of an installed Prism.
const VARIABLE: &str = "PRISM";
/// The time until it listens, with a download.
const START: Duration = Duration::from_secs(180);
/// The time for one answer.
const ANSWER: Duration = Duration::from_secs(20);
/// The largest answer that is read, in bytes.
const LARGEST: usize = 1024 * 1024;
/// The time between two looks for a signal.
const PAUSE: Duration = Duration::from_millis(50);
/// After so many failures, it is not asked again.
const FAILURES: usize = 3;

/// The errors by which Prism refuses a request; the others are about its own answers, or about credentials.
const REFUSALS: [&str; 4] =
    ["UNPROCESSABLE_ENTITY", "NO_PATH_MATCHED_ERROR", "NO_METHOD_MATCHED_ERROR", "INVALID_CONTENT_TYPE"];

/// A running Prism, with one contract.
pub(crate) struct Prism {
    address: SocketAddr,
    /// The opinions on requests: many cases send the same one.
    known: HashMap<Vec<u8>, Option<String>>,
    /// The number of requests without an opinion, and the reason of the first one.
    failed: (usize, String),
    _group: Group,
}

impl Prism {
    /// Starts it with a contract. The inner error says why this machine has none.
    pub(crate) fn start(contract: &Path, interrupt: &Interrupt) -> Result<Result<Self, String>, Failure> {
        let command = match std::env::var_os(VARIABLE) {
            Some(program) => Command::new(program),
            None => {
                let mut command = Command::new("npx");
                command.args(["--yes", PACKAGE]);
                command
            }
        };
        Self::start_program(command, contract, interrupt)
    }

    fn start_program(
        mut command: Command,
        contract: &Path,
        interrupt: &Interrupt,
    ) -> Result<Result<Self, String>, Failure> {
        // The system gives it a port that is free, and Prism says which: one that was looked up before could be taken until it starts.
        command.args(["mock", "--errors", "--host", HOST, "--port", "0"]).arg(contract);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let program = command.get_program().to_string_lossy().into_owned();
        // npx starts another process, which listens.
        let mut group = match Group::start(&mut command) {
            Ok(group) => group,
            Err(error) => return Ok(Err(format!("{program} does not start: {error}"))),
        };
        let Some(output) = group.output() else { return Ok(Err(format!("{program} has no output"))) };
        let (sender, addresses) = channel();
        // It ends with the program, and reads all of its lines: a full pipe would stop it.
        std::thread::spawn(move || {
            BufReader::new(output).split(b'\n').map_while(Result::ok).for_each(|line| {
                if let Some(address) = address(&String::from_utf8_lossy(&line)) {
                    let _ = sender.send(address);
                }
            });
        });
        let start = Instant::now();
        loop {
            interrupt.check()?;
            match addresses.recv_timeout(PAUSE) {
                Ok(address) => {
                    return Ok(Ok(Self { address, known: HashMap::new(), failed: Default::default(), _group: group }));
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Without its output, it cannot say more.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(PAUSE),
            }
            if let Ok(Some(status)) = group.status() {
                return Ok(Err(format!(
                    "{program} ended with {status}: it is out of reach, or does not read the contract"
                )));
            }
            if start.elapsed() > START {
                return Ok(Err(format!("{program} does not listen")));
            }
        }
    }

    /// The reason that Prism refuses a request; `None`: it does not, or has no opinion.
    pub(crate) fn refusal(&mut self, recorded: &Recorded, interrupt: &Interrupt) -> Result<Option<String>, Failure> {
        let request = bytes(recorded, self.address);
        if let Some(known) = self.known.get(&request) {
            return Ok(known.clone());
        }
        // One that does not answer would take its time for each case.
        let answer =
            if self.failed.0 < FAILURES { exchange(self.address, &request, interrupt)? } else { Err(String::new()) };
        Ok(match answer.and_then(|answer| refusal(&answer)) {
            Ok(refusal) => {
                self.known.insert(request, refusal.clone());
                refusal
            }
            Err(why) => {
                if self.failed.0 == 0 {
                    self.failed.1 = why;
                }
                self.failed.0 += 1;
                None
            }
        })
    }

    /// The reason that requests are not compared.
    pub(crate) fn reason(&self) -> Option<String> {
        let (count, why) = &self.failed;
        (*count > 0).then(|| format!("Prism: {count} requests are not compared: {}", line(why)))
    }
}

/// The address of the line by which Prism says that it listens.
fn address(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("listening on http://")?;
    let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ".:".contains(letter))).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok().filter(|address: &SocketAddr| address.ip().is_loopback() && address.port() > 0)
}

/// Sends a request, and reads the answer up to its end.
fn exchange(address: SocketAddr, request: &[u8], interrupt: &Interrupt) -> Result<Result<Vec<u8>, String>, Failure> {
    let start = Instant::now();
    let sent = TcpStream::connect_timeout(&address, ANSWER).and_then(|mut stream| {
        stream.set_write_timeout(Some(ANSWER))?;
        stream.set_read_timeout(Some(PAUSE))?;
        stream.write_all(request).map(|()| stream)
    });
    let mut stream = match sent {
        Ok(stream) => stream,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let (mut answer, mut part) = (Vec::new(), [0; 8192]);
    loop {
        interrupt.check()?;
        if start.elapsed() > ANSWER || answer.len() > LARGEST {
            return Ok(Err(format!("its answer does not end within {} s and {LARGEST} bytes", ANSWER.as_secs())));
        }
        match stream.read(&mut part) {
            Ok(0) => return Ok(Ok(answer)),
            Ok(length) => answer.extend_from_slice(part.get(..length).unwrap_or_default()),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
}

/// The request as it was recorded, for another server. An answer to HTTP/1.0 is not chunked, and ends with the connection.
fn bytes(recorded: &Recorded, address: SocketAddr) -> Vec<u8> {
    let mut head =
        format!("{} {} HTTP/1.0\r\nhost: {address}\r\nconnection: close\r\n", recorded.method, recorded.target);
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
/// (RFC 9457). An error: it is not an answer of Prism.
fn refusal(answer: &[u8]) -> Result<Option<String>, String> {
    let broken = || "its answer is not whole".to_owned();
    let begin = answer.windows(4).position(|window| window == b"\r\n\r\n").ok_or_else(broken)?;
    let head = String::from_utf8_lossy(answer.get(..begin).unwrap_or_default());
    let body = answer.get(begin + 4..).unwrap_or_default();
    let header = |name: &str| {
        let mut headers = head.lines().filter_map(|line| line.split_once(':'));
        headers.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    let status = head.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok()).ok_or_else(broken)?;
    let is_whole = header("content-length").is_none_or(|length| length.parse() == Ok(body.len()));
    if !is_whole || header("transfer-encoding").is_some() {
        return Err(broken());
    }
    if let Some(list) = header("sl-violations").and_then(|list| serde_json::from_str::<Vec<Value>>(list).ok()) {
        let is_request = |one: &&Value| one.pointer("/location/0").is_some_and(|side| side == "request");
        // Credentials are not compared: 401 is about them.
        let is_credential = |one: &&Value| one.get("code").is_some_and(|code| *code == 401 || *code == "401");
        return Ok(reasons(list.iter().filter(is_request).filter(|one| !is_credential(one))));
    }
    let is_problem = header("content-type").is_some_and(|essence| essence.contains("problem+json"));
    if status < 400 || !is_problem {
        return Ok(None);
    }
    let problem: Value = serde_json::from_slice(body).map_err(|_| broken())?;
    let Some((_, kind)) = text(&problem, "type").split_once("prism/errors#") else { return Ok(None) };
    if kind == "UNKNOWN" {
        return Err(format!("it failed: {}", text(&problem, "detail")));
    }
    if !REFUSALS.contains(&kind) {
        return Ok(None);
    }
    let list = problem.get("validation").and_then(Value::as_array);
    Ok(reasons(list.into_iter().flatten()).or_else(|| Some(format!("{kind}: {}", text(&problem, "detail")))))
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
    use std::net::TcpListener;

    use serde_json::json;

    use super::*;

    fn answer(kind: &str, validation: &Value) -> Vec<u8> {
        let problem = json!({ "type": format!("https://stoplight.io/prism/errors#{kind}"), "detail": "why", "validation": validation });
        format!("HTTP/1.1 422 x\r\nContent-Type: application/problem+json\r\n\r\n{problem}").into_bytes()
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
        ];
        for (answer, expected) in table {
            let refusal = refusal(&answer).unwrap();
            assert_eq!(refusal.as_deref(), expected, "{}", String::from_utf8_lossy(&answer));
        }
        let mut cut = answer("UNPROCESSABLE_ENTITY", &errors);
        cut.pop();
        for answer in [
            b"".to_vec(),
            b"\xff".to_vec(),
            b"HTTP/1.1 200 x\r\ncontent-length: 5\r\n\r\nfour".to_vec(),
            b"HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
            answer("UNKNOWN", &Value::Null),
            cut,
        ] {
            assert!(refusal(&answer).is_err(), "{}", String::from_utf8_lossy(&answer));
        }
    }

    #[test]
    fn a_failed_exchange_is_no_opinion() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = std::thread::spawn(move || {
            // It ends each connection without an answer, but for the second one.
            let answers = ["", "HTTP/1.1 204 x\r\n\r\n", "", ""];
            for (answer, stream) in answers.into_iter().zip(listener.incoming()) {
                let mut stream = stream.unwrap();
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let program = Group::start(&mut Command::new("true")).unwrap();
        let mut prism = Prism { address, known: HashMap::new(), failed: Default::default(), _group: program };
        let interrupt = Interrupt::default();
        let request =
            |target: &str| Recorded { method: "GET".to_owned(), target: target.to_owned(), ..Recorded::default() };
        // The first request is asked again; the last one is not asked, nor is one with an opinion.
        for target in ["/a", "/a", "/a", "/b", "/c", "/d"] {
            assert_eq!(prism.refusal(&request(target), &interrupt).unwrap(), None);
        }
        asked.join().unwrap();
        assert_eq!(prism.reason().unwrap(), "Prism: 4 requests are not compared: its answer is not whole");
    }

    /// Each program listens on a port of its own choice: nobody can take it before.
    #[cfg(unix)]
    #[test]
    fn the_address_is_that_which_the_program_says() {
        let script = |text: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", text]);
            Prism::start_program(command, Path::new("x"), &Interrupt::default()).unwrap()
        };
        let says = "echo '[CLI] awaiting  Starting'; echo '[CLI] start  Prism is listening on http://127.0.0.1:4711'";
        let prism = script(&format!("{says}; sleep 300")).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(prism.address, ([127, 0, 0, 1], 4711).into());
        // One that closes its output, and ends.
        let why = script("exec >&-; sleep 0.2; exit 3").map(|prism| prism.address).unwrap_err();
        assert!(why.contains("exit status: 3"), "{why}");
        for line in
            ["GET http://127.0.0.1:4711/pets", "listening on http://127.0.0.1:0", "listening on http://10.0.0.1:1"]
        {
            assert_eq!(address(line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_processes_of_a_program_that_ends_are_ended() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 300 & echo $! > \"$0\"; exit 3"]).arg(&file);
        let Ok(Err(why)) = Prism::start_program(command, Path::new("x"), &Interrupt::default()) else {
            panic!("it does not listen");
        };
        assert!(why.contains("exit status: 3"), "{why}");
        let id = std::fs::read_to_string(&file).unwrap();
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        let is_alive = |state: &str| !state.is_empty() && !state.contains(") Z ");
        let end = Instant::now() + ANSWER;
        while is_alive(&state()) {
            assert!(Instant::now() < end, "{}", state());
            std::thread::sleep(PAUSE);
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
            ..Recorded::default()
        };
        let expected = "POST /a?b=c%20d HTTP/1.0\r\nhost: 127.0.0.1:1\r\nconnection: close\r\nx-a: 1\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nbody";
        assert_eq!(String::from_utf8(bytes(&recorded, ([127, 0, 0, 1], 1).into())).unwrap(), expected);
    }
}
