//! Files in pieces, as `refine` makes them and `emit` writes them: a file is formatted while the next one is made.

use crate::text::Code;

/// Takes a file: its path relative to the generated folder, and its pieces.
pub(crate) type Take<'a> = dyn FnMut(String, Vec<Piece>) + 'a;

/// A part of a file.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Rust, formatted by `emit`.
    Code(Code),
    /// A table in a macro: its head, up to the opening brace, and its rows.
    Table(Code, Vec<Code>),
    /// Items in the braces of a macro: its head, up to the opening brace, and the items.
    Items(Code, Code),
    /// A module or an implementation: its head, up to the opening brace, and its members, which may be many.
    Block(Code, Vec<Code>),
}
