//! The whole state as one document: saved by a program, and restored while the sandbox runs.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Engine;
use crate::state::{Full, Instance, Item, State, StoredFile};

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
    /// The path in the contract, which tells it from another collection that can have this address.
    #[serde(default)]
    template: Option<String>,
    /// Count of the numbers that it has given as identifiers.
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

/// A value that exists once.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSingle<F = Value> {
    /// Its address.
    pub address: String,
    /// The value.
    pub fields: F,
}

/// A file as text.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SavedFile {
    /// Its address.
    pub address: String,
    media_type: String,
    base64: String,
}

impl SavedFile {
    /// The text of a file.
    pub fn new(address: String, file: &StoredFile) -> Self {
        Self { address, media_type: file.media_type.clone(), base64: STANDARD.encode(&file.bytes) }
    }

    /// The file; `None` if its text is not Base64.
    pub fn file(&self) -> Option<StoredFile> {
        let bytes = STANDARD.decode(&self.base64).ok()?.into();
        Some(StoredFile { media_type: self.media_type.clone(), bytes })
    }
}

/// The maximum of `numbers`: every client of JSON has such numbers without loss, and a sandbox has room for as many more.
const MOST_NUMBERS: u64 = 1 << 53;

impl Snapshot {
    /// The places of addresses in the document, with the addresses, and the templates of collections.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = (ElementPlace, &str, Option<&str>)> {
        let collections = self.collections.iter().enumerate();
        let collections = collections
            .map(|(index, saved)| (("collections", index), saved.address.as_str(), saved.template.as_deref()));
        let singles =
            self.singles.iter().enumerate().map(|(index, saved)| (("singles", index), saved.address.as_str(), None));
        let files =
            self.files.iter().enumerate().map(|(index, saved)| (("files", index), saved.address.as_str(), None));
        collections.chain(singles).chain(files)
    }
}

/// A list of a snapshot, and the index of an element.
pub(crate) type ElementPlace = (&'static str, usize);

/// A part of a snapshot that cannot be a state: its place, and the reason.
pub(crate) type Unfit = (String, &'static str);

impl Engine {
    /// Adds the state to a snapshot. The caller keeps others from writing.
    pub(crate) fn save_to(&self, snapshot: &mut Snapshot) {
        self.begin_all();
        self.settle_all();
        let state = self.state();
        snapshot.collections.extend(state.instances().filter_map(|(owner, instance)| {
            let item = |(key, item): (&str, &Item)| SavedItem {
                key: key.to_owned(),
                fields: Value::clone(&item.value),
                is_invented: item.is_invented(),
            };
            let collection = self.plan.collections.get(owner.0)?;
            let address = self.address(collection, &owner.1);
            Some(SavedCollection {
                template: Some(collection.path.clone()),
                address,
                numbers: instance.numbers(),
                items: instance.items().map(item).collect(),
                removed: instance.removed().map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect(),
            })
        }));
        let base = &self.contract.base_path;
        snapshot.singles.extend(
            state
                .values()
                .map(|(place, value)| SavedSingle { address: format!("{base}{place}"), fields: Value::clone(value) }),
        );
        snapshot.files.extend(state.files().map(|(place, file)| SavedFile::new(format!("{base}{place}"), file)));
    }

    /// The state that the parts of a snapshot are which belong to this contract.
    pub(crate) fn state_of(
        &self,
        snapshot: &Snapshot,
        is_own: impl Fn(ElementPlace) -> bool,
    ) -> Result<State, Result<Unfit, Full>> {
        let unfit =
            |list: &str, index: usize, member: &str, reason| Ok((format!("$.{list}[{index}].{member}"), reason));
        fn own<'s, T>(all: &'s [T], list: &'static str, is_own: &impl Fn(ElementPlace) -> bool) -> Vec<(usize, &'s T)> {
            all.iter().enumerate().filter(|(index, _)| is_own((list, *index))).collect()
        }
        const ANOTHER: &str = "another element has this address";
        let mut state = State::default();
        for (index, saved) in own(&snapshot.collections, "collections", &is_own) {
            const NOWHERE: &str = "the contract has no such collection: write its path with its parameters filled in";
            let owner = self.owner_at(&saved.address, saved.template.as_deref());
            let owner = owner.ok_or_else(|| unfit("collections", index, "address", NOWHERE))?;
            if state.instance(&owner).is_some() {
                return Err(unfit("collections", index, "address", ANOTHER));
            }
            if saved.numbers > MOST_NUMBERS {
                return Err(unfit("collections", index, "numbers", "write a number up to 9007199254740992"));
            }
            let instance = state.restored(owner.clone(), saved.numbers).ok_or(Err(Full))?;
            if !saved.removed.iter().all(|id| instance.restore_removed(id.clone())) {
                return Err(unfit("collections", index, "removed", "write 10,000 identifiers at most, each once"));
            }
            for (place, item) in (1..).zip(&saved.items) {
                let is_known = |known: &Instance| known.item(&item.key).is_some() || known.is_removed(&item.key);
                if item.key.is_empty() || state.instance(&owner).is_some_and(is_known) {
                    const KEY: &str = "a key is empty, or two items have it, or `removed` has it as well";
                    return Err(unfit("collections", index, "items", KEY));
                }
                let saved = Item::new(item.fields.clone(), item.is_invented);
                state.restore(&owner, place, item.key.clone(), saved).map_err(Err)?;
            }
        }
        let place = |address: &str| self.place_of(address).map(str::to_owned);
        for (index, saved) in own(&snapshot.singles, "singles", &is_own) {
            let place = place(&saved.address).ok_or_else(|| unfit("singles", index, "address", "write a path"))?;
            if state.value(&place).is_some() {
                return Err(unfit("singles", index, "address", ANOTHER));
            }
            state.set_value(place, saved.fields.clone()).map_err(Err)?;
        }
        for (index, saved) in own(&snapshot.files, "files", &is_own) {
            let place = place(&saved.address).ok_or_else(|| unfit("files", index, "address", "write a path"))?;
            if state.file(&place).is_some() {
                return Err(unfit("files", index, "address", ANOTHER));
            }
            let file = saved.file();
            let file = file.ok_or_else(|| unfit("files", index, "base64", "write Base64 (RFC 4648, section 4)"))?;
            state.set_file(place, file).map_err(Err)?;
        }
        Ok(state)
    }

    /// Puts a state in the place of the present one, which it returns, and saves it. The caller keeps others from writing.
    pub(crate) fn exchange(&self, state: State) -> (State, Result<(), String>) {
        let before = self.state().become_state(state);
        self.timers.clear();
        (before, self.keep())
    }
}
