//! The modules of the runtime are layers: each names those below it only. `lib.rs` declares them from the lowest to the highest.

use std::collections::BTreeMap;

use super::{File, Finding, outside_strings};

const SOURCES: &str = "runtime/src/";
const ROOT: &str = "runtime/src/lib.rs";
const PAGE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## The layers of the runtime";

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let Some(root) = files.iter().find(|file| file.path == ROOT).and_then(File::text) else { return Vec::new() };
    let layers = Layers::read(root);
    let mut findings: Vec<Finding> = files.iter().filter_map(|file| undrawn(file, &layers)).collect();
    for file in files.iter().filter(|file| file.path != ROOT && file.is_product_code()) {
        let Some(place) = file.path.strip_prefix(SOURCES) else { continue };
        let own = place.split(['/', '.']).next().unwrap_or_default();
        let Some(height) = layers.order.get(own) else { continue };
        let depth = place.split('/').filter(|part| *part != "mod.rs").count();
        let code = product(file.text().unwrap_or_default());
        for (line, name) in names_of_the_root(&code, depth) {
            let Some(layer) = layers.layer(&name) else { continue };
            if layers.order.get(layer).is_some_and(|other| other > height) {
                findings.push(Finding {
                    file: file.path.clone(),
                    line,
                    rule: "layers",
                    what: format!("`{own}` names `{name}` of `{layer}`, a layer above it"),
                    fix: "move what both need into the lower layer, or hand it down as a trait or a value; \
                           ARCHITECTURE.md draws the layers",
                });
            }
        }
    }
    findings
}

/// The page, if its table is not of these layers: from the highest to the lowest, and the modules of a row in the order of the root.
fn undrawn(file: &File, layers: &Layers) -> Option<Finding> {
    let text = file.text().filter(|_| file.path == PAGE)?;
    let lines = text.lines().enumerate().skip_while(|(_, line)| *line != HEADING);
    let section: Vec<(usize, &str)> =
        lines.take_while(|(_, line)| *line == HEADING || !line.starts_with("## ")).collect();
    let rows = section.iter().rev().filter_map(|(_, line)| line.strip_prefix("| `")?.split(" |").next());
    let drawn: Vec<&str> = rows.flat_map(|row| row.split("`, `")).map(|name| name.trim_end_matches('`')).collect();
    let mut order: Vec<(&usize, &str)> = layers.order.iter().map(|(name, height)| (height, name.as_str())).collect();
    order.sort_unstable();
    let order: Vec<&str> = order.into_iter().map(|(_, name)| name).collect();
    (drawn != order).then(|| Finding {
        file: file.path.clone(),
        line: section.first().map_or(1, |(index, _)| index + 1),
        rule: "layers",
        what: format!("the table, from its last row on, has the layers {}", drawn.join(", ")),
        fix: "draw the modules that runtime/src/lib.rs declares, the first one in the last row",
    })
}

#[derive(Default)]
struct Layers {
    /// The modules by their layer.
    order: BTreeMap<String, usize>,
    /// Names that the root re-exports, with their modules.
    exports: BTreeMap<String, String>,
}

impl Layers {
    fn read(root: &str) -> Self {
        let mut layers = Self::default();
        let lines: Vec<String> = root.lines().map(outside_strings).collect();
        for statement in lines.join("\n").split(';') {
            // Attributes stand before the statement, each on a line of its own.
            let statement: Vec<&str> = statement.lines().filter(|line| !line.trim().starts_with('#')).collect();
            let statement = statement.join(" ");
            let words: Vec<&str> = statement.split(|letter: char| !is_of_a_name(letter)).collect();
            let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty() && *word != "pub").collect();
            match words.as_slice() {
                ["mod", name] => {
                    layers.order.insert((*name).to_owned(), layers.order.len());
                }
                ["use", module, names @ ..] => {
                    layers.exports.extend(names.iter().map(|name| ((*name).to_owned(), (*module).to_owned())));
                }
                _ => {}
            }
        }
        layers
    }

    /// The layer of a name of the root: a module, or the module that exports the name.
    fn layer<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        if self.order.contains_key(name) { Some(name) } else { self.exports.get(name).map(String::as_str) }
    }
}

/// The lines before a module of tests, without comments and texts.
fn product(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().enumerate().position(|(index, line)| {
        let below = lines.iter().skip(index + 1).find(|line| !line.starts_with("#["));
        *line == "#[cfg(test)]" && below.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
    });
    let lines = lines.into_iter().take(end.unwrap_or(usize::MAX));
    lines.map(outside_strings).collect::<Vec<_>>().join("\n")
}

/// The names that follow `crate::`, or as many `super::` as lead to the root, with their lines. A group has several.
/// `$crate` of a macro means the root of the crate that uses the macro.
fn names_of_the_root(code: &str, depth: usize) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for start in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (at, _) in code.match_indices(&start) {
            let (before, after) =
                (code.get(..at).unwrap_or_default(), code.get(at + start.len()..).unwrap_or_default());
            if before.ends_with(|letter| is_of_a_name(letter) || letter == '$' || letter == ':') {
                continue;
            }
            let line = before.matches('\n').count() + 1;
            if let Some(group) = after.strip_prefix('{') {
                names.extend(firsts(group).into_iter().map(|(lines, name)| (line + lines, name)));
            } else {
                names.push((line, after.chars().take_while(|letter| is_of_a_name(*letter)).collect()));
            }
        }
    }
    names
}

/// The first name of each path of a group, with the lines before it.
fn firsts(group: &str) -> Vec<(usize, String)> {
    let (mut names, mut name, mut lines, mut inner, mut is_first) = (Vec::new(), String::new(), 0, 0, true);
    for letter in group.chars() {
        match letter {
            '{' => inner += 1,
            '}' if inner == 0 => break,
            '}' => inner -= 1,
            '\n' => lines += 1,
            _ => {}
        }
        if inner == 0 && is_first && is_of_a_name(letter) {
            name.push(letter);
        } else if !name.is_empty() {
            names.push((lines - usize::from(letter == '\n'), std::mem::take(&mut name)));
            is_first = false;
        }
        is_first |= inner == 0 && letter == ',';
    }
    if !name.is_empty() {
        names.push((lines, name));
    }
    names
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
