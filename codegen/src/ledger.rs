//! The record of changes between contract and client, and of losses.

use serde::Serialize;

/// One thing that a pass did to the contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Entry {
    /// Name of the document.
    pub document: String,
    /// JSON pointer (RFC 6901) into the document as it was published.
    pub pointer: String,
    /// Name of the pass, such as `upgrade/type-array`.
    pub pass: &'static str,
    /// The change, as a sentence.
    pub what: String,
    /// The loss that the change causes.
    pub loss: Loss,
}

/// The cost of an entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Nothing: another way to write the same.
    Nothing,
    /// Something that the client does not enforce, such as a pattern or a length.
    Documentation(String),
    /// An operation or schema is only available untyped; the text says why.
    Degraded(String),
}

/// The ordered list of [`Entry`]s.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    entries: Vec<Entry>,
}

impl Ledger {
    /// Adds an entry.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Adds an entry for a place of the document as it was published.
    pub(crate) fn note(
        &mut self,
        document: &str,
        pointer: String,
        pass: &'static str,
        what: impl Into<String>,
        loss: Loss,
    ) {
        self.push(Entry { document: document.to_owned(), pointer, pass, what: what.into(), loss });
    }

    /// Sorts by document and pointer, and drops repetitions.
    pub fn settle(&mut self) {
        self.entries.sort();
        self.entries.dedup();
    }

    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries that degraded an operation or a schema.
    pub fn degraded(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| matches!(entry.loss, Loss::Degraded(_)))
    }
}
