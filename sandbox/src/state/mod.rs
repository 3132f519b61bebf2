//! All resources and workflows, and the pending changes of a request.

mod access;
mod seed;
mod snapshot;
mod store;
mod ticker;
mod view;
mod whole;

use std::collections::BTreeMap;

use driftless_sandbox::host::{self, Instance, Owner};
use serde::Deserialize as _;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::data::{Data, ItemTeam, Kept};
use crate::error::Error;
use crate::workflow::{Notice, Table, Workflow};

pub(crate) use driftless_sandbox::host::StoredFile;
pub(crate) use seed::Beginning;
pub(crate) use snapshot::Snapshot;
pub(crate) use store::Store;
pub(crate) use ticker::Ticker;
pub(crate) use view::View;
pub(crate) use whole::Stored;

/// The minimum number of kept workflows. A tenth more are kept at most, unless they are unfinished.
const KEPT: usize = 10_000;

/// The beginning of the places of workflows in a file. Addresses begin with a slash.
const WORK: &str = "work/";

/// The fields of a stored resource.
pub(crate) type Item = Map<String, Value>;

/// An item and the team that it belongs to.
type Entry = host::Item<ItemTeam>;

/// The stored state. Addresses are paths below the base address, with their parameters filled in.
#[derive(Debug, Default)]
pub(crate) struct State {
    kept: Kept,
    pub(crate) workflows: Table,
    /// The workflows that have changed, or were forgotten.
    changed: Vec<Uuid>,
    notices: Vec<Notice>,
    /// A change was left out: the state has no room for it.
    is_full: bool,
}

/// The place of a collection: its address is all that tells it from others.
fn place(collection: &str) -> Owner {
    (0, vec![collection.to_owned()])
}

fn fields(entry: &Entry) -> Option<&Item> {
    entry.value.as_object()
}

impl State {
    /// Reads everything from the database.
    fn read(data: &Data) -> Result<Self, Error> {
        let kept = data.saved()?;
        let work = kept.values().filter(|(place, _)| place.starts_with(WORK));
        let work = work.map(|(_, work)| Workflow::deserialize(work.as_ref())).collect::<Result<Vec<_>, _>>();
        let mut work = work.map_err(|error| Error::Data { message: error.to_string() })?;
        work.sort_by_key(|workflow| workflow.created);
        let mut state = Self { kept, ..Self::default() };
        work.into_iter().for_each(|workflow| state.workflows.put(workflow));
        Ok(state)
    }

    /// Stores the pending changes in one transaction.
    fn write(&mut self, data: &Data) -> Result<(), Error> {
        for id in std::mem::take(&mut self.changed).into_iter().filter(|_| data.is_kept()) {
            let place = format!("{WORK}{id}");
            match self.workflows.get(id).map(serde_json::to_value).transpose() {
                Ok(Some(work)) => self.is_full |= self.kept.set_value(place, work).is_err(),
                Ok(None) => self.kept.remove_value(&place),
                Err(error) => return Err(Error::Data { message: error.to_string() }),
            }
        }
        data.save(&mut self.kept)
    }

    /// Becomes another state, all of which is a change.
    fn become_state(&mut self, mut next: Self) {
        let kept = std::mem::replace(&mut next.kept, std::mem::take(&mut self.kept));
        next.kept.become_state(kept);
        *self = next;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.instances().next().is_none()
    }

    /// The number of resources of each kind, by the last segment of the collections' addresses.
    pub(crate) fn sizes(&self) -> BTreeMap<String, usize> {
        let mut sizes = BTreeMap::new();
        for (address, instance) in self.instances() {
            *sizes.entry(address.rsplit('/').next().unwrap_or_default().to_owned()).or_default() += instance.len();
        }
        sizes
    }

    /// Collections by their addresses, in order.
    fn instances(&self) -> impl Iterator<Item = (&str, &Instance<ItemTeam>)> {
        self.kept.instances().filter_map(|(place, instance)| Some((place.1.first()?.as_str(), instance)))
    }

    fn entry(&self, collection: &str, key: &str) -> Option<&Entry> {
        self.kept.instance(&place(collection))?.item(key)
    }

    /// Adds an item, or replaces the one with its key, which keeps its owner. Returns whether one was replaced.
    pub(crate) fn put(&mut self, owner: Uuid, collection: &str, key: &str, item: Item) -> bool {
        let existing = self.entry(collection, key).map(|entry| entry.mark);
        let place = place(collection);
        if self.kept.instance(&place).is_none() {
            self.kept.begin(place.clone(), Vec::new());
        }
        let entry = Entry::new(item.into(), existing.unwrap_or(ItemTeam(owner)));
        self.is_full |= self.kept.put(&place, key.to_owned(), entry).is_err();
        existing.is_some()
    }

    /// Sets members of an item. Returns all of its members then.
    fn extend(&mut self, collection: &str, key: &str, members: Item) -> Option<Item> {
        let entry = self.entry(collection, key)?;
        let (owner, mut item) = (entry.mark.0, fields(entry)?.clone());
        item.extend(members);
        self.put(owner, collection, key, item.clone());
        Some(item)
    }

