//! `documents/`: the GraphQL documents, a constant each, and a module for the types of each.

use super::client;
use super::index::Index;
use crate::graphql::{Document, Documents, Item, Member, Need, Shape};
use crate::pieces::{Files, Piece};
use crate::text::code::code;
use crate::text::docs::{Docs, closed, closed_or, comment, docs, module_comment, span};
use crate::text::{Code, Ident, literal};

/// The cargo features of the documents.
pub(crate) fn condition(documents: &Documents) -> &'static str {
    if documents.assumed { "all(feature = \"graphql\", feature = \"assumed\")" } else { "feature = \"graphql\"" }
}

/// Writes the files.
pub(crate) fn write(documents: &Documents, index: &mut Index) -> Files {
    let mut files = Files::new();
    let mut root =
        code!["//! The GraphQL documents of `specs/graphql`: a constant each, and a module with its types.\n\n"];
    // There is a schema for all of them, or for none.
    match documents.list.first().map(|document| document.typed.is_some()) {
        Some(true) => root.push(client::DOCUMENT).push("\n"),
        Some(false) => root.push(client::UNTYPED).push("\n"),
        None => &mut root,
    };
    for document in documents.list.iter().filter(|document| document.typed.is_some()) {
        root.push("pub mod ").push(&document.module).push(";\n");
    }
    if !documents.types.is_empty() {
        root.push("pub mod types;\n");
        let about = docs!["Enumerations and input objects of the schema, as far as documents use them."];
        let types = Ident::fixed("types");
        let pieces = items(&about, &types, &documents.types, documents.assumed, index);
        files.insert("documents/types.rs".to_owned(), pieces);
    }
    for document in &documents.list {
        root.push(constant(document, documents.assumed, index));
        let Some(typed) = &document.typed else { continue };
        let module = &document.module;
        let about = docs!["Types of the ", document.kind, " ", span(&document.name), "."];
        let pieces = items(&about, module, &typed.items, documents.assumed, index);
        files.insert(format!("documents/{module}.rs"), pieces);
    }
    files.insert("documents/mod.rs".to_owned(), vec![Piece::Code(root)]);
    files
}

fn constant(document: &Document, assumed: bool, index: &mut Index) -> Code {
    let assumed = if assumed { client::ASSUMED } else { "" };
    let docs = docs![assumed, span(&document.file), ": the ", document.kind, " ", span(&document.name), "."];
    let (name, module) = (document.constant(), &document.module);
    let (constructor, ty) = match &document.typed {
        Some(typed) if typed.variables => ("Document", code!["Document<", module, "::Variables, ", module, "::Data>"]),
        Some(_) => ("Document", code!["Document<(), ", module, "::Data>"]),
        None => ("Untyped", code!["Untyped"]),
    };
    index.add(&format!("documents::{name}"), "const", ty.as_str());
    let text = literal(&document.text);
    code!["\n", comment(&docs), "pub const ", name, ": ", ty, " = ", constructor, "::new(", text, ");\n"]
}

fn items(about: &Docs, module: &Ident, items: &[Item], assumed: bool, index: &mut Index) -> Vec<Piece> {
    let mut pieces = vec![Piece::Code(code![module_comment(about), "\n", client::PRELUDE])];
    for item in items {
        write_item(item, &format!("documents::{module}::{}", item.name), assumed, &mut pieces, index);
    }
    pieces
}

fn write_item(item: &Item, path: &str, assumed: bool, pieces: &mut Vec<Piece>, index: &mut Index) {
    let name = &item.name;
    let mut docs = closed(&item.docs);
    if docs.is_empty() {
        docs = docs!["`", name, "` of the schema."];
    }
    let docs = docs![if assumed { client::ASSUMED } else { "" }, docs];
    let (derives, kind) = match &item.shape {
        Shape::Data(members) | Shape::Input(members) => {
            let has_default = members.iter().all(|member| member.need != Need::Required);
            (if has_default { "Clone, Debug, Default, PartialEq" } else { "Clone, Debug, PartialEq" }, "struct")
        }
        Shape::Union(..) => ("Clone, Debug, PartialEq", "enum"),
        Shape::Enum(_) => ("Clone, Debug, PartialEq, Eq, Hash", "enum"),
    };
    index.add(path, kind, &derives.replace(", ", " "));
    let open = if matches!(item.shape, Shape::Input(_)) { "" } else { "#[non_exhaustive]\n" };
    let mut code = code![comment(&docs), "#[derive(", derives, ")]\n", open, "pub ", kind, " ", name, " {\n"];
    let (head, rows): (Code, Vec<Code>) = match &item.shape {
        Shape::Data(members) | Shape::Input(members) => {
            for member in members {
                code.push(field(member, path, index));
            }
            (code!["record!(", name, " {"], members.iter().map(row).collect())
        }
        Shape::Union(tag, variants) => {
            let mut rows = Vec::new();
            for (wire, variant, ty) in variants {
                code.push(comment(&docs!["A ", span(wire), "."])).push(variant).push("(Box<").push(ty).push(">),\n");
                rows.push(code![variant, "(Box<", ty, ">) = ", literal(wire)]);
                index.add(&format!("{path}::{variant}"), "variant", &format!("Box<{ty}>"));
            }
            code.push("/// Of another type: what was selected for all types.\nUnknown(Value),\n");
            (code!["tagged_union!(", name, ", ", literal(tag), " {"], rows)
        }
        Shape::Enum(values) => {
            for value in values {
                code.push(comment(&closed_or(&value.docs, &value.wire))).push(&value.variant).push(",\n");
                index.add(&format!("{path}::{}", value.variant), "variant", "");
            }
            code.push("/// A value that the schema does not list.\nUnknown(String),\n");
            let row = |value: &crate::graphql::Value| code![&value.variant, " = ", literal(&value.wire)];
            (code!["string_enum!(", name, " {"], values.iter().map(row).collect())
        }
    };
    code.push("}\n");
    pieces.push(Piece::Code(code));
    pieces.push(Piece::Table(head, rows));
}

fn field(member: &Member, path: &str, index: &mut Index) -> Code {
    let docs = closed_or(&member.docs, &member.wire);
    let deprecated = if member.deprecated { "#[deprecated]\n" } else { "" };
    let ty = match member.need {
        Need::Required => member.ty.clone(),
        Need::Optional => code!["Option<", &member.ty, ">"],
        Need::Maybe => code!["Maybe<", &member.ty, ">"],
    };
    index.add(&format!("{path}::{}", member.name), "field", &ty.as_str().replace("super::", "documents::"));
    code![comment(&docs), deprecated, "pub ", &member.name, ": ", ty, ",\n"]
}

fn row(member: &Member) -> Code {
    let kind = match member.need {
        Need::Required => "required",
        Need::Optional => "optional",
        Need::Maybe => "maybe",
    };
    code![&member.name, ": ", kind, " ", literal(&member.wire)]
}
