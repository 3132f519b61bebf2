//! One name for two things: two branches gave it, and git kept the lines of both. Nobody but a person knows which of the
//! two is meant by the programs that call it.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::{Names, line};

use crate::failure::Failure;
use crate::workspace::NAMES;

/// A line of the file.
#[derive(Debug)]
pub(super) struct Line<'t> {
    pub(super) number: usize,
    pub(super) kind: &'static str,
    pub(super) key: String,
    pub(super) name: &'t str,
}

impl Line<'_> {
    /// The name as `[rename]` gives it: without the family of an operation, and the status of a header.
    pub(super) fn wish(&self) -> &str {
        match self.kind {
            "operation" => self.name.split_once('.').map_or(self.name, |(_, name)| name),
            "header" => self.name.split(' ').next().unwrap_or_default(),
            _ => self.name,
        }
    }
}

/// The names that a line gives, each as a line of its own. That of the published parameters of an operation has several: their
/// wire names. Names that follow from the wire names of members are known to the generator only.
pub(super) fn each<'t>(names: &Names, line: Line<'t>) -> Vec<Line<'t>> {
    if line.kind != "published" || !names.operations.contains_key(&line.key) {
        return vec![line];
    }
    let (number, kind) = (line.number, "member");
    let of_word = |word: &'t str| {
        let name = word.strip_prefix("query:")?;
        Some(Line { number, kind, key: format!("{}.{word}", line.key), name })
    };
    line.name.split(' ').filter_map(of_word).collect()
}

/// Two lines with one name in one namespace, and different keys.
pub(super) type Pair<'l, 't> = (&'l Line<'t>, &'l Line<'t>);

/// Every line whose name an earlier line gives to something else, with that line. A line counts although another line of its
/// key is preferred to it: the branch that wrote it calls by its name.
pub(super) fn find<'l, 't>(names: &Names, lines: &'l [Line<'t>]) -> Vec<Pair<'l, 't>> {
    let mut first: BTreeMap<(&str, BTreeSet<&str>, &str), &Line<'_>> = BTreeMap::new();
    let mut pairs = Vec::new();
    for line in lines {
        let Some(owners) = owners(names, line) else { continue };
        let name = if line.kind == "header" { line.wish() } else { line.name };
        let earlier = *first.entry((line.kind, owners, name)).or_insert(line);
        if earlier.key != line.key {
            pairs.push((earlier, line));
        }
    }
    pairs
}

/// The namespace of a line's name, as the keys that may own it; `None`: it gives no name, or its owner is not known.
///
/// The key of a member is that of its owner, a dot, and a wire name, and each can hold further dots. If the file names two
/// possible owners, the line is left out: a file that the tool wrote is never refused.
fn owners<'l>(names: &Names, line: &'l Line<'_>) -> Option<BTreeSet<&'l str>> {
    let key = line.key.as_str();
    let dots = || key.match_indices('.').filter_map(|(dot, _)| Some((key.get(..dot)?, key.get(dot + 1..)?)));
    let owners: BTreeSet<&str> = match line.kind {
        // A name holds its family.
        "operation" | "type" => return Some(BTreeSet::new()),
        "graphql" => match key.split_once('.') {
            Some((owner, _)) => [owner].into(),
            None => [key.split('/').next()?].into(),
        },
        "header" => dots().map(|(owner, _)| owner).filter(|owner| names.operations.contains_key(*owner)).collect(),
        "member" => {
            let is_owner = |(owner, rest): &(&str, &str)| {
                names.types.contains_key(*owner) || rest.contains(':') && names.operations.contains_key(*owner)
            };
            dots().filter(is_owner).map(|(owner, _)| owner).collect()
        }
        _ => return None,
    };
    (owners.len() == 1).then_some(owners)
}

pub(super) fn failure(pairs: &[Pair<'_, '_>]) -> Failure {
    let mut message = "two lines give one name to different things, as a merge leaves it".to_owned();
    for (earlier, later) in pairs {
        message.push_str(&format!("\n  `{}`, of the kind `{}`:", line(later.name), later.kind));
        for line_of_name in [earlier, later] {
            message.push_str(&format!("\n    {NAMES}:{}:1: {}", line_of_name.number, line(&line_of_name.key)));
        }
    }
    Failure::configuration(
        "names/double",
        message,
        format!(
            "keep the line of the one that your programs mean by the name; remove the other line, or choose another name for it in [rename] of specs/codegen.toml\n\
             programs of the branch that wrote the other line have to use its new name: look for their calls\n\
             then run `{}`",
            crate::lock::AFTER_MERGE
        ),
    )
}
