//! `documents/`: the GraphQL documents, a constant each, and a module for the types of each.

use std::collections::BTreeMap;

use super::client;
use super::index::Index;
use super::render;
use super::source::TypeSource;
use super::types;
use crate::generate::Rust;
use crate::graphql::{Connection, Documents, FRAGMENTS, Shared, TYPES, TypedDocument};
use crate::model::{Definition, Type, TypeId};
use crate::pieces::{Piece, Take};
use crate::text::code::code;
use crate::text::docs::{Docs, closed_or, comment, docs, module_comment, span};
use crate::text::{Code, Ident, literal};

/// The cargo features of the documents.
pub(crate) fn condition(documents: &Documents) -> &'static str {
    if documents.assumed { "all(feature = \"graphql\", feature = \"assumed\")" } else { "feature = \"graphql\"" }
}

/// Writes the files.
pub(crate) fn write(documents: &Documents, index: &mut Index, take: &mut Take<'_>) {
    let features = ["graphql"].into_iter().chain(documents.assumed.then_some("assumed"));
    index.group("", features.map(str::to_owned).collect());
    let mut root =
        code!["//! The GraphQL documents of `specs/graphql`: a constant each, and a module with its types.\n\n"];
    // There is a schema for all of them, or for none.
    match documents.list.first().map(|document| document.variables.is_some()) {
        Some(true) => root.push(client::DOCUMENT).push("\n"),
        Some(false) => root.push(client::UNTYPED).push("\n"),
        None => &mut root,
    };
    let mut modules: BTreeMap<Ident, Docs> = BTreeMap::new();
    for document in documents.list.iter().filter(|document| document.variables.is_some()) {
        let about = docs!["Types of the ", document.kind, " ", span(&document.name), "."];
        modules.insert(document.module.clone(), about);
    }
    for (module, about) in [
        (TYPES, "Enumerations and input objects of the schema, as far as documents use them."),
        (FRAGMENTS, "Fragments that are the only selection of their type."),
    ] {
        if documents.types.modules.iter().any(|known| **known == *module) {
            modules.insert(Ident::fixed(module), docs![about]);
        }
    }
    for (module, about) in &modules {
        root.push("pub mod ").push(module).push(";\n");
        take(format!("documents/{module}.rs"), items(documents, module, about, index));
    }
    for document in &documents.list {
        root.push(constant(documents, document, index));
    }
    take("documents/mod.rs".to_owned(), vec![Piece::Code(root)]);
}

fn constant(documents: &Documents, document: &TypedDocument, index: &mut Index) -> Code {
    let assumed = if documents.assumed { client::ASSUMED } else { "" };
    let (name, module) = (document.constant(), &document.module);
    let mut docs = docs![assumed, span(&document.file), ": the ", document.kind, " ", span(&document.name), "."];
    if let Some(connection) = &document.connection {
        docs.push("\n\nPaginated: `.with_items()` returns a stream of the items of all pages.");
        let item = documents.indexed(&Rust::from_type(&connection.item));
        let signature = code!["(self) -> driftless_runtime::graphql::ConnectionItems<'a, ", item, ">"];
        index.add(&format!("documents::{name}::with_items"), "fn", signature.as_str());
    }
    let (constructor, ty) = match document.variables {
        Some(true) => ("Document", code!["Document<", module, "::Variables, ", module, "::Data>"]),
        Some(false) => ("Document", code!["Document<(), ", module, "::Data>"]),
        None => ("Untyped", code!["Untyped"]),
    };
    index.add(&format!("documents::{name}"), "const", ty.as_str());
    let text = literal(&document.text);
    code!["\n", comment(&docs), "pub const ", name, ": ", ty, " = ", constructor, "::new(", text, ");\n"]
}

