//! Reading types and signatures out of what progenitor wrote.

use std::collections::HashMap;

use syn::{FnArg, ImplItem, Item, Pat, ReturnType};

use super::rust::Rust;

use crate::model::Model;

/// Rust types, as progenitor resolved them.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// By type and position: members of a definition.
    members: HashMap<(usize, usize), Rust>,
    signatures: HashMap<usize, Signature>,
}

/// The signature of an operation.
#[derive(Debug, Default)]
pub(crate) struct Signature {
    /// By position.
    pub(crate) parameters: HashMap<usize, Rust>,
    pub(crate) body: Option<Rust>,
    pub(crate) success: Option<Rust>,
}

impl Resolved {
    pub(crate) fn member(&self, index: usize, position: usize) -> Option<&Rust> {
        self.members.get(&(index, position))
    }

    pub(crate) fn signature(&self, operation: usize) -> Option<&Signature> {
        self.signatures.get(&operation)
    }
}

/// Collects types and signatures, and makes sure that none is missing.
pub(super) fn harvest(model: &Model, file: &syn::File) -> Result<Resolved, String> {
    let mut resolved = Resolved::default();
    for item in &file.items {
        match item {
            Item::Mod(module) if module.ident == "types" => {
                let items = module.content.iter().flat_map(|(_, items)| items);
                for item in items {
                    structure(item, &mut resolved);
                }
            }
            Item::Impl(block) => {
                for item in &block.items {
                    if let ImplItem::Fn(function) = item {
                        signature(&function.sig, &mut resolved);
                    }
                }
            }
            _ => {}
        }
    }
    match (0..model.operations.len()).find(|index| !resolved.signatures.contains_key(index)) {
        Some(index) => Err(format!("progenitor left out the operation `{}`", model.operations[index].name)),
        None => Ok(resolved),
    }
}

fn structure(item: &Item, resolved: &mut Resolved) {
    let Item::Struct(item) = item else { return };
    let name = item.ident.to_string();
    let Some(index) = name.strip_prefix(['T', 'M']).and_then(|index| index.parse().ok()) else { return };
    for field in &item.fields {
        if let Some(position) = field.ident.as_ref().and_then(|ident| number(&ident.to_string(), 'f')) {
            resolved.members.insert((index, position), Rust::of(&field.ty));
        }
    }
}

fn signature(function: &syn::Signature, resolved: &mut Resolved) {
    let Some(index) = number(&function.ident.to_string(), 'o') else { return };
    let mut signature = Signature::default();
    for argument in &function.inputs {
        let FnArg::Typed(argument) = argument else { continue };
        let Pat::Ident(name) = argument.pat.as_ref() else { continue };
        let name = name.ident.to_string();
        match number(&name, 'p') {
            Some(position) => {
                signature.parameters.insert(position, Rust::of(&argument.ty));
            }
            None if name == "body" => signature.body = Some(Rust::of(&argument.ty)),
            None => {}
        }
    }
    if let ReturnType::Type(_, ty) = &function.output {
        // Result<ResponseValue<T>, Error<E>>
        signature.success = Rust::of(ty).into_argument().and_then(Rust::into_argument);
    }
    resolved.signatures.insert(index, signature);
}

fn number(name: &str, prefix: char) -> Option<usize> {
    name.strip_prefix(prefix).and_then(|digits| digits.parse().ok())
}
