//! `cargo xtask corpus --style`: counts how the names and types of the generated clients read, in both styles.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use driftless::develop::{self, DEFAULT_NAME};
use driftless_codegen::load::load;
use driftless_codegen::{
    Contract, Item, NameStyle, Names, Reserved, Setup, StyleVersion, SuggestedName, api, line, propose, suggestions,
};

use crate::bounded::read_bounded;
use crate::console::{progress, result};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// A number of cases, and the number of all among which they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count(usize, usize);

impl Count {
    fn add(&mut self, is_found: bool) {
        self.0 += usize::from(is_found);
        self.1 += 1;
    }
}

/// The table: what is counted → in each style.
type Table = BTreeMap<&'static str, [Count; 2]>;

const STYLES: [StyleVersion; 2] = [StyleVersion::One, StyleVersion::Two];

/// Prints the table, and writes to `names`: the names that operations without an operationId get, those that are guesses, the entries of
/// operations that page, and the structs that are equal in style 2.
pub(super) fn run(workspace: &Workspace, contracts: &[(String, PathBuf)], names: Option<&Path>) -> Result<(), Failure> {
    let reserved = develop::reserved(workspace)?;
    let mut table = Table::new();
    let (mut list, mut pages) = (String::new(), String::new());
    let mut failed = 0;
    for (name, path) in contracts {
        let bytes = read_bounded(path).map_err(|error| Failure::file("read", path, &error))?;
        let Ok(loaded) = load(DEFAULT_NAME, &bytes) else {
            failed += 1;
            continue;
        };
        let unnamed = unnamed(&loaded.tree);
        let mut given: BTreeMap<String, [String; 2]> = BTreeMap::new();
        for (index, version) in STYLES.into_iter().enumerate() {
            let mut setup = Setup { reserved: reserved.clone(), ..Setup::default() };
            setup.config.style = NameStyle { version };
            let contract = Contract { name: DEFAULT_NAME, bytes: &bytes };
            let Ok((api, names)) = api(&[contract], &setup, &Names::default()) else {
                failed += 1;
                break;
            };
            let mut count = |row, is_found| table.entry(row).or_default()[index].add(is_found);
            for (key, name) in names.operations.iter().filter(|(key, _)| unnamed.contains(*key)) {
                let (family, own) = name.split_once('.').unwrap_or_default();
                count("no operationId: the name repeats its family", repeats(own, family));
                if key.starts_with("POST ") {
                    count("no operationId, POST: named create_…", own.starts_with("create"));
                    count("no operationId, POST: named post_…", own.starts_with("post"));
                }
                given.entry(key.clone()).or_default()[index].clone_from(name);
            }
            let guesses = guesses(&contract, &setup).unwrap_or_default();
            (0..names.operations.len()).for_each(|index| count(GUESSES, index < guesses.len()));
            let better = guesses.iter().filter(|guess| guess.is_better);
            better.clone().for_each(|_| count(BETTER, true));
            (better.count()..guesses.len()).for_each(|_| count(BETTER, false));
            for guess in guesses.iter().filter(|_| version == StyleVersion::Two) {
                let SuggestedName { key, operation, name: other, reason, .. } = guess;
                _ = writeln!(list, "{name}\t{key}\tguess\t{operation}\t{other}\t{reason}");
            }
            let equal = items(&api.items, &mut count);
            for (first, other) in equal.iter().filter(|_| version == StyleVersion::Two) {
                _ = writeln!(
                    list,
                    "{name}\t{} {}\tequal\t{} {}",
                    other.path, other.origin.pointer, first.path, first.origin.pointer
                );
            }
        }
        failed += usize::from(paged(&bytes, &reserved, name, (&mut table, &mut pages)).is_none());
        list.push_str(&std::mem::take(&mut pages));
        for (key, [one, two]) in given {
            _ = writeln!(list, "{name}\t{key}\t{one}\t{two}");
        }
    }
    if failed > 0 {
        progress(&format!("{failed} contracts have no client: `cargo xtask corpus` says why"));
    }
    result(&format!("{:50}  {:>22}  {:>22}", "", "style 1", "style 2"));
    for (row, counts) in &table {
        let [one, two] = counts.map(|Count(hits, all)| {
            let share = if all == 0 { 0.0 } else { 100.0 * hits as f64 / all as f64 };
            format!("{hits} of {all} ({share:.1} %)")
        });
        result(&format!("{row:50}  {one:>22}  {two:>22}"));
    }
    names.map_or(Ok(()), |path| fs::write(path, list).map_err(|error| Failure::file("write", path, &error)))
}

const GUESSES: &str = "names that are a guess: a [rename] is proposed";
const BETTER: &str = "names that are a guess: the proposal is another one";

fn guesses(contract: &Contract<'_>, setup: &Setup) -> Option<Vec<SuggestedName>> {
    Some(suggestions(&[*contract], setup, &Names::default()).ok()?.names)
}

