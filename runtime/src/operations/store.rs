//! Where submissions and operations are kept.

use std::{any::Any, pin::Pin, time::Duration};

use super::{
    Demand, Entry, HeldOperation, Instance, Intent, Lease, Observation, OperationRef, Overview, Unfinished, Wanted,
};
use crate::Error;

/// What the functions of a [`Store`] return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// What [`Store::wake`] returns.
pub type WakeFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Keeps submissions and operations: that a submission may arrive before it is sent, its acceptance, and every observation.
///
/// Whether a submission may have arrived is a property of all of its attempts, in all programs that share the store. An
/// attempt is kept before it is sent, and stays until it is known that nothing came of it. So an entry without a reference
/// has an attempt that may have arrived, always, and a crash at any point leaves what is true.
///
/// Several programs share a store as instances. An instance holds operations by leases: it renews its own time, by the clock
/// of the store, and every write for an operation that it holds carries the fencing number of its lease. A write whose lease
/// is over changes nothing and is an error, [`is_lease_lost`](Error::is_lease_lost): the instance was away for longer than its
/// lease, and another one may hold the operation.
///
/// Each function is one step that others see wholly or not at all, and when it returns, what it was given survives whatever
/// the store promises to survive. A future that is dropped may leave its step undone.
pub trait Store: Any + Send + Sync {
    /// Keeps an intent, with an attempt of the number [`FIRST`] that is about to be sent. A label that the deployment has
    /// already is an error, and nothing is kept.
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()>;

    /// Keeps another attempt that is about to be sent, and gives its number, which the entry never had before. It moves the
    /// entry's [`revision`](Entry::revision) on. An entry that is not there, is accepted or is done with is an error.
    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64>;

    /// Takes back an attempt of which nothing came, for certain. The entry goes with its last attempt, unless it is accepted
    /// or done with. `true` when it is gone. It comes after an [`intend`](Self::intend) of the same submission whose future was
    /// dropped, so that nothing of that is left.
    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool>;

    /// Keeps the acceptance of an intent, and moves its revision on. The first one counts: the same operation again changes
    /// nothing, and another one is an error.
    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()>;

    /// Forgets an entry whose revision is still this one. `false` when it has another one or is not there.
    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool>;

    /// Keeps an observation of an operation. One of an operation that the store does not have is dropped, unless it is made
    /// under a lease, which is lost then.
    fn observe<'a>(
        &'a self,
        correlation: &'a str,
        observation: &'a Observation,
        lease: Option<&'a Lease>,
    ) -> StoreFuture<'a, ()>;

    /// Keeps that an operation is done with. `true` for one caller only, of however many in however many processes; a lease
    /// that has finished the operation before is that caller still. Nobody holds the operation any more. Without a lease, one
    /// that is discarded is finished, too.
    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool>;

    /// One entry.
    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>>;

    /// The entry of a label.
    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>>;

    /// All entries of a deployment that are not done with, oldest first, and those that cannot be read.
    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished>;

    /// Takes an instance of a program in, for this time from now. The name is for people.
    fn enlist<'a>(&'a self, name: &'a str, lease: Duration) -> StoreFuture<'a, Instance>;

    /// Renews the leases of an instance, all of them at once: they hold for this time from now. `false` when its time was over
    /// before; then it stays over.
    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool>;

    /// Gives an instance accepted operations that are due and that nobody holds, those that have waited longest first, at most
    /// as many of each kind as it wants, and none of a kind that is paused. What an instance held whose time is over is held by nobody from here on. An instance
    /// whose time is over gets an error, [`is_lease_lost`](Error::is_lease_lost).
    fn claim<'a>(&'a self, instance: Instance, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<HeldOperation>>;

    /// All leases that an instance has, whether it knows them or not: an answer to [`claim`](Self::claim) may be lost.
    fn held(&self, instance: Instance) -> StoreFuture<'_, Vec<Lease>>;

    /// Gives a lease back; the operation is due again after this time. A failure is counted, and kept for people.
    fn put_back<'a>(&'a self, lease: &'a Lease, after: Duration, failure: Option<&'a str>) -> StoreFuture<'a, ()>;

    /// Gives an operation up, and says why: its [`status`](Entry::status) is [`Discarded`](super::Status::Discarded), and
    /// nobody is given it any more. Its revision moves on. Under a lease it counts as a failure; a lease that has discarded the
    /// operation before hears `true` again. Without a lease it is taken from whoever holds it. `false` when it is not accepted,
    /// is discarded already, or is done with.
    fn discard<'a>(&'a self, correlation: &'a str, reason: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool>;

    /// Makes an operation that is discarded, or accepted and held by nobody, due now: as one that has never failed and that is
    /// accepted at this moment. Its revision moves on. `false` when somebody holds it, when it is not accepted, or when it is
    /// done with.
    fn retry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, bool>;

    /// Sets whether operations of a kind are kept from being claimed.
    fn pause<'a>(&'a self, deployment: &'a str, kind: &'a str, paused: bool) -> StoreFuture<'a, ()>;

    /// Says of each that is wanted, in this order, how many are due and whether the kind is paused.
    fn demand<'a>(&'a self, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<Demand>>;

    /// Gives all leases of an instance back, and forgets the instance. One that is not there is forgotten already.
    fn leave(&self, instance: Instance) -> StoreFuture<'_, ()>;

    /// Ends when an operation may have become due since the call. It need not end: whoever waits looks from time to time, too.
    fn wake(&self) -> WakeFuture<'_>;

    /// Forgets entries of a deployment that were finished longer ago than this, at most so many, and says how many. What is
    /// discarded stays.
    fn purge<'a>(&'a self, deployment: &'a str, age: Duration, limit: u32) -> StoreFuture<'a, u64>;

    /// What an operator looks at, of a deployment.
    fn overview<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Overview>;
}

/// The number of the attempt that comes with an intent.
pub const FIRST: u64 = 1;
