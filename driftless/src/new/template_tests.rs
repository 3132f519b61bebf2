use super::*;

fn texts(first: Option<&FirstCall>) -> Vec<File> {
    texts_of(first, "https://service.example")
}

fn short() -> FirstCall {
    FirstCall {
        family: "a".to_owned(),
        operation: "b".to_owned(),
        marker: "B".to_owned(),
        path: "/a".to_owned(),
        body: None,
        arguments: Vec::new(),
        keys: Vec::new(),
        fields_of: None,
        uses: Vec::new(),
        features: Vec::new(),
        deprecated: false,
        changes: false,
    }
}

fn texts_of(first: Option<&FirstCall>, base_url: &str) -> Vec<File> {
    let names = ClientNames::default();
    let variables = ["TOKEN".to_owned()];
    let service = Service { names: &names, first, variables: &variables, base_url, cli: true };
    let mut files =
        [workspace(false, true), service.client(), service.program(), service.calls(), vec![service.readme()]].concat();
    files.push((".yml".to_owned(), service.pipeline(include_str!("template/github.yml"))));
    files.push((".yml".to_owned(), service.pipeline(include_str!("template/gitlab.yml"))));
    files
}

#[test]
fn nothing_is_left_to_fill_in_and_every_line_is_as_rustfmt_has_it() {
    let long = FirstCall {
        family: "f".repeat(40),
        operation: "o".repeat(70),
        marker: "O".repeat(70),
        path: "/a\"b".to_owned(),
        body: Some("types::B::default()".to_owned()),
        arguments: vec![("id".to_owned(), "\"1234\"".to_owned()), ("body".to_owned(), "&body".to_owned())],
        keys: Vec::new(),
        fields_of: Some("OArguments".to_owned()),
        uses: vec!["types"],
        features: vec!["xml"],
        deprecated: true,
        changes: true,
    };
    let short = short();
    for first in [None, Some(&short), Some(&long)] {
        for (path, text) in texts(first) {
            let left = text.split('@').skip(1).step_by(2).find(|key| key.chars().all(|c| c.is_ascii_uppercase()));
            assert_eq!(left, None, "{path}");
            // The program of another package, and the command that starts it.
            let own = text.to_lowercase().replace("driftless-sandbox", "").replace("xtask sandbox", "");
            assert!(!own.contains("platform") && !own.contains("sandbox") || path == ".yml", "{path}");
            if path.ends_with(".rs") {
                syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
            }
            if path.ends_with(".toml") {
                text.parse::<toml::Table>().unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
            }
        }
    }
    let program = texts(Some(&long)).into_iter().find(|(path, _)| path.ends_with("examples/first.rs")).expect("it").1;
    assert!(program.lines().all(|line| line.len() <= 120), "{program}");
    assert!(program.contains("//! - `SERVICE_BASE_URL`\n//! - `SERVICE_TOKEN`\n"), "{program}");
    assert!(texts(Some(&long)).iter().any(|(_, text)| text.contains(r#"path, "/a\"b");"#)));
}

/// An operation can have the name of an item that its test imports.
#[test]
fn no_name_is_imported_twice() {
    fn leaves(tree: &syn::UseTree, names: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => leaves(&path.tree, names),
            syn::UseTree::Name(name) => names.push(name.ident.to_string()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, names)),
            other => panic!("{other:?}"),
        }
    }
    for marker in ["Upload", "Value", "Fake", "FakeReply", "operations"] {
        let uses = vec!["Upload", "Value", "types"];
        let call = FirstCall { marker: marker.to_owned(), uses, ..short() };
        let texts = texts(Some(&call));
        for file in ["generated-client/tests/first.rs", "generated-client/examples/first.rs"] {
            let text = &texts.iter().find(|(path, _)| path == file).expect("it").1;
            let mut names = Vec::new();
            for item in syn::parse_file(text).expect("Rust").items {
                if let syn::Item::Use(item) = item {
                    leaves(&item.tree, &mut names);
                }
            }
            let count = names.len();
            names.sort();
            names.dedup();
            assert!(count >= 4 && names.len() == count, "{marker}: {text}");
        }
    }
}

/// A path, a value and a base URL of a contract can look like a place to fill in.
#[test]
fn texts_of_a_contract_are_not_filled_in() {
    let call = FirstCall {
        path: "/a/@PACKAGE@".to_owned(),
        arguments: vec![("id".to_owned(), "\"@VARIABLES@\"".to_owned())],
        ..short()
    };
    let texts = texts_of(Some(&call), "https://service.example/@NAMED@");
    for (file, part) in [
        ("generated-client/tests/first.rs", "path, \"/a/@PACKAGE@\")"),
        ("generated-client/tests/first.rs", ".b(\"@VARIABLES@\")"),
        ("generated-client/examples/first.rs", ".b(\"@VARIABLES@\")"),
        ("generated-client/README.md", ".b(\"@VARIABLES@\")"),
        ("generated-client/src/lib.rs", ".b(\"@VARIABLES@\")"),
        ("README.md", "export SERVICE_BASE_URL=https://service.example/@NAMED@ SERVICE_TOKEN=…\n"),
    ] {
        let text = &texts.iter().rfind(|(path, _)| path == file).expect("it").1;
        assert!(text.contains(part), "{file}: {text}");
    }
}

/// A client has a feature for each one of the runtime.
#[test]
fn the_features_are_those_of_the_runtime() {
    let runtime = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/Cargo.toml")).expect("read");
    let keys = |text: &str| -> Vec<String> {
        let table: toml::Table = text.parse().expect("TOML");
        let mut keys: Vec<String> = table["features"].as_table().expect("a table").keys().cloned().collect();
        keys.sort();
        keys
    };
    let (_, client) = texts(None).into_iter().find(|(path, _)| path == "generated-client/Cargo.toml").expect("it");
    assert_eq!(keys(&client), keys(&runtime));
}
