//! The client for programs without asynchronous code.

use std::{fmt, future::poll_fn, ops::Deref, pin::Pin, sync::Arc};

use futures_core::Stream;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{Client, Error, error::Kind};

/// A [`Client`] with a runtime of its own. It dereferences to the client; [`wait`](Self::wait) sends a call, or waits
/// for an operation, and [`each`](Self::each) iterates over a stream.
///
/// ```no_run
/// # fn run() -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::{Method, Object, blocking::Blocking, Client};
///
/// let client = Blocking::new(Client::from_env()?)?;
/// let answer = client.wait(client.request(Method::Get, "/api/projects/v1/projects").send())?;
/// for project in answer.json::<Vec<Object>>()? {
///     println!("{:?}", project.get::<String>("name")?);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Blocking<P = Client> {
    client: P,
    runtime: Arc<Owned>,
}

impl<P> Blocking<P> {
    /// Starts the runtime: one thread, which also refreshes tokens and keeps connections while no call waits.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(client: P) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().thread_name("driftless").build();
        let runtime = runtime.map_err(|cause| {
            Error::with(Kind::Configuration, format!("the runtime cannot be started: {cause}")).hint("try again")
        })?;
        Ok(Self { client, runtime: Arc::new(Owned(Some(runtime))) })
    }

    /// Sends a call, or runs any other future of this crate, and waits for its result.
    ///
    /// # Errors
    ///
    /// Those of the call, and an error if it is called from asynchronous code, which it would block.
    pub fn wait<T>(&self, call: impl IntoFuture<Output = Result<T, Error>>) -> Result<T, Error> {
        if Handle::try_current().is_ok() {
            return Err(Error::with(Kind::Request, "a blocking call cannot run inside asynchronous code")
                .hint("use `.await` on the call"));
        }
        self.runtime()?.block_on(call.into_future())
    }

    /// Iterates over a stream: a subscription, events, bytes. The stream is created inside the runtime.
    ///
    /// ```no_run
    /// # #[cfg(feature = "graphql")]
    /// # fn run(client: driftless_runtime::blocking::Blocking) -> Result<(), driftless_runtime::Error> {
    /// use driftless_runtime::Value;
    ///
    /// let document = "subscription { changed { state } }";
    /// for delivery in client.each(|client| client.graphql().subscribe::<Value, _>(document, ())) {
    ///     println!("{:?}", delivery?);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn each<T, S: Stream<Item = Result<T, Error>> + Unpin>(&self, make: impl FnOnce(&P) -> S) -> Each<'_, S, P> {
        let stream = self.runtime().map(|runtime| {
            let _inside = runtime.enter();
            make(&self.client)
        });
        Each { blocking: self, stream: stream.map_err(Some) }
    }

    fn runtime(&self) -> Result<&Runtime, Error> {
        let ended = || Error::with(Kind::Request, "the runtime has ended").hint("make a new client");
        self.runtime.0.as_ref().ok_or_else(ended)
    }
}

/// The iterator over a stream: see [`Blocking::each`].
pub struct Each<'a, S, P = Client> {
    blocking: &'a Blocking<P>,
    stream: Result<S, Option<Error>>,
}

impl<T, S: Stream<Item = Result<T, Error>> + Unpin, P> Iterator for Each<'_, S, P> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.stream {
            Ok(stream) => {
                let next = poll_fn(|context| Pin::new(&mut *stream).poll_next(context));
                self.blocking.wait(async { next.await.transpose() }).transpose()
            }
            Err(error) => error.take().map(Err),
        }
    }
}

impl<S, P> fmt::Debug for Each<'_, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Each").finish_non_exhaustive()
    }
}

/// A runtime that shuts down without waiting, which asynchronous code would not be allowed to.
struct Owned(Option<Runtime>);

impl Drop for Owned {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl<P> Deref for Blocking<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.client
    }
}

impl<P: fmt::Debug> fmt::Debug for Blocking<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blocking").field(&self.client).finish()
    }
}
