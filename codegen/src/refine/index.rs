//! Collects the public Rust API while it is written down.

use std::sync::Arc;

use crate::api::{Api, Item, Origin};
use crate::text::line;

/// Items of the public API, as far as they are written.
#[derive(Debug, Default)]
pub(crate) struct Index {
    items: Vec<Item>,
    here: Arc<Origin>,
    features: Vec<String>,
    family: String,
}

/// Properties of an item besides its path, kind and signature.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traits<'a> {
    pub(crate) non_exhaustive: bool,
    pub(crate) deprecated: bool,
    /// The member, value or parameter of the contract that it stands for.
    pub(crate) wire: &'a str,
    /// Its place, where it has one of its own.
    pub(crate) pointer: &'a str,
}

impl Index {
    /// The following items are compiled with these cargo features, for this family.
    pub(crate) fn group(&mut self, family: &str, features: Vec<String>) {
        (self.features, self.family) = (features, family.to_owned());
        self.enter("", "", "");
    }

    /// The following items come from this place of a contract: of the operation, if it is one.
    pub(crate) fn enter(&mut self, document: &str, pointer: &str, operation: &str) {
        self.here = Arc::new(self.origin(document, pointer, operation));
    }

    /// The following items come from this schema of a contract, for one of these features.
    pub(crate) fn enter_type(&mut self, document: &str, pointer: &str, any_feature: &[&str]) {
        let any_feature = any_feature.iter().map(|feature| (*feature).to_owned()).collect();
        self.here = Arc::new(Origin { any_feature, ..self.origin(document, pointer, "") });
    }

    fn origin(&self, document: &str, pointer: &str, operation: &str) -> Origin {
        let features = self.features.clone();
        Origin {
            document: line(document).into_owned(),
            pointer: pointer.to_owned(),
            operation: line(operation).into_owned(),
            family: self.family.clone(),
            assumed: features.iter().any(|feature| feature == "assumed"),
            features,
            any_feature: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, path: &str, kind: &'static str, signature: &str) {
        self.add_with(path, kind, signature, Traits::default());
    }

    pub(crate) fn add_with(&mut self, path: &str, kind: &'static str, signature: &str, traits: Traits<'_>) {
        self.items.push(Item {
            path: line(path).into_owned(),
            kind,
            signature: line(signature.trim_end()).into_owned(),
            non_exhaustive: traits.non_exhaustive,
            deprecated: traits.deprecated,
            wire: traits.wire.to_owned(),
            pointer: traits.pointer.to_owned(),
            origin: Arc::clone(&self.here),
        });
    }

    pub(crate) fn finish(self) -> Api {
        let mut items = self.items;
        items.sort_unstable();
        items.dedup_by(|one, other| {
            (&one.path, one.kind, &one.signature) == (&other.path, other.kind, &other.signature)
        });
        items.shrink_to_fit();
        Api { items }
    }
}
