//! Wakes waiting instances: `LISTEN` on a connection of its own.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};

use tokio::{sync::Notify, task::AbortHandle};
use tokio_postgres::AsyncMessage;

use super::connection::Source;
use crate::{
    Error,
    clock::{self, Backoff},
    operations::WakeFuture,
};

const PAUSES: Backoff = Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(30) };

/// Listens from the first wait on. Without a connection, no instance is woken, and all of them poll.
pub(super) struct Listener {
    source: Arc<Source>,
    channel: String,
    woken: Arc<Notify>,
    task: Mutex<Option<AbortHandle>>,
    off: bool,
}

impl Listener {
    pub(super) fn new(source: &Arc<Source>, channel: &str, off: bool) -> Self {
        Self {
            source: Arc::clone(source),
            channel: channel.to_owned(),
            woken: Arc::new(Notify::new()),
            task: Mutex::new(None),
            off,
        }
    }

    pub(super) fn channel(&self) -> &str {
        &self.channel
    }

    pub(super) fn wake(&self) -> WakeFuture<'_> {
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        // The runtime that it ran on may have ended.
        let ended = task.as_ref().is_none_or(AbortHandle::is_finished);
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && ended
            && !self.off
        {
            let run = run(Arc::clone(&self.source), self.channel.clone(), Arc::clone(&self.woken));
            *task = Some(runtime.spawn(run).abort_handle());
        }
        Box::pin(self.woken.notified())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(task) = self.task.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
    }
}

async fn run(source: Arc<Source>, channel: String, woken: Arc<Notify>) {
    let mut failures = 0;
    loop {
        let begun = Instant::now();
        if let Err(error) = listen(&source, &channel, &woken).await {
            tracing::debug!(code = error.code(), %error, "nothing wakes this instance: the connection broke");
        }
        failures = if begun.elapsed() > PAUSES.longest { 1 } else { failures + 1 };
        clock::sleep(PAUSES.pause(failures)).await;
    }
}

/// Listens until the connection ends.
async fn listen(source: &Source, channel: &str, woken: &Notify) -> Result<(), Error> {
    let (client, mut driver) = source.raw().await?;
    let sql = format!("LISTEN \"{channel}\"");
    let begin = async {
        if client.batch_execute(&sql).await.is_ok() {
            // Earlier notifications are covered by polling.
            woken.notify_waiters();
        }
        std::future::pending::<()>().await;
    };
    tokio::pin!(begin);
    poll_fn(|context| {
        // Never ready: it runs beside the connection that it uses.
        let _ = begin.as_mut().poll(context);
        loop {
            match driver.poll_message(context) {
                Poll::Ready(Some(Ok(AsyncMessage::Notification(_)))) => woken.notify_waiters(),
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(cause))) => return Poll::Ready(Err(super::failure::failed("listen", cause))),
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
            }
        }
    })
    .await
}
