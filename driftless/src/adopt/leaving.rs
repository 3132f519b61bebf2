//! What leaves with the service before: its GraphQL documents, its snapshots, the tests that name its operations, and its examples.

use std::collections::BTreeSet;

use crate::failure::Failure;
use crate::features;
use crate::workspace::{CLIENT_MANIFEST, EXAMPLES, GRAPHQL, Planned, SCHEMA, SNAPSHOTS, TESTS, Workspace, is_graphql};

/// Files that go, and files that are written anew without them; relative to the workspace.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    pub(super) removed: BTreeSet<String>,
    rewritten: Vec<(String, String)>,
}

impl Leaving {
    pub(super) fn of(workspace: &Workspace) -> Result<Self, Failure> {
        let mut leaving = Self::default();
        let documents = workspace.files_below(GRAPHQL)?.into_iter();
        leaving.removed.extend(documents.filter(|path| is_graphql(path) && path != SCHEMA));
        leaving.removed.extend(workspace.files_below(SNAPSHOTS)?);
        for path in workspace.files_below(TESTS)?.into_iter().filter(|path| path.ends_with(".rs")) {
            let text = text(workspace, &path)?;
            let (rest, gone) = without_gated(&text);
            if !gone.is_empty() {
                leaving.rewritten.push((path, rest));
                leaving.removed.extend(gone.into_iter().map(|name| format!("{TESTS}/{name}.rs")));
            }
        }
        let manifest = text(workspace, CLIENT_MANIFEST)?;
        let (rest, gone) = without_examples(&manifest, &features::names(&manifest));
        if !gone.is_empty() {
            leaving.removed.extend(gone.into_iter().map(|name| format!("{EXAMPLES}/{name}.rs")));
            let mut code = String::new();
            for path in workspace.files_below("generated-client")?.into_iter().filter(|path| path.ends_with(".rs")) {
                if !leaving.removed.contains(&path) {
                    code.push_str(&self::text(workspace, &path)?);
                }
            }
            leaving.rewritten.push((CLIENT_MANIFEST.to_owned(), without_unused(&rest, &code)));
        }
        let rewritten: Vec<&String> = leaving.rewritten.iter().map(|(path, _)| path).collect();
        leaving.removed.retain(|path| !rewritten.contains(&path) && workspace.path(path).is_file());
        leaving.rewritten.retain(|(path, _)| !leaving.removed.contains(path));
        Ok(leaving)
    }

    /// The files as they are to be.
    pub(super) fn planned(&self) -> Planned {
        let removed = self.removed.iter().map(|path| (path.clone(), None));
        let rewritten = self.rewritten.iter().map(|(path, text)| (path.clone(), Some(text.clone().into_bytes())));
        removed.chain(rewritten).collect()
    }
}

fn text(workspace: &Workspace, path: &str) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&workspace.read(path)?.unwrap_or_default()).into_owned())
}

/// A source without the modules that are built for some contracts only, `#[cfg(has = "families/forum")]`, without what it takes
/// from them, and without the pages whose examples are; and the names of those files. What was formatted stays formatted.
fn without_gated(text: &str) -> (String, Vec<String>) {
    let (mut kept, mut gone) = (Lines::default(), Vec::new());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let Some(name) = gate(line) else {
            kept.push(line);
            continue;
        };
        let mut item = vec![line];
        while lines.peek().is_some_and(|next| next.trim_start().starts_with("#[")) {
            item.extend(lines.next());
        }
        let next = lines.peek().map(|next| next.trim_start()).unwrap_or_default();
        let next = next.strip_prefix("pub(crate) ").or_else(|| next.strip_prefix("pub ")).unwrap_or(next);
        let (is_module, is_use) = (next.starts_with("mod "), next.starts_with("use "));
        // A page whose examples are compiled: it stays, and its examples are not compiled any more.
        let is_page = next.trim_end().ends_with(".md\"");
        if is_page {
            lines.next();
            kept.leave_out();
        } else if is_module || is_use {
            // A list of names may stand on several lines.
            while lines.next().is_some_and(|line| !line.trim_end().ends_with(';')) {}
            kept.leave_out();
        } else {
            item.into_iter().for_each(|line| kept.push(line));
        }
        if is_module || is_page {
            gone.push(name.to_owned());
        }
    }
    (kept.finish(), gone)
}

