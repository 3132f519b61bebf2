//! `documents/`: the GraphQL documents, a constant each, and a module for the types of each.

use std::collections::BTreeMap;

use super::index::Index;
use super::render::written;
use super::types::{self, Source};
use crate::emit::Piece;
use crate::graphql::{Document, Documents, FRAGMENTS, Shared, TYPES};
use crate::model::{Definition, Type, TypeId};
use crate::text::docs::{closed_or, comment, module_comment, span};
use crate::text::literal;

/// What the documentation of an assumed item opens with.
const ASSUMED: &str = "Assumed: the shape is the sandbox's until the client is regenerated from a real deployment.\n\n";

/// How the modules of documents reach each other.
const PREFIX: &str = "super::";

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
    match documents.list.first().map(|document| document.variables.is_some()) {
        Some(true) => root.push_str("use crate::graphql::Document;\n\n"),
        Some(false) => root.push_str("use crate::graphql::Untyped;\n\n"),
        None => {}
    }
    let mut modules: BTreeMap<&str, String> = BTreeMap::new();
    for document in documents.list.iter().filter(|document| document.variables.is_some()) {
        modules.insert(&document.module, format!("Types of the {} `{}`.", document.kind, document.name));
    }
    for (module, about) in [
        (TYPES, "Enumerations and input objects of the schema, as far as documents use them."),
        (FRAGMENTS, "Fragments that are all that is selected of a type."),
    ] {
        if documents.types.modules.iter().any(|found| found == module) {
            modules.insert(module, about.to_owned());
        }
    }
    for (module, about) in modules {
        root.push_str(&format!("pub mod {module};\n"));
        files.insert(format!("documents/{module}.rs"), items(documents, module, &about, index));
    }
    for document in &documents.list {
        root.push_str(&constant(document, documents.assumed, index));
    }
    files.insert("documents/mod.rs".to_owned(), vec![Piece::Code(root)]);
    files
}

fn constant(document: &Document, assumed: bool, index: &mut Index) -> String {
    let assumed = if assumed { ASSUMED } else { "" };
    let docs = format!("{assumed}{}: the {} `{}`.", span(&document.file), document.kind, document.name);
    let (name, module) = (document.constant(), &document.module);
    let ty = match document.variables {
        Some(true) => format!("Document<{module}::Variables, {module}::Data>"),
        Some(false) => format!("Document<(), {module}::Data>"),
        None => "Untyped".to_owned(),
    };
    let constructor = ty.split('<').next().unwrap_or_default();
    index.add(&format!("documents::{name}"), "const", &ty);
    format!("\n{}pub const {name}: {ty} = {constructor}::new({});\n", comment(&docs), literal(&document.text))
}

/// The types of a module, by name.
fn items(documents: &Documents, module: &str, about: &str, index: &mut Index) -> Vec<Piece> {
    let types = &documents.types;
    let mut pieces = vec![Piece::Code(format!("{}\nuse crate::wire::prelude::*;\n", module_comment(about)))];
    let of_module = types.modules.iter().enumerate().filter(|(_, found)| *found == module);
    let mut ids: Vec<TypeId> = of_module.map(|(id, _)| TypeId(id)).collect();
    if module == TYPES || module == FRAGMENTS {
        ids.sort_by_key(|id| documents.definition(*id).name.as_str());
    }
    for id in ids {
        types::write(documents, id, &mut pieces, index);
        if let Some(shared) = types.shared.get(&id) {
            pieces.push(Piece::Code(accessors(documents, id, shared, index)));
        }
    }
    pieces
}

/// Functions for what all variants of a union have.
fn accessors(documents: &Documents, id: TypeId, all: &[Shared], index: &mut Index) -> String {
    let name = &documents.definition(id).name;
    let mut code = format!("impl {name} {{\n");
    for shared in all {
        let ty = documents.written(id, &shared.ty);
        let member = &shared.name;
        let found = if shared.optional { format!("found.{member}.as_ref()") } else { format!("Some(&found.{member})") };
        let arms: String =
            shared.variants.iter().map(|variant| format!("Self::{variant}(found) => {found},\n")).collect();
        let docs = format!(
            "{}\n\n`None` where it is null, and for a type that the schema does not list.",
            closed_or(&shared.docs, member)
        );
        code.push_str(&format!(
            "{}pub fn {member}(&self) -> Option<&{ty}> {{\nmatch self {{\n{arms}Self::Unknown(_) => None,\n}}\n}}\n",
            comment(&docs)
        ));
        let shown = format!("Option<&{}>", documents.path(id, &ty));
        index.add(&format!("{}::{name}::{member}", documents.module(id)), "fn", &shown);
    }
    code.push_str("}\n");
    code
}

impl Documents {
    /// A type as the file of a definition writes it.
    fn written(&self, from: TypeId, ty: &Type) -> String {
        let home = self.types.modules.get(from.0);
        written(ty, &|id| {
            let name = &self.definition(id).name;
            match self.types.modules.get(id.0) {
                module if module == home => name.clone(),
                Some(module) => format!("{PREFIX}{module}::{name}"),
                None => name.clone(),
            }
        })
    }
}

impl Source for Documents {
    const ORIGIN: &'static str = "schema";

    fn definition(&self, id: TypeId) -> &Definition {
        &self.types.definitions[id.0]
    }

    fn member(&self, id: TypeId, position: usize, ty: &Type) -> String {
        let text = self.written(id, ty);
        if self.types.boxed.contains(&(id, position)) { format!("Box<{text}>") } else { text }
    }

    fn module(&self, id: TypeId) -> String {
        format!("documents::{}", self.types.modules[id.0])
    }

    fn path(&self, _: TypeId, ty: &str) -> String {
        ty.replace(PREFIX, "documents::")
    }
}
