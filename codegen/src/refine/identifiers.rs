//! Identifiers with a type of their own.

use super::index::Index;
use super::source::TypeSource;
use super::wording::provenance;
use crate::generate::Rust;
use crate::model::{Identifier, TypeId};
use crate::pieces::Piece;
use crate::text::Code;
use crate::text::code::code;
use crate::text::docs::{Docs, comment, docs, span};

/// Writes the struct around the scalar, and its table.
pub(super) fn write<S: TypeSource>(
    source: &S,
    id: TypeId,
    identifier: &Identifier,
    pieces: &mut Vec<Piece>,
    index: &mut Index,
) {
    let definition = source.definition(id);
    let (name, path) = (&definition.name, source.path(id));
    let scalar = source.text(id, &Rust::from_type(&identifier.scalar));
    let derives = match identifier.is_copied() {
        true => "Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord",
        false => "Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord",
    };
    let places = Docs::join(", ", identifier.places.iter().map(|place| span(place)));
    let docs = docs!["An identifier with a type of its own, by the configuration: ", places, "."];
    let mut code: Code = comment(&provenance(docs, definition));
    code.push(source.condition(id))
        .push("#[derive(")
        .push(derives)
        .push(")]\npub struct ")
        .push(name)
        .push("(")
        .push(&scalar)
        .push(");\n");
    pieces.push(Piece::Code(code));
    index.add(&path, "struct", &derives.replace(", ", " "));
    index.add(&format!("{path}::from"), "from", scalar.as_str());
    if !identifier.is_copied() {
        index.add(&format!("{path}::as_str"), "fn", "(&self) -> &str");
    }
    pieces.push(Piece::Table(code![source.condition(id), "identifier!(", name, " {"], vec![scalar]));
}