/// The types of a module: those that are shared by name, those of a document in the order in which it selects them.
fn items(documents: &Documents, module: &Ident, about: &Docs, index: &mut Index) -> Vec<Piece> {
    let types = &documents.types;
    let mut pieces = vec![Piece::Code(code![module_comment(about), "\n", client::PRELUDE])];
    let of_module = types.modules.iter().enumerate().filter(|(_, owner)| *owner == module);
    let mut ids: Vec<TypeId> = of_module.map(|(id, _)| TypeId(id)).collect();
    if [TYPES, FRAGMENTS].contains(&&**module) {
        ids.sort_by_key(|id| &documents.definition(*id).name);
    }
    let connections: BTreeMap<TypeId, &Connection> = documents
        .list
        .iter()
        .filter(|document| document.module == *module)
        .filter_map(|document| document.connection.as_ref().map(|connection| (connection.root, connection)))
        .collect();
    for id in ids {
        types::write(documents, id, &mut pieces, index);
        pieces.extend(connections.get(&id).map(|connection| table(documents, connection)));
        if let Some(shared) = types.shared.get(&id) {
            pieces.push(Piece::Code(accessors(documents, id, shared, index)));
        }
    }
    pieces
}

/// The places of a connection in the data of its document.
fn table(documents: &Documents, connection: &Connection) -> Piece {
    let item = documents.text(connection.root, &Rust::from_type(&connection.item));
    let direction = if connection.backward { "backward: " } else { "forward: " };
    let rows = vec![
        code!["item: ", item],
        code![direction, literal(&connection.variable)],
        code!["connection: ", literal(&connection.connection)],
        code!["list: ", literal(&connection.list)],
        code!["node: ", literal(&connection.node)],
        code!["more: ", literal(&connection.more)],
        code!["cursor: ", literal(&connection.cursor)],
    ];
    Piece::Table(code!["connection!(", &documents.definition(connection.root).name, " {"], rows)
}

/// Accessors for the members that all variants of a union have.
fn accessors(documents: &Documents, id: TypeId, all: &[Shared], index: &mut Index) -> Code {
    let mut code = code!["impl ", &documents.definition(id).name, " {\n"];
    for shared in all {
        let rust = Rust::from_type(&shared.ty);
        let (name, ty) = (&shared.name, documents.text(id, &rust));
        let docs =
            docs![closed_or(&shared.docs, name), "\n\n`None` if it is null, or if the type is not in the schema."];
        code.push(comment(&docs)).push("pub fn ").push(name).push("(&self) -> Option<&").push(ty);
        code.push("> {\nmatch self {\n");
        for variant in &shared.variants {
            code.push("Self::").push(variant).push("(value) => ");
            match shared.optional {
                true => code.push("value.").push(name).push(".as_ref(),\n"),
                false => code.push("Some(&value.").push(name).push("),\n"),
            };
        }
        code.push("Self::Unknown(_) => None,\n}\n}\n");
        let signature = format!("Option<&{}>", documents.indexed(&rust));
        index.add(&format!("{}::{name}", documents.path(id)), "fn", &signature);
    }
    code.push("}\n");
    code
}

impl TypeSource for Documents {
    const ORIGIN: &'static str = "schema";
    const IS_CHOSEN: bool = true;

    fn definition(&self, id: TypeId) -> &Definition {
        &self.types.definitions[id.0]
    }

    fn member(&self, id: TypeId, position: usize, ty: &Type) -> Rust {
        self.types.boxed.member(id, position, ty)
    }

    fn text(&self, from: TypeId, rust: &Rust) -> Code {
        let home = &self.types.modules[from.0];
        render::text(rust, &|id| {
            let (module, name) = (&self.types.modules[id.0], &self.definition(id).name);
            if module == home { code![name] } else { code!["super::", module, "::", name] }
        })
    }

    fn indexed(&self, rust: &Rust) -> Code {
        render::text(rust, &|id| code!["documents::", &self.types.modules[id.0], "::", &self.definition(id).name])
    }

    fn path(&self, id: TypeId) -> String {
        format!("documents::{}::{}", self.types.modules[id.0], self.definition(id).name)
    }

    fn alternatives(&self, _: TypeId) -> Vec<&str> {
        Vec::new()
    }

    fn condition(&self, _: TypeId) -> Code {
        Code::default()
    }
}
