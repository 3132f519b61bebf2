//! The files of a new workspace, before its first regeneration.

use std::iter;

use driftless_codegen::{ClientNames, FirstCall};

use super::layout;
use super::services::{self, ServiceRow};
use crate::console::word;

/// A file by its path in the workspace.
pub(super) type File = (String, String);

/// The facts of a service that the files contain.
#[derive(Debug)]
pub(super) struct Service<'a> {
    pub(super) names: &'a ClientNames,
    pub(super) first: Option<&'a FirstCall>,
    /// The ends of the variables that a program needs beside `BASE_URL`.
    pub(super) variables: &'a [String],
    pub(super) base_url: &'a str,
    /// `true` if it has a program for the shell.
    pub(super) cli: bool,
}

/// The profile of a program that people install.
const RELEASE: &str = "
[profile.release]
# Without the names of functions, the program for the shell is a fifth smaller. Backtraces need them.
strip = true
";

/// For a program that can only call what the contract marks as deprecated.
const DEPRECATED: &str = "#![allow(deprecated, reason = \"the contract has no other operation to begin with\")]\n";

/// The files that a workspace has once. `vendored`: it holds the crates of the tool. `cli`: it has a program for the shell.
pub(super) fn workspace(vendored: bool, cli: bool) -> Vec<File> {
    let folder = |name: &str| format!("vendor/{name}-{}", env!("CARGO_PKG_VERSION"));
    let patch: String = match vendored {
        true => {
            let lines = super::vendored::crates(cli).map(|name| format!("{name} = {{ path = {:?} }}\n", folder(name)));
            format!("\n[patch.crates-io]\n{}", lines.collect::<String>())
        }
        false => String::new(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let root = filled(
        include_str!("template/workspace.toml"),
        &[
            ("PROGRAM", if cli { "\"cli\", " } else { "" }),
            ("CLI", &if cli { format!("driftless-cli = \"={version}\"\n") } else { String::new() }),
            ("EXCLUDED", if vendored { "\"vendor\"" } else { "" }),
            ("VERSION", version),
            ("RELEASE\n", if cli { RELEASE } else { "" }),
            ("PATCH\n", &patch),
        ],
    );
    let mut files: Vec<File> = [
        (".cargo/config.toml", include_str!("template/cargo-config.toml")),
        (".gitattributes", include_str!("template/gitattributes")),
        (".gitignore", include_str!("template/gitignore")),
        ("xtask/Cargo.toml", include_str!("template/xtask.toml")),
        ("xtask/src/main.rs", include_str!("template/xtask.rs")),
        ("xtask/tests/snapshots.rs", include_str!("template/tests/snapshots.rs")),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    files.push(("Cargo.toml".to_owned(), root));
    files
}

impl Service<'_> {
    /// The files of the client that are there before it is generated.
    pub(super) fn client(&self) -> Vec<File> {
        [("Cargo.toml", include_str!("template/client.toml")), ("src/lib.rs", include_str!("template/lib.rs"))]
            .map(|(path, text)| (format!("generated-client/{path}"), self.filled(text)))
            .into()
    }

    /// The files that name a call: a program, its test, and pages.
    pub(super) fn calls(&self) -> Vec<File> {
        let mut files = vec![
            ("generated-client/README.md".to_owned(), self.filled(include_str!("template/client-readme.md"))),
            ("generated-client/src/lib.rs".to_owned(), self.filled(include_str!("template/lib.rs"))),
        ];
        if self.first.is_some() {
            for (path, text) in [
                ("examples/first.rs", include_str!("template/first.rs")),
                ("tests/first.rs", include_str!("template/tests/first.rs")),
            ] {
                files.push((format!("generated-client/{path}"), self.filled(text)));
            }
        }
        files
    }

    /// The program for the shell, without its table.
    pub(super) fn program(&self) -> Vec<File> {
        [("Cargo.toml", include_str!("template/cli.toml")), ("src/main.rs", include_str!("template/cli.rs"))]
            .map(|(path, text)| (format!("cli/{path}"), self.filled(text)))
            .into()
    }

    /// The name of that program.
    pub(super) fn stem(&self) -> &str {
        let package = self.names.package.as_str();
        package.strip_suffix("-client").unwrap_or(package)
    }

    /// The page of the workspace.
    pub(super) fn readme(&self) -> File {
        ("README.md".to_owned(), self.filled(include_str!("template/readme.md")))
    }

    /// The recipe of a pipeline.
    pub(super) fn pipeline(&self, text: &str) -> String {
        self.filled(text)
    }

    /// The variables that a program needs, that of the base URL first.
    fn variables(&self) -> impl Iterator<Item = String> {
        let ends = ["BASE_URL"].into_iter().chain(self.variables.iter().map(String::as_str));
        ends.map(|end| format!("{}{end}", self.names.variables))
    }

    /// The variables with their values, or a place for them, as words of a command. A contract can state any base URL.
    pub(super) fn exports(&self) -> String {
        let values = iter::once(word(self.base_url)).chain(iter::repeat("…".to_owned()));
        let words: Vec<String> = self.variables().zip(values).map(|(name, value)| format!("{name}={value}")).collect();
        words.join(" ")
    }

    /// The comment behind the command that starts the first program, if its call can change the service.
    pub(super) fn changes(&self) -> &'static str {
        if self.first.is_some_and(|call| call.changes) { "    # its call can change the service" } else { "" }
    }

    /// The service in the table of the page.
    pub(super) fn listed(&self) -> ServiceRow<'_> {
        ServiceRow { package: &self.names.package, variables: self.named(), has_program: self.first.is_some() }
    }

    /// The variables as a list in prose.
    fn named(&self) -> String {
        let named: Vec<String> = self.variables().map(|name| format!("`{name}`")).collect();
        named.join(", ")
    }

    fn filled(&self, text: &str) -> String {
        let ClientNames { package, name, variables } = self.names;
        let library = package.replace('-', "_");
        let listed: String = self.variables().map(|name| format!("//! - `{name}`\n")).collect();
        let secret = |name: String| format!("      {name}: ${{{{ secrets.{name} }}}}\n");
        let secrets: String = self.variables().map(secret).collect();
        let first = self.first;
        let written = |write: &dyn Fn(&FirstCall) -> String| first.map(write).unwrap_or_default();
        let with_keys = first.map(|call| with_keys(call, variables));
        let call = with_keys.as_ref().map(|call| layout::statements(call, "answer", &[".await?"])).unwrap_or_default();
        let refused = [".await", ".err()", ".ok_or(\"it succeeded\")?"];
        let refused = written(&|call| layout::statements(call, "error", &refused));
        let of_test = |call: &FirstCall| {
            let operations = format!("families::{}::operations", call.family);
            layout::imports(call, &library, &[], &[operations, "testing::{Fake, FakeReply}".to_owned()])
        };
        let has_samples = first.is_some_and(|call| call.arguments.len() > call.keys.len());
        let changes = self.changes();
        let samples = match (has_samples, changes.is_empty()) {
            (false, true) => "",
            (true, true) => "    // Values of this program: write those of your service.\n",
            (false, false) => "    // This call can change the service.\n",
            (true, false) => "    // Values of this program: write those of your service. The call can change it.\n",
        };
        let is_deprecated = first.is_some_and(|call| call.deprecated);
        let allowed = if is_deprecated { DEPRECATED } else { "" };
        let documented = with_keys.as_ref().map(|call| documented(call, &library, name)).unwrap_or_default();
        let run = format!("cargo run -p {package} --example first{changes}\n");
        let stem = self.stem();
        let shell = format!(
            "- The program `{stem}`, in `cli`: `cargo run -p {stem}-cli -- --help` lists the operations at the shell, \
             and `{stem} mcp` serves them to agents.\n"
        );
        let (exports, named, services) = (self.exports(), self.named(), services::table(&self.listed()));
        let refusal = written(&layout::refusal);
        let of_program = written(&|call| layout::imports(call, &library, &[name.as_str()], &[]));
        let (of_test, path_check) = (written(&of_test), written(&|call| layout::path_check(&call.path)));
        let mut values = vec![
            ("SHELL", if self.cli { shell.as_str() } else { "" }),
            ("STEM", stem),
            ("FIRSTDOC\n", &documented),
            ("RUN", if first.is_some() { &run } else { "" }),
            ("EXPORTS", &exports),
            ("SECRETS\n", &secrets),
            ("NAMED", &named),
            ("SERVICES\n", &services),
            ("LISTED\n", &listed),
            ("CALL\n", &call),
            ("REFUSED\n", &refused),
            ("REFUSAL\n", &refusal),
            ("SAMPLES\n", samples),
            ("ALLOWED\n", allowed),
            ("PROGRAMIMPORTS\n", &of_program),
            ("TESTIMPORTS\n", &of_test),
            ("PATHCHECK\n", &path_check),
            ("TESTED", if first.is_some() { "the client, against a fake service" } else { "compiles the client" }),
            ("PACKAGE", package),
            ("LIBRARY", &library),
            ("CLIENT", name),
            ("VARIABLES", variables),
        ];
        // The example is a template itself.
        let program = include_str!("template/first.rs").split_once("@ALLOWED@\n\n").map_or("", |(_, body)| body);
        let example = first.map_or_else(String::new, |_| format!("```rust\n{}```\n\n", filled(program, &values)));
        values.push(("EXAMPLE", &example));
        filled(text, &values)
    }
}

