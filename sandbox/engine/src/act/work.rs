//! Asynchronous work: an operation begins it, and each read of the item, or the clock, takes it further.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use driftless_sandbox_control::clock::Clock;
use serde_json::Value;

use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Role, Work};
use crate::state::{Full, Item, Owner};

/// The clock, and the present states of work that it drives. They are not saved: after a restart, the present states begin again.
#[derive(Debug, Default)]
pub(super) struct Timers {
    clock: Clock,
    began: Mutex<BTreeMap<Owner, BTreeMap<String, Began>>>,
}

/// The state of an item's work, and the moment at which it began.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Began {
    member: String,
    index: usize,
    since: i64,
}

impl Timers {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, began: Mutex::default() }
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<Owner, BTreeMap<String, Began>>) -> T) -> T {
        change(&mut self.began.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn clear(&self) {
        self.change(BTreeMap::clear);
    }

    /// Forgets those of a collection below these parents.
    pub(super) fn forget(&self, collection: usize, parents: &[String]) {
        self.change(|began| began.retain(|owner, _| owner.0 != collection || !owner.1.starts_with(parents)));
    }
}

impl Engine {
    /// Returns whether a read of the operation's item, or of its list, can change items.
    pub(super) fn goes_on(&self, call: &Call<'_>) -> bool {
        let collection = call.planned.collection.and_then(|index| self.plan.collections.get(index));
        let works = collection.map_or(&[][..], |collection| &collection.works);
        call.planned.role == Role::Read && !works.is_empty() || works.iter().any(|work| work.milliseconds.is_some())
    }

    /// Takes all work as far as the clock has gone. Work for which the state has no room stays where it is.
    pub(super) fn settle_all(&self) {
        let is_timed = |owner: &&Owner| self.plan.collections.get(owner.0).is_some_and(is_timed);
        let owners: Vec<Owner> = self.state().instances().map(|(owner, _)| owner).filter(is_timed).cloned().collect();
        for owner in owners {
            let _ = self.plan.collections.get(owner.0).map(|collection| self.settle(&owner, collection));
        }
    }

    /// Takes the work of a collection as far as the clock has gone. A state without a timer begins now.
    pub(super) fn settle(&self, owner: &Owner, collection: &Collection) -> Result<(), Full> {
        if !is_timed(collection) {
            return Ok(());
        }
        let now = self.timers.clock.now();
        let mut before = self.timers.change(|began| began.remove(owner).unwrap_or_default());
        let working: Vec<(String, Item)> = match self.state().instance(owner) {
            Some(instance) => {
                let goes_on = |item: &Item| present(&item.value, collection).is_some();
                let items = instance.items().filter(|(_, item)| goes_on(item));
                items.map(|(id, item)| (id.to_owned(), item.clone())).collect()
            }
            None => Vec::new(),
        };
        let (mut after, mut result) = (BTreeMap::new(), Ok(()));
        for (id, item) in working {
            let Some((work, index, milliseconds)) = present(&item.value, collection) else { continue };
            let is_same = |began: &Began| began.member == work.member && began.index == index;
            let since = before.remove(&id).filter(is_same).map_or(now, |began| began.since);
            // A clock that was set back leaves the state as it is.
            let steps = now.saturating_sub(since).checked_div(milliseconds).unwrap_or(i64::MAX).max(0);
            let last = work.states.len() - 1;
            let next = index.saturating_add(usize::try_from(steps).unwrap_or(usize::MAX)).min(last);
            if next > index
                && let Err(full) = self.put_work(owner, id.clone(), &item, work, next)
            {
                after.insert(id, Began { member: work.member.clone(), index, since });
                result = Err(full);
            } else if next < last {
                let since = since.saturating_add(steps.saturating_mul(milliseconds));
                after.insert(id, Began { member: work.member.clone(), index: next, since });
            }
        }
        if !after.is_empty() {
            self.timers.change(|began| began.insert(owner.clone(), after));
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
            self.timers.change(|began| began.get_mut(&owner).map(|of_owner| of_owner.remove(&id)));
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
        let item = Item::new(value, item.is_invented);
        let value = Arc::clone(&item.value);
        self.state().put(owner, id, item)?;
        Ok(value)
    }
}

fn is_timed(collection: &Collection) -> bool {
    collection.works.iter().any(|work| work.milliseconds.is_some())
}

/// The work of an item that the clock will take further, the index of its present state, and the milliseconds of each.
fn present<'w>(value: &Value, collection: &'w Collection) -> Option<(&'w Work, usize, i64)> {
    collection.works.iter().find_map(|work| {
        let milliseconds = work.milliseconds?;
        let index = work.index(value.get(&work.member)?.as_str()?).filter(|index| index + 1 < work.states.len())?;
        Some((work, index, i64::try_from(milliseconds).unwrap_or(i64::MAX)))
    })
}
