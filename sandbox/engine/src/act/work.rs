//! Asynchronous work: an operation begins it, and each read of the item, or the clock, takes it further.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use driftless_sandbox_control::clock::Clock;
use serde_json::Value;

use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Role, Work};
use crate::state::{Full, Instance, Item, Owner, Touched};

/// The clock, and the timers of the work that it drives. They are not saved: after a restart, the present states begin again.
#[derive(Debug, Default)]
pub(super) struct Timers {
    clock: Clock,
    schedules: Mutex<BTreeMap<Owner, Schedule>>,
}

/// The timers of the items of an instance.
#[derive(Debug, Default)]
struct Schedule {
    timers: HashMap<String, Timer>,
    /// The moments at which present states end, the next one first, and the items.
    ends: BTreeSet<(i64, String)>,
}

/// The present state of an item's work.
#[derive(Clone, Copy, Debug)]
struct Timer {
    /// The index of the work in those of the collection, and that of the state in those of the work.
    state: (usize, usize),
    since: i64,
    end: i64,
}

impl Timer {
    /// A state of no length has ended before it begins, whatever the clock says.
    fn new(state: (usize, usize), since: i64, milliseconds: i64) -> Self {
        let end = if milliseconds > 0 { since.saturating_add(milliseconds) } else { i64::MIN };
        Self { state, since, end }
    }
}

impl Schedule {
    fn insert(&mut self, id: String, timer: Timer) {
        self.ends.insert((timer.end, id.clone()));
        self.timers.insert(id, timer);
    }

    fn remove(&mut self, id: &str) -> Option<Timer> {
        let (id, timer) = self.timers.remove_entry(id)?;
        self.ends.remove(&(timer.end, id));
        Some(timer)
    }

    /// The items whose present states have ended.
    fn due(&self, now: i64) -> Vec<String> {
        self.ends.iter().take_while(|(end, _)| *end <= now).map(|(_, id)| id.clone()).collect()
    }

    /// Sets the timer of an item that has changed. The timer before goes on if the state is the same.
    fn look(&mut self, id: &str, item: &Item, before: Option<Timer>, collection: &Collection, now: i64) {
        if let Some((state, milliseconds)) = present(&item.value, collection) {
            let before = before.filter(|before| before.state == state);
            self.insert(id.to_owned(), before.unwrap_or_else(|| Timer::new(state, now, milliseconds)));
        }
    }
}