    /// Removes an item with everything below it. Returns whether it existed.
    fn remove(&mut self, collection: &str, key: &str) -> bool {
        if self.kept.remove(&place(collection), key).is_none() {
            return false;
        }
        let item = format!("{collection}/{key}");
        let is_below = |address: &str| address.strip_prefix(&item).is_some_and(|rest| rest.starts_with('/'));
        let below: Vec<Owner> =
            self.instances().filter(|(address, _)| is_below(address)).map(|(address, _)| place(address)).collect();
        below.iter().for_each(|place| self.kept.forget(place.0, &place.1));
        self.kept.remove_below(&item);
        true
    }

    fn put_single(&mut self, address: &str, item: Item) {
        self.is_full |= self.kept.set_value(address.to_owned(), item.into()).is_err();
    }

    fn put_file(&mut self, address: &str, file: StoredFile) {
        self.is_full |= self.kept.set_file(address.to_owned(), file).is_err();
    }

    /// The team that an address belongs to: that of its outermost item.
    fn owner(&self, address: &str) -> Option<Uuid> {
        let ends = address.match_indices('/').map(|(index, _)| index).chain([address.len()]);
        let prefixes = ends.filter_map(|end| address.get(..end)?.rsplit_once('/'));
        prefixes.filter_map(|(collection, key)| self.entry(collection, key)).map(|entry| entry.mark.0).next()
    }

    /// Begins work, and sends the notice of its acceptance. Old work that is over is forgotten, so that the table does not grow
    /// without bound.
    fn begin(&mut self, workflow: Workflow) {
        self.reflect(&workflow);
        self.notices.extend(Notice::from_workflow(&workflow));
        self.changed.push(workflow.id);
        self.workflows.put(workflow);
        self.changed.extend(self.workflows.forget(KEPT));
    }

    /// Changes the plan of a workflow.
    fn replan(&mut self, id: Uuid, now: i64, change: impl FnOnce(&mut Workflow)) {
        if self.workflows.update(id, change) {
            self.changed.push(id);
            let notices = self.settle(now);
            self.notices.extend(notices);
        }
    }

    /// Takes the due steps of workflows.
    fn settle(&mut self, now: i64) -> Vec<Notice> {
        if self.workflows.next_due().is_none_or(|due| due > now) {
            return Vec::new();
        }
        let notices = self.workflows.settle(now);
        for notice in &notices {
            self.reflect(&notice.workflow);
            self.changed.push(notice.workflow.id);
        }
        notices
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Returns whether a workflow has changed: the next due time may be earlier than before.
    fn has_changed_work(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Writes the phase of a workflow into the resource that it works on.
    fn reflect(&mut self, workflow: &Workflow) {
        let Some((collection, key)) = workflow.target.rsplit_once('/') else { return };
        let Some(state) = workflow.kind.state_in(workflow.phase) else { return };
        let mut members = Item::from_iter([("state".to_owned(), state)]);
        let has_message = self.entry(collection, key).is_some_and(|entry| entry.value.get("message").is_some());
        if let Some(message) = workflow.message.clone().filter(|_| has_message) {
            members.insert("message".to_owned(), message.into());
        }
        self.extend(collection, key, members);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::fault::Outcome;
    use crate::workflow::Kind;

    fn work(now: i64, outcome: Outcome) -> Workflow {
        Workflow::new(Uuid::new_v4(), Uuid::nil(), Kind::DatabaseBackup, "/a/b".to_owned(), outcome, now, 1)
    }

    #[test]
    fn old_work_that_is_over_is_forgotten_and_the_database_forgets_it_too() {
        let folder = tempfile::tempdir().unwrap();
        let data = Data::open(Some(&folder.path().join("data"))).unwrap();
        let mut state = State::read(&data).unwrap();
        let running = work(0, Outcome::Stall);
        let (oldest, newest) = (work(1, Outcome::Success), work(2, Outcome::Success));
        let (running_id, oldest_id, newest_id) = (running.id, oldest.id, newest.id);
        state.begin(running);
        state.begin(oldest);
        for _ in 2..KEPT + KEPT / 10 {
            state.begin(work(1, Outcome::Success));
        }
        state.settle(100);
        assert_eq!(state.workflows.all().count(), KEPT + KEPT / 10);
        state.write(&data).unwrap();
        state.begin(newest);
        state.write(&data).unwrap();
        let stored = State::read(&data).unwrap();
        for state in [state, stored] {
            assert_eq!(state.workflows.all().count(), KEPT);
            assert!(state.workflows.get(oldest_id).is_none());
            // The control interface shows no row of the file beside the resources.
            assert!(state.singles().next().is_none() && state.stored(&format!("{WORK}{newest_id}")).is_none());
            // Unfinished workflows are kept, however old they are.
            assert!(state.workflows.get(running_id).is_some() && state.workflows.get(newest_id).is_some());
        }
    }
}
