//! Bytes to a JSON tree, and the dialect that it speaks.
//!
//! A contract is JSON or YAML, UTF-8 or UTF-16, with or without a byte order mark. Everything that can be read is read,
//! and [`Loaded::notes`] lists the guesses. An unreadable contract is a [`Problem`] with a stable code:
//! `contract/empty`, `contract/html`, `contract/xml`, `contract/encoding`, `contract/too-large`, `contract/too-deep`,
//! `contract/truncated`, `contract/trailing`, `contract/not-json`, `contract/not-yaml`, `contract/several-documents`,
//! `contract/not-a-contract` or `contract/unknown-version`.

mod brackets;
mod build;
mod decode;
mod parts;
mod recognise;
mod syntax;

use serde_json::Value;

use crate::{Entry, Loss, Problem, walk};

pub(crate) use parts::PART_ORDER;

/// The largest contract that is read, in bytes (64 MiB).
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The deepest nesting of objects and arrays that is read.
///
/// Every later stage recurses over the tree; this bound makes that safe.
pub const MAX_DEPTH: usize = 120;

/// A contract that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The document, with its keys sorted at every level, and `x-part-order` where the order of the parts of a form is another one.
    pub tree: Value,
    /// The specification that it is written in.
    pub dialect: Dialect,
    /// `info.title`, or an empty string.
    pub title: String,
    /// `info.version`, or an empty string.
    pub version: String,
    /// Guesses and repairs that were needed to read it, such as for a key that occurs twice in one object.
    pub notes: Vec<Entry>,
}

impl Loaded {
    /// The canonical text that is pinned: JSON, keys sorted, two spaces, LF, a final newline.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.tree).unwrap_or_default();
        text.push('\n');
        text.shrink_to_fit();
        text
    }

    /// As [`load`] reads the canonical text: only the guesses that this text needs are left, for a document of this name.
    pub(crate) fn pinned(mut self, document: &str) -> Self {
        let mut notes = Vec::new();
        // The tree was recognised when it was read.
        if let Ok(dialect) = recognise::dialect(&self.tree, &mut notes) {
            self.dialect = dialect;
        }
        self.notes = notes.into_iter().map(|note| note.entry(document)).collect();
        self
    }
}

/// The specification that a contract is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// Swagger 2.0.
    Swagger2,
    /// OpenAPI 3.0.
    OpenApi30,
    /// OpenAPI 3.1.
    OpenApi31,
    /// OpenAPI 3.2.
    OpenApi32,
}

/// Reads a contract. `document` is the name that problems and notes carry.
///
/// # Errors
///
/// A [`Problem`] with a place and a hint when the bytes are not a contract; the codes are listed at [`self`].
///
/// # Examples
///
/// ```
/// use driftless_codegen::{Dialect, load};
///
/// let contract = load::load("petstore", b"openapi: 3.1.0\ninfo: {title: Pets, version: 1.10}\npaths: {}\n").unwrap();
/// assert_eq!(contract.dialect, Dialect::OpenApi31);
/// assert_eq!(contract.version, "1.10");
///
/// let problem = load::load("petstore", b"<!doctype html><title>Sign in</title>").unwrap_err();
/// assert_eq!(problem.code, "contract/html");
/// ```
#[allow(clippy::result_large_err, reason = "a contract fails once, not in a loop")]
pub fn load(document: &str, bytes: &[u8]) -> Result<Loaded, Problem> {
    let fail = |fault: Fault| Problem {
        code: fault.code,
        document: document.to_owned(),
        pointer: fault.pointer,
        position: fault.position,
        message: fault.message,
        hint: fault.hint,
    };
    let mut notes = Vec::new();
    let text = decode::decode(bytes, &mut notes).map_err(fail)?;
    let mut tree = syntax::parse(&text, &mut notes).map_err(fail)?;
    parts::keep_order(&mut tree);
    walk::sort_keys(&mut tree);
    let dialect = recognise::dialect(&tree, &mut notes).map_err(fail)?;
    let notes = notes.into_iter().map(|note| note.entry(document)).collect();
    let title = recognise::info(&tree, "title");
    let version = recognise::info(&tree, "version");
    Ok(Loaded { tree, dialect, title, version, notes })
}

/// A [`Problem`] before it knows the name of its document.
struct Fault {
    code: &'static str,
    pointer: Option<String>,
    position: Option<(usize, usize)>,
    message: String,
    hint: String,
}

impl Fault {
    fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, pointer: None, position: None, message: message.into(), hint: hint.into() }
    }

    fn at(self, position: Option<(usize, usize)>) -> Self {
        Self { position, ..self }
    }

    fn within(self, pointer: &str) -> Self {
        Self { pointer: Some(pointer.to_owned()), ..self }
    }
}

/// An [`Entry`] before it knows the name of its document.
struct Note {
    pass: &'static str,
    pointer: String,
    what: String,
    loss: Loss,
}

impl Note {
    fn entry(self, document: &str) -> Entry {
        Entry {
            document: document.to_owned(),
            pointer: self.pointer,
            pass: self.pass,
            what: self.what,
            loss: self.loss,
        }
    }
}
