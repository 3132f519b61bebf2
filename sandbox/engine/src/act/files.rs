//! Files: uploaded to a path, or sent as the content of an item.

use std::sync::Arc;

use super::{Call, Engine, Outcome};
use crate::contract::encoded_segment;
use crate::infer::{Collection, is_json};
use crate::request::File;
use crate::state::{Full, StoredFile};

pub(super) fn stored(file: &File) -> StoredFile {
    StoredFile { media_type: file.media_type.clone(), bytes: file.bytes.clone().into() }
}

/// The place of an item below that of its collection.
pub(super) fn below(collection: &str, id: &str) -> String {
    format!("{}/{}", collection.trim_end_matches('/'), encoded_segment(id))
}

impl Engine {
    pub(super) fn upload(&self, call: &Call<'_>) -> Result<Outcome, Full> {
        if let Some(file) = call.read.files.first() {
            self.state().set_file(call.place.to_owned(), stored(file))?;
        }
        Ok(Outcome::Invented)
    }

    /// The file that was uploaded to this path, or to the longest beginning of it.
    pub(super) fn download(&self, call: &Call<'_>) -> Outcome {
        let state = self.state();
        let mut place = call.place;
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

    /// The file of an item, which goes with it.
    pub(super) fn file_of_item(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Result<Outcome, Full> {
        Ok(match self.read(call, index, collection)? {
            Outcome::Item { id, .. } => {
                self.download(&Call { place: &self.item_place(call, collection, &id), ..*call })
            }
            other => other,
        })
    }

    /// Stores the file of a form, or the body of a request, as the content of an item. XML is its members, unless reads answer with files.
    pub(super) fn keep_file(&self, call: &Call<'_>, collection: &Collection, id: &str) -> Result<(), Full> {
        let is_content = |file: &&File| collection.reads_files || !file.media_type.ends_with("xml");
        let text = || {
            let text = call.read.body.as_ref().filter(|_| collection.reads_files && !is_json(call.media_type))?;
            Some(StoredFile {
                media_type: call.media_type.to_owned(),
                bytes: text.as_str()?.as_bytes().to_vec().into(),
            })
        };
        match call.read.files.first().filter(is_content).map(stored).or_else(text) {
            Some(file) => self.state().set_file(self.item_place(call, collection, id), file),
            None => Ok(()),
        }
    }

    /// The file that is read and written at the path of an item, if the contract has such a path: its tag is that of the path.
    pub(super) fn own_file(&self, call: &Call<'_>, collection: &Collection, id: &str) -> Option<Arc<StoredFile>> {
        let place = collection.reads_files.then(|| self.item_place(call, collection, id))?;
        self.state().file(&place).map(Arc::clone)
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
