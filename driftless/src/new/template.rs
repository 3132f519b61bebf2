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
#[path = "template_tests.rs"]
mod tests;
