//! A worker: claims operations, watches them, and calls the program's handler.

mod attend;
mod event;
mod handler;
mod instance_lease;
mod lease_length;
mod plan;
mod progress;
mod renewal;
mod share;
mod shared;
mod supervise;
mod task_plan;
mod turns;

use std::{fmt, sync::Arc, time::Duration};

pub use event::{Discarded, WorkerEvent};
pub use handler::Ended;

use self::{handler::Handler, supervise::Supervisor, task_plan::TaskSettings};
use super::Operations;
use crate::{
    Error,
    clock::Backoff,
    error::{Kind, escape},
};

/// The longest text of a failure that a store keeps, in characters.
const LONGEST: usize = 500;
/// The shortest lease. With a shorter one, a slow store would lose every lease.
const SHORTEST: Duration = Duration::from_millis(100);

type EventHook = Arc<dyn Fn(&WorkerEvent) + Send + Sync>;

impl Operations {
    /// Creates a worker of these operations: it watches operations that were submitted, here or by another instance,
    /// and passes each end to the program's handler. Any number of instances may work on one store; each operation is
    /// watched by one of them.
    pub fn worker(&self) -> Worker {
        Worker { sources: vec![self.clone()], settings: Settings::default(), report: None }
    }
}

/// Claims operations of a store, watches them, and passes their ends to the program's handler.
///
/// An end is handled at least once: an operation is marked as finished after its handler has returned, and an instance
/// may end in between. With [`handle_in`](Self::handle_in), it is handled exactly once, provided that the handler only
/// writes through its transaction.
///
/// ```no_run
/// # async fn run(operations: driftless_runtime::operations::Operations) -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::operations::Ended;
///
/// let stop = async { drop(tokio::signal::ctrl_c().await) };
/// let handler = async |ended: Ended| -> Result<(), std::io::Error> {
///     println!("{:?} has {}", ended.intent().label(), ended.outcome().name());
///     Ok(())
/// };
/// operations.worker().handle(handler, stop).await
/// # }
/// ```
#[must_use = "a worker does nothing before `handle`"]
pub struct Worker {
    sources: Vec<Operations>,
    settings: Settings,
    report: Option<EventHook>,
}

#[derive(Clone)]
struct Settings {
    name: String,
    kinds: Option<Vec<String>>,
    lease: Duration,
    poll: Duration,
    watching: usize,
    handling: usize,
    retry: Backoff,
    grace: Duration,
    retention: Option<Duration>,
    max_lease: Duration,
    operation_timeout: Duration,
    handler_timeout: Duration,
    max_attempts: u32,
    turn: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: format!("process {}", std::process::id()),
            kinds: None,
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(5),
            watching: 1000,
            handling: 16,
            retry: Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(300) },
            grace: Duration::from_secs(30),
            retention: None,
            max_lease: Duration::from_secs(60),
            operation_timeout: Duration::from_secs(7 * 24 * 60 * 60),
            handler_timeout: Duration::from_secs(300),
            max_attempts: 100,
            turn: Duration::from_secs(60),
        }
    }
}

impl Settings {
    /// Returns those of one operation, which may need this time to end by time alone.
    fn task(&self, patience: Duration) -> TaskSettings {
        let Self { operation_timeout: timeout, turn, retry, max_attempts, .. } = *self;
        TaskSettings { timeout, turn, patience, retry, max_attempts }
    }
}

impl Worker {
    /// Works for another deployment, too. Slots are shared evenly between deployments and kinds.
    pub fn and(mut self, operations: &Operations) -> Self {
        self.sources.push(operations.clone());
        self
    }

