//! `specs/names.lock`: the Rust names that were given once, one a line.
//!
//! git merges lines: two branches that give names at the same time each add lines, and `.gitattributes` keeps those of both. So
//! no line depends on another one, and a key that stands twice is not a mistake. A name that stands twice is one: programs of
//! both branches call by it, and mean two things.

mod twice;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::Names;
use twice::Line;

use crate::failure::Failure;
use crate::workspace::NAMES;

const HEADER: &str =
    "# Written by `cargo xtask regenerate`: Rust names that stay. A merge keeps the lines of both sides.\n";

/// The text between a key and its name.
const BETWEEN: &str = " = ";

/// Fails if two lines give one name to different things, and `renames` gives another name to neither.
pub(crate) fn check(text: &str, renames: &BTreeMap<String, String>) -> Result<(), Failure> {
    let (names, lines) = read(text)?;
    let mut lines: Vec<Line<'_>> = lines.into_iter().flat_map(|line| twice::each(&names, line)).collect();
    // The generator, which knows the contract, compares a chosen name that no line has yet.
    lines.retain(|line| renames.get(&line.key).is_none_or(|chosen| line.wish() == chosen));
    match twice::find(&names, &lines).as_slice() {
        [] => Ok(()),
        pairs => Err(twice::failure(pairs)),
    }
}

/// The line of the file, from 1, that gives a name: `place` is its kind and key.
pub(crate) fn line_of(text: &str, kind_and_key: &str) -> Option<usize> {
    let (kind, key) = kind_and_key.split_once(' ')?;
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
            text.extend([kind, " ", &*escape(key), BETWEEN, name, "\n"]);
        }
    }
    text
}

/// The kinds of names, by the word that their lines begin with.
fn maps(names: &mut Names) -> [(&'static str, &mut BTreeMap<String, String>); 12] {
    let Names { operations, types, members, published, answers, bodies, headers, uses, styles, shared, ids, graphql } =
        names;
    [
        ("answer", answers),
        ("body", bodies),
        ("graphql", graphql),
        ("header", headers),
        ("id", ids),
        ("member", members),
        ("operation", operations),
        ("published", published),
        ("shared", shared),
        ("style", styles),
        ("type", types),
        ("use", uses),
    ]
}

/// The names of a text that [`render`] wrote.
pub(crate) fn parse(text: &str) -> Result<Names, Failure> {
    read(text).map(|(names, _)| names)
}

/// The names of a text, and its lines.
fn read(text: &str) -> Result<(Names, Vec<Line<'_>>), Failure> {
    let mut names = Names::default();
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        // Between the markers of a merge, both sides count.
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
        let parsed = parts.and_then(|(kind, (key, name))| {
            let (kind, map) = maps.into_iter().find(|(other, _)| *other == kind)?;
            Some((kind, map, unescape(key)?, name))
        });
        let Some((kind, map, key, name)) = parsed else { return Err(invalid(index + 1)) };
        lines.push(Line { number: index + 1, kind, key: key.clone(), name });
        match map.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(name.to_owned())),
            // Two branches published members of one type: programs use those of both.
            Entry::Occupied(mut entry) if kind == "published" => {
                let words: BTreeSet<&str> = entry.get().split(' ').chain(name.split(' ')).collect();
                let words = words.into_iter().collect::<Vec<_>>().join(" ");
                entry.insert(words);
            }
            // Two branches named one thing: whichever was merged into the other, the same name stays.
            Entry::Occupied(mut entry) if name < entry.get().as_str() => drop(entry.insert(name.to_owned())),
            Entry::Occupied(_) => {}
        }
    }
    // In a style that names operations, their lines list the arguments of calls. Without them, an argument could become a setter.
    let has_style = |key| names.styles.contains_key(key);
    if has_style("operations") && !has_style("arguments") {
        return Err(other());
    }
    Ok((names, lines))
}

/// A kind of names that this version does not have: it would lose them.
fn newer(line: usize, kind: &str) -> Failure {
    Failure::configuration(
        "names/newer",
        format!("{NAMES}:{line}: this tool knows no names of the kind `{kind}`: a newer one wrote them"),
        format!("bring this branch up to date, so that it has that tool, or remove the lines: git checkout -- {NAMES}"),
    )
}

