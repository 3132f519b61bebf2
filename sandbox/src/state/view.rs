//! The caller's view of the state.

use std::sync::Arc;

use serde_json::Value;
use uuid::Uuid;

use super::{Entry, Item, State, StoredFile, fields, place};
use crate::caller::Caller;
use crate::directory::Role;
use crate::fault::Outcome;
use crate::workflow::{Kind, Workflow};

/// The state as one caller sees it: invisible resources do not exist here.
#[derive(Debug)]
pub(crate) struct View<'a> {
    state: &'a mut State,
    pub(crate) caller: &'a Caller,
    pub(crate) now: i64,
}

impl<'a> View<'a> {
    pub(super) fn new(state: &'a mut State, caller: &'a Caller, now: i64) -> Self {
        Self { state, caller, now }
    }

    /// The items of a collection, oldest first.
    pub(crate) fn list(&self, collection: &str) -> impl Iterator<Item = &Item> {
        let entries = self.state.kept.instance(&place(collection)).into_iter().flat_map(|entries| entries.items());
        entries.filter(move |(key, entry)| self.sees(entry, collection, key)).filter_map(|(_, entry)| fields(entry))
    }

    pub(crate) fn get(&self, collection: &str, key: &str) -> Option<&Item> {
        let entry = self.state.entry(collection, key)?;
        self.sees(entry, collection, key).then(|| fields(entry))?
    }

    /// Sets members of an item. Returns all of its members then.
    pub(crate) fn extend(&mut self, collection: &str, key: &str, members: Item) -> Option<Item> {
        self.get(collection, key)?;
        self.state.extend(collection, key, members)
    }

    /// Finds an item by its key among the collections with this suffix.
    pub(crate) fn find(&self, ending: &str, key: &str) -> Option<&Item> {
        let mut collections = self.state.instances().filter(|(address, _)| address.ends_with(ending));
        collections.find_map(|(collection, _)| self.get(collection, key))
    }

    /// Returns whether an item exists and lies above an address that the caller can see.
    pub(crate) fn leads_to(&self, collection: &str, key: &str, address: &str) -> bool {
        self.state.entry(collection, key).is_some_and(|entry| {
            self.sees(entry, collection, key) || self.state.role(self.caller, entry.mark.0, address).is_some()
        })
    }

    /// The caller's role for an address; if there is no item above it, the role in the caller's own team.
    pub(crate) fn role(&self, address: &str) -> Option<Role> {
        let owner = self.state.owner(address).unwrap_or(self.caller.team_id);
        self.state.role(self.caller, owner, address)
    }

    /// Adds an item, or replaces the one with its key. Returns whether one was replaced.
    pub(crate) fn put(&mut self, collection: &str, key: &str, item: Item) -> bool {
        let owner = self.state.owner(collection).unwrap_or(self.caller.team_id);
        self.state.put(owner, collection, key, item)
    }

    /// Adds an item that belongs to a team.
    pub(crate) fn put_for(&mut self, team: Uuid, collection: &str, key: &str, item: Item) {
        self.state.put(team, collection, key, item);
    }

    /// Removes an item with everything below it. Returns whether it existed.
    pub(crate) fn remove(&mut self, collection: &str, key: &str) -> bool {
        self.get(collection, key).is_some() && self.state.remove(collection, key)
    }

    pub(crate) fn single(&self, address: &str) -> Option<&Item> {
        self.state.kept.value(address)?.as_object()
    }

    pub(crate) fn put_single(&mut self, address: &str, item: Item) {
        self.state.put_single(address, item);
    }

    pub(crate) fn file(&self, address: &str) -> Option<&Arc<StoredFile>> {
        self.state.kept.file(address)
    }

    /// Stores bytes.
    pub(crate) fn put_file(&mut self, address: &str, file: StoredFile) {
        self.state.put_file(address, file);
    }

    /// Removes a singleton or bytes.
    pub(crate) fn clear(&mut self, address: &str) {
        self.state.kept.remove_value(address);
    }

    /// Begins work on the resource of an address.
    pub(crate) fn begin(&mut self, id: Uuid, kind: Kind, target: String, outcome: Outcome, step: i64) {
        let owner = self.state.owner(&target).unwrap_or(self.caller.team_id);
        self.state.begin(Workflow::new(id, owner, kind, target, outcome, self.now, step));
    }

    /// Plans work that begins at a moment.
    pub(crate) fn begin_later(&mut self, id: Uuid, kind: Kind, target: String, due: i64) {
        let owner = self.state.owner(&target).unwrap_or(self.caller.team_id);
        self.state.begin(Workflow::planned(id, owner, kind, target, self.now, due));
    }

    /// A workflow that the caller can see.
    pub(crate) fn workflow(&self, id: Uuid) -> Option<&Workflow> {
        self.state.workflows.get(id).filter(|workflow| self.sees_workflow(workflow))
    }

    /// The caller's workflows, newest first.
    pub(crate) fn workflows(&self) -> impl Iterator<Item = &Workflow> {
        self.state.workflows.all().rev().filter(|workflow| self.sees_workflow(workflow))
    }

    /// The workflows on the resource of an address, oldest first.
    pub(crate) fn work_on(&self, target: &str) -> impl Iterator<Item = &Workflow> {
        let is_seen = self.role(target).is_some();
        self.state.workflows.all().filter(move |workflow| is_seen && workflow.target == target)
    }

    pub(crate) fn sees_workflow(&self, workflow: &Workflow) -> bool {
        self.state.role(self.caller, workflow.team_id, &workflow.target).is_some()
    }

    /// Cancels a workflow after this number of milliseconds.
    pub(crate) fn cancel(&mut self, id: Uuid, after: i64) {
        let due = self.now.saturating_add(after);
        self.state.replan(id, self.now, |workflow| workflow.cancel(due));
    }

    /// Returns whether a team owns an item, in a collection with this suffix.
    pub(crate) fn belongs_to(&self, team: Uuid, ending: &str, key: &str) -> bool {
        self.owners(ending, key).any(|owner| owner == team)
    }

    /// Returns whether an item exists in a collection with this suffix, and another team owns it.
    pub(crate) fn is_foreign(&self, team: Uuid, ending: &str, key: &str) -> bool {
        self.owners(ending, key).any(|owner| owner != team)
    }

    fn owners(&self, ending: &str, key: &str) -> impl Iterator<Item = Uuid> {
        let collections = self.state.instances().filter(move |(address, _)| address.ends_with(ending));
        collections.filter_map(move |(_, entries)| entries.item(key)).map(|entry| entry.mark.0)
    }

    /// The `state` of the resource at an address.
    pub(crate) fn state_of(&self, address: &str) -> Option<&Value> {
        let (collection, key) = address.rsplit_once('/')?;
        self.get(collection, key)?.get("state")
    }

    fn sees(&self, entry: &Entry, collection: &str, key: &str) -> bool {
        let owner = entry.mark.0;
        match self.caller.membership(owner) {
            Some(member) if member.projects.is_empty() => true,
            _ => self.state.role(self.caller, owner, &format!("{collection}/{key}")).is_some(),
        }
    }
}
