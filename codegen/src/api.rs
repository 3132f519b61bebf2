//! The public Rust API of a generated client, as data.

use std::sync::Arc;

/// Properties that are common to the items of one object of a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Name of the document; empty where an item comes from no contract.
    pub document: String,
    /// JSON pointer of the schema or operation in the document as it was published.
    pub pointer: String,
    /// The operation that the item belongs to, as method and path.
    pub operation: String,
    /// Route family; empty for items that several families share.
    pub family: String,
    /// Cargo features that have to be on, all of them.
    pub features: Vec<String>,
    /// Cargo features of which one has to be on; empty: none of them.
    pub any_feature: Vec<String>,
    /// True if no deployment has shown it.
    pub assumed: bool,
}

impl Origin {
    /// The features that decide on an item.
    pub(crate) fn all_features(&self) -> impl Iterator<Item = &str> {
        self.features.iter().chain(&self.any_feature).map(String::as_str)
    }
}

/// A public item of the client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// Path in the crate, such as `types::Project::name`.
    pub path: String,
    /// `fn`, `struct`, `enum`, `field`, `variant`, `header`, `type`, `const` or `static`.
    pub kind: &'static str,
    /// Arguments and result of a function, type of a field, derives of a type.
    pub signature: String,
    /// `true` if it is `#[non_exhaustive]`.
    pub non_exhaustive: bool,
    /// `true` if it is `#[deprecated]`.
    pub deprecated: bool,
    /// The member, value or parameter of the contract that it represents; empty if it represents the whole object.
    pub wire: String,
    /// JSON pointer of that member, where it has a place of its own.
    pub pointer: String,
    /// Origin in the contract.
    pub origin: Arc<Origin>,
}

impl Item {
    /// The item as a line of text.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = [self.path.as_str(), " ", self.kind, " ", &self.signature].concat();
        line.truncate(line.trim_end().len());
        line
    }

    /// Pointer in the contract: to the member, otherwise to the object that it is part of.
    pub(crate) fn place(&self) -> &str {
        if self.pointer.is_empty() { &self.origin.pointer } else { &self.pointer }
    }

    /// The path without its last name: the type of a field, the module of a type.
    #[must_use]
    pub fn parent(&self) -> &str {
        self.path.rsplit_once("::").map_or("", |(parent, _)| parent)
    }
}

/// The public API: its items, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Api {
    /// Sorted by path and kind.
    pub items: Vec<Item>,
}

impl Api {
    /// One line an item, as reviewers read it.
    #[must_use]
    pub fn index(&self) -> String {
        self.items.iter().map(|item| item.line() + "\n").collect()
    }
}
