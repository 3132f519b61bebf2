//! The overview for operators.

use std::time::{Duration, SystemTime};

use super::{Instance, entry::DISCARDED};

/// The standing of an entry, in an [`Overview`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Standing {
    /// It is unknown whether it arrived.
    SubmissionUnknown,
    /// Accepted, and not leased.
    Waiting,
    /// Accepted; it has failed, and cannot be claimed before its time.
    Delayed,
    /// Accepted, and leased by an instance.
    Held,
    /// Given up: after too many failures, after too long a time, or by hand. It cannot be claimed until
    /// [`Operations::retry`](super::Operations::retry).
    Discarded,
    /// Finished.
    Finished,
}

impl Standing {
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    const ALL: [Self; 6] =
        [Self::SubmissionUnknown, Self::Waiting, Self::Delayed, Self::Held, Self::Discarded, Self::Finished];

    /// Returns a short, stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SubmissionUnknown => "submission-unknown",
            Self::Waiting => "waiting",
            Self::Delayed => "delayed",
            Self::Held => "held",
            Self::Discarded => DISCARDED,
            Self::Finished => "finished",
        }
    }

    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.name() == name)
    }
}

/// The overview of one deployment for operators.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Overview {
    /// The number of entries by kind and standing.
    pub counts: Vec<Count>,
    /// The number of leases by instance, in all deployments of the store.
    pub owners: Vec<Owner>,
    /// Operations that failed and are tried again, most failures first, at most [`Overview::LONGEST`].
    pub failing: Vec<Failing>,
    /// Operations that were given up, the newest first, at most [`Overview::LONGEST`].
    pub discarded: Vec<Failing>,
    /// The kinds that are paused, in order.
    pub paused: Vec<String>,
}

/// The number of entries of one kind and standing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Count {
    /// The name of the binding.
    pub kind: String,
    /// Their standing.
    pub standing: Standing,
    /// Their number.
    pub count: u64,
    /// The time at which the oldest of them was submitted, on the clock of the submitting instance.
    pub oldest: Option<SystemTime>,
}

/// An instance, and the number of its leases.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Owner {
    /// Its number.
    pub instance: Instance,
    /// Its name.
    pub name: String,
    /// `true` if its time is not over.
    pub alive: bool,
    /// The number of its leases.
    pub leases: u64,
    /// The length of its leases without a renewal. It is longer than [`Worker::lease`](super::Worker::lease) if the
    /// machine or the store is late. `None` if the program is of an earlier version, which does not report it.
    pub lease: Option<Duration>,
}

/// An operation that has failed or was given up: its handler, or watching it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failing {
    /// The identifier that connects it with its submission.
    pub correlation: String,
    /// The name of its binding.
    pub kind: String,
    /// The label of the submission.
    pub label: Option<String>,
    /// The number of failures.
    pub failures: u32,
    /// The last failure, or the reason of giving it up by hand.
    pub failure: String,
}

impl Overview {
    /// The most operations in each list of an overview.
    pub const LONGEST: u32 = 100;

    /// Returns the number of entries of this standing, of all kinds.
    pub fn count(&self, standing: Standing) -> u64 {
        self.counts.iter().filter(|count| count.standing == standing).map(|count| count.count).sum()
    }
}
