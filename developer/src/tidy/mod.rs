//! `cargo xtask tidy`: the conventions as a program. One rule a file; each finding says how to fix it.

mod abrupt;
mod circles;
mod comments;
mod crates;
mod generic;
mod headers;
mod ignored;
mod layers;
mod length;
mod line_ends;
mod members;
mod modules;
mod names;
mod nested;
mod paths;
mod pointers;
mod prose;
mod pure;
mod readme;
mod unused;
mod words;

use std::fmt;
use std::process::ExitCode;

use crate::console::{count, progress, result};
use crate::failure::{Exit, Failure};
use crate::workspace::{LOCK, NAMES, Workspace, is_territory};

/// A position that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    file: String,
    line: usize,
    rule: &'static str,
    what: String,
    fix: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}\n  fix: {}", self.file, self.line, self.rule, self.what, self.fix)
    }
}

/// One file of the repository.
#[derive(Debug)]
pub(crate) struct File {
    path: String,
    bytes: Vec<u8>,
}

impl File {
    /// The text, or `None` of a binary file.
    fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// Returns whether the tool wrote it.
    fn is_generated(&self) -> bool {
        is_territory(&self.path) || [LOCK, NAMES, "Cargo.lock"].contains(&self.path.as_str())
    }

    /// Returns whether it holds tests, examples, or inputs and expected outputs of tests.
    fn is_test(&self) -> bool {
        let folder = |name: &str| self.path.split('/').rev().skip(1).any(|part| part == name);
        ["tests", "benches", "examples", "cases", "fixtures", "snapshots"].iter().any(|name| folder(name))
            || self.path.ends_with("/tests.rs")
            || self.path.ends_with("_tests.rs")
    }

    /// Returns whether the rules for hand-written product code apply.
    fn is_product_code(&self) -> bool {
        self.path.ends_with(".rs") && !self.is_generated() && !self.is_test()
    }
}

type Rule = fn(&[File]) -> Vec<Finding>;

const RULES: &[Rule] = &[
    length::check,
    abrupt::check,
    members::check,
    nested::check,
    names::check,
    paths::check,
    pointers::check,
    pure::check,
    generic::check,
    line_ends::check,
    circles::check,
    crates::check,
    headers::check,
    ignored::check,
    layers::check,
    readme::check,
    unused::check,
    words::check,
];

pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    let files = files(workspace)?;
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&files)).collect();
    findings.sort();
    for finding in &findings {
        finding.to_string().lines().for_each(result);
    }
    words::report(&files).iter().for_each(|line| progress(line));
    if findings.is_empty() {
        progress(&format!("tidy: {} keep the conventions", count(files.len(), "file", "files")));
        return Ok(ExitCode::SUCCESS);
    }
    progress(&count(findings.len(), "finding", "findings"));
    Ok(Exit::Stale.into())
}

/// Every file of the repository, without build output and the folders of editors and other tools.
fn files(workspace: &Workspace) -> Result<Vec<File>, Failure> {
    let mut paths = Vec::new();
    let entries =
        std::fs::read_dir(workspace.root()).map_err(|error| Failure::file("list", workspace.root(), &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| Failure::file("list", workspace.root(), &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let hidden = name.starts_with('.')
            && ![".cargo", ".ci", ".github", ".gitattributes", ".gitignore"].contains(&name.as_str());
        if hidden || name == "target" {
            continue;
        }
        if entry.path().is_dir() { paths.extend(workspace.files_below(&name)?) } else { paths.push(name) }
    }
    paths.retain(|path| {
        !path.contains("/target/") && !path.starts_with(crate::workspace::STAGING) && !path.ends_with(".snap.new")
    });
    paths.sort();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        if let Some(bytes) = workspace.read(&path)? {
            files.push(File { path, bytes });
        }
    }
    Ok(files)
}

/// The lines of a source file with their numbers, up to its own test module.
fn product_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    numbered.take_while(|(_, line)| line.trim() != "#[cfg(test)]")
}

/// A line without comments and without the inside of its strings; enough for text that rustfmt has laid out.
fn outside_strings(line: &str) -> String {
    let mut kept = String::new();
    let mut letters = line.chars().peekable();
    let mut inside = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if inside => {
                letters.next();
            }
            '\'' if !inside && letters.peek() == Some(&'"') => {
                letters.next();
                letters.next();
            }
            '"' => inside = !inside,
            '/' if !inside && letters.peek() == Some(&'/') => break,
            _ if !inside => kept.push(letter),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests;
