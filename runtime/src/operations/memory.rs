//! A store that ends with the program.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::{
    Count, Entry, Failing, HeldOperation, Instance, Intent, Lease, Observation, OperationRef, Overview, Owner,
    Standing, Status, Store, StoreFuture, Unfinished, WakeFuture, Wanted,
    error::{absent, another, known, taken},
    lease::lost,
    store::FIRST,
};
use crate::{Error, clock::Until};

/// A store in memory: what it holds ends with the program. It keeps the last observation of each operation.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    due: Notify,
}

#[derive(Default)]
struct State {
    entries: Vec<Kept>,
    instances: BTreeMap<Instance, (String, Until)>,
    last_instance: u64,
}

struct Kept {
    entry: Entry,
    /// The attempts that may have arrived.
    open: BTreeSet<u64>,
    owner: Option<Instance>,
    fence: u64,
    /// The fencing number of the lease that finished it.
    finisher: Option<u64>,
    due: Until,
    failures: u32,
    failure: Option<String>,
    finished: Option<Instant>,
}

impl Kept {
    fn new(intent: &Intent) -> Self {
        Self {
            entry: Entry::new(intent.clone(), FIRST, None, None, None),
            open: BTreeSet::from([FIRST]),
            owner: None,
            fence: 0,
            finisher: None,
            due: Until::at(Instant::now()),
            failures: 0,
            failure: None,
            finished: None,
        }
    }

    fn standing(&self, now: Instant) -> Standing {
        match self.entry.status() {
            Status::SubmissionUnknown => Standing::SubmissionUnknown,
            Status::Finished => Standing::Finished,
            Status::Accepted if self.owner.is_some() => Standing::Held,
            Status::Accepted if self.due.is_over(now) => Standing::Waiting,
            Status::Accepted => Standing::Delayed,
        }
    }

    fn give_back(&mut self, due: Until) {
        self.owner = None;
        self.due = due;
    }
}

impl State {
    fn entry(&mut self, correlation: &str) -> Option<&mut Kept> {
        self.entries.iter_mut().find(|kept| kept.entry.intent.correlation == correlation)
    }

    /// Takes an entry out, on a condition. Whether it is out; `None` when there was none.
    fn remove(&mut self, correlation: &str, when: impl FnOnce(&mut Kept) -> bool) -> Option<bool> {
        let place = self.entries.iter().position(|kept| kept.entry.intent.correlation == correlation)?;
        let out = when(self.entries.get_mut(place)?);
        if out {
            self.entries.remove(place);
        }
        Some(out)
    }

    fn is_alive(&self, instance: Instance, now: Instant) -> bool {
        self.instances.get(&instance).is_some_and(|(_, until)| !until.is_over(now))
    }

    /// The entry of a lease that holds.
    fn leased(&mut self, lease: &Lease) -> Result<&mut Kept, Error> {
        let alive = self.is_alive(lease.instance(), Instant::now());
        let kept = self.entry(lease.correlation()).filter(|kept| {
            alive && kept.owner == Some(lease.instance()) && kept.fence == lease.fence() && kept.entry.outcome.is_none()
        });
        kept.ok_or_else(lost)
    }

    /// Gives back what an instance holds, and forgets it.
    fn retire(&mut self, instance: Instance, now: Instant) {
        self.instances.remove(&instance);
        for kept in self.entries.iter_mut().filter(|kept| kept.owner == Some(instance)) {
            kept.give_back(Until::at(now));
        }
    }
}

impl MemoryStore {
    /// An empty store.
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
                kept.due = Until::at(Instant::now());
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
                Some(kept) if kept.entry.outcome.is_some() => return ready(Ok(false)),
                Some(kept) => kept,
            },
            Some(lease) => {
                if state.entry(correlation).is_some_and(|kept| kept.finisher == Some(lease.fence())) {
                    return ready(Ok(true));
                }
                match state.leased(lease) {
                    Ok(kept) => kept,
                    Err(error) => return ready(Err(error)),
                }
            }
        };
        kept.entry.outcome = Some(outcome.to_owned());
        kept.finished = Some(Instant::now());
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
        let found = entries.find(|entry| entry.intent.label() == Some(label) && entry.intent.deployment == deployment);
        ready(Ok(found.cloned()))
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
        state.instances.insert(instance, (name.to_owned(), Until::after(lease)));
        ready(Ok(instance))
    }

    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool> {
        let mut state = self.state();
        let alive = state.is_alive(instance, Instant::now());
        if let Some((_, until)) = state.instances.get_mut(&instance).filter(|_| alive) {
            *until = Until::after(lease);
        }
        ready(Ok(alive))
    }

    fn claim<'a>(&'a self, instance: Instance, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<HeldOperation>> {
        let mut state = self.state();
        let now = Instant::now();
        if !state.is_alive(instance, now) {
            return ready(Err(lost()));
        }
        let over = state.instances.iter().filter(|(_, (_, until))| until.is_over(now));
        let over: Vec<Instance> = over.map(|(instance, _)| *instance).collect();
        for instance in over {
            state.retire(instance, now);
        }
        let mut held = Vec::new();
        for wanted in wanted {
            let mut due: Vec<&mut Kept> = state
                .entries
                .iter_mut()
                .filter(|kept| {
                    kept.entry.intent.deployment == wanted.deployment()
                        && kept.entry.intent.kind == wanted.kind()
                        && kept.standing(now) == Standing::Waiting
                })
                .collect();
            due.sort_by_key(|kept| kept.due);
            for kept in due.into_iter().take(wanted.limit() as usize) {
                kept.owner = Some(instance);
                kept.fence += 1;
                let lease = Lease::new(&kept.entry.intent.correlation, instance, kept.fence);
                held.push(HeldOperation::new(lease, wanted.kind(), Ok(kept.entry.clone()), kept.failures));
            }
        }
        ready(Ok(held))
    }

    fn held(&self, instance: Instance) -> StoreFuture<'_, Vec<Lease>> {
        let state = self.state();
        let held = state.entries.iter().filter(|kept| kept.owner == Some(instance));
        let leases = held.map(|kept| Lease::new(&kept.entry.intent.correlation, instance, kept.fence));
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

    fn leave(&self, instance: Instance) -> StoreFuture<'_, ()> {
        self.state().retire(instance, Instant::now());
        self.due.notify_waiters();
        ready(Ok(()))
    }

    fn wake(&self) -> WakeFuture<'_> {
        Box::pin(self.due.notified())
    }

    fn purge<'a>(&'a self, deployment: &'a str, age: Duration, limit: u32) -> StoreFuture<'a, u64> {
        let (now, mut purged) = (Instant::now(), 0);
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
        let (state, now) = (self.state(), Instant::now());
        let mut overview = Overview::default();
        let mut counts: BTreeMap<(String, Standing), Count> = BTreeMap::new();
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
            if let Some(failure) = kept.failure.clone().filter(|_| kept.entry.outcome.is_none()) {
                overview.failing.push(Failing {
                    correlation: intent.correlation.clone(),
                    kind: intent.kind.clone(),
                    label: intent.label.clone(),
                    failures: kept.failures,
                    failure,
                });
            }
        }
        overview.counts = counts.into_values().collect();
        overview.failing.sort_by_key(|failing| std::cmp::Reverse(failing.failures));
        overview.failing.truncate(Overview::LONGEST as usize);
        overview.owners = state
            .instances
            .iter()
            .map(|(instance, (name, until))| Owner {
                instance: *instance,
                name: name.clone(),
                alive: !until.is_over(now),
                held: state.entries.iter().filter(|kept| kept.owner == Some(*instance)).count() as u64,
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
