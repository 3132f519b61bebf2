//! Snapshots: the whole state as a document, and back.

use driftless_sandbox::host::{SavedFile, SavedSingle};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Item, State, StoredFile};
use crate::workflow::Workflow;

/// Resources and asynchronous work of all teams, secrets included.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Snapshot {
    /// Items by collection, oldest first.
    pub(crate) items: Vec<SavedItem>,
    pub(crate) singles: Vec<SavedSingle<Item>>,
    pub(crate) files: Vec<SavedFile>,
    pub(crate) operations: Vec<Workflow>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SavedItem {
    pub(crate) address: String,
    pub(crate) team_id: Uuid,
    pub(crate) fields: Item,
}

impl Snapshot {
    /// Refuses a snapshot that cannot be a state: the place in it, and the reason.
    pub(crate) fn check(&self, knows_team: impl Fn(Uuid) -> bool) -> Result<(), (String, &'static str)> {
        const ADDRESS: &str = "write an address below the base URL, such as /api/virtual-machines/1";
        const TEAM: &str = "write the identifier of a team of the seed, as /sandbox/directory lists them";
        let is_address = |address: &str| {
            address.rsplit_once('/').is_some_and(|(parent, key)| parent.starts_with('/') && !key.is_empty())
        };
        for (index, item) in self.items.iter().enumerate() {
            if !item.address.starts_with('/') || item.address.ends_with('/') {
                return Err((format!("$.items[{index}].address"), ADDRESS));
            }
            if !knows_team(item.team_id) {
                return Err((format!("$.items[{index}].teamId"), TEAM));
            }
        }
        if let Some(index) = self.singles.iter().position(|single| !is_address(&single.address)) {
            return Err((format!("$.singles[{index}].address"), ADDRESS));
        }
        for (index, file) in self.files.iter().enumerate() {
            if !is_address(&file.address) {
                return Err((format!("$.files[{index}].address"), ADDRESS));
            }
            if file.file().is_none() {
                return Err((format!("$.files[{index}].base64"), "write the bytes in Base64"));
            }
        }
        match self.operations.iter().position(|operation| !knows_team(operation.team_id)) {
            Some(index) => Err((format!("$.operations[{index}].team_id"), TEAM)),
            None => Ok(()),
        }
    }
}

impl State {
    pub(crate) fn snapshot(&self) -> Snapshot {
        let item = |collection: &str, (key, team_id, fields): (&str, Uuid, &Item)| SavedItem {
            address: format!("{collection}/{key}"),
            team_id,
            fields: fields.clone(),
        };
        let single =
            |(address, fields): (&str, &Item)| SavedSingle { address: address.to_owned(), fields: fields.clone() };
        let file = |(address, file): (&str, &StoredFile)| SavedFile::new(address.to_owned(), file);
        let items = |(collection, _)| self.items(collection).map(move |stored| item(collection, stored));
        Snapshot {
            items: self.collections().flat_map(items).collect(),
            singles: self.singles().map(single).collect(),
            files: self.files().map(file).collect(),
            operations: self.workflows.all().cloned().collect(),
        }
    }

    /// Adds everything of a snapshot.
    pub(super) fn add(&mut self, snapshot: Snapshot) {
        for SavedItem { address, team_id, fields } in snapshot.items {
            let (collection, key) = address.rsplit_once('/').unwrap_or_default();
            self.put(team_id, collection, key, fields);
        }
        for SavedSingle { address, fields } in snapshot.singles {
            self.put_single(&address, fields);
        }
        for saved in snapshot.files {
            saved.file().into_iter().for_each(|file| self.put_file(&saved.address, file));
        }
        for workflow in snapshot.operations {
            self.changed.push(workflow.id);
            self.workflows.put(workflow);
        }
    }
}