/// The failure for names of another format.
fn other() -> Failure {
    Failure::configuration(
        "names/version",
        format!("{NAMES} has no line `style arguments`: its operations do not list the arguments of calls"),
        format!(
            "take the file as it was: git checkout -- {NAMES}\n\
             or give up its names: remove the file, then run `cargo xtask regenerate --offline --overwrite`"
        ),
    )
}

fn invalid(line: usize) -> Failure {
    Failure::configuration(
        "names/invalid",
        format!("{NAMES}:{line}: this is not a kind, a key and a name, such as `type service#/a/b = Name`"),
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
        let given: Vec<String> = (0..keys.len()).map(|index| format!("Name{index}")).collect();
        let mut all = names(&keys.into_iter().zip(given.iter().map(String::as_str)).collect::<Vec<_>>());
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

    /// Names of every kind as the tool writes them: each is given once in its namespace, and keys hold dots.
    fn generated(seed: usize) -> Names {
        let mut all = Names::default();
        let wires = ["a", "b", "b.c", "c:d", "query:x", "$type"];
        for index in 0..=seed % 3 {
            let operation = format!("GET /x{index}.json");
            all.operations.insert(operation.clone(), format!("f{}.n{index}", seed % 2));
            all.answers.insert(operation.clone(), "204:none".to_owned());
            all.bodies.insert(operation.clone(), "json".to_owned());
            all.published.insert(operation.clone(), "query:limit query:take".to_owned());
            let owner = format!("doc#/components/schemas/A{}", ".b".repeat(index));
            all.types.insert(owner.clone(), format!("T{index}"));
            all.uses.insert(owner.clone(), "read".to_owned());
            let module = format!("m/d{}", index % 2);
            all.graphql.insert(format!("{module}/t{index}"), format!("G{index}"));
            for (number, wire) in wires.iter().enumerate().skip(seed % 2) {
                all.members.insert(format!("{owner}.{wire}"), format!("n{number}"));
                all.headers.insert(format!("{operation}.h-{wire}"), format!("n{number} of 200"));
                if let Some(name) = wire.strip_prefix("query:") {
                    all.members.insert(format!("{operation}.query:{name}"), format!("n{number}"));
                    all.members.insert(format!("{operation}.header:{name}"), format!("n{number}_header"));
                }
                all.graphql.insert(format!("{module}/t{index}.f{number}"), format!("n{number}"));
            }
        }
        all
    }

    #[test]
    fn a_name_that_two_lines_give_to_different_things_is_an_error_with_both_places() {
        for seed in 0..6 {
            let all = generated(seed);
            let text = render(&all);
            assert_eq!(parse(&text).expect("what the tool writes is read"), all, "{text}");
            check(&text, &BTreeMap::new()).expect("and has no name twice");
            // Another branch gave a name of this one to something that it has in the same namespace.
            for (index, line) in text.lines().enumerate() {
                let Some((kind, rest)) = line.split_once(' ') else { continue };
                let (key, name) = rest.rsplit_once(BETWEEN).unwrap_or_default();
                let other = match kind {
                    "operation" => "GET /other".to_owned(),
                    "type" => "doc#/components/schemas/Other".to_owned(),
                    "graphql" if !key.contains('.') => "m/other".to_owned(),
                    "graphql" => format!("{}.other", key.split('.').next().unwrap_or_default()),
                    "header" => format!("{}.other", key.split(".h-").next().unwrap_or_default()),
                    "member" if key.starts_with("GET") => {
                        format!("{}.query:other", key.split(".json").next().unwrap_or_default().to_owned() + ".json")
                    }
                    // The first type is the only one that can own its members.
                    "member" if key.starts_with("doc#/components/schemas/A.") && all.types.len() == 1 => {
                        "doc#/components/schemas/A.other".to_owned()
                    }
                    _ => continue,
                };
                let mut lines: Vec<&str> = text.lines().collect();
                let added = format!("{kind} {other}{BETWEEN}{name}");
                for index_of_line in [1, index + 1, lines.len()] {
                    lines.insert(index_of_line, &added);
                    let failure = check(&lines.join("\n"), &BTreeMap::new()).expect_err(&added);
                    lines.remove(index_of_line);
                    assert_eq!((failure.code, failure.exit), ("names/double", crate::failure::Exit::Configuration));
                    let original = if index_of_line <= index { index + 2 } else { index + 1 };
                    for line in [original, index_of_line + 1] {
                        let named = format!("specs/names.lock:{line}:1: ");
                        assert!(failure.message.contains(&named), "{named}\n{}", failure.message);
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_that_another_line_of_its_key_outdoes_still_gives_its_name() {
        let merged = "operation GET /a = x.one\noperation GET /a = x.two\noperation GET /b = x.two\n";
        let check = |text: &str, renamed: &[&str]| {
            super::check(text, &renamed.iter().map(|key| ((*key).to_owned(), "x".to_owned())).collect())
        };
        assert_eq!(check(merged, &[]).expect_err("two means two things").code, "names/double");
        check(&merged.replace("b = x.two", "b = x.three"), &[]).expect("settled in the file");
        for renamed in ["GET /a", "GET /b"] {
            check(merged, &[renamed]).expect("settled in the configuration");
        }
        // The configuration settles nothing where it chooses the very name.
        for (text, renamed, chosen) in [
            (merged, "GET /a", "two"),
            (merged, "GET /b", "two"),
            ("type d#/a = A\ntype d#/b = A\n", "d#/b", "A"),
            ("operation GET /a = x.a\nmember GET /a.query:b = c\nmember GET /a.query:d = c\n", "GET /a.query:d", "c"),
            ("graphql m/a = A\ngraphql m/b = A\n", "m/a", "A"),
            ("operation GET /a = x.a\nheader GET /a.b = c of 200\nheader GET /a.d = c of 404\n", "GET /a.b", "c"),
        ] {
            let renames = BTreeMap::from([(renamed.to_owned(), chosen.to_owned())]);
            assert_eq!(super::check(text, &renames).expect_err(text).code, "names/double");
        }
    }

    #[test]
    fn the_published_members_of_both_branches_count() {
        let text = "<<<<<<< HEAD\npublished d#/a = id userId\n=======\npublished d#/a = id user_id\n>>>>>>> other\n";
        let names = parse(text).expect("parses");
        assert_eq!(names.published.get("d#/a").map(String::as_str), Some("id userId user_id"));
        assert_eq!(render(&names).lines().last(), Some("published d#/a = id userId user_id"));
    }

    /// The contract may be that of one branch: the other one's parameter is not in it, and its programs call it all the same.
    #[test]
    fn a_published_parameter_has_the_name_that_another_line_gives() {
        let merged = "operation GET /a = x.a\nmember GET /a.query:perPage = per_page\npublished GET /a = query:limit\n\
            published GET /a = query:limit query:per_page\n";
        let failure = check(merged, &BTreeMap::new()).expect_err("one name for two");
        assert_eq!(failure.code, "names/double");
        for place in ["names.lock:2:1: GET /a.query:perPage", "names.lock:4:1: GET /a.query:per_page"] {
            assert!(failure.message.contains(place), "{}", failure.message);
        }
        check(&merged.replace(" query:per_page", ""), &BTreeMap::new()).expect("settled in the file");
        for key in ["GET /a.query:perPage", "GET /a.query:per_page"] {
            let renames = BTreeMap::from([(key.to_owned(), "size".to_owned())]);
            check(merged, &renames).expect("settled in the configuration");
        }
    }

    #[test]
    fn what_is_no_name_is_an_error_with_its_line() {
        for line in ["type", "type a", "colour a = A", "type \\x = A", "type \\u{110000} = A", "a = A"] {
            let failure = parse(&format!("type a = A\n{line}\n")).expect_err(line);
            assert!(failure.message.starts_with("specs/names.lock:2: "), "{}", failure.message);
        }
    }
}
