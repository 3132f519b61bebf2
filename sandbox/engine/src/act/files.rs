//! Files: uploaded to a path, or sent as the content of an item.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use serde_json::Value;

use super::{Call, Engine, Outcome, unknown};
use crate::contract::{Segment, SegmentPart, encoded_segment};
use crate::infer::{Collection, Role};
use crate::request::File;
use crate::state::{Full, Owner, State, StoredFile};

pub(super) fn stored(file: &File) -> StoredFile {
    StoredFile { media_type: file.media_type.clone(), bytes: file.bytes.clone().into() }
}

/// The place of an item below that of its collection.
pub(super) fn below(collection: &str, id: &str) -> String {
    format!("{}/{}", collection.trim_end_matches('/'), encoded_segment(id))
}

/// The file at a place, or at the longest beginning of it.
fn nearest(state: &State, mut place: &str) -> Outcome {
    loop {
        if let Some(file) = state.file(place) {
            return Outcome::File(Arc::clone(file));
        }
        match place.rsplit_once('/') {
            Some((before, _)) if !before.is_empty() => place = before,
            _ => return Outcome::Invented,
        }
    }
}

/// A template with its values. `None` if it has another number of parameters.
fn filled(template: &[Segment], values: &[&str]) -> Option<String> {
    let (mut place, mut values) = (String::new(), values.iter());
    for segment in template {
        place.push('/');
        for part in &segment.parts {
            match part {
                SegmentPart::Literal(text) => place.push_str(&encoded_segment(text).to_string()),
                SegmentPart::Parameter(_) | SegmentPart::Rest(_) => {
                    place.push_str(&encoded_segment(values.next()?).to_string());
                }
            }
        }
    }
    values.next().is_none().then_some(place)
}

/// The item of a request is not the stored one any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed;

impl Engine {
    pub(super) fn upload(&self, call: &Call<'_>) -> Result<Outcome, Full> {
        if let Some(file) = call.read.files.first() {
            self.state().set_file(call.place.to_owned(), stored(file))?;
        }
        Ok(Outcome::Invented)
    }

    /// The file that was uploaded to this path, or to the longest beginning of it.
    pub(super) fn download(&self, call: &Call<'_>) -> Outcome {
        nearest(&self.state(), call.place)
    }

    /// The file of an item, which goes with it.
    pub(super) fn file_of_item(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Result<Outcome, Full> {
        let id = match self.read(call, index, collection)? {
            Outcome::Item { id, .. } => id,
            other => return Ok(other),
        };
        let (owner, place) = (self.owner(call, index, collection), self.item_place(call, collection, &id));
        let state = self.state();
        // Another request can have removed the item, with its file.
        if state.instance(&owner).is_none_or(|instance| instance.item(&id).is_none()) {
            return Ok(Outcome::Unknown(unknown(collection, &id)));
        }
        Ok(nearest(&state, &place))
    }

    /// The file that a request sends as the content of an item: that of a form, or its body. XML is the members of the item, unless reads
    /// answer with files.
    pub(super) fn sent_file(&self, call: &Call<'_>, collection: &Collection) -> Option<StoredFile> {
        let own = call.planned.role == Role::Create;
        let is_content = |file: &&File| own || collection.reads_files || !file.media_type.ends_with("xml");
        // An empty PUT empties the file. Other methods without a body say nothing about it.
        let is_whole = |bytes: &&Bytes| call.operation.method == Method::PUT || !bytes.is_empty();
        if let Some(bytes) = call.read.raw.as_ref().filter(|_| !own && collection.reads_files).filter(is_whole) {
            return Some(StoredFile { media_type: call.media_type.to_owned(), bytes: bytes.clone() });
        }
        call.read.files.first().filter(is_content).map(stored)
    }

    /// The places of items and of their files: below the address of their collection, and at each path that ends with their identifier.
    pub(super) fn places_of(&self, owner: &Owner, collection: &Collection, ids: &[&str]) -> Vec<String> {
        let address = self.address(collection, &owner.1);
        let address = self.place_of(&address).unwrap_or_default();
        let of_item = |id: &&str| {
            let values: Vec<&str> = owner.1.iter().map(String::as_str).chain([*id]).collect();
            let named =
                collection.item_paths.iter().filter_map(|template| filled(template, &values)).collect::<Vec<_>>();
            [below(address, id)].into_iter().chain(named).collect::<Vec<_>>()
        };
        ids.iter().flat_map(of_item).collect()
    }

    /// The file that is read and written at the path of an item, if the contract has such a path: its tag is that of the path.
    /// An error if another request has changed the item, so that its file can be another one, too.
    pub(super) fn own_file(
        &self,
        call: &Call<'_>,
        (index, collection): (usize, &Collection),
        id: &str,
        value: &Arc<Value>,
    ) -> Result<Option<Arc<StoredFile>>, Changed> {
        if !collection.reads_files {
            return Ok(None);
        }
        let owner = self.owner(call, index, collection);
        let mut places = self.places_of(&owner, collection, &[id]);
        places.push(self.item_place(call, collection, id));
        let state = self.state();
        let stored = state.instance(&owner).and_then(|instance| instance.item(id));
        if stored.is_none_or(|stored| !Arc::ptr_eq(&stored.value, value)) {
            return Err(Changed);
        }
        Ok(places.iter().find_map(|place| state.file(place)).map(Arc::clone))
    }

    /// The place of an item. The path of a request can have another name of it, a suffix (`/files/{id}.json`), or only its collection.
    pub(crate) fn item_place(&self, call: &Call<'_>, collection: &Collection, id: &str) -> String {
        let Some(name) = self.id(call, collection) else { return below(call.place, id) };
        let ends_with_name = call.operation.segments.last().is_some_and(|last| last.parameters().next().is_some());
        let Some((items, last)) = call.place.rsplit_once('/').filter(|_| ends_with_name && name != id) else {
            return call.place.to_owned();
        };
        format!("{items}/{}", last.replacen(&encoded_segment(name).to_string(), &encoded_segment(id).to_string(), 1))
    }
}
