//! The hidden command that executes, one line about each execution: a crash or a hang ends this process and not the run.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use super::judge::{Verdict, execute};
use super::{input, seeds};
use crate::failure::Failure;
use crate::flags::FuzzWorker;
use crate::workspace::Workspace;

/// Address space of a worker; a contract that needs more is a finding.
#[cfg(unix)]
const MEMORY: u64 = 8 << 30;

/// Location of the last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

pub(crate) fn run(workspace: &Workspace, flags: &FuzzWorker) -> Result<ExitCode, Failure> {
    #[cfg(unix)]
    {
        let limit = rustix::process::Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
        // A failure is ignored: the limit only protects other programs of the machine.
        let _ = rustix::process::setrlimit(rustix::process::Resource::As, limit);
    }
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = PANIC.lock() {
            *last = panic.to_string();
        }
    }));
    let seeds = seeds::read(workspace, flags.contracts.as_deref(), flags.largest)?;
    let say = |line: String| writeln!(std::io::stdout().lock(), "{line}").is_ok();
    for index in flags.from..flags.from.saturating_add(flags.count) {
        // The reader closed the pipe: the run is over.
        if !say(format!("begin {index}")) {
            break;
        }
        let Some(input) = input::input(&seeds, flags.seed, index) else { break };
        let start = Instant::now();
        let verdict = execute(&input);
        let took = start.elapsed().as_millis();
        let line = match verdict {
            Verdict::Client(_) => format!("client {index} {took}"),
            Verdict::Refused => format!("refused {index} {took}"),
            Verdict::Finding(what) => {
                let panic = if what.starts_with("generate/stopped") { last_panic() } else { String::new() };
                let what = format!("{what} {panic}").replace(['\n', '\r'], " ");
                format!("finding {index} {took} {}", what.escape_debug())
            }
        };
        if !say(line) {
            break;
        }
    }
    if let Some(seconds) = processor() {
        say(format!("processor {seconds}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn last_panic() -> String {
    PANIC.lock().map(|last| last.clone()).unwrap_or_default()
}

/// Processor time of this process in seconds, if the system reports it.
fn processor() -> Option<f64> {
    /// Clock ticks per second: the value of every current Linux.
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS)
}
