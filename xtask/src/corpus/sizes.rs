//! The sizes of generated types, which the compiler compares with their bound: no program has to run for it.

use std::collections::BTreeMap;

use driftless_codegen::LARGEST_NEW;
use syn::Item;

/// The most that a member takes that is no struct, in bytes. A struct of many of them may be larger than the bound: no box helps.
const MEMBER: usize = 64;

/// Adds an assertion for each type.
pub(super) fn bound(files: &mut BTreeMap<String, String>) {
    for (path, text) in files.iter_mut().filter(|(path, _)| holds_types(path)) {
        let assertions = assertions(path, text);
        text.push_str(&assertions);
    }
}

/// Returns whether a file has types: of one client, or of one of several.
fn holds_types(path: &str) -> bool {
    path.split('/').take(2).any(|folder| ["types", "documents"].contains(&folder))
}

fn assertions(path: &str, text: &str) -> String {
    let mut all = String::new();
    for item in syn::parse_file(text).map(|file| file.items).unwrap_or_default() {
        let (name, generics, members) = match item {
            Item::Struct(item) => (item.ident, item.generics, item.fields.len()),
            Item::Enum(item) => (item.ident, item.generics, 1),
            _ => continue,
        };
        if generics.params.is_empty() {
            let most = LARGEST_NEW.max(MEMBER * members);
            // Only a client with all features has all types; `http2` is one of those that no other turns on.
            all.push_str(&format!(
                "#[cfg(feature = \"http2\")]\nconst _: () = assert!(size_of::<{name}>() <= {most}, \"{path}: `{name}` takes more than {most} bytes\");\n"
            ));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_bound() {
        let text = "pub struct A {\n    pub a: String,\n}\npub enum B {\n    One,\n}\npub struct C<T>(T);\nfn d() {}\n";
        let mut files = BTreeMap::from(
            ["types/a.rs", "documents/b.rs", "families/c.rs"].map(|path| (path.to_owned(), text.to_owned())),
        );
        bound(&mut files);
        let counts: Vec<usize> = files.values().map(|text| text.matches("const _").count()).collect();
        assert_eq!(counts, [2, 0, 2], "{files:?}");
        assert!(files["types/a.rs"].contains("assert!(size_of::<A>() <= 4096, \"types/a.rs: `A` takes"));
        let wide =
            format!("pub struct W {{{}}}", (0..100).map(|index| format!("a{index}: String,")).collect::<String>());
        assert!(assertions("types/w.rs", &wide).contains("size_of::<W>() <= 6400"));
    }
}
