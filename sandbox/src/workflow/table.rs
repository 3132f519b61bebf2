//! All workflows, and the next due one.

use std::collections::{BTreeSet, HashSet};

use indexmap::IndexMap;
use uuid::Uuid;

use super::{Notice, Workflow};

/// Workflows by identifier, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Table {
    workflows: IndexMap<Uuid, Workflow>,
    due: BTreeSet<(i64, Uuid)>,
}

impl Table {
    pub(crate) fn get(&self, id: Uuid) -> Option<&Workflow> {
        self.workflows.get(&id)
    }

    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = &Workflow> {
        self.workflows.values()
    }

    pub(crate) fn put(&mut self, workflow: Workflow) {
        let id = workflow.id;
        self.change(id, |table| drop(table.insert(id, workflow)));
    }

    /// Changes the plan of a workflow. Returns whether it exists.
    pub(crate) fn update(&mut self, id: Uuid, update: impl FnOnce(&mut Workflow)) -> bool {
        let exists = self.workflows.contains_key(&id);
        self.change(id, |table| {
            if let Some(workflow) = table.get_mut(&id) {
                update(workflow);
            }
        });
        exists
    }

    /// Removes the oldest finished workflows if there are many more than `kept`, and returns the removed ones. It works in
    /// batches, since each removal moves the rest.
    pub(crate) fn forget(&mut self, kept: usize) -> HashSet<Uuid> {
        if self.workflows.len() < kept.saturating_add(kept / 10).saturating_add(1) {
            return HashSet::new();
        }
        let over = self.workflows.values().filter(|workflow| workflow.is_over()).map(|workflow| workflow.id);
        let forgotten: HashSet<Uuid> = over.take(self.workflows.len() - kept).collect();
        self.workflows.retain(|_, workflow| !forgotten.contains(&workflow.id));
        forgotten
    }

    /// The time of the next step.
    pub(crate) fn next_due(&self) -> Option<i64> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Takes every due step, earliest first.
    pub(crate) fn settle(&mut self, now: i64) -> Vec<Notice> {
        let mut notices = Vec::new();
        while let Some((due, id)) = self.due.first().copied()
            && due <= now
        {
            self.change(id, |table| {
                if let Some(workflow) = table.get_mut(&id)
                    && workflow.advance(now)
                {
                    notices.extend(Notice::from_workflow(workflow));
                }
            });
        }
        notices
    }

    fn change(&mut self, id: Uuid, change: impl FnOnce(&mut IndexMap<Uuid, Workflow>)) {
        if let Some(due) = self.workflows.get(&id).and_then(Workflow::due) {
            self.due.remove(&(due, id));
        }
        change(&mut self.workflows);
        if let Some(due) = self.workflows.get(&id).and_then(Workflow::due) {
            self.due.insert((due, id));
        }
    }
}
