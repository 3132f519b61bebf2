//! What the client calls its own, read from its manifest and its hand-written sources. No list of it is kept by hand, so
//! none can be wrong.

use std::collections::BTreeSet;

use driftless_codegen::Reserved;
use syn::visit::{self, Visit};

use crate::failure::Failure;
use crate::features;
use crate::workspace::{CLIENT_MANIFEST, GENERATED, Workspace};

const SOURCES: [&str; 2] = ["generated-client/src", "runtime/src"];
/// The type that has an accessor for each family, and the type that it dereferences to.
const CLIENTS: [&str; 2] = ["Platform", "Client"];
/// The module that generated code imports.
const PRELUDE: &str = "prelude";

/// What the language gives to every type.
const EVERYWHERE: [&str; 9] =
    ["borrow", "borrow_mut", "clone_into", "from", "into", "to_owned", "try_from", "try_into", "type_id"];

/// What `derive` gives, by its name.
const DERIVED: [(&str, &[&str]); 5] = [
    ("Clone", &["clone", "clone_from"]),
    ("Debug", &["fmt"]),
    ("Default", &["default"]),
    ("Hash", &["hash"]),
    ("PartialEq", &["eq", "ne"]),
];

/// Reads the client.
pub(crate) fn reserved(workspace: &Workspace) -> Result<Reserved, Failure> {
    let manifest = workspace.read(CLIENT_MANIFEST)?.unwrap_or_default();
    let features = own_features(&String::from_utf8_lossy(&manifest))?;
    let mut found = TakenNames::default();
    found.methods.extend(EVERYWHERE.map(str::to_owned));
    let mut paths = Vec::new();
    for folder in SOURCES {
        paths.extend(workspace.files_below(folder)?);
    }
    for path in paths {
        if !path.ends_with(".rs") || path.starts_with(&format!("{GENERATED}/")) {
            continue;
        }
        let bytes = workspace.read(&path)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        if ![CLIENTS.as_slice(), &[PRELUDE]].concat().iter().any(|word| text.contains(word)) {
            continue;
        }
        let file = syn::parse_file(&text).map_err(|error| {
            Failure::configuration(
                "client/not-rust",
                format!("{path}: the names that the client takes cannot be read: {error}"),
                "fix the file; nothing was written",
            )
        })?;
        found.visit_file(&file);
    }
    Ok(Reserved { features, methods: found.methods, types: found.types })
}

/// The features of a manifest that are not generated, and those that optional dependencies make.
fn own_features(manifest: &str) -> Result<BTreeSet<String>, Failure> {
    let manifest = features::replace(manifest, "")?;
    let manifest: toml::Table = toml::from_str(&manifest).unwrap_or_default();
    let table = |key: &str| manifest.get(key).and_then(toml::Value::as_table);
    let features = table("features").into_iter().flat_map(toml::Table::keys);
    let optional = table("dependencies")
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.get("optional").and_then(toml::Value::as_bool) == Some(true));
    Ok(features.chain(optional.map(|(name, _)| name)).cloned().collect())
}

#[derive(Default)]
struct TakenNames {
    methods: BTreeSet<String>,
    types: BTreeSet<String>,
}

impl Visit<'_> for TakenNames {
    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        let is_client = matches!(&*item.self_ty, syn::Type::Path(ty)
            if ty.path.segments.last().is_some_and(|segment| CLIENTS.iter().any(|client| segment.ident == client)));
        if is_client {
            self.methods.extend(item.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(function) => Some(plain(&function.sig.ident)),
                syn::ImplItem::Const(constant) => Some(plain(&constant.ident)),
                _ => None,
            }));
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        if CLIENTS.iter().any(|client| item.ident == client) {
            for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")) {
                // What cannot be read here is the compiler's to refuse.
                let _ = attribute.parse_nested_meta(|derived| {
                    let given = DERIVED.iter().filter(|(name, _)| derived.path.is_ident(name));
                    self.methods.extend(given.flat_map(|(_, methods)| *methods).map(|method| (*method).to_owned()));
                    Ok(())
                });
            }
        }
    }

    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        if item.ident == PRELUDE {
            let items = item.content.iter().flat_map(|(_, items)| items);
            items.for_each(|item| {
                if let syn::Item::Use(found) = item {
                    names(&found.tree, &mut self.types);
                }
            });
        }
        visit::visit_item_mod(self, item);
    }
}

