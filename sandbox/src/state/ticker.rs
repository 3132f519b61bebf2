//! The task that advances workflows without a request, so that subscribers get their events.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::Store;

/// A running task. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Ticker(JoinHandle<()>);

impl Ticker {
    pub(crate) fn start(store: Arc<Store>) -> Self {
        Self(tokio::spawn(async move {
            loop {
                // A failure to store is reported by the next request, which fails in the same way.
                let next = store.settle().unwrap_or_default();
                store.clock().reach(next.unwrap_or(i64::MAX)).await;
            }
        }))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.abort();
    }
}
