//! The whole state as one document: saved by a program, and restored while the sandbox runs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Engine;
use super::kept::ChangeRefused;
use crate::state::{Full, Item, State, StoredFile};

/// The state of all contracts, secrets included.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Snapshot {
    collections: Vec<SavedCollection>,
    singles: Vec<SavedSingle>,
    files: Vec<SavedFile>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SavedCollection {
    address: String,
    /// How many numbers for identifiers it has given.
    #[serde(default)]
    numbers: u64,
    /// Oldest first.
    #[serde(default)]
    items: Vec<SavedItem>,
    /// Identifiers of removed items.
    #[serde(default)]
    removed: Vec<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SavedItem {
    key: String,
    fields: Value,
    #[serde(default)]
    is_invented: bool,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SavedSingle {
    address: String,
    fields: Value,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SavedFile {
    address: String,
    media_type: String,
    base64: String,
}

impl Snapshot {
    /// The addresses of each list, in its order.
    pub(crate) fn addresses(&self) -> [(&'static str, Vec<&str>); 3] {
        [
            ("collections", self.collections.iter().map(|saved| saved.address.as_str()).collect()),
            ("singles", self.singles.iter().map(|saved| saved.address.as_str()).collect()),
            ("files", self.files.iter().map(|saved| saved.address.as_str()).collect()),
        ]
    }
}

/// A part of a snapshot that cannot be a state: its place, and the reason.
pub(crate) type Unfit = (String, &'static str);

impl Engine {
    /// Adds the state to a snapshot.
    pub(crate) fn save_to(&self, snapshot: &mut Snapshot) {
        self.begin_all();
        let state = self.state();
        snapshot.collections.extend(state.instances().filter_map(|(owner, instance)| {
            let item = |(key, item): (&str, &Item)| SavedItem {
                key: key.to_owned(),
                fields: Value::clone(&item.value),
                is_invented: item.is_invented,
            };
            Some(SavedCollection {
                address: self.address(self.plan.collections.get(owner.0)?, &owner.1),
                numbers: instance.numbers(),
                items: instance.items().map(item).collect(),
                removed: instance.removed().map(str::to_owned).collect(),
            })
        }));
        let base = &self.contract.base_path;
        snapshot.singles.extend(
            state
                .values()
                .map(|(place, value)| SavedSingle { address: format!("{base}{place}"), fields: Value::clone(value) }),
        );
        snapshot.files.extend(state.files().map(|(place, file)| SavedFile {
            address: format!("{base}{place}"),
            media_type: file.media_type.clone(),
            base64: STANDARD.encode(&file.bytes),
        }));
    }

    /// The state that the parts of a snapshot below the base path are. `is_own` says which contract an address belongs to.
    pub(crate) fn state_of(
        &self,
        snapshot: &Snapshot,
        is_own: impl Fn(&str) -> bool,
    ) -> Result<State, Result<Unfit, Full>> {
        let unfit =
            |list: &str, index: usize, member: &str, reason| Ok((format!("$.{list}[{index}].{member}"), reason));
        let mut state = State::default();
        for (index, saved) in snapshot.collections.iter().enumerate().filter(|(_, saved)| is_own(&saved.address)) {
            const NOWHERE: &str = "the contract has no such collection: write its path with its parameters filled in";
            let owner = self.owner_at(&saved.address).ok_or_else(|| unfit("collections", index, "address", NOWHERE))?;
            if state.instance(&owner).is_some() {
                return Err(unfit("collections", index, "address", "another element has this address"));
            }
            let instance = state.restored(owner.clone(), saved.numbers).ok_or(Err(Full))?;
            saved.removed.iter().for_each(|id| instance.restore_removed(id.clone()));
            for (place, item) in (1..).zip(&saved.items) {
                let is_known = state.instance(&owner).is_some_and(|instance| instance.item(&item.key).is_some());
                if item.key.is_empty() || is_known {
                    return Err(unfit("collections", index, "items", "a key is empty, or two items have it"));
                }
                let saved = Item::new(item.fields.clone(), item.is_invented);
                state.restore(&owner, place, item.key.clone(), saved).map_err(Err)?;
            }
        }
        let place = |address: &str| address.strip_prefix(self.contract.base_path.as_str()).map(str::to_owned);
        for (index, saved) in snapshot.singles.iter().enumerate().filter(|(_, saved)| is_own(&saved.address)) {
            let place = place(&saved.address).ok_or_else(|| unfit("singles", index, "address", "write a path"))?;
            state.set_value(place, saved.fields.clone()).map_err(Err)?;
        }
        for (index, saved) in snapshot.files.iter().enumerate().filter(|(_, saved)| is_own(&saved.address)) {
            let place = place(&saved.address).ok_or_else(|| unfit("files", index, "address", "write a path"))?;
            let bytes = STANDARD.decode(&saved.base64);
            let bytes =
                bytes.map_err(|_error| unfit("files", index, "base64", "write Base64 (RFC 4648, section 4)"))?;
            state.set_file(place, StoredFile { media_type: saved.media_type.clone(), bytes }).map_err(Err)?;
        }
        Ok(state)
    }

    /// Puts a state in the place of the present one.
    pub(crate) fn put_state(&self, state: State) -> Result<(), ChangeRefused> {
        let _writing = self.writing();
        self.state().become_state(state);
        self.keep().map_err(ChangeRefused::Unsaved)
    }
}
