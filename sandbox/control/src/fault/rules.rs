//! The pending faults.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

use super::rule::FaultRule;
use super::{EventFaults, Fault, FaultError};
use crate::operations::Operations;
use crate::requests::{Arrived, NearMiss, RequestFilter};

/// The maximum number of rules.
const MOST: usize = 1000;

/// The last end of open sockets: a counter, and the close code. `None` resets the connection.
pub type SocketEnd = (u64, Option<u16>);

/// The pending faults, first come first served.
#[derive(Debug)]
pub struct Rules {
    known: Arc<dyn Operations>,
    rules: Mutex<Waiting>,
    /// The pending faults of events.
    pub events: Arc<EventFaults>,
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
    /// Without any fault.
    pub fn new(known: Arc<dyn Operations>, events: Arc<EventFaults>) -> Self {
        Self {
            known,
            rules: Mutex::default(),
            events,
            sockets: watch::Sender::new((0, None)),
            touched: watch::Sender::default(),
        }
    }

    /// Takes the fault for a request, with the identifier of its rule, and counts the use. Rules that nearly match record the request.
    pub fn take(&self, request: &Arrived, is_preflight: bool) -> Option<(u64, Fault)> {
        let mut waiting = self.rules();
        let mut has_near_miss = false;
        let met = waiting.rules.iter_mut().filter(|waits| waits.rule.meets(is_preflight)).find_map(|waits| {
            let filter = &waits.rule.filter;
            let differences = filter.differences(request, 0, None);
            if differences.is_empty() && happens(waits.rule.probability) {
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
    pub fn watch(&self) -> watch::Receiver<()> {
        self.touched.subscribe()
    }

    /// The operations that rules can name.
    pub fn known(&self) -> &dyn Operations {
        self.known.as_ref()
    }

    /// Subscribes to the ends of open sockets.
    pub fn socket_ends(&self) -> watch::Receiver<SocketEnd> {
        self.sockets.subscribe()
    }

    fn add(&self, rule: FaultRule) -> Result<u64, FaultError> {
        rule.check(self.known())?;
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

    /// Removes every fault.
    pub fn clear(&self) {
        self.rules().rules.clear();
        self.events.clear();
        self.touched.send_replace(());
    }

    /// Ends open sockets and streams: with a close code, or by a reset.
    pub fn end_sockets(&self, code: Option<u16>) {
        self.sockets.send_modify(|end| *end = (end.0.wrapping_add(1), code));
    }

    fn rules(&self) -> MutexGuard<'_, Waiting> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides by chance with this probability.
fn happens(probability: f64) -> bool {
    // The first half of a GUID of version 4 begins with 48 random bits.
    let [first, second, third, fourth, ..] = *Uuid::new_v4().as_bytes();
    let drawn = f64::from(u32::from_le_bytes([first, second, third, fourth]));
    probability >= 1.0 || drawn < probability * (f64::from(u32::MAX) + 1.0)
}

/// The faults of a running sandbox. They apply to every request, except for those of the control interface.
///
/// ```
/// use driftless_sandbox_control::fault::{FaultControl, FaultError, FaultRule};
/// use driftless_sandbox_control::requests::RequestFilter;
///
/// fn add(faults: FaultControl<'_>) -> Result<(), FaultError> {
///     // The next two requests for pets are answered with 429.
///     faults.next(2, "/pets", "status=429, retry-after=1".parse()?)?;
///     // One list in three fails.
///     let rule = FaultRule::new("status=503".parse()?).matching(RequestFilter::new().operation("GET /pets"));
///     let id = faults.add(rule.probability(0.33))?;
///     faults.remove(id);
///     faults.clear();
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FaultControl<'a>(&'a Rules);

impl<'a> FaultControl<'a> {
    /// The handle of these rules.
    pub fn new(rules: &'a Rules) -> Self {
        Self(rules)
    }

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