/// The names that a `use` brings.
fn names(tree: &syn::UseTree, into: &mut BTreeSet<String>) {
    match tree {
        syn::UseTree::Path(path) => names(&path.tree, into),
        syn::UseTree::Name(name) => {
            into.insert(plain(&name.ident));
        }
        syn::UseTree::Rename(name) => {
            into.insert(plain(&name.rename));
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, into)),
        syn::UseTree::Glob(_) => {}
    }
}

fn plain(ident: &impl ToString) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use driftless_codegen::{Contract, Names, Setup, generate};

    use super::*;

    fn workspace() -> Workspace {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Workspace::find(Some(root)).expect("this workspace")
    }

    /// Every name that the client takes, as a tag: no family gets it.
    #[test]
    fn no_family_takes_a_name_of_the_client() {
        let workspace = workspace();
        let reserved = reserved(&workspace).expect("read");
        for name in ["from_profile", "authenticate", "server", "request", "clone", "into"] {
            assert!(reserved.methods.contains(name), "{name}");
        }
        for name in ["profiles", "graphql", "sqlite"] {
            assert!(reserved.features.contains(name), "{name}");
        }
        for name in ["Call", "Operation", "Payload", "Get"] {
            assert!(reserved.types.contains(name), "{name}");
        }
        let all: Vec<String> =
            [&reserved.features, &reserved.methods, &reserved.types].into_iter().flatten().cloned().collect();
        let paths: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(index, name)| {
                format!("{{\"/p{index}\": {{\"get\": {{\"tags\": [{name:?}], \"responses\": {{}}}}}}}}")
            })
            .map(|object| object.trim_matches(['{', '}']).to_owned() + "}}")
            .collect();
        let contract = format!("{{\"openapi\": \"3.0.4\", \"paths\": {{{}}}}}", paths.join(", "));
        let config = Setup { reserved: reserved.clone(), ..Setup::default() };
        let contract = Contract { name: "platform", bytes: contract.as_bytes() };
        let output = generate(&[contract], &config, &Names::default()).expect("generated");
        for line in output.surface.lines() {
            let family = line.split('.').next().unwrap_or_default();
            assert!(!reserved.methods.contains(family), "{line}");
            assert!(!reserved.features.contains(&family.replace('_', "-")), "{line}");
            let text = &output.files[&format!("families/{family}.rs")];
            let handle = text.split("pub struct ").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default();
            assert!(!reserved.types.contains(handle), "{line}: {handle}");
        }
        assert_eq!(output.surface.lines().count(), all.len());
        // A feature that is there twice would not be a manifest.
        let manifest = fs::read_to_string(workspace.path(CLIENT_MANIFEST)).expect("read");
        features::replace(&manifest, &features::render(&output.features)).expect("a manifest");
    }

    #[test]
    fn the_client_is_read_however_it_is_written() {
        let mut found = TakenNames::default();
        let text = "mod prelude { pub(crate) use a::{B, c::{self, D as E}}; }\n#[derive(Clone)] pub struct Platform;\n\
                    impl crate::Platform { pub fn r#type(&self) {} const LIMIT: u8 = 1; }\n\
                    impl std::fmt::Debug for Platform { fn fmt(&self) {} }\nimpl Other { fn other() {} }";
        found.visit_file(&syn::parse_file(text).expect("Rust"));
        assert_eq!(found.types.into_iter().collect::<Vec<_>>(), ["B", "E", "self"]);
        assert_eq!(found.methods.into_iter().collect::<Vec<_>>(), ["LIMIT", "clone", "clone_from", "fmt", "type"]);
        let manifest = "[features]\na = []\n# <generated features>\nb = []\n# </generated features>\n[dependencies]\n\
                        c = { version = \"1\", optional = true }\nd = \"1\"\n";
        assert_eq!(own_features(manifest).expect("read").into_iter().collect::<Vec<_>>(), ["a", "c"]);
    }
}
