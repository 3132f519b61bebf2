//! Reading types out of what progenitor wrote.

use std::collections::HashMap;

use syn::Item;

use super::project::{firsts, members, mentioned};
use super::rust::Rust;
use crate::model::Model;

/// Rust types, as progenitor resolved them.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// By position: the types inside of a definition.
    types: Vec<Vec<Rust>>,
    /// By position: the types that an operation mentions.
    operations: Vec<Vec<Rust>>,
}

impl Resolved {
    /// The type of a member of a definition.
    pub(crate) fn member(&self, index: usize, position: usize) -> Option<&Rust> {
        self.types.get(index)?.get(position)
    }

    /// The type of a parameter of an operation.
    pub(crate) fn parameter(&self, operation: usize, position: usize) -> Option<&Rust> {
        self.operations.get(operation)?.get(position)
    }

    /// The type of what an operation sends.
    pub(crate) fn body(&self, operation: usize) -> Option<&Rust> {
        let mentioned = self.operations.get(operation)?;
        mentioned.get(mentioned.len().checked_sub(2)?)
    }

    /// The type of what an operation answers.
    pub(crate) fn success(&self, operation: usize) -> Option<&Rust> {
        self.operations.get(operation)?.last()
    }
}

/// Collects the types, and makes sure that none is missing.
pub(super) fn harvest(model: &Model, file: &syn::File) -> Result<Resolved, String> {
    let mut found: HashMap<(char, usize, usize), Rust> = HashMap::new();
    for item in &file.items {
        if let Item::Mod(module) = item
            && module.ident == "types"
        {
            module.content.iter().flat_map(|(_, items)| items).for_each(|item| structure(item, &mut found));
        }
    }
    let mut resolved = Resolved::default();
    for (index, definition) in model.types.iter().enumerate() {
        let positions = firsts(&members(&definition.kind));
        let member = |position: &usize| {
            let rust = ['T', 'M'].iter().find_map(|letter| found.get(&(*letter, index, *position)));
            rust.cloned().ok_or_else(|| format!("progenitor left out a member of the type `{}`", definition.name))
        };
        resolved.types.push(positions.iter().map(member).collect::<Result<_, _>>()?);
    }
    for (index, operation) in model.operations.iter().enumerate() {
        let member = |position: &usize| {
            let rust = found.get(&('O', index, *position)).cloned();
            rust.ok_or_else(|| format!("progenitor left out a type of the operation `{}`", operation.name))
        };
        resolved.operations.push(firsts(&mentioned(operation)).iter().map(member).collect::<Result<_, _>>()?);
    }
    Ok(resolved)
}

fn structure(item: &Item, found: &mut HashMap<(char, usize, usize), Rust>) {
    let Item::Struct(item) = item else { return };
    let name = item.ident.to_string();
    let Some((letter, index)) = ['T', 'M', 'O'].iter().find_map(|letter| Some((*letter, number(&name, *letter)?)))
    else {
        return;
    };
    for field in &item.fields {
        if let Some(position) = field.ident.as_ref().and_then(|ident| number(&ident.to_string(), 'f')) {
            found.insert((letter, index, position), Rust::of(&field.ty));
        }
    }
}

fn number(name: &str, prefix: char) -> Option<usize> {
    name.strip_prefix(prefix).and_then(|digits| digits.parse().ok())
}
