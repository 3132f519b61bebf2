//! The interface of stores of submissions and operations.

use std::{any::Any, pin::Pin, time::Duration};

use super::{
    Demand, Entry, HeldOperation, Instance, Intent, Lease, Observation, OperationRef, Overview, Unfinished, Wanted,
};
use crate::Error;

/// The future of a [`Store`]'s functions.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// The future of [`Store::wake`].
pub type WakeFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Stores submissions and operations: that a submission may arrive before it is sent, its acceptance, and every
/// observation.
///
/// All attempts of a submission, in all programs that share the store, decide whether it may have arrived. An
/// attempt is stored before it is sent, and stays until it is known that it had no effect. So an entry without a
/// reference always has an attempt that may have arrived, and a crash at any point leaves a true statement.
///
/// Several programs share a store as instances. An instance has operations by leases: it renews its own time, by the
/// clock of the store, and every write for one of its operations carries the fencing number of its lease. A write whose
/// lease is over changes nothing and is an error, [`is_lease_lost`](Error::is_lease_lost): the instance was away for
/// longer than its lease, and another one may have the operation.
///
/// Each function is one atomic step. Once it returns, its changes survive whatever the store promises to survive. A
/// future that is dropped may leave its step undone.
pub trait Store: Any + Send + Sync {
    /// Stores an intent, with an attempt of the number [`FIRST`] that is about to be sent. If the deployment has the
    /// label already, this is an error, and nothing is stored.
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()>;

    /// Stores another attempt that is about to be sent, and returns its number, which the entry never had before. It
    /// increases the entry's [`revision`](Entry::revision). An entry that does not exist, is accepted or is finished is
    /// an error.
    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64>;

    /// Withdraws an attempt that certainly had no effect. The entry is removed with its last attempt, unless it is
    /// accepted or finished. Returns `true` if it is gone. It is also called after an [`intend`](Self::intend) of the
    /// same submission whose future was dropped, to remove everything that it left.
    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool>;

    /// Stores the acceptance of an intent, and increases its revision. The first one counts: the same operation again
    /// changes nothing, and another one is an error.
    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()>;

    /// Forgets an entry if it still has this revision. Returns `false` if it has another one or does not exist.
    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool>;

    /// Stores an observation of an operation. If the store does not have the operation, it is dropped; under a lease,
    /// the lease is lost then.
    fn observe<'a>(
        &'a self,
        correlation: &'a str,
        observation: &'a Observation,
        lease: Option<&'a Lease>,
    ) -> StoreFuture<'a, ()>;

    /// Records that an operation is finished. Returns `true` for one caller only, among all processes; a repetition
    /// under the same lease gets `true` again. The lease ends. Without a lease, a discarded operation is finished, too.
    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool>;

    /// Returns one entry.
    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>>;

    /// Returns the entry of a label.
    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>>;

    /// Returns all unfinished entries of a deployment, oldest first, and those that cannot be read.
    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished>;

    /// Registers an instance of a program, for this time from now. The name is for operators.
    fn enlist<'a>(&'a self, name: &'a str, lease: Duration) -> StoreFuture<'a, Instance>;

    /// Renews all leases of an instance at once: they are valid for this time from now. Returns `false` if its time was
    /// over before; then it stays over.
    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool>;

    /// Gives an instance accepted operations that are due and not leased, those that have waited longest first, at most
    /// as many of each kind as it asks for, and none of a paused kind. The leases of instances whose time is over end
    /// here. An instance whose time is over gets an error, [`is_lease_lost`](Error::is_lease_lost).
    fn claim<'a>(&'a self, instance: Instance, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<HeldOperation>>;

    /// Returns all leases of an instance, whether it knows them or not: a response to [`claim`](Self::claim) may be
    /// lost.
    fn leases(&self, instance: Instance) -> StoreFuture<'_, Vec<Lease>>;

    /// Returns a lease; the operation is due again after this time. A failure is counted, and stored for operators.
    fn put_back<'a>(&'a self, lease: &'a Lease, after: Duration, failure: Option<&'a str>) -> StoreFuture<'a, ()>;

    /// Gives an operation up, with a reason: its [`status`](Entry::status) is [`Discarded`](super::Status::Discarded),
    /// and it cannot be claimed any more. Its revision increases. Under a lease it counts as a failure; a repetition
    /// under the same lease gets `true` again. Without a lease, the lease of another instance ends. Returns `false` if
    /// it is not accepted, was discarded already, or is finished.
    fn discard<'a>(&'a self, correlation: &'a str, reason: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool>;

    /// Makes an operation that is discarded, or accepted and not leased, due now: as if it had never failed and were
    /// accepted at this moment. Its revision increases. Returns `false` if it is leased, not accepted, or finished.
    fn retry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, bool>;

    /// Sets whether operations of a kind are paused, so that they cannot be claimed.
    fn pause<'a>(&'a self, deployment: &'a str, kind: &'a str, paused: bool) -> StoreFuture<'a, ()>;

    /// Returns, for each claim in this order, the number of due operations and whether the kind is paused.
    fn demand<'a>(&'a self, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<Demand>>;

    /// Returns all leases of an instance, and forgets the instance. One that does not exist counts as forgotten.
    fn leave(&self, instance: Instance) -> StoreFuture<'_, ()>;

    /// Ends when an operation may have become due since the call. It need not end: the callers also poll.
    fn wake(&self) -> WakeFuture<'_>;

    /// Forgets entries of a deployment that were finished longer ago than this, at most `limit`, and returns their
    /// number. Discarded entries stay.
    fn purge<'a>(&'a self, deployment: &'a str, age: Duration, limit: u32) -> StoreFuture<'a, u64>;

    /// Returns the overview of a deployment for operators.
    fn overview<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Overview>;
}

/// The number of the attempt that comes with an intent.
pub const FIRST: u64 = 1;