impl Timers {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, schedules: Mutex::default() }
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<Owner, Schedule>) -> T) -> T {
        change(&mut self.schedules.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn clear(&self) {
        self.change(BTreeMap::clear);
    }

    /// Forgets those of a collection below these parents.
    pub(super) fn forget(&self, collection: usize, parents: &[String]) {
        self.change(|schedules| {
            schedules.retain(|owner, _| owner.0 != collection || !owner.1.starts_with(parents));
        });
    }
}

impl Engine {
    /// Returns whether a read of the operation's item, or of its list, can change items.
    pub(super) fn goes_on(&self, call: &Call<'_>) -> bool {
        let collection = call.planned.collection.and_then(|index| self.plan.collections.get(index));
        let works = collection.map_or(&[][..], |collection| &collection.works);
        call.planned.role == Role::Read && !works.is_empty() || works.iter().any(|work| work.milliseconds.is_some())
    }

    /// The collections whose work the clock drives.
    pub(super) fn timed(&self) -> BTreeSet<usize> {
        let all = self.plan.collections.iter().enumerate();
        all.filter(|(_, collection)| is_timed(collection)).map(|(index, _)| index).collect()
    }

    /// Takes all work as far as the clock has gone. Work for which the state has no room stays where it is.
    pub(super) fn settle_all(&self) {
        let is_timed = |owner: &&Owner| self.plan.collections.get(owner.0).is_some_and(is_timed);
        let owners: Vec<Owner> = self.state().instances().map(|(owner, _)| owner).filter(is_timed).cloned().collect();
        for owner in owners {
            let _ = self.plan.collections.get(owner.0).map(|collection| self.settle(&owner, collection));
        }
    }

    /// Takes the work of a collection as far as the clock has gone. A state without a timer begins now. Only items that have changed,
    /// and those whose state ends, take time.
    pub(super) fn settle(&self, owner: &Owner, collection: &Collection) -> Result<(), Full> {
        if !is_timed(collection) {
            return Ok(());
        }
        let now = self.timers.clock.now();
        let mut schedule = self.timers.change(|schedules| schedules.remove(owner)).unwrap_or_default();
        let mut state = self.state();
        let touched = state.take_touched(owner);
        let instance = state.instance(owner);
        match touched {
            Some(Touched::All) => {
                let before = std::mem::take(&mut schedule).timers;
                for (id, item) in instance.into_iter().flat_map(Instance::items) {
                    schedule.look(id, item, before.get(id).copied(), collection, now);
                }
            }
            Some(Touched::Items(ids)) => {
                for id in ids {
                    let before = schedule.remove(&id);
                    if let Some(item) = instance.and_then(|instance| instance.item(&id)) {
                        schedule.look(&id, item, before, collection, now);
                    }
                }
            }
            None => {}
        }
        drop(state);
        let mut result = Ok(());
        for id in schedule.due(now) {
            let item = self.state().instance(owner).and_then(|instance| instance.item(&id).cloned());
            let (Some(timer), Some(item)) = (schedule.remove(&id), item) else { continue };
            let Some((state @ (work, index), milliseconds)) = present(&item.value, collection) else { continue };
            let Some(work) = collection.works.get(work).filter(|_| timer.state == state) else { continue };
            let steps = now.saturating_sub(timer.since).checked_div(milliseconds).unwrap_or(i64::MAX).max(0);
            let last = work.states.len() - 1;
            let next = index.saturating_add(usize::try_from(steps).unwrap_or(usize::MAX)).min(last);
            if let Err(full) = self.put_work(owner, id.clone(), &item, work, next) {
                schedule.insert(id, timer);
                result = Err(full);
            } else if next < last {
                let since = timer.since.saturating_add(steps.saturating_mul(milliseconds));
                schedule.insert(id, Timer::new((state.0, next), since, milliseconds));
            }
        }
        if !schedule.timers.is_empty() {
            self.timers.change(|schedules| schedules.insert(owner.clone(), schedule));
        }
        result
    }

    /// The outcome with the state of the work that the operation begins, or takes further.
    pub(super) fn worked(&self, call: &Call<'_>, outcome: Outcome) -> Outcome {
        let collection = call.planned.collection.and_then(|index| Some((index, self.plan.collections.get(index)?)));
        let Some((index, collection)) = collection.filter(|_| call.planned.work.is_some() || self.goes_on(call)) else {
            return outcome;
        };
        let owner = self.owner(call, index, collection);
        let id = match (&outcome, self.id(call, collection)) {
            (Outcome::Item { id, .. }, _) => id.clone(),
            // An action that does not answer with its item.
            (Outcome::Invented, Some(id)) => self.canonical(&owner, collection, id),
            _ => return outcome,
        };
        let stored = self.state().instance(&owner).and_then(|instance| instance.item(&id).cloned());
        let Some(item) = stored else { return outcome };
        let change = match &call.planned.work {
            Some(work) => Some((work, 0)),
            None => collection.works.iter().filter(|work| work.milliseconds.is_none()).find_map(|work| {
                let next = work.index(item.value.get(&work.member)?.as_str()?)? + 1;
                (next < work.states.len()).then_some((work, next))
            }),
        };
        let value = match change {
            Some((work, state)) => match self.put_work(&owner, id.clone(), &item, work, state) {
                Ok(value) => value,
                Err(full) => return full.into(),
            },
            None => item.value,
        };
        // The operation begins its work anew, also in the first state.
        if call.planned.work.is_some() {
            self.timers.change(|schedules| schedules.get_mut(&owner).and_then(|schedule| schedule.remove(&id)));
        }
        match outcome {
            Outcome::Item { id, is_created, is_invented, .. } => Outcome::Item { value, id, is_created, is_invented },
            other => other,
        }
    }

    fn put_work(&self, owner: &Owner, id: String, item: &Item, work: &Work, state: usize) -> Result<Arc<Value>, Full> {
        let mut value = Value::clone(&item.value);
        if let (Some(members), Some(state)) = (value.as_object_mut(), work.states.get(state)) {
            members.insert(work.member.clone(), Value::from(state.as_str()));
        }
        Ok(self.put_item(owner, id, value, item.is_invented())?.value)
    }
}

fn is_timed(collection: &Collection) -> bool {
    collection.works.iter().any(|work| work.milliseconds.is_some())
}

/// The state of an item's work that the clock will take further, by the index of the work and its own, and the milliseconds that it lasts.
fn present(value: &Value, collection: &Collection) -> Option<((usize, usize), i64)> {
    collection.works.iter().enumerate().find_map(|(number, work)| {
        let milliseconds = work.milliseconds?;
        let index = work.index(value.get(&work.member)?.as_str()?).filter(|index| index + 1 < work.states.len())?;
        Some(((number, index), i64::try_from(milliseconds).unwrap_or(i64::MAX)))
    })
}
