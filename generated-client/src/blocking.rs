//! The client for programs without asynchronous code.

use std::{fmt, ops::Deref, sync::Arc};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::{Error, Platform, error::Kind};

/// A [`Platform`] with a runtime of its own. All that the platform offers is there; [`wait`](Self::wait) sends a call and
/// waits for its result.
///
/// ```no_run
/// # fn run() -> Result<(), platform_client::Error> {
/// use platform_client::{Method, Object, blocking::Blocking, Platform};
///
/// let platform = Blocking::new(Platform::from_env()?)?;
/// let answer = platform.wait(platform.request(Method::Get, "/api/projects/v1/projects").send())?;
/// for project in answer.json::<Vec<Object>>()? {
///     println!("{:?}", project.get::<String>("name")?);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Blocking {
    platform: Platform,
    runtime: Arc<Owned>,
}

impl Blocking {
    /// Starts the runtime: one thread, which also renews tokens and keeps connections while nobody waits.
    ///
    /// # Errors
    ///
    /// The system gives no thread.
    pub fn new(platform: Platform) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().thread_name("platform-client").build();
        let runtime = runtime.map_err(|cause| {
            Error::new(Kind::Configuration, format!("no runtime can be started: {cause}")).hint("try again")
        })?;
        Ok(Self { platform, runtime: Arc::new(Owned(Some(runtime))) })
    }

    /// Sends a call, or runs any other future of this crate, and waits for its result.
    ///
    /// # Errors
    ///
    /// Those of the call; and when it is called from asynchronous code, which it would block.
    pub fn wait<T>(&self, call: impl IntoFuture<Output = Result<T, Error>>) -> Result<T, Error> {
        if Handle::try_current().is_ok() {
            return Err(
                Error::new(Kind::Request, "asynchronous code may not wait here").hint("use `.await` on the call")
            );
        }
        match &self.runtime.0 {
            Some(runtime) => runtime.block_on(call.into_future()),
            None => Err(Error::new(Kind::Request, "the runtime has ended").hint("make a new client")),
        }
    }
}

/// A runtime that ends without waiting, which asynchronous code would not be allowed to.
struct Owned(Option<Runtime>);

impl Drop for Owned {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Deref for Blocking {
    type Target = Platform;

    fn deref(&self) -> &Platform {
        &self.platform
    }
}

impl fmt::Debug for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blocking").field(&self.platform).finish()
    }
}
