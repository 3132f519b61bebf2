//! Leases: which instance of a program holds which operation.

use std::time::Duration;

use super::{Entry, Unreadable};
use crate::{Error, error::Kind};

/// An instance of a program, as a store knows it. One whose time was over gets another number when it comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance(u64);

impl Instance {
    /// An instance of this number, for stores of other kinds.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number. No two instances of a store have the same, at any time.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// The right of one instance to one operation, as long as the instance renews it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    correlation: String,
    instance: Instance,
    fence: u64,
}

impl Lease {
    /// A lease, for stores of other kinds.
    pub fn new(correlation: impl Into<String>, instance: Instance, fence: u64) -> Self {
        Self { correlation: correlation.into(), instance, fence }
    }

    /// What ties the operation to its submission.
    pub fn correlation(&self) -> &str {
        &self.correlation
    }

    /// Whose it is.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// The fencing number: each lease of an operation has a higher one than those before it.
    pub fn fence(&self) -> u64 {
        self.fence
    }
}

/// What an instance asks a store for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    deployment: String,
    kind: String,
    limit: u32,
}

impl Wanted {
    /// At most so many operations of this kind.
    pub fn new(deployment: impl Into<String>, kind: impl Into<String>, limit: u32) -> Self {
        Self { deployment: deployment.into(), kind: kind.into(), limit }
    }

    /// The fingerprint of the deployment.
    pub fn deployment(&self) -> &str {
        &self.deployment
    }

    /// The name of the binding.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// How many at most.
    pub fn limit(&self) -> u32 {
        self.limit
    }
}

/// How much there is of what an instance asks for, whether it has a place for it or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Demand {
    /// How many are due and held by nobody, counted up to the limit that was asked for.
    pub due: u32,
    /// Nobody is given operations of this kind.
    pub paused: bool,
}

impl Demand {
    /// For stores of other kinds.
    pub fn new(due: u32, paused: bool) -> Self {
        Self { due, paused }
    }
}

/// An operation that an instance has got.
#[derive(Debug)]
pub struct HeldOperation {
    lease: Lease,
    kind: String,
    entry: Result<Entry, Unreadable>,
    failures: u32,
    age: Duration,
}

impl HeldOperation {
    /// An operation that was claimed, for stores of other kinds.
    pub fn new(lease: Lease, kind: impl Into<String>, entry: Result<Entry, Unreadable>, failures: u32) -> Self {
        Self { lease, kind: kind.into(), entry, failures, age: Duration::ZERO }
    }

    /// Sets how long ago the store kept its acceptance, or was told to retry it, by the clock of the store.
    #[must_use]
    pub fn with_age(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }

    /// The lease.
    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    /// The name of the binding, as it was asked for.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The entry, or why it cannot be read.
    pub fn entry(&self) -> Result<&Entry, &Unreadable> {
        self.entry.as_ref()
    }

    /// How often it has failed.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// How long ago the store kept its acceptance, or was told to retry it.
    pub fn age(&self) -> Duration {
        self.age
    }

    pub(super) fn into_entry(self) -> Result<Entry, Unreadable> {
        self.entry
    }
}

/// The error of a lease that is over.
pub(super) fn lost() -> Error {
    Error::of(Kind::LeaseLost, "the lease has expired, so nothing was written").hint(
        "another instance takes over; if this happens often, use a longer lease, or find out what delays the program or the store",
    )
}
