//! One file per family: its handle, and its operations.

use super::index::Index;
use super::operations;
use super::render::Render;
use crate::emit::Piece;
use crate::model::{Family, Provenance};
use crate::naming::Scope;
use crate::text::docs::{comment, module_comment, span};
use crate::text::literal;

/// Writes the file of a family.
pub(crate) fn write(render: &Render<'_>, family: &Family, api: &mut Index) -> Vec<Piece> {
    let Family { name, handle, covers, prefixes, .. } = family;
    let about = if covers.is_empty() { String::new() } else { format!(": {covers}") };
    let mut code = module_comment(&format!("Operations of the family `{name}`{about}."));
    code.push_str("\nuse crate::generated::types;\nuse platform_runtime::codegen::prelude::*;\n\n");
    code.push_str(&format!("const FAMILY: Operation = Operation::family({});\n\n", literal(name)));
    let mut docs = format!("Operations of the family `{name}`{about}.");
    if !prefixes.is_empty() {
        let list: Vec<String> = prefixes.iter().map(|prefix| span(prefix)).collect();
        docs.push_str(&format!("\n\nPaths that start with {}.", list.join(" or ")));
    }
    code.push_str(&comment(&docs));
    code.push_str(&format!("#[derive(Clone, Copy, Debug)]\npub struct {handle}<'a>(&'a platform_runtime::Client);\n"));
    code.push_str(&format!(
        "impl<'a> {handle}<'a> {{\npub(crate) fn new(client: &'a platform_runtime::Client) -> Self {{\nSelf(client)\n}}\n}}\n"
    ));
    api.add(&format!("families::{name}::{handle}"), "struct", "Clone Copy Debug");
    api.add(&format!("Platform::{name}"), "fn", &format!("(&self) -> families::{name}::{handle}<'_>"));
    let mut names = Scope::with([handle.as_str()]);
    for assumed in [false, true] {
        let chosen = render.model.operations.iter().enumerate().filter(|(_, operation)| {
            operation.family == *name && (operation.provenance == Provenance::Assumed) == assumed
        });
        let mut functions = String::new();
        let mut structs = String::new();
        let condition = if assumed { "#[cfg(feature = \"assumed\")]\n" } else { "" };
        for (index, _) in chosen {
            let written = operations::write(render, family, index, &mut names, api);
            functions.push_str(&written.function);
            if let Some(params) = written.params {
                structs.push_str(&format!("{condition}{params}"));
            }
        }
        if !functions.is_empty() {
            code.push_str(&format!("{condition}impl<'a> {handle}<'a> {{\n{functions}}}\n{structs}"));
        }
    }
    vec![Piece::Code(code)]
}
