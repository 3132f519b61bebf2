//! The names that a client takes for itself are those of `runtime/src/reserved.txt`: read from the runtime's sources, so that the list
//! cannot be wrong.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use driftless::develop;
use driftless::workspace::Workspace;
use driftless_codegen::{Contract, Names, Setup, generate};
use syn::visit::{self, Visit};

/// The type that has an accessor for each family, and the type that it dereferences to.
const CLIENTS: [&str; 2] = ["Platform", "Client"];
/// The module that generated code imports.
const PRELUDE: &str = "prelude";

/// Methods of every type.
const EVERYWHERE: [&str; 9] =
    ["borrow", "borrow_mut", "clone_into", "from", "into", "to_owned", "try_from", "try_into", "type_id"];

/// Methods that `derive` adds, by its name.
const DERIVED: [(&str, &[&str]); 5] = [
    ("Clone", &["clone", "clone_from"]),
    ("Debug", &["fmt"]),
    ("Default", &["default"]),
    ("Hash", &["hash"]),
    ("PartialEq", &["eq", "ne"]),
];

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
                // The compiler refuses attributes that cannot be read here.
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
                if let syn::Item::Use(import) = item {
                    names(&import.tree, &mut self.types);
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

fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src")
}

/// All Rust sources below a folder.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("listed") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, into),
            false if path.extension().is_some_and(|end| end == "rs") => into.push(path),
            false => {}
        }
    }
}

/// The items that the front of a client declares, as its macro has them.
fn front() -> syn::File {
    let text = fs::read_to_string(runtime().join("front/mod.rs")).expect("read");
    let of_client = text.split("$variables:literal) => {").nth(1).expect("the macro");
    let end = of_client.rfind("\n    };\n}").expect("its end");
    let text = of_client[..end].replace("$client", "Platform").replace("$builder", "PlatformBuilder");
    let text = text.replace("$variables", "\"X\"").replace("$crate", "driftless_runtime");
    syn::parse_file(&text).expect("Rust")
}

/// The types that the front brings into the root of the client.
fn exported() -> BTreeSet<String> {
    let text = fs::read_to_string(runtime().join("front/mod.rs")).expect("read");
    let mut types = BTreeSet::new();
    for list in text.split("pub use ").skip(1) {
        let list = list.split(';').next().unwrap_or_default();
        let names =
            list.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| name.starts_with(char::is_uppercase));
        types.extend(names.map(str::to_owned));
    }
    types
}

#[test]
fn reserved_names_are_those_of_the_runtime() {
    let mut taken = TakenNames::default();
    taken.methods.extend(EVERYWHERE.map(str::to_owned));
    taken.types.extend(exported());
    let mut paths = Vec::new();
    sources(&runtime(), &mut paths);
    for path in paths {
        let text = fs::read_to_string(&path).expect("read");
        if text.contains("Client") || text.contains(PRELUDE) {
            taken.visit_file(&syn::parse_file(&text).expect("Rust"));
        }
    }
    taken.visit_file(&front());
    let lines = taken.methods.iter().map(|name| format!("method {name}\n"));
    let text: String = lines.chain(taken.types.iter().map(|name| format!("type {name}\n"))).collect();
    let file = runtime().join("reserved.txt");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&file, &text).expect("written");
    }
    let listed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        listed == text,
        "run `INSTA_UPDATE=always cargo test -p developer reserved`; {} would hold\n{text}",
        file.display()
    );
}

/// Every name that a client takes, as a tag: no family gets it.
#[test]
fn no_family_takes_a_name_of_the_client() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let workspace = Workspace::find(Some(root)).expect("this workspace");
    let reserved = develop::reserved(&workspace).expect("read");
    for name in ["from_profile", "authenticate", "server", "request", "clone", "into", "from_env", "deref"] {
        assert!(reserved.methods.contains(name), "{name}");
    }
    for name in ["profiles", "graphql", "sqlite"] {
        assert!(reserved.features.contains(name), "{name}");
    }
    for name in ["Call", "Operation", "Payload", "Get", "Submission", "AsText"] {
        assert!(reserved.types.contains(name), "{name}");
    }
    let all: Vec<String> =
        [&reserved.features, &reserved.methods, &reserved.types].into_iter().flatten().cloned().collect();
    let paths: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(index, name)| format!("\"/p{index}\": {{\"get\": {{\"tags\": [{name:?}], \"responses\": {{}}}}}}"))
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
}

#[test]
fn names_are_read_however_they_are_written() {
    let mut taken = TakenNames::default();
    let text = "mod prelude { pub(crate) use a::{B, c::{self, D as E}}; }\n#[derive(Clone)] pub struct Platform;\n\
                impl crate::Platform { pub fn r#type(&self) {} const LIMIT: u8 = 1; }\n\
                impl std::fmt::Debug for Platform { fn fmt(&self) {} }\nimpl Other { fn other() {} }";
    taken.visit_file(&syn::parse_file(text).expect("Rust"));
    assert_eq!(taken.types.into_iter().collect::<Vec<_>>(), ["B", "E", "self"]);
    assert_eq!(taken.methods.into_iter().collect::<Vec<_>>(), ["LIMIT", "clone", "clone_from", "fmt", "type"]);
}

/// The version of the interface stands in the generator, in the runtime, and in the macro that compares them.
#[test]
fn generator_and_runtime_have_one_interface() {
    assert_eq!(u32::from(driftless_codegen::INTERFACE), driftless_runtime::codegen::INTERFACE);
    let text = fs::read_to_string(runtime().join("front/mod.rs")).expect("read");
    assert!(text.contains(&format!("interface {};", driftless_codegen::INTERFACE)));
}
