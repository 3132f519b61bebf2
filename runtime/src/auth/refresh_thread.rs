//! The threads of token requests.

use std::{io, thread};

use tokio::runtime::{Builder, Handle, Id};

/// Runs work on a thread and a runtime of its own, which end with it. A token request belongs to no caller: the runtime
/// of the caller that began it may stall or end while others wait for the token.
///
/// `after` receives the runtime when the work is done or has panicked.
pub(super) fn spawn(
    work: impl Future<Output = ()> + Send + 'static,
    after: impl FnOnce(Id) + Send + 'static,
) -> io::Result<()> {
    // A dispatcher that is set for a part of a program also applies to the threads that this part starts.
    let log = tracing::dispatcher::get_default(Clone::clone);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    thread::Builder::new().name("driftless".to_owned()).spawn(move || {
        let _after = Finally(Some((after, runtime.handle().clone())));
        tracing::dispatcher::with_default(&log, || runtime.block_on(work));
    })?;
    Ok(())
}

struct Finally<F: FnOnce(Id)>(Option<(F, Handle)>);

impl<F: FnOnce(Id)> Drop for Finally<F> {
    fn drop(&mut self) {
        if let Some((after, runtime)) = self.0.take() {
            after(runtime.id());
        }
    }
}
