//! Leases: the instances of a program, and the operations that they have.

use std::time::Duration;

use super::{Entry, Unreadable};
use crate::{Error, error::Kind};

/// An instance of a program, as a store knows it. An instance whose time is over gets another number when it comes
/// back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance(u64);

impl Instance {
    /// Creates an instance of this number, for other implementations of a store.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns its number. A store never uses a number twice.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// The exclusive right of one instance to one operation, for as long as the instance renews it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    correlation: String,
    instance: Instance,
    fence: u64,
}

impl Lease {
    /// Creates a lease, for other implementations of a store.
    pub fn new(correlation: impl Into<String>, instance: Instance, fence: u64) -> Self {
        Self { correlation: correlation.into(), instance, fence }
    }

    /// Returns the identifier that connects the operation with its submission.
    pub fn correlation(&self) -> &str {
        &self.correlation
    }

    /// Returns the instance that has the lease.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// Returns the fencing number: each lease of an operation has a higher one than those before it.
    pub fn fence(&self) -> u64 {
        self.fence
    }
}

/// An instance's claim to operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    deployment: String,
    kind: String,
    limit: u32,
}

impl Wanted {
    /// Claims at most `limit` operations of this kind.
    pub fn new(deployment: impl Into<String>, kind: impl Into<String>, limit: u32) -> Self {
        Self { deployment: deployment.into(), kind: kind.into(), limit }
    }

    /// Returns the fingerprint of the deployment.
    pub fn deployment(&self) -> &str {
        &self.deployment
    }

    /// Returns the name of the binding.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the most operations to claim.
    pub fn limit(&self) -> u32 {
        self.limit
    }
}

/// The operations that are waiting, whether or not the instance has capacity for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Demand {
    /// The number of operations that are due and not leased, counted up to the claim's limit.
    pub due: u32,
    /// Operations of this kind cannot be claimed.
    pub paused: bool,
}

impl Demand {
    /// Creates one, for other implementations of a store.
    pub fn new(due: u32, paused: bool) -> Self {
        Self { due, paused }
    }
}

/// An operation that an instance has claimed.
#[derive(Debug)]
pub struct HeldOperation {
    lease: Lease,
    kind: String,
    entry: Result<Entry, Unreadable>,
    failures: u32,
    age: Duration,
}

impl HeldOperation {
    /// Creates one, for other implementations of a store.
    pub fn new(lease: Lease, kind: impl Into<String>, entry: Result<Entry, Unreadable>, failures: u32) -> Self {
        Self { lease, kind: kind.into(), entry, failures, age: Duration::ZERO }
    }

    /// Sets the time since the store kept its acceptance, or since it was retried, by the clock of the store.
    #[must_use]
    pub fn with_age(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }

    /// Returns the lease.
    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    /// Returns the name of the binding in the claim.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the entry, or the reason that it cannot be read.
    pub fn entry(&self) -> Result<&Entry, &Unreadable> {
        self.entry.as_ref()
    }

    /// Returns the number of its failures.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Returns the time since the store kept its acceptance, or since it was retried.
    pub fn age(&self) -> Duration {
        self.age
    }

    pub(super) fn into_entry(self) -> Result<Entry, Unreadable> {
        self.entry
    }
}

/// The error of a lease that is over.
pub(super) fn lost() -> Error {
    Error::with(Kind::LeaseLost, "the lease has expired, so nothing was written").hint(
        "another instance takes over; if this happens often, use a longer lease, or find out what delays the program or the store",
    )
}
