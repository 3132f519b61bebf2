//! `specs/names.lock`: the Rust names that were given once, one a line.
//!
//! A line is what git merges: two branches that give names at the same time each add lines, and `.gitattributes` keeps those
//! of both. So nothing here depends on another line, and a key that stands twice is not a mistake.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use platform_codegen::Names;

use crate::failure::Failure;
use crate::workspace::{NAMES, Workspace};

const HEADER: &str =
    "# Written by `cargo xtask regenerate`: Rust names that stay. A merge keeps the lines of both sides.\n";

/// What stands between a key and its name.
const BETWEEN: &str = " = ";

/// The names of the file; `None` where it does not exist.
pub(crate) fn find(workspace: &Workspace) -> Result<Option<Names>, Failure> {
    let Some(bytes) = workspace.read(NAMES)? else { return Ok(None) };
    parse(&String::from_utf8_lossy(&bytes)).map(Some)
}

/// The line of the file, from 1, that gives a name: `place` is its kind and key.
pub(crate) fn line_of(text: &str, place: &str) -> Option<usize> {
    let (kind, key) = place.split_once(' ')?;
    let start = format!("{kind} {}{BETWEEN}", escape(key));
    text.lines()
        .position(|line| line.starts_with(&start) && !line[start.len()..].contains(BETWEEN))
        .map(|index| index + 1)
}

/// The file as text.
pub(crate) fn render(names: &Names) -> String {
    let mut text = HEADER.to_owned();
    let mut names = names.clone();
    for (kind, map) in maps(&mut names) {
        for (key, name) in map {
            text.push_str(&format!("{kind} {}{BETWEEN}{name}\n", escape(key)));
        }
    }
    text
}

/// The kinds of names, by the word that their lines begin with.
fn maps(names: &mut Names) -> [(&'static str, &mut BTreeMap<String, String>); 8] {
    let Names { operations, types, members, answers, bodies, headers, uses, graphql } = names;
    [
        ("answer", answers),
        ("body", bodies),
        ("graphql", graphql),
        ("header", headers),
        ("member", members),
        ("operation", operations),
        ("type", types),
        ("use", uses),
    ]
}

/// The names of a text that [`render`] wrote.
pub(crate) fn parse(text: &str) -> Result<Names, Failure> {
    let mut names = Names::default();
    for (index, line) in text.lines().enumerate() {
        // Where a merge left its marks, both sides count.
        let is_mark = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().any(|mark| line.starts_with(mark));
        if line.is_empty() || line.starts_with('#') || is_mark {
            continue;
        }
        let parts = line.split_once(' ').and_then(|(kind, rest)| Some((kind, rest.rsplit_once(BETWEEN)?)));
        let maps = maps(&mut names);
        if let Some((kind, _)) = parts
            && !kind.is_empty()
            && kind.bytes().all(|byte| byte.is_ascii_lowercase())
            && maps.iter().all(|(known, _)| *known != kind)
        {
            return Err(newer(index + 1, kind));
        }
        let found = parts.and_then(|(kind, (key, name))| {
            let map = maps.into_iter().find_map(|(other, map)| (other == kind).then_some(map))?;
            Some((map, unescape(key)?, name))
        });
        let Some((map, key, name)) = found else { return Err(invalid(index + 1)) };
        match map.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(name.to_owned())),
            // Two branches named one thing: whichever was merged into the other, the same name stays.
            Entry::Occupied(mut entry) if name < entry.get().as_str() => drop(entry.insert(name.to_owned())),
            Entry::Occupied(_) => {}
        }
    }
    Ok(names)
}

/// A kind of names that this version does not have: it would lose them.
fn newer(line: usize, kind: &str) -> Failure {
    Failure::configuration(
        "names/newer",
        format!("{NAMES}:{line}: this tool knows no names of the kind `{kind}`: a newer one wrote them"),
        format!("bring this branch up to date, so that it has that tool, or remove the lines: git checkout -- {NAMES}"),
    )
}

fn invalid(line: usize) -> Failure {
    Failure::configuration(
        "names/invalid",
        format!("{NAMES}:{line}: this is not a kind, a key and a name, such as `type platform#/a/b = Name`"),
        format!("remove the line, or take the file as it was: git checkout -- {NAMES}"),
    )
}

/// A key on one line.
fn escape(key: &str) -> String {
    let mut text = String::with_capacity(key.len());
    for c in key.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => text.extend(c.escape_unicode()),
            c => text.push(c),
        }
    }
    text
}

fn unescape(text: &str) -> Option<String> {
    let mut key = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        key.push_str(plain);
        rest = match escaped.strip_prefix('\\') {
            Some(behind) => {
                key.push('\\');
                behind
            }
            None => {
                let (digits, behind) = escaped.strip_prefix("u{")?.split_once('}')?;
                key.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                behind
            }
        };
    }
    key.push_str(rest);
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[(&str, &str)]) -> Names {
        let mut names = Names::default();
        names.types.extend(list.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned())));
        names
    }

    #[test]
    fn names_come_back_whatever_their_keys_hold() {
        let keys = ["a#/b", "a = b", "\\", "\\u{41}", "a\nb\r\u{2028}", "# x", "", " = ", "<<<<<<< x", "Größe"];
        let mut all = names(&keys.map(|key| (key, "Name")));
        all.operations.insert("GET /x".to_owned(), "x.list".to_owned());
        all.members.insert("a#/b.c".to_owned(), "c_".to_owned());
        all.graphql.insert("things/thing".to_owned(), "Thing".to_owned());
        let text = render(&all);
        assert_eq!(text.lines().count(), 1 + keys.len() + 3, "{text}");
        assert_eq!(parse(&text).expect("parses"), all);
    }

    #[test]
    fn both_sides_of_a_merge_count_and_the_order_does_not() {
        let merged = "<<<<<<< HEAD\ntype a = A\ntype b = Mine\n=======\ntype b = Its\ntype c = C\n>>>>>>> other\n";
        let other = "type c = C\ntype b = Its\n\n# A comment.\ntype b = Mine\ntype a = A\n";
        let expected = names(&[("a", "A"), ("b", "Its"), ("c", "C")]);
        assert_eq!(parse(merged).expect("parses"), expected);
        assert_eq!(parse(other).expect("parses"), expected);
    }

    #[test]
    fn what_is_no_name_is_an_error_with_its_line() {
        for line in ["type", "type a", "colour a = A", "type \\x = A", "type \\u{110000} = A", "a = A"] {
            let failure = parse(&format!("type a = A\n{line}\n")).expect_err(line);
            assert!(failure.message.starts_with("specs/names.lock:2: "), "{}", failure.message);
        }
    }
}
