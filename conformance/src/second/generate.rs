//! progenitor, called where it can do no harm.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use serde_json::Value;
use syn::{FnArg, ImplItem, Item, Pat, PatType, Type};

use super::Generated;
use super::contract::{Argument, Contract, Operation, ident};
use super::program::{self, Call, inner, last};

/// Generates the client of the operations that progenitor can express.
pub(super) fn generate(contract: &Contract) -> Result<Generated, String> {
    let mut generated = Generated { keys: contract.keys(), bases: contract.bases(), ..Generated::default() };
    let operations = contract.operations();
    let mut expressible: Vec<(usize, &Operation<'_>)> = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        let outcome = match operation {
            // Alone, so that it does not take the others with it.
            Ok(operation) => run(contract.document(&[(number, operation)]))
                .and_then(|file| call(&file, number, operation))
                .map(|_| expressible.push((number, operation))),
            Err((_, reason)) => Err(reason.clone()),
        };
        let pointer = match operation {
            Ok(operation) => &operation.pointer,
            Err((pointer, _)) => pointer,
        };
        generated.operations.insert(pointer.clone(), outcome.map(|()| number));
    }
    if expressible.is_empty() {
        return Ok(generated);
    }
    let file = run(contract.document(&expressible))?;
    let calls = expressible.iter().map(|(number, operation)| call(&file, *number, operation));
    let calls: Vec<Call> = calls.collect::<Result<_, _>>()?;
    generated.source = program::source(&file, &calls);
    Ok(generated)
}

/// Runs progenitor. A panic inside of it is an error like any other.
fn run(document: Value) -> Result<syn::File, String> {
    let document: openapiv3::OpenAPI =
        serde_json::from_value(document).map_err(|error| format!("openapiv3 refuses it: {error}"))?;
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Positional).with_tag(TagStyle::Merged);
    let outcome = catch_unwind(AssertUnwindSafe(|| Generator::new(&settings).generate_tokens(&document)));
    let tokens = match outcome {
        Ok(tokens) => tokens.map_err(|error| format!("progenitor: {error}"))?,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            return Err(format!("progenitor stopped: {}", text.unwrap_or("without a message")));
        }
    };
    syn::parse2(tokens).map_err(|error| format!("the client of progenitor does not parse: {error}"))
}

/// The function of an operation: the type of each argument, beside its place and name.
fn call(file: &syn::File, number: usize, operation: &Operation<'_>) -> Result<Call, String> {
    let name = format!("op{number}");
    let methods = file.items.iter().filter_map(|item| match item {
        Item::Impl(block) if block.trait_.is_none() => Some(&block.items),
        _ => None,
    });
    let signature = methods.flatten().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == name => Some(&method.sig),
        _ => None,
    });
    let inputs = signature.ok_or("progenitor left it out")?.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input),
        FnArg::Receiver(_) => None,
    });
    let texts = texts(file);
    let mut arguments = Vec::new();
    for PatType { pat, ty, .. } in inputs {
        // The order of header and body is not the same in all functions.
        let is_it = |argument: &&Argument| matches!(&**pat, Pat::Ident(pat) if pat.ident == ident(argument));
        let argument = operation.arguments.iter().find(is_it).ok_or("progenitor has another argument")?;
        let Argument { place, name, is_required } = argument;
        let ty: &Type = ty;
        let written = if *is_required { ty } else { inner(ty, "Option").unwrap_or(ty) };
        // It writes them by `to_string`, which lists, objects and options do not have.
        if ["path", "header"].contains(place) && !is_text(written, &texts) {
            return Err(format!("progenitor cannot write the {place} {name}"));
        }
        arguments.push((argument.clone(), ty.clone()));
    }
    if arguments.len() != operation.arguments.len() {
        return Err("progenitor leaves out an argument".to_owned());
    }
    Ok(Call { number, arguments })
}

/// The generated types that `to_string` writes: by themselves, or as the value in them.
fn texts(file: &syn::File) -> HashSet<String> {
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) => module.content.as_ref(),
        _ => None,
    });
    let is_plain = |item: &ImplItem| matches!(item, ImplItem::Type(target) if is_text(&target.ty, &HashSet::new()));
    let names = modules.flat_map(|(_, items)| items).filter_map(|item| {
        let Item::Impl(block) = item else { return None };
        let implemented = block.trait_.as_ref().and_then(|(path, _)| path.segments.last())?;
        let is_written =
            implemented.ident == "Display" || implemented.ident == "Deref" && block.items.iter().any(is_plain);
        last(&block.self_ty).filter(|_| is_written).map(|segment| segment.ident.to_string())
    });
    names.collect()
}

fn is_text(ty: &Type, texts: &HashSet<String>) -> bool {
    let ty = if let Type::Reference(reference) = ty { &*reference.elem } else { ty };
    match ty {
        Type::Path(path) if path.path.segments.first().is_some_and(|segment| segment.ident == "types") => {
            last(ty).is_some_and(|segment| texts.contains(&segment.ident.to_string()))
        }
        // The other generic types are lists and maps.
        _ => last(ty).is_some_and(|segment| segment.arguments.is_none() || segment.ident == "DateTime"),
    }
}
