//! What an operator looks at.

use std::time::{Duration, SystemTime};

use super::{Instance, entry::DISCARDED};

/// Where an entry stands, in an [`Overview`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Standing {
    /// Nobody knows whether it arrived.
    SubmissionUnknown,
    /// Accepted; nobody holds it.
    Waiting,
    /// Accepted; it has failed, and nobody is to take it before its time.
    Delayed,
    /// Accepted; an instance holds it.
    Held,
    /// Given up: after too many failures, after too long a time, or by hand. Nobody is given it until
    /// [`Operations::retry`](super::Operations::retry).
    Discarded,
    /// Done with.
    Finished,
}

impl Standing {
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    const ALL: [Self; 6] =
        [Self::SubmissionUnknown, Self::Waiting, Self::Delayed, Self::Held, Self::Discarded, Self::Finished];

    /// A short, stable name.
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
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.name() == name)
    }
}

/// What an operator looks at, of one deployment.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Overview {
    /// How many entries stand where.
    pub counts: Vec<Count>,
    /// Who holds how many, in all deployments of the store.
    pub owners: Vec<Owner>,
    /// Operations that failed and are tried again, most failures first, at most [`Overview::LONGEST`].
    pub failing: Vec<Failing>,
    /// Operations that are given up, the newest first, at most [`Overview::LONGEST`].
    pub discarded: Vec<Failing>,
    /// The kinds that are paused, in order.
    pub paused: Vec<String>,
}

/// How many entries stand where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Count {
    /// The name of the binding.
    pub kind: String,
    /// Where they stand.
    pub standing: Standing,
    /// How many.
    pub count: u64,
    /// When the oldest of them was submitted, on the clock of the instance that did.
    pub oldest: Option<SystemTime>,
}

/// An instance, and how many operations it holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Owner {
    /// Its number.
    pub instance: Instance,
    /// Its name.
    pub name: String,
    /// Whether its time is not over.
    pub alive: bool,
    /// How many operations it holds.
    pub held: u64,
    /// How long its leases hold without a sign of life. It is longer than [`Worker::lease`](super::Worker::lease) where the
    /// machine or the store is late. `None` where a program of an earlier version has not said it.
    pub lease: Option<Duration>,
}

/// An operation that has failed or is given up: its handler, or the watching of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failing {
    /// What ties it to its submission.
    pub correlation: String,
    /// The name of its binding.
    pub kind: String,
    /// The label of the submission.
    pub label: Option<String>,
    /// How often.
    pub failures: u32,
    /// Why, the last time; of what is given up by hand, the reason.
    pub failure: String,
}

impl Overview {
    /// How many operations each list of an overview has at most.
    pub const LONGEST: u32 = 100;

    /// How many entries stand there, of all kinds.
    pub fn count(&self, standing: Standing) -> u64 {
        self.counts.iter().filter(|count| count.standing == standing).map(|count| count.count).sum()
    }
}
