//! The source of the program that calls progenitor's client.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{GenericArgument, PathArguments, Type};

use super::contract::Argument;

/// The part that is the same for all clients.
pub(super) const MAIN: &str = include_str!("caller.rs");

/// A call of an operation.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) number: usize,
    /// Each argument with its type, in the order of the function.
    pub(super) arguments: Vec<(Argument, Type)>,
}

/// The manifest of the program. The libraries are those that the code of progenitor names.
pub(super) const MANIFEST: &str = "[package]\nname = \"second\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
     chrono = { version = \"0.4\", default-features = false, features = [\"serde\"] }\n\
     progenitor-client = \"=0.15.1\"\nregress = \"0.12\"\n\
     reqwest = { version = \"0.13\", default-features = false, features = [\"json\", \"query\", \"stream\"] }\n\
     rustls = { version = \"0.23\", default-features = false, features = [\"ring\", \"std\", \"tls12\"] }\n\
     serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n\
     tokio = { version = \"1\", features = [\"rt\"] }\nuuid = { version = \"1\", features = [\"serde\"] }\n\n\
     [profile.dev]\ndebug = false\n";

/// The client, with a function that performs the call of a line. It stays one line of tokens: formatted, texts of the contract would
/// become comments.
pub(super) fn source(client: &syn::File, calls: &[Call]) -> String {
    let arms = calls.iter().map(arm);
    let source = quote! {
        #client
        pub(crate) async fn perform(client: &Client, operation: usize, line: &crate::Line) -> crate::Outcome {
            match operation {
                #(#arms)*
                other => Err(crate::Failed::Argument(format!("no operation {other}"))),
            }
        }
    };
    source.to_string()
}

fn arm(call: &Call) -> TokenStream {
    let method = format_ident!("op{}", call.number);
    let number = call.number;
    let (mut lets, mut passed) = (Vec::new(), Vec::new());
    for (position, (Argument { place, name, .. }, ty)) in call.arguments.iter().enumerate() {
        let value = format_ident!("a{position}");
        let optional = inner(ty, "Option");
        let ty = optional.unwrap_or(ty);
        let (owned, is_text) = match ty {
            Type::Reference(reference) if is_named(&reference.elem, "str") => (quote!(String), true),
            Type::Reference(reference) => {
                let owned = &reference.elem;
                (quote!(#owned), false)
            }
            // The bytes of a body, whatever has them.
            Type::Path(_) if is_named(ty, "B") => (quote!(String), false),
            ty => (quote!(#ty), false),
        };
        let is_reference = matches!(ty, Type::Reference(_));
        lets.push(match (*place, optional) {
            ("body", Some(_)) => quote!(let #value = line.body::<Option<#owned>>()?;),
            ("body", None) => quote!(let #value = line.body::<#owned>()?;),
            (place, Some(_)) => quote!(let #value = line.find::<#owned>(#place, #name)?;),
            (place, None) => quote!(let #value = line.take::<#owned>(#place, #name)?;),
        });
        passed.push(match (optional, is_reference) {
            (Some(_), true) if is_text => quote!(#value.as_deref()),
            (Some(_), true) => quote!(#value.as_ref()),
            (None, true) => quote!(&#value),
            (_, false) => quote!(#value),
        });
    }
    quote! {
        #number => {
            #(#lets)*
            client.#method(#(#passed),*).await.map(drop).map_err(|error| crate::Failed::Call(error.to_string()))
        }
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

/// The name of a type, with its arguments.
pub(super) fn last(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The argument of a generic type.
pub(super) fn inner<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    match &last(ty).filter(|segment| segment.ident == name)?.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    }
}
