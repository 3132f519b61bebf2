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
        runtime.spawn(async move {
            while signalled().await {
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
async fn signalled() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return false;
    };
    tokio::select! {
        _ = interrupt.recv() => true,
        _ = terminate.recv() => true,
    }
}

#[cfg(not(unix))]
async fn signalled() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}
