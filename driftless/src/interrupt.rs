//! Ctrl-C and termination signals: the first one ends any stage, unless files are being swapped.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::Handle;
pub use tokio::runtime::Runtime;

use crate::failure::{Exit, Failure};

/// Time that a stage which looks for signals has to end by itself, before the program ends under it.
const GRACE: Duration = Duration::from_secs(1);

const WORKING: u8 = 0;
/// A signal has arrived, and nothing is changed any more.
const REQUESTED: u8 = 1;
/// Files are being swapped: a signal waits for the end of that.
const DEFERRED: u8 = 2;

/// Records that somebody asked the program to stop. Of a signal and a swap of files, the first one wins.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    state: Arc<AtomicU8>,
    /// A folder that goes with a program that is ended.
    unfinished: Arc<Mutex<Option<PathBuf>>>,
}

impl Interrupt {
    /// A runtime for network work, and the signals that end it.
    pub fn start() -> Result<(Runtime, Self), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| {
            let message = format!("the runtime cannot be started: {error}");
            Failure::new(Exit::Files, "files/runtime", message, "run the command again")
        })?;
        let interrupt = Self::listen(runtime.handle());
        Ok((runtime, interrupt))
    }

    /// Listens for signals from now on. A stage that does not look for them, such as a generation, is left where it is.
    fn listen(runtime: &Handle) -> Self {
        let interrupt = Self::default();
        let listener = interrupt.clone();
        let context = runtime.enter();
        // The handlers stand when this function returns; where there are none, a signal ends the program as ever.
        let Some(mut signals) = Signals::register() else { return interrupt };
        drop(context);
        runtime.spawn(async move {
            loop {
                signals.next().await;
                let asked = listener.change(REQUESTED);
                if !asked && listener.state.load(Ordering::SeqCst) == DEFERRED {
                    continue;
                }
                // A second signal does not wait.
                let _ = tokio::time::timeout(GRACE, signals.next()).await;
                let line = if std::io::stderr().is_terminal() { "\n" } else { "" };
                crate::console::progress(&format!("{line}{}", stopped()));
                if let Some(folder) = listener.unfinished.lock().ok().and_then(|mut folder| folder.take()) {
                    // The program ends, whatever is left of it.
                    let _ = std::fs::remove_dir_all(folder);
                }
                std::process::exit(EXIT);
            }
        });
        interrupt
    }

    /// Leaves the state in which nobody has asked for anything. False: it was left before.
    fn change(&self, to: u8) -> bool {
        self.state.compare_exchange(WORKING, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Removes a folder if a signal ends the program before its work is done.
    pub fn remove_unfinished(&self, folder: &Path) {
        if let Ok(mut unfinished) = self.unfinished.lock() {
            *unfinished = Some(folder.to_owned());
        }
    }

    /// Fails when a signal has arrived.
    pub fn check(&self) -> Result<(), Failure> {
        if self.state.load(Ordering::SeqCst) == REQUESTED { Err(stopped()) } else { Ok(()) }
    }

    /// Runs `work`, and drops it at the first signal.
    pub async fn or<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let asked = async {
            while self.check().is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            outcome = work => outcome,
            () = asked => Err(stopped()),
        }
    }

    /// From now on a signal waits for the end of the work.
    ///
    /// # Errors
    ///
    /// A signal was first: the work must not begin.
    pub fn defer(&self) -> Result<(), Failure> {
        self.change(DEFERRED);
        self.check()
    }
}

fn stopped() -> Failure {
    Failure::new(Exit::Interrupted, "interrupted", "interrupted; nothing was changed", "")
}

/// The code of [`Exit::Interrupted`], as a number.
const EXIT: i32 = 130;

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// The terminal was closed.
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn register() -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (signal(SignalKind::interrupt()).ok()?, signal(SignalKind::terminate()).ok()?);
        let hangup = signal(SignalKind::hangup()).ok()?;
        Some(Self { interrupt, terminate, hangup })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
}

#[cfg(not(unix))]
impl Signals {
    fn register() -> Option<Self> {
        Some(Self { interrupt: tokio::signal::windows::ctrl_c().ok()? })
    }

    async fn next(&mut self) {
        let _ = self.interrupt.recv().await;
    }
}
