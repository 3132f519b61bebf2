//! The items of the client that the tests name, compared with the pinned contract. `build.rs` builds a file of tests if all are
//! there.
//!
//! All inputs are text: the operations and items of the client that the tests are written for (`tests/client.txt`), and those of
//! the pinned contract (`specs/client.txt`). A file of tests needs the lines of the operations and types that it names, and of
//! the types in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

/// The lines that tests can need.
#[derive(Debug, Default)]
pub(crate) struct Client {
    lines: BTreeSet<String>,
    /// Name of an operation → family and line.
    operations: BTreeMap<String, Vec<(String, String)>>,
    /// Name of a type → its lines.
    types: BTreeMap<String, Vec<String>>,
}

impl Client {
    /// Parses lines of `specs/client.txt`.
    pub(crate) fn read(text: &str) -> Self {
        let mut client = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            client.lines.insert(line.to_owned());
            let item = line.split(' ').next().unwrap_or_default();
            if let Some(rest) = item.strip_prefix("types::") {
                let name = rest.split("::").next().unwrap_or_default();
                client.types.entry(name.to_owned()).or_default().push(line.to_owned());
            } else if let (Some((family, name)), false) = (item.split_once('.'), item.contains("::")) {
                let place = (family.to_owned(), line.to_owned());
                client.operations.entry(name.to_owned()).or_default().push(place);
            }
        }
        client
    }

    /// The lines that a source names, and those of the types in them.
    pub(crate) fn named_by(&self, source: &str) -> BTreeSet<&str> {
        let words = words(source);
        let mut needs: BTreeSet<&str> = BTreeSet::new();
        let mut waiting: Vec<&str> = Vec::new();
        for word in &words {
            let operations = self.operations.get(*word).into_iter().flatten();
            for (_, line) in operations.filter(|(family, _)| words.contains(family.as_str())) {
                needs.insert(line);
                waiting.extend(self::words(line));
            }
            waiting.push(word);
        }
        // Documents and bindings are named by their constants.
        let others = ["documents", "bindings"].into_iter().filter(|module| words.contains(module));
        for line in others.flat_map(|module| self.lines.iter().filter(move |line| line.starts_with(module))) {
            needs.insert(line);
            waiting.extend(self::words(line));
        }
        let mut seen = BTreeSet::new();
        while let Some(word) = waiting.pop() {
            if seen.insert(word) {
                for line in self.types.get(word).into_iter().flatten() {
                    needs.insert(line);
                    waiting.extend(self::words(line));
                }
            }
        }
        needs
    }

    /// The lines that are missing.
    pub(crate) fn missing<'n>(&self, needs: &BTreeSet<&'n str>) -> Vec<&'n str> {
        needs.iter().copied().filter(|line| !self.lines.contains(*line)).collect()
    }
}

/// The identifiers of a text, without those of its comments.
fn words(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')).collect()
}

/// The client of the pinned contract, as `tests/client.txt` keeps it.
pub(crate) fn pinned(workspace: &Path) -> io::Result<String> {
    let client = fs::read_to_string(workspace.join("specs/client.txt"))?;
    let (surface, index) = client.split_once("\n\n").unwrap_or((client.trim_start(), ""));
    let kept = |line: &&str| ["types::", "documents::", "bindings::"].iter().any(|start| line.starts_with(start));
    Ok(surface.lines().chain(index.lines().filter(kept)).flat_map(|line| [line, "\n"]).collect())
}

/// Returns whether the pinned contract is the sandbox's, and no other one.
pub(crate) fn is_sandbox(workspace: &Path) -> bool {
    let lock = fs::read_to_string(workspace.join("specs/codegen.lock")).unwrap_or_default();
    let mut sources = lock.lines().filter_map(|line| line.strip_prefix("source = ")).peekable();
    sources.peek().is_some() && sources.all(|source| source == "\"sandbox\"")
}

/// The files of tests that are built by their needs, by their names below `tests`, and the guides.
pub(crate) fn gated(workspace: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut sources = BTreeMap::new();
    let tests = workspace.join("tests");
    for folder in ["", "families", "wire"] {
        for entry in fs::read_dir(tests.join(folder))? {
            let path = entry?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|end| end == "rs")
                && !["build", "main", "mod", "needs"].contains(&stem.as_str())
            {
                let name = if folder.is_empty() { stem } else { format!("{folder}/{stem}") };
                sources.insert(name, fs::read_to_string(path)?);
            }
        }
    }
    for guide in ["graphql", "operations", "testing"] {
        let page = fs::read_to_string(workspace.join("docs").join(format!("{guide}.md")))?;
        sources.insert(format!("docs/{guide}"), page);
    }
    // A file also needs the items of the files that it calls, or of the programs that it runs.
    let component = fs::read_to_string(tests.join("support/component.rs")).unwrap_or_default();
    for source in sources.values_mut() {
        if source.contains("support::") && words(source).contains("component") {
            source.push_str(&component);
        }
        for program in ["deploy_and_wait", "list_projects", "opentelemetry", "watch_events"] {
            if source.contains(&format!("\"{program}\"")) {
                let path = workspace.join("generated-client/examples").join(format!("{program}.rs"));
                source.push_str(&fs::read_to_string(path)?);
            }
        }
    }
    if !component.is_empty() {
        sources.insert("support/component".to_owned(), component);
    }
    Ok(sources)
}
