//! Faults that wait for requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Method;
use tokio::sync::watch;

use super::Fault;
use crate::workflow::EventFaults;

/// How sockets are ended that are open: a count of how often, and the close code. No code: the connection is reset.
pub(crate) type SocketEnd = (u64, Option<u16>);

/// The faults that wait, first come first served.
#[derive(Debug)]
pub(crate) struct Rules {
    rules: Mutex<VecDeque<Rule>>,
    pub(crate) events: Arc<EventFaults>,
    sockets: watch::Sender<SocketEnd>,
}

#[derive(Debug)]
struct Rule {
    method: Option<Method>,
    path: String,
    left: Option<u32>,
    fault: Fault,
}

impl Rules {
    pub(crate) fn new(events: Arc<EventFaults>) -> Self {
        Self { rules: Mutex::default(), events, sockets: watch::Sender::new((0, None)) }
    }

    /// The fault for a request, which counts as used.
    pub(crate) fn take(&self, method: &Method, path: &str) -> Option<Fault> {
        let mut rules = self.rules();
        let fits =
            |rule: &Rule| rule.method.as_ref().is_none_or(|wanted| wanted == method) && path.starts_with(&rule.path);
        let index = rules.iter().position(fits)?;
        let rule = rules.get_mut(index)?;
        let fault = rule.fault.clone();
        if let Some(left) = &mut rule.left {
            *left -= 1;
            if *left == 0 {
                rules.remove(index);
            }
        }
        Some(fault)
    }

    pub(crate) fn socket_ends(&self) -> watch::Receiver<SocketEnd> {
        self.sockets.subscribe()
    }

    pub(crate) fn add(&self, method: Option<Method>, path: &str, times: Option<u32>, fault: Fault) {
        if times != Some(0) {
            self.rules().push_back(Rule { method, path: path.to_owned(), left: times, fault });
        }
    }

    pub(crate) fn clear(&self) {
        self.rules().clear();
        self.events.clear();
    }

    pub(crate) fn end_sockets(&self, code: Option<u16>) {
        self.sockets.send_modify(|end| *end = (end.0.wrapping_add(1), code));
    }

    fn rules(&self) -> MutexGuard<'_, VecDeque<Rule>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The faults of a running sandbox. They apply to requests to the main API, the issuer, GraphQL and the compliance server.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let sandbox = platform_sandbox::start().await?;
/// // The next two requests for projects are told to come back.
/// sandbox.faults().next(2, "/api/projects/v1", "status=429, retry-after=1".parse()?);
/// // Every token request waits.
/// sandbox.faults().always("/identity/connect/token", "latency=100".parse()?);
/// sandbox.faults().clear();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FaultControl<'a>(pub(crate) &'a Rules);

impl FaultControl<'_> {
    /// The next so many requests whose path begins so have the fault.
    pub fn next(&self, times: u32, path: &str, fault: Fault) {
        self.0.add(None, path, Some(times), fault);
    }

    /// The next so many requests with a method (in capital letters) whose path begins so have the fault.
    pub fn next_of(&self, times: u32, method: &str, path: &str, fault: Fault) {
        self.0.add(Method::from_bytes(method.as_bytes()).ok(), path, Some(times), fault);
    }

    /// Every request whose path begins so has the fault, until [`FaultControl::clear`].
    pub fn always(&self, path: &str, fault: Fault) {
        self.0.add(None, path, None, fault);
    }

    /// The next so many events of workflows reach no subscriber. The state that queries show is not touched.
    pub fn drop_events(&self, count: u32) {
        self.0.events.drop_next(count);
    }

    /// The next so many events of workflows reach every subscriber twice.
    pub fn duplicate_events(&self, count: u32) {
        self.0.events.duplicate_next(count);
    }

    /// Closes every WebSocket that is open, with a close code such as 4401 or 1012, and ends every event stream.
    pub fn close_sockets(&self, code: u16) {
        self.0.end_sockets(Some(code));
    }

    /// Resets the connection of every WebSocket that is open, without a close message, and ends every event stream.
    pub fn reset_sockets(&self) {
        self.0.end_sockets(None);
    }

    /// Forgets every fault.
    pub fn clear(&self) {
        self.0.clear();
    }
}
