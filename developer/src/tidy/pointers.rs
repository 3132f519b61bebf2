//! Texts of published crates name no path of this repository: where they are read, it is not there.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{File, Finding};

/// Folders at the top that workspaces of users have, too.
const OF_USERS: [&str; 7] = [".cargo", ".github", "cli", "generated-client", "specs", "tests", "xtask"];

/// Further folders and pages of this repository.
const MORE: [&str; 4] = ["cli/engine/", "ARCHITECTURE.md", "CONTRIBUTING.md", ".ci/"];

/// Macros whose literals are paths for the compiler.
const OF_THE_COMPILER: [&str; 3] = ["include", "include_bytes", "include_str"];

/// Texts beside the code: they are compiled in, or written into workspaces.
const TEXTS: [&str; 6] = [".html", ".js", ".md", ".toml", ".txt", ".yml"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let repository = Repository::new(files);
    let published: Vec<String> = files
        .iter()
        .filter(|file| {
            file.path.ends_with("/Cargo.toml") && file.text().is_some_and(|text| text.contains("\npublish = true\n"))
        })
        .map(|file| file.path.replace("Cargo.toml", "src/"))
        .collect();
    let of_them = files.iter().filter(|file| published.iter().any(|folder| file.path.starts_with(folder.as_str())));
    let mut findings = Vec::new();
    for file in of_them.filter(|file| !file.is_generated() && !file.is_test()) {
        let Some(text) = file.text() else { continue };
        let texts = match file.path.ends_with(".rs") {
            true => text.parse().map(literals).unwrap_or_default(),
            false if TEXTS.iter().any(|end| file.path.ends_with(end)) => vec![text.to_owned()],
            false => Vec::new(),
        };
        let paths: BTreeSet<&str> = texts.iter().flat_map(|text| repository.paths(text)).collect();
        for path in paths {
            findings.push(Finding {
                file: file.path.clone(),
                line: text.lines().position(|line| names(line, path)).unwrap_or_default() + 1,
                rule: "pointers",
                what: format!("a text names `{path}`, which a user does not have"),
                fix: "name a command, a key, or the documentation of the crate",
            });
        }
    }
    findings
}

/// Returns whether a line has the path, and not for the compiler.
fn names(line: &str, path: &str) -> bool {
    line.contains(path) && !OF_THE_COMPILER.iter().any(|name| line.contains(&format!("{name}!(")))
}

/// The paths of the repository.
struct Repository<'f> {
    folders: BTreeSet<&'f str>,
    paths: Vec<&'f str>,
}

impl<'f> Repository<'f> {
    fn new(files: &'f [File]) -> Self {
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let folders = paths.iter().filter_map(|path| Some(path.split_once('/')?.0));
        Self { folders: folders.filter(|folder| !OF_USERS.contains(folder)).collect(), paths }
    }

    /// The words of a text that are paths of the repository.
    fn paths<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let ends = |letter: char| letter.is_whitespace() || "`'\"()[]<>,;|*".contains(letter);
        let words = text.split(ends).map(|word| word.trim_end_matches(['.', ':', '…', '?', '!']));
        // A folder alone is the beginning of another value: the user agent `driftless/`.
        words.filter(|word| self.has(word) && !(*word == text && word.ends_with('/'))).collect()
    }

    fn has(&self, word: &str) -> bool {
        if MORE.iter().any(|path| word.starts_with(path)) {
            return true;
        }
        let word = word.split('#').next().unwrap_or_default();
        let Some((folder, rest)) = word.split_once('/') else { return false };
        self.folders.contains(folder)
            && (rest.is_empty()
                || self.paths.iter().any(|path| {
                    path.strip_prefix(word.trim_end_matches('/'))
                        .is_some_and(|more| more.is_empty() || more.starts_with('/'))
                }))
    }
}

/// The string literals of code, comments of documentation among them, without those of tests.
fn literals(tokens: TokenStream) -> Vec<String> {
    let mut literals = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    let (mut is_include, mut is_test) = (false, false);
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let is_brace = group.delimiter() == Delimiter::Brace;
                let text = group.stream().to_string().replace(' ', "");
                match group.delimiter() {
                    Delimiter::Bracket if text == "cfg(test)" || text == "test" => is_test = true,
                    _ if is_include || is_test => is_test &= !is_brace,
                    _ => literals.extend(self::literals(group.stream())),
                }
                is_include = false;
            }
            TokenTree::Ident(name) => {
                let is_macro = matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!');
                is_include = is_macro && OF_THE_COMPILER.iter().any(|other| name == other);
            }
            TokenTree::Punct(mark) => is_test &= mark.as_char() != ';',
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    literals.push(text.value());
                }
            }
        }
    }
    literals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    #[test]
    fn a_text_of_a_published_crate_names_no_path_of_the_repository() {
        let lines = [
            "const A: &str = include_str!(\"../docs/a.md\");",
            "fn a() { hint(\"docs/a.md lists every key\"); }",
            "fn b() { hint(format!(\"move it into codegen/, or into specs/codegen.toml\")); }",
            "#[test]\nfn c() { hint(\"docs/b.md\"); }",
            "/// Written as docs/c.md says.\nfn d() {}",
            "#[cfg(test)]\nuse a::b;\nfn e() { hint(r\"see (CONTRIBUTING.md).\", \"sandbox/none\", \"/docs/a.md\", \"cli/src\"); }",
            "#[cfg(test)]\nmod tests { fn f() { hint(\"docs/a.md\"); } }",
        ];
        let code = lines.join("\n");
        let mut files: Vec<File> =
            ["docs/a.md", "docs/b.md", "docs/c.md", "codegen/src/c.rs", "sandbox/src/a.rs", "cli/src/main.rs"]
                .map(|path| file(path, "\"docs/a.md\""))
                .into();
        files.push(file("codegen/Cargo.toml", "[package]\npublish = true\n"));
        files.push(file("codegen/src/a.rs", &code));
        files.push(file("codegen/src/template/a.yml", "run: [docs/a.md](docs/a.md#keys)\n"));
        files.push(file("codegen/tests/a.rs", "const A: &str = \"docs/a.md\";"));
        files.push(file("sandbox/Cargo.toml", "[package]\npublish = false\n"));
        let places: Vec<(String, usize)> =
            check(&files).into_iter().map(|finding| (finding.file, finding.line)).collect();
        let at = |file: &str, line| (format!("codegen/src/{file}"), line);
        // `codegen/src/c.rs` is a text only.
        let expected = [at("a.rs", 2), at("a.rs", 3), at("a.rs", 6), at("a.rs", 10), at("template/a.yml", 1)];
        let places: BTreeSet<_> = places.into_iter().collect();
        assert_eq!(places, [at("c.rs", 1)].into_iter().chain(expected).collect());
    }
}
