//! The options of watching.

use std::time::Duration;

use crate::clock;

/// The options of watching. A contract names no times, so each has a default that can be changed.
/// `Duration::MAX`, or any time above a year, means never.
#[derive(Clone, Copy, Debug)]
#[must_use = "the options do nothing before they are given to `Operations`"]
pub struct WatchOptions {
    pub(super) settle: Duration,
    pub(super) safety: Duration,
    pub(super) interval: Duration,
    pub(super) visibility: Duration,
    pub(super) events: Duration,
    pub(super) unknown: Duration,
    pub(super) reconnect: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl WatchOptions {
    /// Creates the defaults.
    pub fn new() -> Self {
        Self {
            settle: Duration::from_secs(1),
            safety: Duration::from_secs(30),
            interval: Duration::from_secs(2),
            visibility: Duration::from_secs(30),
            events: Duration::from_secs(60),
            unknown: Duration::from_secs(120),
            reconnect: Duration::from_millis(500),
        }
    }

    /// The longest time after which a watch ends by itself if it observes nothing new.
    pub(super) fn patience(self) -> Duration {
        let times = [self.visibility, self.events, self.unknown].into_iter().filter(|time| *time <= clock::LONGEST);
        times.max().unwrap_or_default()
    }

    /// Sets the time from a subscription to the second query: a service acknowledges no subscription, so the first
    /// query may have come too early; 1 s unless set.
    pub fn settle(mut self, time: Duration) -> Self {
        self.settle = time;
        self
    }

    /// Sets the longest time without a query, whatever the subscription reports; 30 s unless set.
    pub fn safety(mut self, time: Duration) -> Self {
        self.safety = time;
        self
    }

    /// Sets the first time between two queries if there is no subscription, or if a change is imminent; it grows up to
    /// that of [`safety`](Self::safety); 2 s unless set.
    pub fn interval(mut self, time: Duration) -> Self {
        self.interval = time;
        self
    }

    /// Sets the time for which an accepted operation may be invisible before it counts as missing; 30 s unless set.
    pub fn visibility(mut self, time: Duration) -> Self {
        self.visibility = time;
        self
    }

    /// Sets the time that required events have after a success; 60 s unless set.
    pub fn events(mut self, time: Duration) -> Self {
        self.events = time;
        self
    }

    /// Sets the time after which waiting ends with an unknown state; 120 s unless set.
    pub fn unknown(mut self, time: Duration) -> Self {
        self.unknown = time;
        self
    }

    /// Sets the first pause before a new subscription after one that broke; it doubles up to 30 s, unless it begins beyond
    /// that; 0.5 s unless set.
    pub fn reconnect(mut self, time: Duration) -> Self {
        self.reconnect = time;
        self
    }
}