    /// Sets the name of this instance, for operators; the process id unless set.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Works for these kinds only; for all that the client knows unless set.
    pub fn kinds<K: Into<String>>(mut self, kinds: impl IntoIterator<Item = K>) -> Self {
        self.settings.kinds = Some(kinds.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the time for which an operation belongs to this instance without a renewal; 30 s unless set. It is renewed
    /// three times as often. A shorter lease is taken over sooner, and lost sooner if a program or a database stalls. A
    /// lease that is lost, or nearly so, doubles, up to [`max_lease`](Self::max_lease), and returns to this length when
    /// renewals are in time again.
    pub fn lease(mut self, time: Duration) -> Self {
        self.settings.lease = time;
        self
    }

    /// Sets the longest lease for a late machine or store; 60 s unless set. A longer [`lease`](Self::lease) takes
    /// precedence.
    pub fn max_lease(mut self, time: Duration) -> Self {
        self.settings.max_lease = time;
        self
    }

    /// Sets the interval at which the store is polled for work if nothing wakes this instance; 5 s unless set.
    pub fn poll(mut self, time: Duration) -> Self {
        self.settings.poll = time;
        self
    }

    /// Sets the number of operations that this instance watches at once; 1,000 unless set. Further operations take
    /// [turns](Self::turn).
    pub fn watching(mut self, count: usize) -> Self {
        self.settings.watching = count;
        self
    }

    /// Sets the number of handlers that run at once; 16 unless set. Kinds and deployments take turns.
    pub fn handling(mut self, count: usize) -> Self {
        self.settings.handling = count;
        self
    }

    /// Sets the time for which an operation keeps its slot while others wait for one; 60 s unless set. Then it makes
    /// room for them, and is watched again after them. It keeps its slot until it has been queried, and longer if time
    /// alone brings it to an end, such as for missing events. If `n` operations are open and `p` are watched, one waits
    /// for `n / p` turns at most, rounded up, and for a few rounds of [polling](Self::poll).
    pub fn turn(mut self, time: Duration) -> Self {
        self.settings.turn = time;
        self
    }

    /// Sets the time after its acceptance in which an operation has to end; 7 days unless set, and without a limit by
    /// `Duration::MAX`. If a last query says that it has not ended by then, it is given up
    /// ([`Status::Discarded`](super::Status::Discarded)); if the service does not return it, it has the same time
    /// again. The store counts the time, over all instances.
    pub fn operation_timeout(mut self, time: Duration) -> Self {
        self.settings.operation_timeout = time;
        self
    }

    /// Sets the time limit of a handler; 5 minutes unless set. After that it is dropped at its next `.await`, which
    /// counts as a failure. A handler that blocks its thread cannot be dropped: use `tokio::task::spawn_blocking` for
    /// that.
    pub fn handler_timeout(mut self, time: Duration) -> Self {
        self.settings.handler_timeout = time;
        self
    }

    /// Sets the number of failures after which an operation is given up
    /// ([`Status::Discarded`](super::Status::Discarded)): of its handler, and of watching it; 100 unless set, which are
    /// six to eight hours with the default [pauses](Self::retry). `u32::MAX` is practically unlimited.
    pub fn max_attempts(mut self, count: u32) -> Self {
        self.settings.max_attempts = count;
        self
    }

    /// Sets the pause after a handler, or watching an operation, has failed: it doubles from the first to the longest;
    /// 1 s to 5 min unless set.
    pub fn retry(mut self, first: Duration, longest: Duration) -> Self {
        self.settings.retry = Backoff { first, longest };
        self
    }

    /// Sets the time that handlers have when the worker is to stop; 30 s unless set.
    pub fn grace(mut self, time: Duration) -> Self {
        self.settings.grace = time;
        self
    }

    /// Forgets entries that were finished longer ago than this; none unless set. The label of such an entry is free again.
    pub fn retention(mut self, age: Duration) -> Self {
        self.settings.retention = Some(age);
        self
    }

    /// Sets the function that receives events. It must not block.
    pub fn on_event(mut self, report: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Self {
        self.report = Some(Arc::new(report));
        self
    }

    /// Works until `stop` ends, then returns its leases. Each end is passed to the handler; when it returns, the
    /// operation is finished. A handler that fails, panics, or takes longer than
    /// [`handler_timeout`](Self::handler_timeout), is called again after a pause, by the instance that has the
    /// operation then, [`max_attempts`](Self::max_attempts) times at most.
    ///
    /// A handler is dropped at its next `.await` if this instance has lost its lease.
    ///
    /// # Cancellation safety
    ///
    /// End it by `stop`. If the future is dropped instead, its handlers are dropped and no lease is returned: another
    /// instance takes over when the lease is over, and calls a handler again that was not marked as done. Nothing is
    /// lost.
    ///
    /// # Errors
    ///
    /// The options are invalid. Later failures are reported as a [`WorkerEvent`], and retried.
    pub async fn handle<H, F, E>(self, handler: H, stop: impl Future<Output = ()> + Send) -> Result<(), Error>
    where
        H: Fn(Ended) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display,
    {
        let handler = Handler::Plain(Box::new(move |ended| {
            let run = handler(ended);
            Box::pin(async move { run.await.map_err(|error| error.to_string()) })
        }));
        self.run(handler, stop).await
    }

    /// Works until `stop` ends, then returns its leases. The handler gets a transaction on the database of the store;
    /// its writes are committed together with the end of the operation, once, or not at all.
    ///
    /// A handler that leaves its transaction idle for longer than the lease is rolled back by the database. If the
    /// future is dropped instead of stopped, the transactions of its handlers are rolled back; else as for
    /// [`handle`](Self::handle).
    ///
    /// ```no_run
    /// # async fn run(operations: driftless_runtime::operations::Operations) -> Result<(), driftless_runtime::Error> {
    /// let stop = async { drop(tokio::signal::ctrl_c().await) };
    /// operations.worker().handle_in(|ended, transaction| Box::pin(async move {
    ///     let sql = "UPDATE release SET state = $2 WHERE name = $1";
    ///     transaction.execute(sql, &[&ended.intent().label(), &ended.outcome().name()]).await?;
    ///     Ok(())
    /// }), stop).await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The options are invalid, or the store is not a [`PostgresStore`](super::PostgresStore).
    #[cfg(feature = "postgres")]
    pub async fn handle_in<H>(self, handler: H, stop: impl Future<Output = ()> + Send) -> Result<(), Error>
    where
        H: for<'t> Fn(Ended, &'t super::postgres::Transaction<'t>) -> super::postgres::TransactionFuture<'t>
            + Send
            + Sync
            + 'static,
    {
        if self.sources.iter().any(|operations| operations.postgres().is_none()) {
            return Err(Error::with(Kind::Configuration, "the store has no transactions to hand out")
                .hint("use a `PostgresStore`, or `Worker::handle`"));
        }
        self.run(Handler::In(Box::new(handler)), stop).await
    }

    async fn run(self, handler: Handler, stop: impl Future<Output = ()> + Send) -> Result<(), Error> {
        let Settings { lease, watching, handling, handler_timeout, max_attempts, .. } = self.settings;
        let wrong = |message: &str, hint: &str| Err(Error::with(Kind::Configuration, message).hint(hint));
        if lease < SHORTEST {
            return wrong("the lease of the worker is shorter than 100 ms", "use a lease of several seconds");
        }
        if watching == 0 || handling == 0 {
            return wrong("the worker may watch or handle 0 operations at a time", "choose 1 or more");
        }
        if handler_timeout.is_zero() || max_attempts == 0 {
            return wrong("the handlers of the worker have no time, or no attempt", "choose more than 0");
        }
        Supervisor::new(self.sources, self.settings, self.report, handler)?.run(stop).await;
        Ok(())
    }
}

/// A failure as a store keeps it.
fn stored_text(text: &str) -> String {
    escape(text).chars().take(LONGEST).collect()
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("name", &self.settings.name).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests;
#[cfg(all(test, feature = "testing"))]
mod turn_tests;
