//! Measures `driftless-sandbox` with a contract: the time until it is ready, lists and creates a second, and its memory.
//!
//! ```text
//! cargo build --release -p driftless-sandbox --bins --examples
//! target/release/examples/rates CONTRACT LIST-PATH CREATE-PATH BODY [REQUESTS [FLAGS]]
//! ```
//!
//! `BODY` is the JSON of a create. Each measure sends REQUESTS requests (20,000 by default) over 16 connections, from this process, on the
//! same processors; lists end after 10 seconds. The items that the creates add stay: the list is a page of 20 if its path asks for it. FLAGS are
//! further flags of `driftless-sandbox`, such as `--behaviour FILE`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const CONNECTIONS: usize = 16;
const STARTS: usize = 9;

/// The longest measure of lists.
const LONGEST: Duration = Duration::from_secs(10);

/// The sandbox, which ends with this value.
struct Serving {
    child: Child,
    /// Closing it would end the sandbox's output.
    _output: BufReader<ChildStdout>,
    address: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    fn start(contract: &str, flags: &[String]) -> io::Result<Self> {
        let own: PathBuf = std::env::current_exe()?;
        let folder = own.parent().and_then(|examples| examples.parent()).map(PathBuf::from).unwrap_or_default();
        let program = folder.join(format!("driftless-sandbox{}", std::env::consts::EXE_SUFFIX));
        let mut command = Command::new(program);
        command.args(["--no-credentials", "--contract", contract]).args(flags).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let (mut output, mut line) = (BufReader::new(output), String::new());
        output.read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on http://").map(str::to_owned);
        let address = address.ok_or_else(|| io::Error::other("the sandbox did not start"))?;
        Ok(Self { child, _output: output, address })
    }

    /// A line of the process's status, in kB.
    fn memory(&self, name: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
    }

    /// Sends a request so many times, or until it has taken this long. Returns the number of requests, the requests a second, and the first
    /// answer that is not a success.
    fn measure(&self, request: &str, requests: usize, most: Duration) -> io::Result<(usize, f64, Option<String>)> {
        let (sent, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let start = Instant::now();
        let refused = std::thread::scope(|scope| {
            let work = || -> io::Result<Option<String>> {
                let mut stream = TcpStream::connect(&self.address)?;
                stream.set_nodelay(true)?;
                let mut answer = Vec::new();
                while start.elapsed() < most && sent.fetch_add(1, Ordering::Relaxed) < requests {
                    stream.write_all(request.as_bytes())?;
                    receive(&mut stream, &mut answer)?;
                    done.fetch_add(1, Ordering::Relaxed);
                    if !answer.starts_with(b"HTTP/1.1 2") {
                        return Ok(Some(String::from_utf8_lossy(&answer).into_owned()));
                    }
                }
                Ok(None)
            };
            let workers: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(work)).collect();
            let ended = workers.into_iter().map(|worker| worker.join().map_err(|_| io::Error::other("panicked"))?);
            ended.collect::<io::Result<Vec<_>>>()
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let done = done.into_inner();
        Ok((done, done as f64 / seconds, refused.into_iter().flatten().next()))
    }
}

/// Reads one answer, whose head says its length.
fn receive(stream: &mut TcpStream, answer: &mut Vec<u8>) -> io::Result<()> {
    answer.clear();
    let mut part = [0; 65_536];
    let mut whole = None;
    while whole.is_none_or(|whole| answer.len() < whole) {
        let read = stream.read(&mut part)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend_from_slice(part.get(..read).unwrap_or_default());
        if whole.is_none()
            && let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).to_ascii_lowercase();
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            whole = Some(end + 4 + length.unwrap_or(0));
        }
    }
    Ok(())
}

fn run([contract, list, create, body]: [&str; 4], requests: usize, flags: &[String]) -> io::Result<()> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        let _serving = Serving::start(contract, flags)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let median = times.get(STARTS / 2).copied().unwrap_or(Duration::ZERO);
    println!(
        "start       {:.1} ms, the median of {STARTS}; {:.1} ms the least",
        ms(median),
        ms(times.first().copied().unwrap_or(median))
    );
    let serving = Serving::start(contract, flags)?;
    println!("memory      {} after the start", serving.memory("VmRSS"));
    let get = format!("GET {list} HTTP/1.1\r\nhost: a\r\n\r\n");
    let length = body.len();
    let post = format!(
        "POST {create} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    for (name, request, most) in [("lists", &get, LONGEST), ("creates", &post, Duration::MAX), ("lists", &get, LONGEST)]
    {
        let (done, rate, refused) = serving.measure(request, requests, most)?;
        println!("{name:<11} {rate:.0} a second, of {done}; memory {}", serving.memory("VmRSS"));
        if let Some(refused) = refused {
            println!("            refused: {refused:.300}");
        }
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let requests = arguments.get(4).and_then(|number| number.parse().ok()).unwrap_or(20_000);
    let [contract, list, create, body, rest @ ..] = arguments.as_slice() else {
        eprintln!("rates CONTRACT LIST-PATH CREATE-PATH BODY [REQUESTS [FLAGS]]");
        return ExitCode::FAILURE;
    };
    match run([contract, list, create, body], requests, rest.get(1..).unwrap_or_default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the sandbox cannot be measured: {error}");
            ExitCode::FAILURE
        }
    }
}
