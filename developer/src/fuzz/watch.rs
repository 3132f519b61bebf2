//! Starts workers, one after the other, and watches them.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::child::Owned;
use crate::failure::Failure;
use crate::flags::Fuzz;
use crate::interrupt::Interrupt;
use crate::workspace::Workspace;

/// Executions of one worker. A new worker starts with fresh memory.
pub(super) const BATCH: u64 = 2_000;

/// A message of a worker.
#[derive(Debug)]
pub(super) enum Message {
    Begin(u64),
    Client(u64, u64),
    Refused(u64, u64),
    Finding(u64, u64, String),
    Processor(f64),
}

/// The end of a worker.
#[derive(Debug)]
pub(super) enum WorkerEnd {
    /// It executed everything.
    Done,
    /// It was killed during an execution, by the watchdog or at the end of the run.
    Killed { watchdog: bool },
    /// It ended by itself during an execution.
    Crashed(String),
}

/// Runs a worker from an execution on, and passes its messages on.
pub(super) fn batch(
    workspace: &Workspace,
    flags: &Fuzz,
    from: u64,
    count: u64,
    until: Option<Instant>,
    interrupt: &Interrupt,
    mut receive: impl FnMut(Message),
) -> Result<WorkerEnd, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::file("find", Path::new("developer"), &error))?;
    let mut command = Command::new(&program);
    command.arg("--workspace").arg(workspace.root()).arg("fuzz-worker");
    command.args(["--seed", &flags.seed.to_string(), "--from", &from.to_string(), "--count", &count.to_string()]);
    command.args(["--largest", &flags.largest.to_string()]);
    if let Some(contracts) = super::contracts(workspace, flags) {
        command.arg("--contracts").arg(contracts);
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut worker = Owned(child.map_err(|error| Failure::file("start", &program, &error))?);
    let lines = lines(worker.0.stdout.take());
    let mut last = Instant::now();
    loop {
        match lines.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => {
                last = Instant::now();
                if let Some(message) = parse(&line) {
                    receive(message);
                }
            }
            Err(RecvTimeoutError::Timeout) if last.elapsed() > flags.watchdog => {
                return Ok(WorkerEnd::Killed { watchdog: true });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if interrupt.check().is_err() || until.is_some_and(|until| Instant::now() >= until) {
            return Ok(WorkerEnd::Killed { watchdog: false });
        }
    }
    let status = worker.0.wait().map_err(|error| Failure::file("wait for", &program, &error))?;
    Ok(if status.success() { WorkerEnd::Done } else { WorkerEnd::Crashed(status.to_string()) })
}

fn lines(pipe: Option<std::process::ChildStdout>) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for line in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    receive
}

fn parse(line: &str) -> Option<Message> {
    let (kind, rest) = line.split_once(' ')?;
    if kind == "processor" {
        return rest.parse().ok().map(Message::Processor);
    }
    let mut parts = rest.splitn(3, ' ');
    let index = parts.next()?.parse().ok()?;
    let took = parts.next().and_then(|took| took.parse().ok());
    match kind {
        "begin" => Some(Message::Begin(index)),
        "client" => Some(Message::Client(index, took?)),
        "refused" => Some(Message::Refused(index, took?)),
        "finding" => Some(Message::Finding(index, took?, parts.next()?.to_owned())),
        _ => None,
    }
}
