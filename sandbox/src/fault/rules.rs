//! The pending faults.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::watch;

use super::rule::FaultRule;
use super::{Fault, FaultError};
use crate::contract::Contract;
use crate::requests::{Arrived, NearMiss, RequestFilter};
use crate::workflow::EventFaults;

/// The maximum number of rules.
const MOST: usize = 1000;

/// The last end of open sockets: a counter, and the close code. `None` resets the connection.
pub(crate) type SocketEnd = (u64, Option<u16>);

/// The pending faults, first come first served.
#[derive(Debug)]
pub(crate) struct Rules {
    contract: &'static Contract,
    rules: Mutex<Waiting>,
    random: SystemRandom,
    pub(crate) events: Arc<EventFaults>,
    sockets: watch::Sender<SocketEnd>,
    touched: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Waiting {
    last_id: u64,
    rules: VecDeque<Waits>,
}

/// A pending rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Waits {
    /// The identifier, counted from 1. It is never used again.
    pub id: u64,
    /// The fault and the requests that it applies to.
    pub rule: FaultRule,
    /// The number of requests that the fault was applied to.
    pub used: u32,
    /// Requests that nearly match, the nearest first.
    pub near_misses: Vec<NearMiss>,
}

impl Rules {
    pub(crate) fn new(contract: &'static Contract, events: Arc<EventFaults>) -> Self {
        Self {
            contract,
            rules: Mutex::default(),
            random: SystemRandom::new(),
            events,
            sockets: watch::Sender::new((0, None)),
            touched: watch::Sender::default(),
        }
    }

    /// Takes the fault for a request, with the identifier of its rule, and counts the use. Rules that nearly match record the request.
    pub(crate) fn take(&self, request: &Arrived, is_preflight: bool) -> Option<(u64, Fault)> {
        let mut waiting = self.rules();
        let mut has_near_miss = false;
        let met = waiting.rules.iter_mut().filter(|waits| waits.rule.meets(is_preflight)).find_map(|waits| {
            let filter = &waits.rule.filter;
            let differences = filter.differences(request, 0, None);
            if differences.is_empty() && self.happens(waits.rule.probability) {
                waits.used = waits.used.saturating_add(1);
                let is_used_up = waits.rule.times.is_some_and(|times| waits.used >= times);
                return Some((waits.id, waits.rule.fault.clone(), is_used_up));
            }
            if let Some(near) = filter.near_miss(request, None, differences) {
                near.add(&mut waits.near_misses);
                has_near_miss = true;
            }
            None
        });
        if let Some((used_up, _, true)) = met {
            waiting.rules.retain(|waits| waits.id != used_up);
        }
        drop(waiting);
        if met.is_some() || has_near_miss {
            self.touched.send_replace(());
        }
        met.map(|(id, fault, _)| (id, fault))
    }

    /// Subscribes to changes of the rules.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.touched.subscribe()
    }

    /// Decides by chance with this probability. Without random bytes, the answer is yes.
    fn happens(&self, probability: f64) -> bool {
        let mut bytes = [0; 4];
        probability >= 1.0
            || self.random.fill(&mut bytes).is_err()
            || f64::from(u32::from_le_bytes(bytes)) < probability * (f64::from(u32::MAX) + 1.0)
    }

    pub(crate) fn socket_ends(&self) -> watch::Receiver<SocketEnd> {
        self.sockets.subscribe()
    }

    fn add(&self, rule: FaultRule) -> Result<u64, FaultError> {
        rule.check(self.contract)?;
        let mut waiting = self.rules();
        if waiting.rules.len() >= MOST {
            return Err(FaultError::new(format!("{MOST} faults are pending; delete some")));
        }
        waiting.last_id += 1;
        let id = waiting.last_id;
        waiting.rules.push_back(Waits { id, rule, used: 0, near_misses: Vec::new() });
        drop(waiting);
        self.touched.send_replace(());
        Ok(id)
    }

    fn remove(&self, id: u64) -> bool {
        let mut waiting = self.rules();
        let index = waiting.rules.iter().position(|waits| waits.id == id);
        let removed = index.and_then(|index| waiting.rules.remove(index)).is_some();
        drop(waiting);
        self.touched.send_replace(());
        removed
    }

    pub(crate) fn clear(&self) {
        self.rules().rules.clear();
        self.events.clear();
        self.touched.send_replace(());
    }

    pub(crate) fn end_sockets(&self, code: Option<u16>) {
        self.sockets.send_modify(|end| *end = (end.0.wrapping_add(1), code));
    }

    fn rules(&self) -> MutexGuard<'_, Waiting> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The faults of a running sandbox. They apply to requests to the main API, the issuer, GraphQL and the compliance server.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use platform_sandbox::{FaultRule, RequestFilter};
