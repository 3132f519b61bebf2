//! Reading a document's tree: places, references, text.

use serde_json::{Map, Value};

use super::alternatives::Counted;
use crate::ledger::{Ledger, Loss};
use crate::members::Members as _;
use crate::pointer::{self, LONGEST_CHAIN};
use crate::upgrade::{Origins, Published};

/// One document, upgraded.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) tree: Value,
    /// The document as it was published, and where the parts of `tree` stand in it.
    pub(crate) published: Published,
    pub(crate) origins: Origins,
    /// The figures that the keys of alternatives need.
    pub(crate) counted: Counted,
}

impl Document {
    pub(crate) fn new(name: String, tree: Value, published: Published, origins: Origins) -> Self {
        Self { name, tree, published, origins, counted: Counted::default() }
    }

    /// Gives the memory of the tree back.
    pub(crate) fn drop_tree(&mut self) {
        (self.tree, self.counted) = (Value::Null, Counted::default());
    }

    /// A document that was published as it is.
    #[cfg(test)]
    pub(crate) fn plain(tree: Value) -> Self {
        let published = Published::new(&tree);
        Self::new("d".to_owned(), tree, published, Origins::default())
    }
}

/// A place in a document.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) document: &'a Document,
    /// JSON pointer (RFC 6901).
    pub(crate) pointer: String,
    pub(crate) value: &'a Value,
}

impl<'a> Node<'a> {
    pub(crate) fn root(document: &'a Document) -> Self {
        Self { document, pointer: String::new(), value: &document.tree }
    }

    /// The member `key`.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'a>> {
        self.value.member(key).map(|value| self.at(key, value))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.value.member(key).is_some()
    }

    /// The members of an object, in the order of their keys.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'a str, Node<'a>)> + use<'a, '_> {
        self.value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), self.at(key, value)))
    }

    /// The elements of an array.
    pub(crate) fn items(&self) -> impl Iterator<Item = Node<'a>> + use<'a, '_> {
        let elements = self.value.as_array().into_iter().flatten().enumerate();
        elements.map(|(index, value)| self.at(&index.to_string(), value))
    }

    pub(crate) fn object(&self) -> Option<&'a Map<String, Value>> {
        self.value.as_object()
    }

    /// The member `key` as text, or an empty string.
    pub(crate) fn text(&self, key: &str) -> &'a str {
        self.value.member(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.value.member(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Follows `$ref` to its target. `None` if it does not resolve, is circular, leaves the document, or takes more than
    /// [`LONGEST_CHAIN`] references.
    pub(crate) fn resolve(&self) -> Option<Node<'a>> {
        let Some(reference) = self.reference() else { return Some(self.clone()) };
        let mut node = self.target(reference)?;
        for _ in 0..LONGEST_CHAIN {
            match node.reference() {
                None => return Some(node),
                Some(reference) => node = node.target(reference)?,
            }
        }
        None
    }

    fn reference(&self) -> Option<&'a str> {
        self.value.member("$ref").and_then(Value::as_str)
    }

    /// The reason why `$ref` leads to no target.
    pub(crate) fn unresolved(&self) -> String {
        let reference = self.text("$ref");
        let mut chain =
            std::iter::successors(self.target(reference), |node| node.reference().and_then(|next| node.target(next)));
        match chain.nth(LONGEST_CHAIN) {
            None => format!("`{reference}` does not resolve in this document"),
            Some(_) => format!("`{reference}` leads back to itself, or through more than {LONGEST_CHAIN} references"),
        }
    }

    /// The place that a reference within the document names.
    pub(crate) fn target(&self, reference: &str) -> Option<Node<'a>> {
        let pointer = pointer::percent_decode(reference.strip_prefix('#')?);
        let value = pointer::find(&self.document.tree, &pointer)?;
        Some(Node { document: self.document, pointer, value })
    }

    /// `summary` and `description`, as one text.
    pub(crate) fn prose(&self) -> String {
        let (summary, description) = (self.text("summary").trim(), self.text("description").trim());
        match (summary.is_empty(), description.is_empty()) {
            (false, false) if description.starts_with(summary) => description.to_owned(),
            (false, false) => format!("{summary}\n\n{description}"),
            (true, _) => description.to_owned(),
            (_, true) => summary.to_owned(),
        }
    }

    /// JSON pointer of the place in the document as it was published.
    pub(crate) fn source(&self) -> String {
        self.document.origins.place(&self.pointer, &self.document.published)
    }

    /// Records a pass's change of this node in the ledger.
    pub(crate) fn note(&self, ledger: &mut Ledger, pass: &'static str, what: impl Into<String>, loss: Loss) {
        ledger.note(&self.document.name, self.source(), pass, what, loss);
    }

    fn at(&self, key: &str, value: &'a Value) -> Node<'a> {
        let pointer = pointer::join(&self.pointer, key);
        Node { document: self.document, pointer, value }
    }
}