/// The file that an attribute wants the pinned contract to have the operations of.
fn gate(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("#[cfg(")?.split("has = \"").nth(1)?.split('"').next()
}

/// The lines that stay, with the empty lines between them as rustfmt has them: where an item leaves, one of those around it
/// leaves, too.
#[derive(Default)]
struct Lines<'a> {
    lines: Vec<&'a str>,
    has_gap: bool,
}

impl<'a> Lines<'a> {
    fn push(&mut self, line: &'a str) {
        let is_blank = |line: &str| line.trim().is_empty();
        if std::mem::take(&mut self.has_gap) {
            let last = self.lines.last().map_or("{", |last| last.trim_end());
            if is_blank(line) && (is_blank(last) || last.ends_with('{')) {
                self.has_gap = true;
                return;
            }
            if line.trim_start().starts_with('}') {
                self.end();
            }
        }
        self.lines.push(line);
    }

    /// An item leaves here, and its documentation with it.
    fn leave_out(&mut self) {
        self.has_gap = true;
        while self.lines.last().is_some_and(|line| line.trim_start().starts_with("///")) {
            self.lines.pop();
        }
    }

    fn end(&mut self) {
        while self.lines.last().is_some_and(|line| line.trim().is_empty()) {
            self.lines.pop();
        }
    }

    fn finish(mut self) -> String {
        if self.has_gap {
            self.end();
        }
        self.lines.concat()
    }
}

/// A manifest without the examples that need one of these features; and their names.
fn without_examples(manifest: &str, features: &BTreeSet<String>) -> (String, Vec<String>) {
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    for block in manifest.split("\n\n") {
        let table = block.find("[[example]]").and_then(|at| toml::from_str::<toml::Table>(block.get(at..)?).ok());
        let example = table.as_ref().and_then(|table| table.get("example")?.as_array()?.first()?.as_table());
        let needs = example.and_then(|example| example.get("required-features")?.as_array());
        let is_named = |feature: &toml::Value| feature.as_str().is_some_and(|feature| features.contains(feature));
        match example.and_then(|example| example.get("name")?.as_str()) {
            Some(name) if needs.is_some_and(|needs| needs.iter().any(is_named)) => gone.push(name.to_owned()),
            _ => kept.push(block),
        }
    }
    (kept.join("\n\n").trim_end().to_owned() + "\n", gone)
}

