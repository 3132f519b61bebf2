//! The operations of one client.

use std::{fmt, sync::Arc, time::Duration};

use super::{Binding, Bindings, Entry, MemoryStore, Overview, Store, Unfinished, WatchOptions, fingerprint};
use crate::{
    Client, Error,
    error::{Kind, escape},
};

/// The number of entries that are forgotten in one step.
const PURGED: u32 = 1000;
/// The longest reason that a store keeps, in characters.
const REASON: usize = 500;

impl Client {
    /// Returns the asynchronous operations of the client: with a store in memory, until [`Operations::with_store`] sets
    /// another.
    pub fn operations(&self) -> Operations {
        Operations {
            client: self.clone(),
            store: Arc::new(MemoryStore::new()),
            options: WatchOptions::new(),
            bindings: Vec::new(),
        }
    }
}

/// The asynchronous operations of one client, with their store. Clones share it.
///
/// ```no_run
/// # async fn run(client: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::operations::{Deadline, Status};
///
/// // After a start of the program: everything that was submitted before, and is not done with.
/// let operations = client.operations();
/// let unfinished = operations.unfinished().await?;
/// for problem in &unfinished.unreadable {
///     println!("{}: {}", problem.place(), problem.error());
/// }
/// for entry in unfinished.entries {
///     match entry.status() {
///         Status::Accepted => {
///             let operation = operations.resume(&entry)?;
///             let outcome = operation.wait(Deadline::never()).await?;
///             operation.finish(&outcome).await?;
///         }
///         _ => println!("nobody knows whether {:?} arrived: look on the service", entry.intent().label()),
///     }
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Operations {
    client: Client,
    store: Arc<dyn Store>,
    options: WatchOptions,
    bindings: Vec<&'static Binding>,
}

impl Operations {
    /// Sets the store of submissions and operations.
    #[must_use]
    pub fn with_store(mut self, store: impl Store) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets the options of watching.
    #[must_use]
    pub fn with_options(mut self, options: WatchOptions) -> Self {
        self.options = options;
        self
    }

    /// Adds a binding of the caller's, before those of the generated client.
    #[must_use]
    pub fn with_binding(mut self, binding: &'static Binding) -> Self {
        self.bindings.push(binding);
        self
    }

    /// Returns all unfinished entries of this deployment in the store, oldest first. Entries that cannot be read are in
    /// [`Unfinished::unreadable`].
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn unfinished(&self) -> Result<Unfinished, Error> {
        self.store.unfinished(&self.deployment()).await
    }

    /// Returns the submission of a label.
    ///
    /// # Errors
    ///
    /// The store fails, or cannot read the entry.
    pub async fn labelled(&self, label: &str) -> Result<Option<Entry>, Error> {
        self.store.labelled(&self.deployment(), label).await
    }

    /// Removes an entry that has not changed since it was read: for a submission that did not arrive, as seen on the
    /// service. Its label is free again. Returns `false` if the entry is gone, or if there was another attempt or an
    /// acceptance in the meantime: read it again.
    ///
    /// It must not be submitted while this is called: if it arrives afterwards, it is in no store.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn forget(&self, entry: &Entry) -> Result<bool, Error> {
        self.store.forget(entry.intent().correlation(), entry.revision()).await
    }

    /// Returns the overview for operators: the number of entries by standing and by instance, and the operations that
    /// fail.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn overview(&self) -> Result<Overview, Error> {
        self.store.overview(&self.deployment()).await
    }

    /// Makes an operation that was given up due again, at once: with no failures, and with its whole
    /// [time](super::Worker::operation_timeout) left. One that waits after a failure is also tried at once. Returns
    /// `false` if an instance has its lease, or if it is not accepted or is finished.
    ///
    /// [`overview`](Self::overview) lists the operations that were given up. Remove an entry that is not to be retried
    /// with [`forget`](Self::forget).
    ///
    /// # Errors
    ///
    /// The store fails, or has no such submission.
    pub async fn retry(&self, correlation: &str) -> Result<bool, Error> {
        self.store.retry(correlation).await
    }

    /// Gives an operation up by hand, with a reason for operators: no instance can claim it until it is
    /// [retried](Self::retry). The instance that has its lease does not call its handler any more; a handler that runs
    /// already goes on. The operation continues at the service. Returns `false` if it is not accepted, was given up
    /// already, or is finished.
    ///
    /// ```no_run
    /// # async fn run(operations: driftless_runtime::operations::Operations) -> Result<(), driftless_runtime::Error> {
    /// if let Some(entry) = operations.labelled("release 17").await? {
    ///     operations.discard(entry.intent().correlation(), "the cluster is gone").await?;
    /// }
    /// for discarded in operations.overview().await?.discarded {
    ///     println!("{:?}: {}", discarded.label, discarded.failure);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The store fails, or has no such submission.
    pub async fn discard(&self, correlation: &str, reason: &str) -> Result<bool, Error> {
        let reason: String = escape(reason).chars().take(REASON).collect();
        self.store.discard(correlation, &reason, None).await
    }

    /// Pauses a kind of operations of this deployment, for all instances that share the store: none of them can claim
    /// an operation of the kind. Each instance releases those that it watches, and calls no more handlers for them,
    /// from its next look at the store: within [`Worker::poll`](super::Worker::poll). Running handlers go on.
    /// Submissions are not paused.
    ///
    /// # Errors
    ///
    /// The client does not know the kind, or the store fails.
    pub async fn pause(&self, kind: &str) -> Result<(), Error> {
        self.binding(kind)?;
        self.store.pause(&self.deployment(), kind, true).await
    }

    /// Ends a [pause](Self::pause).
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn unpause(&self, kind: &str) -> Result<(), Error> {
        self.store.pause(&self.deployment(), kind, false).await
    }

    /// Forgets entries of this deployment that were finished longer ago than this, and returns their number. Their
    /// labels are free again. Discarded entries stay: [`retry`](Self::retry) or [`forget`](Self::forget) them.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn purge(&self, age: Duration) -> Result<u64, Error> {
        let mut purged = 0;
        loop {
            let count = self.store.purge(&self.deployment(), age, PURGED).await?;
            purged += count;
            if count < u64::from(PURGED) {
                return Ok(purged);
            }
        }
    }

    /// Returns the client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(super) fn options(&self) -> WatchOptions {
        self.options
    }

    pub(super) fn deployment(&self) -> String {
        fingerprint::deployment(&self.client.session.base)
    }

    #[cfg(feature = "postgres")]
    pub(super) fn postgres(&self) -> Option<&super::PostgresStore> {
        let store: &dyn std::any::Any = &*self.store;
        store.downcast_ref()
    }

    /// Returns the names of all bindings, each once.
    pub(super) fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        for binding in self.bindings() {
            if !kinds.contains(&binding.kind) {
                kinds.push(binding.kind);
            }
        }
        kinds
    }

    fn bindings(&self) -> impl Iterator<Item = &'static Binding> {
        let generated = self.client.session.extensions.get::<Bindings>();
        self.bindings.iter().copied().chain(generated.into_iter().flat_map(|bindings| bindings.0.iter().copied()))
    }

    pub(super) fn binding(&self, kind: &str) -> Result<&'static Binding, Error> {
        self.bindings().find(|binding| binding.kind == kind).ok_or_else(|| {
            Error::with(Kind::Reference, format!("this client does not know operations of kind `{kind}`")).hint(
                "bind the kind in the configuration and regenerate, or turn on the cargo features of its operation",
            )
        })
    }
}

impl fmt::Debug for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operations").field("client", &self.client).finish_non_exhaustive()
    }
}