///
/// let sandbox = platform_sandbox::start().await?;
/// // The next two requests for projects are answered with 429.
/// sandbox.faults().next(2, "/api/projects/v1", "status=429, retry-after=1".parse()?)?;
/// // Every token request waits.
/// sandbox.faults().always("/identity/connect/token", "latency=100".parse()?)?;
/// // One list in three fails.
/// let rule = FaultRule::new("status=503".parse()?).matching(RequestFilter::new().operation("GET /api/projects/v1/projects"));
/// let id = sandbox.faults().add(rule.probability(0.33))?;
/// sandbox.faults().remove(id);
/// sandbox.faults().clear();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FaultControl<'a>(pub(crate) &'a Rules);

impl FaultControl<'_> {
    /// Adds a rule, and returns its identifier. If several rules match a request, the oldest applies.
    ///
    /// # Errors
    ///
    /// Returns [`FaultError`] for a rule that no request can ever match.
    pub fn add(&self, rule: FaultRule) -> Result<u64, FaultError> {
        self.0.add(rule)
    }

    /// Returns the pending rules, oldest first.
    pub fn list(&self) -> Vec<Waits> {
        self.0.rules().rules.iter().cloned().collect()
    }

    /// Removes a rule. Returns whether it existed.
    pub fn remove(&self, id: u64) -> bool {
        self.0.remove(id)
    }

    /// Applies the fault to the next `times` requests that a filter takes, or whose path has a prefix.
    ///
    /// # Errors
    ///
    /// Fails like [`FaultControl::add`].
    pub fn next(&self, times: u32, filter: impl Into<RequestFilter>, fault: Fault) -> Result<u64, FaultError> {
        self.add(FaultRule::new(fault).matching(filter).times(times))
    }

    /// Applies the fault to every request that a filter takes, or whose path has a prefix, until [`FaultControl::clear`].
    ///
    /// # Errors
    ///
    /// Fails like [`FaultControl::add`].
    pub fn always(&self, filter: impl Into<RequestFilter>, fault: Fault) -> Result<u64, FaultError> {
        self.add(FaultRule::new(fault).matching(filter))
    }

    /// Drops the next `count` events of workflows for every subscriber. Queries still return the new state.
    pub fn drop_events(&self, count: u32) {
        self.0.events.drop_next(count);
        self.0.touched.send_replace(());
    }

    /// Sends the next `count` events of workflows twice to every subscriber.
    pub fn duplicate_events(&self, count: u32) {
        self.0.events.duplicate_next(count);
        self.0.touched.send_replace(());
    }

    /// Closes every open WebSocket with a close code such as 4401 or 1012, and ends every event stream.
    ///
    /// # Errors
    ///
    /// Returns [`FaultError`] for a code that no close frame carries.
    pub fn close_sockets(&self, code: u16) -> Result<(), FaultError> {
        // RFC 6455, section 7.4, with the codes that IANA has registered since. A peer that receives another one fails the
        // connection, as it does without any.
        if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
            let wrong = format!("a close frame cannot carry the code {code}");
            return Err(FaultError::in_member(
                "code",
                format!("{wrong}; write 1000 to 1003, 1007 to 1014, or 3000 to 4999"),
            ));
        }
        self.0.end_sockets(Some(code));
        Ok(())
    }

    /// Resets the connection of every open WebSocket, without a close frame, and ends every event stream.
    pub fn reset_sockets(&self) {
        self.0.end_sockets(None);
    }

    /// Removes every fault.
    pub fn clear(&self) {
        self.0.clear();
    }
}
