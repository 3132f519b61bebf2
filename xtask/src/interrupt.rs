//! Ctrl-C and termination signals: heeded between the stages, deferred while files are being swapped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Exit, Failure};

/// Whether somebody asked the program to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    requested: Arc<AtomicBool>,
    deferred: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens for signals from now on. A second one ends the program at once, unless files are being swapped.
    pub(crate) fn listen(runtime: &tokio::runtime::Handle) -> Self {
        let interrupt = Self::default();
        let listener = interrupt.clone();
        let context = runtime.enter();
        // The handlers stand when this function returns; where there are none, a signal ends the program as ever.
        let Some(mut signals) = Signals::register() else { return interrupt };
        drop(context);
        runtime.spawn(async move {
            loop {
                signals.next().await;
                let again = listener.requested.swap(true, Ordering::SeqCst);
                if again && !listener.deferred.load(Ordering::SeqCst) {
                    std::process::exit(130);
                }
            }
        });
        interrupt
    }

    /// Fails when a signal has arrived.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.requested.load(Ordering::SeqCst) { Err(stopped()) } else { Ok(()) }
    }

    /// Runs `work`, and drops it at the first signal.
    pub(crate) async fn or<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let asked = async {
            while !self.requested.load(Ordering::SeqCst) {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            outcome = work => outcome,
            () = asked => Err(stopped()),
        }
    }

    /// From now on a signal waits for the end of the work.
    pub(crate) fn defer(&self) {
        self.deferred.store(true, Ordering::SeqCst);
    }
}

fn stopped() -> Failure {
    Failure::new(Exit::Interrupted, "interrupted", "interrupted; nothing was changed", "")
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn register() -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (signal(SignalKind::interrupt()).ok()?, signal(SignalKind::terminate()).ok()?);
        Some(Self { interrupt, terminate })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
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
