//! The progress of an operation in this instance, and the supervisor's requests to its task.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use tokio::sync::watch;

use super::plan::{SlotState, TaskRequest};
use crate::{clock, operations::watch::Rest};

/// The progress of an operation.
pub(super) struct TaskProgress {
    since: Instant,
    pub(super) rests: watch::Sender<Rest>,
    requests: watch::Sender<TaskRequest>,
    ended: AtomicBool,
}

impl TaskProgress {
    pub(super) fn new() -> Self {
        let (rests, requests) = (watch::Sender::default(), watch::Sender::default());
        Self { since: clock::now(), rests, requests, ended: AtomicBool::new(false) }
    }

    /// Returns the time since when this instance has it.
    pub(super) fn since(&self) -> Instant {
        self.since
    }

    /// Records that the operation has ended, and waits for its handler or is with it.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn request(&self, request: TaskRequest) {
        self.requests.send_if_modified(|known| {
            let more = request > *known;
            *known = request.max(*known);
            more
        });
    }

    /// Returns the state, for the supervisor's plan.
    pub(super) fn state(&self) -> SlotState {
        SlotState {
            rest: *self.rests.borrow(),
            ended: self.ended.load(Ordering::Relaxed),
            requested: *self.requests.borrow(),
        }
    }

    /// Waits until this, or more, is requested.
    pub(super) async fn requested(&self, request: TaskRequest) {
        // The sender is a part of this.
        drop(self.requests.subscribe().wait_for(|known| *known >= request).await);
    }
}
