//! Names of operations that are guesses, each with a better name where the contract gives one.

use std::collections::{BTreeMap, BTreeSet};

use super::writable;
use crate::model::{Addition, METHODS_OF_HANDLES, Model, NameOrigin, Operation};
use crate::naming::ident::member_name;
use crate::naming::short::is_opaque;
use crate::naming::words::{Meaning, asks, is_preposition, meaning, singular};
use crate::output::SuggestedName;
use crate::text::Ident;
use crate::{Config, Names, StyleVersion};

/// The reason why a name is a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// The verb is the method of HTTP.
    Verb,
    Added(Addition),
    /// It consists of a hash or a number.
    Opaque,
    /// It repeats its family.
    Family,
}

impl Doubt {
    fn reason(self) -> &'static str {
        match self {
            Self::Verb => {
                "its verb is the method of HTTP, because neither the path nor the documentation has a verb that the generator knows"
            }
            Self::Added(Addition::Method) => "the method at its end tells it from another operation",
            Self::Added(Addition::Number) => "the number at its end tells it from another operation",
            Self::Opaque => "it is a hash or a number",
            Self::Family => "it repeats the name of its family",
        }
    }
}

/// The operations whose name is a guess, except for those that `[rename]` names. `given` are the names of the run. Pinned names are
/// judged as others are, so that the next run suggests the same.
pub(super) fn suggest(model: &Model, config: &Config, given: &Names) -> Vec<SuggestedName> {
    let keys: BTreeMap<&str, &str> = given.operations.iter().map(|(key, name)| (name.as_str(), key.as_str())).collect();
    let mut taken: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for operation in &model.operations {
        let of_handles = || METHODS_OF_HANDLES.into_iter().map(str::to_owned).collect();
        let names = taken.entry(&*operation.family).or_insert_with(of_handles);
        names.insert(operation.name.to_string());
    }
    let mut suggested = Vec::new();
    for operation in &model.operations {
        let present = format!("{}.{}", operation.family, operation.name);
        let Some(key) = keys.get(present.as_str()).map(|key| (*key).to_owned()) else { continue };
        let doubts = doubts(operation, config.style.version);
        if doubts.is_empty() || config.rename.contains_key(&key) || writable([&key]).is_err() {
            continue;
        }
        let Some(names) = taken.get_mut(&*operation.family) else { continue };
        let mut better = candidates(operation, &doubts).into_iter().filter_map(|candidate| {
            let name = Ident::derived(&member_name(&without_patch(candidate)), member_name);
            (!is_opaque(&name) && !has_verb_of_http(&name, &operation.method)).then(|| name.to_string())
        });
        let better = better.find(|name| names.insert(name.clone()));
        let reasons: Vec<&str> = doubts.iter().map(|doubt| doubt.reason()).collect();
        suggested.push(SuggestedName {
            is_better: better.is_some(),
            name: better.unwrap_or_else(|| operation.name.to_string()),
            operation: present,
            key,
            reason: reasons.join("; "),
        });
    }
    suggested
}

fn doubts(operation: &Operation, style: StyleVersion) -> Vec<Doubt> {
    let (name, origin) = (&*operation.name, &operation.origin);
    let mut doubts = Vec::new();
    if origin.is_by_route && has_verb_of_http(name, &operation.method) {
        doubts.push(Doubt::Verb);
    }
    doubts.extend(origin.addition.map(Doubt::Added));
    if is_opaque(name) {
        doubts.push(Doubt::Opaque);
    }
    // In style 1, most names do, by its rules.
    if origin.is_by_route && style > StyleVersion::One && without_family(name, &operation.family).is_some() {
        doubts.push(Doubt::Family);
    }
    doubts
}

/// Returns whether a name begins with `post` or `patch`, by its method. The other methods say what they do.
fn has_verb_of_http(name: &str, method: &str) -> bool {
    let verb = name.split('_').next().unwrap_or_default();
    matches!(method, "POST" | "PATCH") && verb.eq_ignore_ascii_case(method)
}

/// `update_order` for `patch_order`.
fn without_patch(name: String) -> String {
    match name.strip_prefix("patch").filter(|rest| rest.is_empty() || rest.starts_with('_')) {
        Some(rest) => format!("update{rest}"),
        None => name,
    }
}

/// The name without the words of its family, if it repeats them. `search_names` does not repeat `search`, which is its verb, and
/// `get_by_product_id` has the name of a parameter.
fn without_family(name: &str, family: &str) -> Option<String> {
    let (own, parameter) = name.split_once("_by_").map_or((name, None), |(own, parameter)| (own, Some(parameter)));
    let words =
        |text: &str| -> Vec<String> { text.split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect() };
    let (own, family) = (words(own), words(family));
    let is_same = |one: &String, other: &String| singular(one) == singular(other);
    let mut parts = own.windows(family.len().max(1));
    let at = parts.position(|part| part.iter().zip(&family).all(|(one, other)| is_same(one, other)))?;
    if at == 0 || family.is_empty() {
        return None;
    }
    let mut rest: Vec<&str> = own[..at].iter().chain(&own[at + family.len()..]).map(String::as_str).collect();
    while rest.last().is_some_and(|last| is_preposition(last)) {
        rest.pop();
    }
    // `get` alone does not say what it reads.
    let is_open = rest.len() > 1 && rest.last().is_some_and(|last| asks(last));
    if is_open {
        return None;
    }
    let rest = rest.join("_");
    Some(parameter.map_or_else(|| rest.clone(), |parameter| format!("{rest}_by_{parameter}")))
}

/// Names that may be better, best first.
fn candidates(operation: &Operation, doubts: &[Doubt]) -> Vec<String> {
    let (name, has) = (&*operation.name, |doubt: Doubt| doubts.contains(&doubt));
    let mut candidates = Vec::new();
    if has(Doubt::Verb) {
        // "Changes an order" says no more than `update_order`.
        let is_update = meaning(&operation.docs) == Meaning::Updates;
        candidates.extend(is_update.then(|| name.to_owned()));
        candidates.push(name.to_owned());
    }
    if has(Doubt::Added(Addition::Method)) && operation.method == "POST" {
        let stem = name.strip_suffix("_post").unwrap_or(name);
        let (verb, rest) = stem.split_once('_').map_or((stem, ""), |(verb, rest)| (verb, rest));
        let is_reading = matches!(verb, "get" | "list");
        candidates.extend(is_reading.then(|| format!("query_{rest}").trim_end_matches('_').to_owned()));
    }
    if has(Doubt::Family) {
        candidates.extend(without_family(name, &operation.family));
    }
    let is_added = doubts.iter().any(|doubt| matches!(doubt, Doubt::Added(_)));
    if is_added || has(Doubt::Opaque) {
        let NameOrigin { route: Some((short, long)), .. } = &operation.origin else { return candidates };
        let both = if is_added { [long, short] } else { [short, long] };
        candidates.extend(both.map(Clone::clone));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::without_family;

    #[test]
    fn a_name_loses_the_words_of_its_family() {
        for (name, family, rest) in [
            ("get_order_lines", "orders", Some("get_lines")),
            ("get_movie_file_info", "movie_files", Some("get_info")),
            ("list_for_order", "orders", Some("list")),
            ("get_order_by_id", "orders", Some("get_by_id")),
            ("get_by_order_id", "orders", None),
            ("list_services_get_orders", "orders", None),
            ("search_names", "search", None),
            ("ping", "ping", None),
            ("list", "orders", None),
            ("list", "", None),
        ] {
            assert_eq!(without_family(name, family).as_deref(), rest, "{name}");
        }
    }
}