/// Counts the operations that page, those with an entry, and those that read all items with the sure ones.
fn paged(bytes: &[u8], reserved: &Reserved, name: &str, (table, list): (&mut Table, &mut String)) -> Option<()> {
    let contract = [Contract { name: DEFAULT_NAME, bytes }];
    let mut setup = Setup { reserved: reserved.clone(), ..Setup::default() };
    let suggestions = propose(&contract, &setup).ok()?.suggestions;
    setup.config.paginations =
        suggestions.paginations.iter().filter(|entry| entry.is_sure).map(|entry| entry.entry.clone()).collect();
    let (api, _) = api(&contract, &setup, &Names::default()).ok()?;
    let bound = api.items.iter().filter(|item| item.path.ends_with("::with_items")).count();
    for (row, hits) in [
        ("operations that page: an entry is proposed", suggestions.paginations.len()),
        ("operations that page: `with_items()` without a doubt", bound),
    ] {
        for count in table.entry(row).or_default() {
            *count = Count(count.0 + hits, count.1 + suggestions.paged);
        }
    }
    for count in table.entry("operations completed later: an entry is proposed").or_default() {
        *count = Count(count.0 + suggestions.operations.len(), count.1 + suggestions.long_running);
    }
    for entry in &suggestions.operations {
        _ = writeln!(list, "{name}\t{}\toperation\t{}", entry.entry.submit, line(&entry.reason));
    }
    for entry in &suggestions.paginations {
        let doubt = if entry.is_sure { "" } else { "not sure: " };
        _ = writeln!(list, "{name}\t{}\tpages\t{doubt}{}", entry.entry.operation, line(&entry.reason));
    }
    for (operation, reason) in &suggestions.without {
        _ = writeln!(list, "{name}\t{operation}\tpages, without an entry\t{}", line(reason));
    }
    Some(())
}

/// The keys of operations without an operationId.
pub(super) fn unnamed(tree: &serde_json::Value) -> BTreeSet<String> {
    let paths = tree.get("paths").and_then(|paths| paths.as_object());
    let operations = paths.into_iter().flatten().flat_map(|(path, item)| {
        let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
        methods.into_iter().filter_map(move |method| Some((method, path, item.get(method)?)))
    });
    let is_unnamed = |operation: &serde_json::Value| operation.get("operationId").is_none();
    operations
        .filter(|(_, _, operation)| is_unnamed(operation))
        .map(|(method, path, _)| format!("{} {path}", method.to_uppercase()))
        .collect()
}

/// Returns whether the words of a name contain those of the family, in the singular or in the plural.
fn repeats(name: &str, family: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split('_').filter(|word| !word.is_empty()).map(|word| word.trim_end_matches('s').to_owned()).collect()
    };
    let (name, family) = (words(name), words(family));
    !family.is_empty() && name.windows(family.len()).any(|part| part == family)
}

/// Counts types that are equal within one client, and calls with many arguments. Returns the structs that are equal: the first one, and
/// another.
fn items<'i>(items: &'i [Item], count: &mut impl FnMut(&'static str, bool)) -> Vec<(&'i Item, &'i Item)> {
    let mut equal = Vec::new();
    let mut members: HashMap<&str, Vec<String>> = HashMap::new();
    for item in items {
        match item.kind {
            "variant" => members.entry(item.parent()).or_default().push(item.wire.clone()),
            "field" => members.entry(item.parent()).or_default().push(format!("{}: {}", item.wire, item.signature)),
            _ => {}
        }
    }
    let mut seen: HashMap<(&str, Vec<String>), &Item> = HashMap::new();
    for item in items {
        let own = members.get(item.path.as_str()).map(Vec::as_slice).unwrap_or_default();
        let row = match item.kind {
            // An enumeration of bodies has no values of the contract.
            "enum" if own.iter().filter(|value| !value.is_empty()).count() > 1 => {
                "enumerations that repeat one of the contract"
            }
            "struct" if !own.is_empty() => "structs with the members of another one",
            "fn" if item.signature.contains("-> Call<") => {
                let types = arguments(&item.signature);
                let texts = types.iter().fold((0, 0), |(most, row), kind| {
                    let row = if kind == "&str" { row + 1 } else { 0 };
                    (most.max(row), row)
                });
                count("calls with four `&str` in a row", texts.0 >= 4);
                count("calls with five arguments", types.len() >= 5);
                continue;
            }
            _ => continue,
        };
        let mut sorted = own.to_vec();
        sorted.sort();
        let first = *seen.entry((item.kind, sorted)).or_insert(item);
        let is_equal = !std::ptr::eq(first, item);
        count(row, is_equal);
        if is_equal && item.kind == "struct" {
            equal.push((first, item));
        }
    }
    equal
}

/// The types of the arguments in `(a: T, b: U) -> R`.
fn arguments(signature: &str) -> Vec<String> {
    let Some(list) = signature.strip_prefix('(') else { return Vec::new() };
    let (mut depth, mut types, mut current) = (0_u32, Vec::new(), String::new());
    for c in list.chars() {
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => types.push(std::mem::take(&mut current)),
            _ => {
                depth = match c {
                    '(' | '<' | '[' | '{' => depth + 1,
                    ')' | '>' | ']' | '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                current.push(c);
            }
        }
    }
    types.push(current);
    let kind = |argument: &String| match argument.split_once(" {") {
        Some((_, fields)) => Some(format!("{{{fields}")),
        None => Some(argument.split_once(':')?.1.trim().to_owned()),
    };
    types.iter().filter_map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::{arguments, repeats};

    #[test]
    fn a_name_that_has_the_words_of_its_family_repeats_it() {
        for (name, family, is) in [
            ("list_library_list", "library", true),
            ("list_movies", "movie", true),
            ("get_movie_file", "movie_files", true),
            ("get_file", "movie_files", false),
            ("list", "library", false),
        ] {
            assert_eq!(repeats(name, family), is, "{name}");
        }
    }

    #[test]
    fn arguments_are_split_where_no_type_is_open() {
        let types = arguments("(id: &str, map: BTreeMap<String, (i64, u8)>, body: &Body) -> Call<'a, (), X>");
        assert_eq!(types, ["&str", "BTreeMap<String, (i64, u8)>", "&Body"]);
        let types = arguments("(self, GetArguments { id: &str, name: &str }) -> Call<'a, (), X>");
        assert_eq!(types, ["{ id: &str, name: &str }"]);
        assert!(arguments("() -> Call<'a, ()>").is_empty());
    }
}
