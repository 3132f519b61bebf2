//! The wording of types: their documentation, and the names that the generator gives.

use super::client;
use crate::model::{Definition, Field, Provenance, Style};
use crate::text::Ident;
use crate::text::docs::{Docs, closed_or, docs};

/// The contract's text for a member, otherwise its name on the wire; then the constraints of its value.
pub(super) fn described(docs: &str, wire: &str, limits: &Docs) -> Docs {
    let docs = closed_or(docs, wire);
    if limits.is_empty() { docs } else { docs![docs, "\n\n", limits] }
}

pub(super) fn provenance(docs: Docs, definition: &Definition) -> Docs {
    let reach = &definition.reach;
    let assumed = definition.provenance == Provenance::Assumed || !reach.documented && !reach.families.is_empty();
    if assumed { docs![client::ASSUMED, docs] } else { docs }
}

pub(super) fn free_name(fields: &[Field]) -> Ident {
    let taken = |name: &str| fields.iter().any(|field| *field.name == *name);
    let names = ["extra", "extra_members", "undeclared_members"];
    Ident::fixed(names.into_iter().find(|name| !taken(name)).unwrap_or("undeclared_members_"))
}

/// The kind of a part whose values are written in a style.
pub(super) fn part_style(style: Style, explode: bool) -> &'static str {
    match (style, explode) {
        (Style::Space, false) => "spaced",
        (Style::Pipe, false) => "piped",
        (Style::Tab, false) => "tabbed",
        (Style::Deep, _) => "deep",
        (_, true) => "exploded",
        (_, false) => "joined",
    }
}
