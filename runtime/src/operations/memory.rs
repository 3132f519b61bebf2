//! A store in memory.

mod state;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

use self::state::{Alive, Kept, State};
use super::{
    Count, Demand, Entry, HeldOperation, Instance, Intent, Lease, Observation, OperationRef, Overview, Owner, Standing,
    Status, Store, StoreFuture, Unfinished, WakeFuture, Wanted,
    entry::DISCARDED,
    error::{absent, another, known, taken},
    lease::lost,
};
use crate::{
    Error,
    clock::{self, Until},
};

/// A store in memory: its contents end with the program. It keeps the last observation of each operation.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    due: Notify,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, correlation: &str, change: impl FnOnce(&mut Kept) -> T) -> Option<T> {
        self.state().entry(correlation).map(change)
    }
}

fn ready<'a, T: Send + 'a>(outcome: Result<T, Error>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(outcome))
}

impl Store for MemoryStore {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        let mut state = self.state();
        let same = |kept: &Kept| {
            let (known, new) = (&kept.entry.intent, intent);
            known.correlation == new.correlation
                || (new.label.is_some() && known.label == new.label && known.deployment == new.deployment)
        };
        if state.entries.iter().any(same) {
            return ready(Err(taken()));
        }
        state.entries.push(Kept::new(intent));
        ready(Ok(()))
    }

    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64> {
        let begun = self.with(correlation, |kept| {
            if kept.entry.status() != Status::SubmissionUnknown {
                return Err(known());
            }
            kept.entry.revision += 1;
            kept.open.insert(kept.entry.revision);
            Ok(kept.entry.revision)
        });
        ready(begun.unwrap_or_else(|| Err(absent())))
    }

    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool> {
        let gone = self.state().remove(correlation, |kept| {
            kept.open.remove(&attempt);
            kept.open.is_empty() && kept.entry.status() == Status::SubmissionUnknown
        });
        ready(Ok(gone.unwrap_or(true)))
    }

    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        let accepted = self.with(reference.correlation(), |kept| match &kept.entry.reference {
            None => {
                kept.entry.revision += 1;
                kept.entry.reference = Some(reference.clone());
                kept.since = clock::now();
                kept.due = Until::at(kept.since);
                Ok(())
            }
            Some(first) if first.is_same_operation(reference) => Ok(()),
            Some(_) => Err(another()),
        });
        self.due.notify_waiters();
        ready(accepted.unwrap_or_else(|| Err(absent())))
    }

    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool> {
        ready(Ok(self.state().remove(correlation, |kept| kept.entry.revision == revision).unwrap_or(false)))
    }

    fn observe<'a>(
        &'a self,
        correlation: &'a str,
        observation: &'a Observation,
        lease: Option<&'a Lease>,
    ) -> StoreFuture<'a, ()> {
        let mut state = self.state();
        let kept = match lease {
            None => state.entry(correlation),
            Some(lease) => match state.leased(lease) {
                Ok(kept) => Some(kept),
                Err(error) => return ready(Err(error)),
            },
        };
        if let Some(kept) = kept {
            let mut next = observation.clone();
            next.events.extend(kept.entry.last.iter().flat_map(|last| last.events.iter().cloned()));
            kept.entry.last = Some(next);
        }
        ready(Ok(()))
    }

    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        let mut state = self.state();
        let kept = match lease {
            None => match state.entry(correlation) {
                None => return ready(Err(absent())),
                Some(kept) if kept.entry.status() == Status::Finished => return ready(Ok(false)),
                Some(kept) => kept,
            },
            Some(lease) => {
                if state.entry(correlation).is_some_and(|kept| kept.is_ended_by(lease, false)) {
                    return ready(Ok(true));
                }
                match state.leased(lease) {
                    Ok(kept) => kept,
                    Err(error) => return ready(Err(error)),
                }
            }
        };
        kept.entry.outcome = Some(outcome.to_owned());
        kept.finished = Some(clock::now());
        kept.discarded = None;
        kept.finisher = lease.map(Lease::fence);
        kept.owner = None;
        ready(Ok(true))
    }

    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        ready(Ok(self.with(correlation, |kept| kept.entry.clone())))
    }

    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        let state = self.state();
        let mut entries = state.entries.iter().map(|kept| &kept.entry);
        let entry_of_label =
            entries.find(|entry| entry.intent.label() == Some(label) && entry.intent.deployment == deployment);
        ready(Ok(entry_of_label.cloned()))
    }

    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished> {
        let state = self.state();
        let entries = state.entries.iter().map(|kept| &kept.entry);
        let open = entries.filter(|entry| entry.intent.deployment == deployment && entry.outcome.is_none());
        ready(Ok(Unfinished { entries: open.cloned().collect(), unreadable: Vec::new() }))
    }

    fn enlist<'a>(&'a self, name: &'a str, lease: Duration) -> StoreFuture<'a, Instance> {
        let mut state = self.state();
        state.last_instance += 1;
        let instance = Instance::new(state.last_instance);
        state.instances.insert(instance, Alive { name: name.to_owned(), until: Until::after(lease), lease });
        ready(Ok(instance))
    }

    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool> {
        let mut state = self.state();
        let alive = state.is_alive(instance, clock::now());
        if let Some(known) = state.instances.get_mut(&instance).filter(|_| alive) {
            (known.until, known.lease) = (Until::after(lease), lease);
        }
        ready(Ok(alive))
    }

    fn claim<'a>(&'a self, instance: Instance, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<HeldOperation>> {
        let mut state = self.state();
        let now = clock::now();
        if !state.is_alive(instance, now) {
            return ready(Err(lost()));
        }
        let over = state.instances.iter().filter(|(_, alive)| alive.until.is_over(now));
        let over: Vec<Instance> = over.map(|(instance, _)| *instance).collect();
        for instance in over {
            state.retire(instance, now);
        }
        let mut claimed = Vec::new();
        for wanted in wanted {
            for kept in state.due(wanted, now).into_iter().take(wanted.limit() as usize) {
                kept.owner = Some(instance);
                kept.fence += 1;
                let lease = Lease::new(&kept.entry.intent.correlation, instance, kept.fence);
                let age = now.saturating_duration_since(kept.since);
                claimed.push(
                    HeldOperation::new(lease, wanted.kind(), Ok(kept.entry.clone()), kept.failures).with_age(age),
                );
            }
        }
        ready(Ok(claimed))
    }

    fn leases(&self, instance: Instance) -> StoreFuture<'_, Vec<Lease>> {
        let state = self.state();
        let owned = state.entries.iter().filter(|kept| kept.owner == Some(instance));
        let leases = owned.map(|kept| Lease::new(&kept.entry.intent.correlation, instance, kept.fence));
        ready(Ok(leases.collect()))
    }

    fn put_back<'a>(&'a self, lease: &'a Lease, after: Duration, failure: Option<&'a str>) -> StoreFuture<'a, ()> {
        let given = self.state().leased(lease).map(|kept| {
            kept.give_back(Until::after(after));
            if let Some(failure) = failure {
                kept.failures = kept.failures.saturating_add(1);
                kept.failure = Some(failure.to_owned());
            }
        });
        self.due.notify_waiters();
        ready(given)
    }

    fn discard<'a>(&'a self, correlation: &'a str, reason: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        let mut state = self.state();
        let kept = match lease {
            None => match state.entry(correlation) {
                None => return ready(Err(absent())),
                Some(kept) if kept.entry.status() != Status::Accepted => return ready(Ok(false)),
                Some(kept) => kept,
            },
            Some(lease) => {
                if state.entry(correlation).is_some_and(|kept| kept.is_ended_by(lease, true)) {
                    return ready(Ok(true));
                }
                match state.leased(lease) {
                    Ok(kept) => kept,
                    Err(error) => return ready(Err(error)),
                }
            }
        };
        kept.entry.outcome = Some(DISCARDED.to_owned());
        kept.entry.revision += 1;
        kept.discarded = Some(clock::now());
        kept.failures = kept.failures.saturating_add(u32::from(lease.is_some()));
        kept.failure = Some(reason.to_owned());
        kept.finisher = lease.map(Lease::fence);
        kept.owner = None;
        ready(Ok(true))
    }

    fn retry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, bool> {
        let retried = self.with(correlation, |kept| {
            let now = clock::now();
            match kept.standing(now) {
                Standing::Discarded => kept.due = Until::at(now),
                Standing::Waiting | Standing::Delayed => kept.due = kept.due.min(Until::at(now)),
                _ => return false,
            }
            kept.entry.outcome = None;
            kept.entry.revision += 1;
            (kept.since, kept.failures, kept.failure) = (now, 0, None);
            (kept.finisher, kept.discarded) = (None, None);
            true
        });
        self.due.notify_waiters();
        ready(retried.ok_or_else(absent))
    }

    fn pause<'a>(&'a self, deployment: &'a str, kind: &'a str, paused: bool) -> StoreFuture<'a, ()> {
        let group = (deployment.to_owned(), kind.to_owned());
        let mut state = self.state();
        if paused {
            state.paused.insert(group);
        } else {
            state.paused.remove(&group);
        }
        drop(state);
        self.due.notify_waiters();
        ready(Ok(()))
    }

    fn demand<'a>(&'a self, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<Demand>> {
        let (mut state, now) = (self.state(), clock::now());
        let demand = wanted.iter().map(|wanted| {
            let due = u32::try_from(state.due(wanted, now).len()).unwrap_or(u32::MAX);
            Demand { due: due.min(wanted.limit()), paused: state.is_paused(wanted) }
        });
        ready(Ok(demand.collect()))
    }

    fn leave(&self, instance: Instance) -> StoreFuture<'_, ()> {
        self.state().retire(instance, clock::now());
        self.due.notify_waiters();
        ready(Ok(()))
    }

    fn wake(&self) -> WakeFuture<'_> {
        Box::pin(self.due.notified())
    }

    fn purge<'a>(&'a self, deployment: &'a str, age: Duration, limit: u32) -> StoreFuture<'a, u64> {
        let (now, mut purged) = (clock::now(), 0);
        self.state().entries.retain(|kept| {
            let old = kept.entry.intent.deployment == deployment
                && kept.finished.is_some_and(|finished| Until::from(finished, age).is_over(now));
            let goes = old && purged < u64::from(limit);
            purged += u64::from(goes);
            !goes
        });
        ready(Ok(purged))
    }

    fn overview<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Overview> {
        let (state, now) = (self.state(), clock::now());
        let mut overview = Overview::default();
        let mut counts: BTreeMap<(String, Standing), Count> = BTreeMap::new();
        let mut discarded = Vec::new();
        for kept in state.entries.iter().filter(|kept| kept.entry.intent.deployment == deployment) {
            let (intent, standing) = (&kept.entry.intent, kept.standing(now));
            let count = counts.entry((intent.kind.clone(), standing)).or_insert_with(|| Count {
                kind: intent.kind.clone(),
                standing,
                count: 0,
                oldest: Some(intent.at()),
            });
            count.count += 1;
            count.oldest = count.oldest.min(Some(intent.at()));
            match standing {
                Standing::Discarded => discarded.push(kept),
                Standing::Finished => {}
                _ if kept.failure.is_some() => overview.failing.push(kept.failing()),
                _ => {}
            }
        }
        overview.counts = counts.into_values().collect();
        overview.failing.sort_by_key(|failing| std::cmp::Reverse(failing.failures));
        overview.failing.truncate(Overview::LONGEST as usize);
        discarded.sort_by_key(|kept| std::cmp::Reverse(kept.discarded));
        overview.discarded = discarded.into_iter().take(Overview::LONGEST as usize).map(Kept::failing).collect();
        let paused = state.paused.iter().filter(|(place, _)| place == deployment);
        overview.paused = paused.map(|(_, kind)| kind.clone()).collect();
        overview.owners = state
            .instances
            .iter()
            .map(|(instance, alive)| Owner {
                instance: *instance,
                name: alive.name.clone(),
                alive: !alive.until.is_over(now),
                lease: Some(alive.lease),
                leases: state.entries.iter().filter(|kept| kept.owner == Some(*instance)).count() as u64,
            })
            .collect();
        ready(Ok(overview))
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        let entries = state.entries.iter().map(|kept| (&kept.entry, &kept.open));
        f.debug_list().entries(entries).finish()
    }
}
