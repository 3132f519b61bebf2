//! Connections, separate for each runtime.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::runtime::{Handle, Id};

use super::tls::unusable;
use crate::error::Error;

/// The number of runtimes whose connections are kept. Programs have one, or a few; tests have one each.
const RUNTIMES: usize = 8;

/// One `reqwest` client for each runtime that calls. A connection is driven by the runtime that opened it: if that
/// stalls, a call of another one would wait for it without end.
pub(super) struct Clients {
    tls: OnceLock<Result<rustls::ClientConfig, String>>,
    /// The most recently used one is first.
    list: Mutex<Vec<(Option<Id>, reqwest::Client)>>,
}

impl Clients {
    pub(super) const fn new() -> Self {
        Self { tls: OnceLock::new(), list: Mutex::new(Vec::new()) }
    }

    /// Returns the client of the current runtime.
    pub(super) fn here(
        &self,
        tls: impl FnOnce() -> Result<rustls::ClientConfig, rustls::Error>,
        build: impl FnOnce(rustls::ClientConfig) -> Result<reqwest::Client, Error>,
    ) -> Result<reqwest::Client, Error> {
        let here = Handle::try_current().ok().map(|runtime| runtime.id());
        let mut list = self.list();
        if let Some(index) = list.iter().position(|(runtime, _)| *runtime == here) {
            if let Some(front) = list.get_mut(..=index) {
                front.rotate_right(1);
            }
        } else {
            // Certificates are read once.
            let tls = self.tls.get_or_init(|| tls().map_err(|cause| cause.to_string())).clone();
            let tls = tls.map_err(|cause| unusable(&cause))?;
            list.insert(0, (here, build(tls)?));
            list.truncate(RUNTIMES);
        }
        list.first().map(|(_, client)| client.clone()).ok_or_else(|| unusable("no client"))
    }

    /// Closes the connections of a runtime that has ended.
    pub(super) fn forget(&self, runtime: Id) {
        self.list().retain(|(of_runtime, _)| *of_runtime != Some(runtime));
    }

    fn list(&self) -> MutexGuard<'_, Vec<(Option<Id>, reqwest::Client)>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
