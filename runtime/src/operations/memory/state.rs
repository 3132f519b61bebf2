//! The contents of a store in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use crate::{
    Error,
    clock::{self, Until},
    operations::{Entry, Failing, Instance, Intent, Lease, Standing, Status, Wanted, lease::lost, store::FIRST},
};

#[derive(Default)]
pub(super) struct State {
    pub(super) entries: Vec<Kept>,
    pub(super) instances: BTreeMap<Instance, Alive>,
    pub(super) last_instance: u64,
    /// The kinds that are paused, with their deployments.
    pub(super) paused: BTreeSet<(String, String)>,
}

pub(super) struct Alive {
    pub(super) name: String,
    pub(super) until: Until,
    pub(super) lease: Duration,
}

pub(super) struct Kept {
    pub(super) entry: Entry,
    /// The attempts that may have arrived.
    pub(super) open: BTreeSet<u64>,
    pub(super) owner: Option<Instance>,
    pub(super) fence: u64,
    /// The fencing number of the lease that finished it.
    pub(super) finisher: Option<u64>,
    pub(super) due: Until,
    /// The time at which its acceptance was stored, or at which it was last retried by hand.
    pub(super) since: Instant,
    pub(super) failures: u32,
    pub(super) failure: Option<String>,
    pub(super) finished: Option<Instant>,
    pub(super) discarded: Option<Instant>,
}

impl Kept {
    pub(super) fn new(intent: &Intent) -> Self {
        Self {
            entry: Entry::new(intent.clone(), FIRST, None, None, None),
            open: BTreeSet::from([FIRST]),
            owner: None,
            fence: 0,
            finisher: None,
            due: Until::at(clock::now()),
            since: clock::now(),
            failures: 0,
            failure: None,
            finished: None,
            discarded: None,
        }
    }

    pub(super) fn standing(&self, now: Instant) -> Standing {
        match self.entry.status() {
            Status::SubmissionUnknown => Standing::SubmissionUnknown,
            Status::Finished => Standing::Finished,
            Status::Discarded => Standing::Discarded,
            Status::Accepted if self.owner.is_some() => Standing::Held,
            Status::Accepted if self.due.is_over(now) => Standing::Waiting,
            Status::Accepted => Standing::Delayed,
        }
    }

    /// Returns whether this lease has ended it in this way: the response to that may have been lost.
    pub(super) fn is_ended_by(&self, lease: &Lease, discarded: bool) -> bool {
        self.finisher == Some(lease.fence()) && discarded == (self.entry.status() == Status::Discarded)
    }

    pub(super) fn failing(&self) -> Failing {
        let intent = &self.entry.intent;
        Failing {
            correlation: intent.correlation.clone(),
            kind: intent.kind.clone(),
            label: intent.label.clone(),
            failures: self.failures,
            failure: self.failure.clone().unwrap_or_default(),
        }
    }

    pub(super) fn give_back(&mut self, due: Until) {
        self.owner = None;
        self.due = due;
    }
}

impl State {
    pub(super) fn entry(&mut self, correlation: &str) -> Option<&mut Kept> {
        self.entries.iter_mut().find(|kept| kept.entry.intent.correlation == correlation)
    }

    /// Removes an entry, on a condition. Returns whether it was removed; `None` if there was none.
    pub(super) fn remove(&mut self, correlation: &str, when: impl FnOnce(&mut Kept) -> bool) -> Option<bool> {
        let index = self.entries.iter().position(|kept| kept.entry.intent.correlation == correlation)?;
        let out = when(self.entries.get_mut(index)?);
        if out {
            self.entries.remove(index);
        }
        Some(out)
    }

    pub(super) fn is_alive(&self, instance: Instance, now: Instant) -> bool {
        self.instances.get(&instance).is_some_and(|alive| !alive.until.is_over(now))
    }

    /// Returns the due operations of a kind that are not leased, those that have waited longest first; none of a paused
    /// kind.
    pub(super) fn due(&mut self, wanted: &Wanted, now: Instant) -> Vec<&mut Kept> {
        if self.is_paused(wanted) {
            return Vec::new();
        }
        let mut due: Vec<&mut Kept> = self
            .entries
            .iter_mut()
            .filter(|kept| {
                kept.entry.intent.deployment == wanted.deployment()
                    && kept.entry.intent.kind == wanted.kind()
                    && kept.standing(now) == Standing::Waiting
            })
            .collect();
        due.sort_by_key(|kept| kept.due);
        due
    }

    pub(super) fn is_paused(&self, wanted: &Wanted) -> bool {
        self.paused.contains(&(wanted.deployment().to_owned(), wanted.kind().to_owned()))
    }

    /// Returns the entry of a valid lease.
    pub(super) fn leased(&mut self, lease: &Lease) -> Result<&mut Kept, Error> {
        let alive = self.is_alive(lease.instance(), clock::now());
        let kept = self.entry(lease.correlation()).filter(|kept| {
            alive && kept.owner == Some(lease.instance()) && kept.fence == lease.fence() && kept.entry.outcome.is_none()
        });
        kept.ok_or_else(lost)
    }

    /// Returns all leases of an instance, and forgets the instance.
    pub(super) fn retire(&mut self, instance: Instance, now: Instant) {
        self.instances.remove(&instance);
        for kept in self.entries.iter_mut().filter(|kept| kept.owner == Some(instance)) {
            kept.give_back(Until::at(now));
        }
    }
}
