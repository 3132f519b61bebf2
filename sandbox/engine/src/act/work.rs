//! Asynchronous work: an operation begins it, and each read of the item, or the clock, takes it further.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use driftless_sandbox_control::clock::Clock;
use serde_json::Value;

use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Role, Work};
use crate::state::{Full, Item, Owner};

/// The clock, and the moments at which the present states of work that it drives began. They are not saved: after a restart, the
/// present states begin again.
#[derive(Debug, Default)]
pub(super) struct Timers {
    clock: Clock,
    began: Mutex<BTreeMap<Owner, BTreeMap<String, i64>>>,
}

impl Timers {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, began: Mutex::default() }
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<Owner, BTreeMap<String, i64>>) -> T) -> T {
        change(&mut self.began.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(&self, owner: &Owner, id: &str, moment: i64) {
        self.change(|began| {
            began.entry(owner.clone()).or_default().insert(id.to_owned(), moment);
        });
    }

    fn end(&self, owner: &Owner, id: &str) {
        self.change(|began| {
            if let Some(of_owner) = began.get_mut(owner) {
                of_owner.remove(id);
                if of_owner.is_empty() {
                    began.remove(owner);
                }
            }
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

    /// Takes the work of a collection as far as the clock has gone.
    pub(super) fn settle(&self, owner: &Owner, collection: &Collection) -> Result<(), Full> {
        if collection.works.iter().all(|work| work.milliseconds.is_none()) {
            return Ok(());
        }
        let now = self.timers.clock.now();
        let began = self.timers.change(|began| began.get(owner).cloned().unwrap_or_default());
        for (id, since) in began {
            let stored = self.state().instance(owner).and_then(|instance| instance.item(&id).cloned());
            let present = stored.and_then(|item| Some((present(&item.value, collection)?, item)));
            let Some(((work, index, milliseconds), item)) = present else {
                self.timers.end(owner, &id);
                continue;
            };
            // A clock that was set back leaves the state as it is.
            let steps = now.saturating_sub(since).checked_div(milliseconds).unwrap_or(i64::MAX).max(0);
            let last = work.states.len() - 1;
            let next = index.saturating_add(usize::try_from(steps).unwrap_or(usize::MAX)).min(last);
            if next > index {
                self.put_work(owner, id.clone(), &item, work, next)?;
            }
            match next == last {
                true => self.timers.end(owner, &id),
                false => self.timers.begin(owner, &id, since.saturating_add(steps.saturating_mul(milliseconds))),
            }
        }
        Ok(())
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
        // Work that the clock drives begins here, or goes on: after a restart, or a change by another operation.
        if present(&value, collection).is_some_and(|(work, index, _)| index + 1 < work.states.len()) {
            let is_new = call.planned.role != Role::Read
                || !self.timers.change(|began| began.get(&owner).is_some_and(|ids| ids.contains_key(&id)));
            if is_new {
                self.timers.begin(&owner, &id, self.timers.clock.now());
            }
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

/// The work of an item that the clock drives, the index of its present state, and the milliseconds of each.
fn present<'w>(value: &Value, collection: &'w Collection) -> Option<(&'w Work, usize, i64)> {
    collection.works.iter().find_map(|work| {
        let milliseconds = work.milliseconds?;
        Some((work, work.index(value.get(&work.member)?.as_str()?)?, i64::try_from(milliseconds).unwrap_or(i64::MAX)))
    })
}
