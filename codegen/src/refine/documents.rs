//! `documents/`: the GraphQL documents, a constant each, and a module for the types of each.

use std::collections::BTreeMap;

use super::index::Index;
use crate::emit::Piece;
use crate::graphql::{Document, Documents, Item, Member, Need, Shape};
use crate::text::docs::{closed, closed_or, comment, module_comment, span};
use crate::text::literal;

/// What the documentation of an assumed item opens with.
const ASSUMED: &str = "Assumed: the shape is the sandbox's until the client is regenerated from a real deployment.\n\n";

/// The cargo features of the documents.
pub(crate) fn condition(documents: &Documents) -> &'static str {
    if documents.assumed { "all(feature = \"graphql\", feature = \"assumed\")" } else { "feature = \"graphql\"" }
}

/// Writes the files.
pub(crate) fn write(documents: &Documents, index: &mut Index) -> BTreeMap<String, Vec<Piece>> {
    let mut files = BTreeMap::new();
    let mut root =
        "//! The GraphQL documents of `specs/graphql`: a constant each, and a module with its types.\n\n".to_owned();
    // There is a schema for all of them, or for none.
    match documents.list.first().map(|document| document.typed.is_some()) {
        Some(true) => root.push_str("use platform_runtime::graphql::Document;\n\n"),
        Some(false) => root.push_str("use platform_runtime::graphql::Untyped;\n\n"),
        None => {}
    }
    for document in documents.list.iter().filter(|document| document.typed.is_some()) {
        root.push_str(&format!("pub mod {};\n", document.module));
    }
    if !documents.types.is_empty() {
        root.push_str("pub mod types;\n");
        let about = "Enumerations and input objects of the schema, as far as documents use them.";
        files
            .insert("documents/types.rs".to_owned(), items(about, "types", &documents.types, documents.assumed, index));
    }
    for document in &documents.list {
        root.push_str(&constant(document, documents.assumed, index));
        let Some(typed) = &document.typed else { continue };
        let module = &document.module;
        let about = format!("Types of the {} `{}`.", document.kind, document.name);
        let pieces = items(&about, module, &typed.items, documents.assumed, index);
        files.insert(format!("documents/{module}.rs"), pieces);
    }
    files.insert("documents/mod.rs".to_owned(), vec![Piece::Code(root)]);
    files
}

fn constant(document: &Document, assumed: bool, index: &mut Index) -> String {
    let assumed = if assumed { ASSUMED } else { "" };
    let docs = format!("{assumed}{}: the {} `{}`.", span(&document.file), document.kind, document.name);
    let (name, module) = (document.constant(), &document.module);
    let ty = match &document.typed {
        Some(typed) if typed.variables => format!("Document<{module}::Variables, {module}::Data>"),
        Some(_) => format!("Document<(), {module}::Data>"),
        None => "Untyped".to_owned(),
    };
    let constructor = ty.split('<').next().unwrap_or_default();
    index.add(&format!("documents::{name}"), "const", &ty);
    format!("\n{}pub const {name}: {ty} = {constructor}::new({});\n", comment(&docs), literal(&document.text))
}

fn items(about: &str, module: &str, items: &[Item], assumed: bool, index: &mut Index) -> Vec<Piece> {
    let mut pieces =
        vec![Piece::Code(format!("{}\nuse platform_runtime::codegen::prelude::*;\n", module_comment(about)))];
    for item in items {
        write_item(item, &format!("documents::{module}::{}", item.name), assumed, &mut pieces, index);
    }
    pieces
}

fn write_item(item: &Item, path: &str, assumed: bool, pieces: &mut Vec<Piece>, index: &mut Index) {
    let name = &item.name;
    let mut docs = closed(&item.docs);
    if docs.is_empty() {
        docs = format!("`{name}` of the schema.");
    }
    let docs = format!("{}{docs}", if assumed { ASSUMED } else { "" });
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
    let mut code = format!("{}#[derive({derives})]\n{open}pub {kind} {name} {{\n", comment(&docs));
    let (head, rows): (String, Vec<String>) = match &item.shape {
        Shape::Data(members) | Shape::Input(members) => {
            for member in members {
                code.push_str(&field(member, path, index));
            }
            (format!("record!({name} {{"), members.iter().map(row).collect())
        }
        Shape::Union(tag, variants) => {
            let mut rows = Vec::new();
            for (wire, variant, ty) in variants {
                code.push_str(&format!("/// A `{wire}`.\n{variant}(Box<{ty}>),\n"));
                rows.push(format!("{variant}(Box<{ty}>) = {}", literal(wire)));
                index.add(&format!("{path}::{variant}"), "variant", &format!("Box<{ty}>"));
            }
            code.push_str("/// Of another type: what was selected for all types.\nUnknown(Value),\n");
            (format!("tagged_union!({name}, {} {{", literal(tag)), rows)
        }
        Shape::Enum(values) => {
            for value in values {
                let docs = closed_or(&value.docs, &value.wire);
                code.push_str(&format!("{}{},\n", comment(&docs), value.variant));
                index.add(&format!("{path}::{}", value.variant), "variant", "");
            }
            code.push_str("/// A value that the schema does not list.\nUnknown(String),\n");
            let row = |value: &crate::graphql::Value| format!("{} = {}", value.variant, literal(&value.wire));
            (format!("string_enum!({name} {{"), values.iter().map(row).collect())
        }
    };
    code.push_str("}\n");
    pieces.push(Piece::Code(code));
    pieces.push(Piece::Table(head, rows));
}

fn field(member: &Member, path: &str, index: &mut Index) -> String {
    let docs = closed_or(&member.docs, &member.wire);
    let deprecated = if member.deprecated { "#[deprecated]\n" } else { "" };
    let ty = match member.need {
        Need::Required => member.ty.clone(),
        Need::Optional => format!("Option<{}>", member.ty),
        Need::Maybe => format!("Maybe<{}>", member.ty),
    };
    index.add(&format!("{path}::{}", member.name), "field", &ty.replace("super::", "documents::"));
    format!("{}{deprecated}pub {}: {ty},\n", comment(&docs), member.name)
}

fn row(member: &Member) -> String {
    let kind = match member.need {
        Need::Required => "required",
        Need::Optional => "optional",
        Need::Maybe => "maybe",
    };
    format!("{}: {kind} {}", member.name, literal(&member.wire))
}
