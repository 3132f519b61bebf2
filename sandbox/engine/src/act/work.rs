//! Asynchronous work: an operation begins it, and each read of the item takes it a state further.

use std::sync::Arc;

use serde_json::Value;

use super::{Call, Engine, Outcome};
use crate::infer::Role;
use crate::state::Item;

impl Engine {
    /// Returns whether a read of the operation's item changes it.
    pub(super) fn goes_on(&self, call: &Call<'_>) -> bool {
        let collection = call.planned.collection.and_then(|index| self.plan.collections.get(index));
        call.planned.role == Role::Read && collection.is_some_and(|collection| !collection.works.is_empty())
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
        let Some(Item { value, is_invented, .. }) = stored else { return outcome };
        let change = match &call.planned.work {
            Some(work) => work.states.first().map(|state| (&work.member, state.as_str())),
            None => collection.works.iter().find_map(|work| {
                let state = value.get(&work.member)?.as_str()?;
                Some((&work.member, work.next(state)?))
            }),
        };
        let Some((member, state)) = change else { return outcome };
        let mut value = Value::clone(&value);
        if let Some(members) = value.as_object_mut() {
            members.insert(member.clone(), Value::from(state));
        }
        let item = Item::new(value, is_invented);
        let value = Arc::clone(&item.value);
        if let Err(full) = self.state().put(&owner, id, item) {
            return full.into();
        }
        match outcome {
            Outcome::Item { id, is_created, is_invented, .. } => Outcome::Item { value, id, is_created, is_invented },
            other => other,
        }
    }
}