/// A manifest without the dependencies of tests and examples that no code names any more.
fn without_unused(manifest: &str, code: &str) -> String {
    let (mut rest, mut is_about_tests) = (String::new(), false);
    for line in manifest.split_inclusive('\n') {
        if line.starts_with('[') {
            is_about_tests = line.trim() == "[dev-dependencies]";
        }
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default().replace('-', "_");
        let is_dependency = is_about_tests && line.contains('=') && !line.starts_with(['[', '#', ' ']);
        if !is_dependency || code.contains(&name) || line.contains("tokio") {
            rest.push_str(line);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn modules_of_some_contracts_leave_and_the_others_stay() {
        let text = "//! Tests.\n\nmod support;\n\n#[cfg(all(unix, has = \"credentials\"))]\nmod credentials;\n#[cfg(has = \"a/b\")]\n\
                    pub(crate) use b::b;\n#[cfg(unix)]\nmod killed;\n#[cfg(has = \"docs/x\")]\nX \"x.md\"\n#[cfg(has = \"last\")]\nmod last;\n";
        let (rest, gone) = without_gated(text);
        assert_eq!(rest, "//! Tests.\n\nmod support;\n\n#[cfg(unix)]\nmod killed;\n");
        assert_eq!(gone, ["credentials", "docs/x", "last"]);
        assert_eq!(without_gated(&rest), (rest.clone(), Vec::new()));
    }

    #[test]
    fn what_leaves_takes_its_documentation_its_lines_and_one_empty_line() {
        let gated = |name: &str, item: &str| format!("#[cfg(has = \"{name}\")]\n{item}");
        let [a, b] = ["a", "b"].map(|name| gated(name, &format!("mod {name};\n")));
        let list = gated("a", "#[rustfmt::skip]\npub(crate) use a::{\n    one,\n    two,\n};\n");
        let function = gated("a", "#[test]\nfn a() {}\n");
        for (text, rest) in [
            (format!("//! T.\n\n{a}{b}\nuse x;\n"), "//! T.\n\nuse x;\n"),
            (format!("//! T.\n\n{a}{b}"), "//! T.\n"),
            (format!("{a}\nuse x;\n"), "use x;\n"),
            (format!("use x;\n\n/// A.\n{a}\n/// C.\nmod c;\n"), "use x;\n\n/// C.\nmod c;\n"),
            (format!("use x;\n\n{a}\n{b}\n{list}\nmod c;\n"), "use x;\n\nmod c;\n"),
            (format!("mod c;\n{list}mod d;\n"), "mod c;\nmod d;\n"),
            (format!("mod x {{\n{a}\n    use y;\n\n{b}}}\n"), "mod x {\n    use y;\n}\n"),
            (format!("use x;\n\n{function}\nuse y;\n"), &*format!("use x;\n\n{function}\nuse y;\n")),
        ] {
            assert_eq!(without_gated(&text).0, rest, "{text}");
        }
    }

    /// The files of this workspace: what is left of them is as `cargo fmt` has it.
    #[test]
    #[allow(clippy::print_stdout, reason = "a test says what it leaves out")]
    fn what_is_left_is_formatted() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        if std::process::Command::new("rustfmt").arg("--version").output().is_err() {
            println!("SKIPPED: rustfmt is not installed");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["main.rs", "families/mod.rs", "wire/mod.rs", "support/mod.rs", "src/lib.rs"] {
            let text = fs::read_to_string(root.join("tests").join(file)).expect("a file of tests");
            let (rest, _) = without_gated(&text);
            let path = folder.path().join("left.rs");
            fs::write(&path, &rest).expect("written");
            let mut rustfmt = std::process::Command::new("rustfmt");
            rustfmt
                .args(["--edition", "2024", "--config-path"])
                .arg(root)
                .stdin(fs::File::open(&path).expect("opened"));
            let formatted = String::from_utf8(rustfmt.output().expect("rustfmt runs").stdout).expect("text");
            assert_eq!(formatted, rest, "{file}");
        }
    }

    #[test]
    fn dependencies_of_what_left_leave_with_it() {
        let manifest = "[dependencies]\ndriftless-runtime.workspace = true\n\n[dev-dependencies]\nopen-telemetry.workspace = true\n\
                        http = { workspace = true }\n\n[[example]]\nname = \"x\"\n";
        let rest = without_unused(manifest, "use http::HeaderMap;");
        assert_eq!(rest, manifest.replace("open-telemetry.workspace = true\n", ""));
    }

    #[test]
    fn examples_of_families_leave_and_the_others_stay() {
        let manifest = "[package]\nname = \"x\"\n\n# Why.\n[[example]]\nname = \"one\"\nrequired-features = [\"projects\", \"sqlite\"]\n\n\
                        [[example]]\nname = \"two\"\nrequired-features = [\"operations\"]\n\n[[example]]\nname = \"three\"\n\
                        required-features = [\"assumed\"]\n";
        let features = ["projects", "assumed"].map(str::to_owned).into();
        let (rest, gone) = without_examples(manifest, &features);
        assert_eq!(gone, ["one", "three"]);
        let kept = "[package]\nname = \"x\"\n\n[[example]]\nname = \"two\"\nrequired-features = [\"operations\"]\n";
        assert_eq!(rest, kept);
        assert_eq!(without_examples(kept, &features), (kept.to_owned(), Vec::new()));
    }
}
