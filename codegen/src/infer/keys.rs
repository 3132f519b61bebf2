//! The key by which an entry of the configuration names an operation.

use std::collections::BTreeMap;

use crate::model::{Model, Operation};

/// The number of operations that have a method and a path, and of those of one document.
pub(super) struct Keys {
    all: BTreeMap<String, usize>,
    of_documents: BTreeMap<(String, String), usize>,
}

impl Keys {
    pub(super) fn new(model: &Model) -> Self {
        let (mut all, mut of_documents) = (BTreeMap::new(), BTreeMap::new());
        for operation in &model.operations {
            let place = place(operation);
            *of_documents.entry((place.clone(), operation.document.clone())).or_default() += 1;
            *all.entry(place).or_default() += 1;
        }
        Self { all, of_documents }
    }

    /// `GET /things`, `GET /things of document` if several documents have it, or `family.name` if it is told from others by a part
    /// that is not sent (`/#ListThings`).
    pub(super) fn key(&self, operation: &Operation) -> String {
        let place = place(operation);
        if self.all.get(&place).is_none_or(|count| *count == 1) {
            return place;
        }
        match self.of_documents.get(&(place.clone(), operation.document.clone())) {
            Some(1) => format!("{place} of {}", operation.document),
            _ => format!("{}.{}", operation.family, operation.name),
        }
    }
}

fn place(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.target())
}
