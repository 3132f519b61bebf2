//! The sources of written types: the contract, or the GraphQL documents.

use super::groups;
use super::render::Render;
use crate::generate::Rust;
use crate::model::{Definition, Deprecation, Type, TypeId};
use crate::text::code::code;
use crate::text::{Code, line, literal};

/// Path from one generated type to another.
pub(super) const PREFIX: &str = "super::";

/// Their path in the index.
pub(super) const INDEXED: &str = "types::";

/// A source of written types: the contract, or the GraphQL documents.
pub(crate) trait TypeSource {
    /// The name of the source, one word.
    const ORIGIN: &'static str;

    /// `true` if a program chooses its response types by its documents: then no member is added without a change of
    /// these.
    const IS_CHOSEN: bool;

    /// The definition behind an identifier.
    fn definition(&self, id: TypeId) -> &Definition;

    /// The Rust type of a member of a definition.
    fn member(&self, id: TypeId, position: usize, ty: &Type) -> Rust;

    /// A Rust type as the file of a definition writes it.
    fn text(&self, id: TypeId, rust: &Rust) -> Code;

    /// A Rust type as the index names it.
    fn indexed(&self, rust: &Rust) -> Code;

    /// The path of a definition.
    fn path(&self, id: TypeId) -> String;

    /// The features of which one has to be on for a definition; empty: none.
    fn alternatives(&self, id: TypeId) -> Vec<&str>;

    /// The attribute of the items of a definition that have a condition beside that of their file.
    fn condition(&self, id: TypeId) -> Code;
}

impl TypeSource for Render<'_> {
    const ORIGIN: &'static str = "contract";
    const IS_CHOSEN: bool = false;

    fn definition(&self, id: TypeId) -> &Definition {
        self.model.definition(id)
    }

    fn member(&self, id: TypeId, position: usize, ty: &Type) -> Rust {
        self.boxed.member(id, position, ty)
    }

    fn text(&self, _: TypeId, rust: &Rust) -> Code {
        Render::text(self, rust, PREFIX)
    }

    fn indexed(&self, rust: &Rust) -> Code {
        Render::text(self, rust, INDEXED)
    }

    fn path(&self, id: TypeId) -> String {
        ["types::", &self.model.definition(id).name].concat()
    }

    fn alternatives(&self, id: TypeId) -> Vec<&str> {
        groups::alternatives(self.model, id)
    }

    fn condition(&self, id: TypeId) -> Code {
        groups::condition(self.model, id)
    }
}

/// The attribute of a deprecated item.
pub(super) fn attribute(deprecated: &Deprecation) -> Code {
    match deprecated {
        Deprecation::No => Code::default(),
        Deprecation::Yes => code!["#[deprecated]\n"],
        Deprecation::Because(note) => code!["#[deprecated(note = ", literal(&line(note)), ")]\n"],
    }
}
