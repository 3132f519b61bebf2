//! The sizes of generated types, which the compiler compares with their bound: no program has to run for it.

use std::collections::BTreeMap;

use driftless_codegen::LARGEST_NEW;
use syn::{Item, Type};

/// The most that a member takes that is no struct, in bytes. A struct of many of them may be larger than the bound: no box helps.
const MEMBER: usize = 64;

/// The most that an enumeration adds to its largest variant, in bytes.
const TAG: usize = 16;

/// Adds an assertion for each type.
pub(super) fn bound(files: &mut BTreeMap<String, String>) {
    let mut texts: Vec<(&String, &mut String)> = files.iter_mut().filter(|(path, _)| holds_types(path)).collect();
    let items: Vec<Vec<Item>> =
        texts.iter().map(|(_, text)| syn::parse_file(text).map(|file| file.items).unwrap_or_default()).collect();
    let mut structs: BTreeMap<String, usize> = BTreeMap::new();
    for item in items.iter().flatten() {
        if let Item::Struct(item) = item {
            let most = structs.entry(item.ident.to_string()).or_default();
            *most = of_struct(item).max(*most);
        }
    }
    for ((path, text), items) in texts.iter_mut().zip(&items) {
        let assertions: String = items.iter().filter_map(|item| assertion(path, item, &structs)).collect();
        text.push_str(&assertions);
    }
}

/// Returns whether a file has types: of one client, or of one of several.
fn holds_types(path: &str) -> bool {
    path.split('/').take(2).any(|folder| ["types", "documents"].contains(&folder))
}

fn of_struct(item: &syn::ItemStruct) -> usize {
    LARGEST_NEW.max(MEMBER * item.fields.len())
}

/// The bound of a type, as an item of Rust. An enumeration of answers holds its bodies: `structs` has their bounds by name.
fn assertion(path: &str, item: &Item, structs: &BTreeMap<String, usize>) -> Option<String> {
    let (name, generics, most) = match item {
        Item::Struct(item) => (&item.ident, &item.generics, of_struct(item)),
        Item::Enum(item) => {
            let fields = item.variants.iter().flat_map(|variant| &variant.fields);
            let bodies = fields.filter_map(|field| match &field.ty {
                Type::Path(path) => structs.get(&path.path.segments.last()?.ident.to_string()),
                _ => None,
            });
            let most = bodies.max().map_or(0, |most| most + TAG);
            (&item.ident, &item.generics, most.max(LARGEST_NEW))
        }
        _ => return None,
    };
    // Only a client with all features has all types; `http2` is one of those that no other turns on.
    generics.params.is_empty().then(|| {
        format!("#[cfg(feature = \"http2\")]\nconst _: () = assert!(size_of::<{name}>() <= {most}, \"{path}: `{name}` takes more than {most} bytes\");\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(text: &str) -> BTreeMap<String, String> {
        let mut files = BTreeMap::from(
            ["types/a.rs", "documents/b.rs", "families/c.rs"].map(|path| (path.to_owned(), text.to_owned())),
        );
        bound(&mut files);
        files
    }

    #[test]
    fn every_type_has_its_bound() {
        let files = bounded(
            "pub struct A {\n    pub a: String,\n}\npub enum B {\n    One,\n}\npub struct C<T>(T);\nfn d() {}\n",
        );
        let counts: Vec<usize> = files.values().map(|text| text.matches("const _").count()).collect();
        assert_eq!(counts, [2, 0, 2], "{files:?}");
        assert!(files["types/a.rs"].contains("assert!(size_of::<A>() <= 4096, \"types/a.rs: `A` takes"));
    }

    #[test]
    fn an_enumeration_may_be_as_large_as_the_widest_body_in_it() {
        let members: String = (0..100).map(|index| format!("a{index}: String,")).collect();
        let files = bounded(&format!(
            "pub struct W {{{members}}}\npub enum E {{\n    Ok(super::all::W),\n    Empty,\n}}\npub enum F {{\n    Ok(Vec<u8>),\n}}\n"
        ));
        for expected in ["size_of::<W>() <= 6400", "size_of::<E>() <= 6416", "size_of::<F>() <= 4096"] {
            assert!(files["types/a.rs"].contains(expected), "{expected}: {files:?}");
        }
    }
}
