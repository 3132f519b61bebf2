//! The end of the program: a signal, or the end of its standard input.

use std::io;

use tokio::sync::oneshot;

/// The events that end the program.
#[derive(Debug)]
pub(crate) struct Ends {
    signals: Signals,
    /// `None` if the end of standard input is ignored, or has come.
    stdin: Option<oneshot::Receiver<()>>,
}

impl Ends {
    pub(crate) fn listen(with_stdin: bool) -> io::Result<Self> {
        let signals = Signals::register()?;
        let stdin = with_stdin.then(|| {
            let (ended, waits) = oneshot::channel();
            // A thread of its own: a read of standard input cannot be cancelled.
            std::thread::spawn(move || {
                // An error counts as the end of standard input.
                let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
                let _ = ended.send(());
            });
            waits
        });
        Ok(Self { signals, stdin })
    }

    pub(crate) async fn next(&mut self) {
        match &mut self.stdin {
            Some(stdin) => {
                tokio::select! {
                    _ = stdin => self.stdin = None,
                    () = self.signals.next() => {}
                }
            }
            None => self.signals.next().await,
        }
    }
}

#[cfg(unix)]
#[derive(Debug)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn register() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // A hang-up means that the terminal was closed.
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(signal);
        Ok(Self([interrupt?, terminate?, hangup?]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    fn register() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        let _ = self.0.recv().await;
    }
}
