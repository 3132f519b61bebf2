//! One attempt of a submission, from its entry in the store until its result is known.

use std::{sync::Arc, time::Duration};

use tokio::runtime::Handle;
use tracing::Instrument as _;

use super::{
    FIRST, Intent, Operations,
    detached::{detached, ended},
    error::LABEL_TAKEN,
};
use crate::{
    Error,
    client::Progress,
    clock::{self, Backoff},
};

/// The number of times that a store is asked to withdraw an attempt.
const TRIES: u32 = 8;

/// An attempt that the store keeps. If it is dropped before it may have taken effect, the store withdraws it: the
/// caller of a submission may drop it at any point.
pub(super) struct Attempt {
    operations: Operations,
    correlation: Arc<str>,
    number: u64,
    progress: Progress,
    /// The result is known.
    settled: bool,
    runtime: Handle,
}

impl Attempt {
    /// Keeps an intent with its first attempt.
    pub(super) async fn first(operations: &Operations, intent: &Intent) -> Result<Self, Error> {
        // If this is dropped from here on, the store may have kept it, as after a failure.
        let mut attempt = Self::new(operations, intent, FIRST)?;
        match operations.store().intend(intent).await {
            Ok(()) => Ok(attempt),
            Err(error) => {
                attempt.settled = error.reason() == LABEL_TAKEN;
                Err(error)
            }
        }
    }

    /// Keeps another attempt of a submission. Its number, which is needed to withdraw it, is known only at the end of
    /// the step.
    pub(super) async fn another(operations: &Operations, intent: &Intent) -> Result<Self, Error> {
        let (operations, intent) = (operations.clone(), intent.clone());
        detached(async move {
            let number = operations.store().begin(intent.correlation()).await?;
            Self::new(&operations, &intent, number)
        })
        .await
    }

    fn new(operations: &Operations, intent: &Intent, number: u64) -> Result<Self, Error> {
        let runtime = Handle::try_current().map_err(|_| ended())?;
        let correlation = intent.correlation().into();
        let progress = Progress::default();
        Ok(Self { operations: operations.clone(), correlation, number, progress, settled: false, runtime })
    }

    /// Returns the progress of this attempt's call.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Withdraws the attempt, which had no effect. Returns `true` if the submission is gone with it.
    pub(super) async fn take_back(mut self) -> Result<bool, Error> {
        self.settled = true;
        detached(withdraw(self.operations.clone(), Arc::clone(&self.correlation), self.number)).await
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if self.settled || self.progress.may_have_taken_effect() {
            return;
        }
        let (operations, correlation) = (self.operations.clone(), Arc::clone(&self.correlation));
        let work = withdraw(operations, correlation, self.number);
        drop(self.runtime.spawn(async move { drop(work.await) }.in_current_span()));
    }
}

/// Withdraws an attempt. If the store fails, it is asked again for some time.
async fn withdraw(operations: Operations, correlation: Arc<str>, number: u64) -> Result<bool, Error> {
    let pauses = Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(10) };
    let mut tries = 0;
    loop {
        let error = match operations.store().withdraw(&correlation, number).await {
            Ok(gone) => return Ok(gone),
            Err(error) => error,
        };
        tries += 1;
        if tries >= TRIES {
            tracing::warn!(code = error.code(), "a submission that was not sent stays in the store as unknown");
            return Err(error);
        }
        clock::sleep(pauses.pause(tries)).await;
    }
}