/// The manifest of a client whose tests and examples have these features, too.
pub(super) fn with_features(manifest: &str, features: &[&str]) -> String {
    let more: String = features.iter().map(|feature| format!(", {feature:?}")).collect();
    manifest.replace("features = [\"testing\"] }", &format!("features = [\"testing\"{more}] }}"))
}

/// The call of a program: its keys come from variables, of which `keys` has the ends.
fn with_keys(call: &FirstCall, prefix: &str) -> FirstCall {
    let mut call = call.clone();
    for (name, value) in &mut call.arguments {
        if let Some((_, end)) = call.keys.iter().find(|(argument, _)| argument == name) {
            *value = format!("&std::env::var(\"{prefix}{end}\")?");
        }
    }
    call
}

/// The example of a client's documentation.
fn documented(call: &FirstCall, library: &str, client: &str) -> String {
    let imports = layout::imports(call, library, &[], &[]);
    let imports: String = imports.lines().map(|line| format!("//! # {line}\n")).collect();
    let statements = layout::statements(call, "answer", &[".await?"]);
    let statements = statements.lines().map(|line| format!("//! {}\n", line.strip_prefix("    ").unwrap_or(line)));
    format!(
        "//! ```no_run\n{imports}//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {{\n\
         //! let client = {library}::{client}::from_env()?;\n{}//! println!(\"{{answer:?}}\");\n//! # Ok(()) }}\n//! ```\n//!\n",
        statements.collect::<String>()
    )
}

