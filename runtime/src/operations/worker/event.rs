//! Events of a worker.

use std::time::Duration;

use crate::{
    Error,
    operations::Instance,
    telemetry::{self, WorkerCount},
};

/// An event in a [`Worker`](crate::operations::Worker).
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkerEvent {
    /// The store has registered this instance, for the first time or anew.
    Enlisted {
        /// Its number.
        instance: Instance,
    },
    /// It has claimed operations to watch.
    Claimed {
        /// Their number.
        count: usize,
    },
    /// An operation has ended, its handler has returned, and the store has recorded that.
    Handled {
        /// The correlation of the operation with its submission.
        correlation: String,
        /// The name of its binding.
        kind: String,
        /// The name of the outcome.
        outcome: &'static str,
        /// The time from the observation of its end to its record in the store.
        took: Duration,
    },
    /// A handler has failed. It is called again.
    HandlerFailed {
        /// The correlation of the operation with its submission.
        correlation: String,
        /// The name of its binding.
        kind: String,
        /// The error of the handler.
        failure: String,
        /// The number of its failures.
        failures: u32,
        /// The pause before it is called again.
        after: Duration,
    },
    /// An operation cannot be watched: the service refuses the query, its entry cannot be read, or its reference
    /// belongs to another one. It is tried again; the others go on.
    WatchFailed {
        /// The correlation of the operation with its submission.
        correlation: String,
        /// The name of its binding.
        kind: String,
        /// The reason.
        error: Error,
        /// The number of its failures.
        failures: u32,
        /// The pause before the next try.
        after: Duration,
    },
    /// An operation was given up: it cannot be claimed until
    /// [`Operations::retry`](crate::operations::Operations::retry).
    Discarded {
        /// The correlation of the operation with its submission.
        correlation: String,
        /// The name of its binding.
        kind: String,
        /// The limit that it exceeded.
        cause: Discarded,
        /// The last failure.
        failure: String,
        /// The number of its failures.
        failures: u32,
    },
    /// An operation has made room for others that wait, or its kind is paused. It goes on, and has its next turn after
    /// them.
    Yielded {
        /// The correlation of the operation with its submission.
        correlation: String,
        /// The name of its binding.
        kind: String,
    },
    /// The leases are longer from here on, because they were lost or nearly so, or shorter again, because renewals are
    /// in time.
    LeaseChanged {
        /// Their new length.
        lease: Duration,
    },
    /// This instance was away for longer than its lease, or could not renew it in time. It has released all its
    /// operations, without writing anything, and comes back as another instance.
    LeaseLost {
        /// Its previous number.
        instance: Instance,
        /// The number of its operations.
        operations: usize,
    },
    /// Another instance has the lease of an operation by now, or it was finished or forgotten. Nothing was written.
    Fenced {
        /// The correlation of the operation with its submission.
        correlation: String,
        /// The name of its binding.
        kind: String,
    },
    /// The store fails. It is retried; reported once, until it works again.
    StoreFailed {
        /// The reason.
        error: Error,
    },
    /// The store works again.
    StoreWorks,
    /// Entries that were finished long ago are forgotten.
    Purged {
        /// Their number.
        count: u64,
    },
}

/// The limit by which a worker gives an operation up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Discarded {
    /// [`Worker::max_attempts`](crate::operations::Worker::max_attempts).
    MaxAttempts,
    /// [`Worker::operation_timeout`](crate::operations::Worker::operation_timeout).
    OperationTimeout,
}

impl Discarded {
    /// Returns a short, stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxAttempts => "max-attempts",
            Self::OperationTimeout => "operation-timeout",
        }
    }
}

impl WorkerEvent {
    /// Counts it, if metrics are enabled.
    pub(super) fn count(&self) {
        let wide = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        telemetry::worker(match self {
            Self::Enlisted { .. } | Self::StoreWorks => return,
            Self::Claimed { count } => WorkerCount::Claimed(wide(*count)),
            Self::Handled { kind, outcome, took, .. } => WorkerCount::Handled { kind, outcome, took: *took },
            Self::HandlerFailed { kind, .. } => WorkerCount::Failed { kind, error: "handler" },
            Self::WatchFailed { kind, error, .. } => WorkerCount::Failed { kind, error: error.code() },
            Self::Discarded { kind, cause, .. } => WorkerCount::Discarded { kind, cause: cause.name() },
            Self::Yielded { kind, .. } => WorkerCount::Yielded { kind },
            Self::LeaseChanged { lease } => WorkerCount::Lease(*lease),
            Self::LeaseLost { operations, .. } => WorkerCount::Lost(wide(*operations)),
            Self::Fenced { .. } => WorkerCount::Lost(1),
            Self::StoreFailed { error } => WorkerCount::StoreFailed { error: error.code() },
            Self::Purged { count } => WorkerCount::Purged(*count),
        });
    }

    /// Emits an event of `tracing`, without contents.
    pub(super) fn trace(&self) {
        match self {
            Self::Enlisted { instance } => tracing::debug!(instance = instance.number(), "worker enlisted"),
            Self::Claimed { count } => tracing::debug!(count, "worker claimed"),
            Self::Handled { kind, outcome, took, .. } => {
                tracing::debug!(%kind, outcome, took_ms = millis(*took), "worker handled");
            }
            Self::HandlerFailed { kind, failures, after, .. } => {
                tracing::warn!(%kind, failures, after_ms = millis(*after), "worker: a handler failed");
            }
            Self::WatchFailed { kind, error, failures, after, .. } => {
                tracing::warn!(%kind, code = error.code(), failures, after_ms = millis(*after), "worker: watching failed");
            }
            Self::Discarded { kind, cause, failures, .. } => {
                tracing::warn!(%kind, cause = cause.name(), failures, "worker: an operation is given up");
            }
            Self::Yielded { kind, .. } => tracing::debug!(%kind, "worker: an operation has made room for others"),
            Self::LeaseChanged { lease } => {
                tracing::info!(lease_ms = millis(*lease), "worker: the length of leases changes")
            }
            Self::LeaseLost { instance, operations } => {
                tracing::warn!(instance = instance.number(), operations, "worker: the lease is lost");
            }
            Self::Fenced { kind, .. } => tracing::info!(%kind, "worker: an operation is another instance's"),
            Self::StoreFailed { error } => tracing::warn!(code = error.code(), %error, "worker: the store fails"),
            Self::StoreWorks => tracing::info!("worker: the store works again"),
            Self::Purged { count } => tracing::debug!(count, "worker purged"),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
