//! Where types that are written come from: the contract, or the GraphQL documents.

use super::render::Render;
use crate::generate::Rust;
use crate::model::{Definition, Deprecation, Type, TypeId};
use crate::text::code::code;
use crate::text::{Code, line, literal};

/// How generated types reach each other.
pub(super) const PREFIX: &str = "super::";

/// How the index names them.
pub(super) const INDEXED: &str = "types::";

/// Who knows the types that are written: those of the contract, or those of the GraphQL documents.
pub(crate) trait TypeSource {
    /// Where the types come from, in a word.
    const ORIGIN: &'static str;

    /// Whether people choose what comes back: then nothing can be added to it behind their backs.
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
}

impl TypeSource for Render<'_> {
    const ORIGIN: &'static str = "contract";
    const IS_CHOSEN: bool = false;

    fn definition(&self, id: TypeId) -> &Definition {
        self.model.definition(id)
    }

    fn member(&self, id: TypeId, position: usize, ty: &Type) -> Rust {
        self.resolved.member(id, position, ty)
    }

    fn text(&self, _: TypeId, rust: &Rust) -> Code {
        Render::text(self, rust, PREFIX)
    }

    fn indexed(&self, rust: &Rust) -> Code {
        Render::text(self, rust, INDEXED)
    }

    fn path(&self, id: TypeId) -> String {
        format!("types::{}", self.model.definition(id).name)
    }
}

/// The attribute of what is deprecated.
pub(super) fn attribute(deprecated: &Deprecation) -> Code {
    match deprecated {
        Deprecation::No => Code::default(),
        Deprecation::Yes => code!["#[deprecated]\n"],
        Deprecation::Because(note) => code!["#[deprecated(note = ", literal(&line(note)), ")]\n"],
    }
}