/// The text with each `@KEY@` filled in. A key that ends with a line break takes the line. Values can be a contract's, so they are not looked
/// through for keys.
fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('@') {
        filled.push_str(before);
        let value = values.iter().find_map(|(key, value)| {
            let (key, end) = key.strip_suffix('\n').map_or((*key, "@"), |key| (key, "@\n"));
            Some((*value, behind.strip_prefix(key)?.strip_prefix(end)?))
        });
        let (text, after) = value.unwrap_or(("@", behind));
        filled.push_str(text);
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
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
            [workspace(false, true), service.client(), service.program(), service.calls(), vec![service.readme()]]
                .concat();
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
        let program =
            texts(Some(&long)).into_iter().find(|(path, _)| path.ends_with("examples/first.rs")).expect("it").1;
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
        let runtime =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/Cargo.toml")).expect("read");
        let keys = |text: &str| -> Vec<String> {
            let table: toml::Table = text.parse().expect("TOML");
            let mut keys: Vec<String> = table["features"].as_table().expect("a table").keys().cloned().collect();
            keys.sort();
            keys
        };
        let (_, client) = texts(None).into_iter().find(|(path, _)| path == "generated-client/Cargo.toml").expect("it");
        assert_eq!(keys(&client), keys(&runtime));
    }
}
