//! One process: its time, its processor time, and the peak of its memory, each with those of the processes that it started.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use driftless::child::end_group;
use serde::Serialize;
use wait4::Wait4 as _;

use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// The longest that a process may take: a compiler that has taken this long is an answer, too.
const LIMIT: Duration = Duration::from_secs(1800);

/// Longest reason of a failure that is kept.
const REASON: usize = 160;

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Usage {
    /// Seconds on the clock.
    pub(super) wall: f64,
    /// Seconds of the processor, outside of the kernel.
    pub(super) user: f64,
    /// The largest of the processes, in mebibytes.
    pub(super) peak_mb: f64,
}

/// Runs a command to its end. A failure of the command is its reason, in one line.
pub(super) fn run(command: &mut Command, interrupt: &Interrupt) -> Result<Result<Usage, String>, Failure> {
    interrupt.check()?;
    let failed = |error: std::io::Error| Failure::file("capture the output of", Path::new("a program"), &error);
    let mut output = tempfile::tempfile().map_err(failed)?;
    let copy = || -> Result<File, Failure> { output.try_clone().map_err(failed) };
    command.stdin(Stdio::null()).stdout(copy()?).stderr(copy()?);
    // A group of its own: its children end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let start = Instant::now();
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ok(Err(reason(&format!("cannot be started: {error}")))),
    };
    let ended = wait(child, interrupt)?;
    let wall = start.elapsed().as_secs_f64();
    let Some(used) = ended else { return Ok(Err(format!("no end after {} s", LIMIT.as_secs()))) };
    let used = match used {
        Ok(used) => used,
        Err(error) => return Ok(Err(reason(&error.to_string()))),
    };
    if used.status.success() {
        #[expect(clippy::cast_precision_loss, reason = "figures for people")]
        let peak_mb = used.rusage.maxrss as f64 / f64::from(1 << 20);
        return Ok(Ok(Usage { wall, user: used.rusage.utime.as_secs_f64(), peak_mb }));
    }
    let mut bytes = Vec::new();
    output.rewind().and_then(|()| output.read_to_end(&mut bytes)).map_err(failed)?;
    let text = reason(&String::from_utf8_lossy(&bytes));
    Ok(Err(if text.is_empty() { used.status.to_string() } else { text }))
}

/// The usage of a process; `None` if its time was over.
fn wait(child: Child, interrupt: &Interrupt) -> Result<Option<std::io::Result<wait4::ResUse>>, Failure> {
    let (sender, receiver) = channel();
    let (start, id) = (Instant::now(), child.id());
    // The other end stays until this thread has sent.
    let thread = std::thread::spawn(move || sender.send(child.wait4()));
    let ended = loop {
        match receiver.recv_timeout(Duration::from_millis(20)) {
            Ok(used) => break Ok(Some(used)),
            Err(RecvTimeoutError::Disconnected) => break Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let interrupted = interrupt.check();
        if interrupted.is_err() || start.elapsed() > LIMIT {
            end_group(id);
            break interrupted.map(|()| None);
        }
    };
    let _ = thread.join();
    ended
}

/// The line of an output that says why, made harmless for a terminal and a table.
fn reason(output: &str) -> String {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_telling = |line: &&str| line.starts_with("error") || line.contains("panicked at") || line.contains("Error:");
    // A panic has its message on the next line.
    let at = lines().position(|line| is_telling(&line));
    let text = match at.and_then(|at| lines().nth(at)) {
        Some(line) if line.contains("panicked at") => {
            lines().skip_while(|other| *other != line).take(2).collect::<Vec<_>>().join(" ")
        }
        Some(line) => line.to_owned(),
        None => lines().next_back().unwrap_or_default().to_owned(),
    };
    let text: String = text.chars().take(REASON).collect();
    driftless_codegen::line(&text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_its_usage_or_a_reason() {
        let interrupt = Interrupt::default();
        let usage = run(Command::new("sh").args(["-c", "exit 0"]), &interrupt);
        let usage = usage.expect("started").expect("ended well");
        assert!(usage.wall > 0.0 && usage.user >= 0.0 && usage.peak_mb > 0.1, "{usage:?}");
        let failed = run(Command::new("sh").args(["-c", "echo 'error: a | b \u{1b}[2J'; exit 3"]), &interrupt);
        let failed = failed.expect("started").expect_err("exit 3");
        assert!(failed.starts_with("error: a \\| b ") && !failed.contains('\u{1b}'), "{failed}");
        let silent = run(Command::new("sh").args(["-c", "exit 3"]), &interrupt).expect("started");
        assert!(silent.expect_err("exit 3").contains('3'));
        let absent = run(&mut Command::new("/absent/program"), &interrupt).expect("no end of the run");
        assert!(absent.expect_err("absent").contains("cannot be started"));
    }

    #[test]
    fn a_panic_is_told_with_its_message() {
        assert_eq!(
            reason("x\nthread 'main' panicked at a.rs:1:2:\nnot yet\nnote: more\n"),
            "thread 'main' panicked at a.rs:1:2: not yet"
        );
        assert_eq!(reason("first\nlast\n"), "last");
    }
}
