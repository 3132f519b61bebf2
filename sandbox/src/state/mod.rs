//! All resources and workflows, and the pending changes of a request.

mod access;
mod persist;
mod seed;
mod snapshot;
mod store;
mod ticker;
mod view;
mod whole;

use std::collections::HashMap;

use bytes::Bytes;
use indexmap::IndexMap;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::data::Address;
use crate::workflow::{Notice, Table, Workflow};

pub(crate) use seed::Beginning;
pub(crate) use snapshot::Snapshot;
pub(crate) use store::Store;
pub(crate) use ticker::Ticker;
pub(crate) use view::View;
pub(crate) use whole::Stored;

/// The minimum number of kept workflows. A tenth more are kept at most, unless they are unfinished.
const KEPT: usize = 10_000;

/// The fields of a stored resource.
pub(crate) type Item = Map<String, Value>;

/// Stored bytes and their media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) media_type: String,
    pub(crate) bytes: Bytes,
}

/// The stored state. Addresses are paths below the base address, with their parameters filled in.
#[derive(Debug, Default)]
pub(crate) struct State {
    collections: HashMap<String, IndexMap<String, Entry>>,
    singles: HashMap<String, Item>,
    blobs: HashMap<String, Blob>,
    pub(crate) workflows: Table,
    /// The addresses that have changed: their values are read when the change is stored.
    changes: Vec<Address>,
    position: i64,
    notices: Vec<Notice>,
}

/// An item and the team that it belongs to.
#[derive(Debug)]
struct Entry {
    owner: Uuid,
    position: i64,
    item: Item,
}

impl State {
    pub(crate) fn is_empty(&self) -> bool {
        self.collections.is_empty()
    }

    /// The number of resources of each kind, by the last segment of the collections' addresses.
    pub(crate) fn sizes(&self) -> std::collections::BTreeMap<String, usize> {
        let mut sizes = std::collections::BTreeMap::new();
        for (address, entries) in &self.collections {
            *sizes.entry(address.rsplit('/').next().unwrap_or_default().to_owned()).or_default() += entries.len();
        }
        sizes
    }

    fn entry(&self, collection: &str, key: &str) -> Option<&Entry> {
        self.collections.get(collection)?.get(key)
    }

    /// Adds an item, or replaces the one with its key, which keeps its owner. Returns whether one was replaced.
    pub(crate) fn put(&mut self, owner: Uuid, collection: &str, key: &str, item: Item) -> bool {
        self.changes.push(Address::Item(collection.to_owned(), key.to_owned()));
        let entries = self.collections.entry(collection.to_owned()).or_default();
        if let Some(existing) = entries.get_mut(key) {
            existing.item = item;
            return true;
        }
        self.position += 1;
        entries.insert(key.to_owned(), Entry { owner, position: self.position, item });
        false
    }

    /// Removes an item with everything below it. Returns whether it existed.
    fn remove(&mut self, collection: &str, key: &str) -> bool {
        let Some(entries) = self.collections.get_mut(collection) else { return false };
        if entries.shift_remove(key).is_none() {
            return false;
        }
        let below = format!("{collection}/{key}/");
        self.collections.retain(|address, _| !address.starts_with(&below));
        self.singles.retain(|address, _| !address.starts_with(&below));
        self.blobs.retain(|address, _| !address.starts_with(&below));
        self.changes.push(Address::Item(collection.to_owned(), key.to_owned()));
        self.changes.push(Address::Below(below));
        true
    }

    pub(crate) fn put_single(&mut self, address: &str, item: Item) {
        self.changes.push(Address::Single(address.to_owned()));
        self.singles.insert(address.to_owned(), item);
    }

    /// The team that an address belongs to: that of its outermost item.
    fn owner(&self, address: &str) -> Option<Uuid> {
        let ends = address.match_indices('/').map(|(index, _)| index).chain([address.len()]);
        let prefixes = ends.filter_map(|end| address.get(..end)?.rsplit_once('/'));
        prefixes.filter_map(|(collection, key)| self.entry(collection, key)).map(|entry| entry.owner).next()
    }

    /// Begins work, and sends the notice of its acceptance. Old work that is over is forgotten, so that the table does not grow
    /// without bound.
    fn begin(&mut self, workflow: Workflow) {
        self.reflect(&workflow);
        self.notices.extend(Notice::from_workflow(&workflow));
        self.changes.push(Address::Workflow(workflow.id));
        self.workflows.put(workflow);
        self.changes.extend(self.workflows.forget(KEPT).into_iter().map(Address::Workflow));
    }

    /// Changes the plan of a workflow.
    fn replan(&mut self, id: Uuid, now: i64, change: impl FnOnce(&mut Workflow)) {
        if self.workflows.update(id, change) {
            self.changes.push(Address::Workflow(id));
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
            self.changes.push(Address::Workflow(notice.workflow.id));
        }
        notices
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Returns whether a workflow has changed: the next due time may be earlier than before.
    fn has_changed_work(&self) -> bool {
        self.changes.iter().any(|change| matches!(change, Address::Workflow(_)))
    }

    /// Writes the phase of a workflow into the resource that it works on.
    fn reflect(&mut self, workflow: &Workflow) {
        let Some((collection, key)) = workflow.target.rsplit_once('/') else { return };
        let Some(state) = workflow.kind.state_in(workflow.phase) else { return };
        let Some(entry) = self.collections.get_mut(collection).and_then(|entries| entries.get_mut(key)) else { return };
        entry.item.insert("state".to_owned(), state);
        if let (Some(message), true) = (&workflow.message, entry.item.contains_key("message")) {
            entry.item.insert("message".to_owned(), message.clone().into());
        }
        self.changes.push(Address::Item(collection.to_owned(), key.to_owned()));
    }
}

#[cfg(feature = "data")]
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::fault::Outcome;
    use crate::workflow::Kind;

    fn work(now: i64, outcome: Outcome) -> Workflow {
        Workflow::new(Uuid::new_v4(), Uuid::nil(), Kind::DatabaseBackup, "/a/b".to_owned(), outcome, now, 1)
    }

    #[test]
    fn old_work_that_is_over_is_forgotten_and_the_database_forgets_it_too() {
        let folder = tempfile::tempdir().unwrap();
        let data = Data::open(Some(&folder.path().join("data"))).unwrap();
        let mut state = State::default();
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
            // Unfinished workflows are kept, however old they are.
            assert!(state.workflows.get(running_id).is_some() && state.workflows.get(newest_id).is_some());
        }
    }
}
