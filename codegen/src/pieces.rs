//! Files in pieces, as `refine` makes them and `emit` writes them.

use std::collections::BTreeMap;

use crate::text::Code;

/// Path relative to the generated folder → pieces.
pub(crate) type Files = BTreeMap<String, Vec<Piece>>;

/// A part of a file.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Rust, formatted by `emit`.
    Code(Code),
    /// A table in a macro: its head, up to the opening brace, and its rows.
    Table(Code, Vec<Code>),
    /// Items in the braces of a macro: its head, up to the opening brace, and the items.
    Items(Code, Code),
}
