//! Route families for a contract that nobody has sorted yet: by its tags where those have prefixes of their own, else by
//! its paths.

use std::collections::{BTreeMap, BTreeSet};

use super::families;
use super::tree::{Document, Node};
use crate::rules::admits;
use crate::walk::METHODS;
use crate::{FamilyRule, Setup, line};

/// A family for each prefix whose operations have one tag, or none. Other operations go to families by their tags.
pub(crate) fn propose(documents: &[Document], setup: &Setup) -> Vec<FamilyRule> {
    // Prefix → tags of its operations, and the word that names it.
    let mut prefixes: BTreeMap<String, (BTreeSet<String>, String)> = BTreeMap::new();
    let mut about: BTreeMap<String, String> = BTreeMap::new();
    for document in documents {
        let root = Node::root(document);
        for tag in root.get("tags").iter().flat_map(|tags| tags.items().collect::<Vec<_>>()) {
            // As the configuration has it.
            let first = line(tag.text("description").lines().next().unwrap_or_default().trim()).into_owned();
            about.insert(tag.text("name").to_owned(), first);
        }
        for (path, item) in root.get("paths").iter().flat_map(|paths| paths.members().collect::<Vec<_>>()) {
            let Some(item) = item.resolve().filter(|_| admits(&setup.config, &document.name, path)) else { continue };
            let Some((prefix, word)) = prefix(path) else { continue };
            for operation in METHODS.iter().filter_map(|method| item.get(method)) {
                let tag = operation.get("tags").and_then(|tags| tags.items().next());
                let tag = tag.and_then(|tag| tag.value.as_str()).unwrap_or_default().trim().to_owned();
                prefixes.entry(prefix.clone()).or_insert_with(|| (BTreeSet::new(), word.to_owned())).0.insert(tag);
            }
        }
    }
    let mut families: BTreeMap<String, FamilyRule> = BTreeMap::new();
    for (prefix, (tags, word)) in prefixes {
        let tag = match tags.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [""] => word,
            [only] => (*only).to_owned(),
            _ => continue,
        };
        let name = families::name(setup, &tag).to_string();
        let covers = about.get(&tag).cloned().unwrap_or_default();
        let family =
            families.entry(name.clone()).or_insert_with(|| FamilyRule { name, covers, ..FamilyRule::default() });
        family.prefixes.push(prefix);
    }
    families.into_values().collect()
}

/// The part of a path that names its subject, with the version before or after it: `/api/projects/v1` and `projects`.
fn prefix(path: &str) -> Option<(String, &str)> {
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()));
    let mut kept = String::new();
    let mut word = None;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.~".contains(letter);
        if !part.chars().all(plain) || matches!(part, "." | "..") || word.is_some() && !is_version(part) {
            break;
        }
        if word.is_none() && part != "api" && !is_version(part) {
            word = Some(part);
        }
        kept.push('/');
        kept.push_str(part);
    }
    Some((kept, word?))
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn a_prefix_names_what_a_path_is_about() {
        for (path, expected) in [
            ("/api/projects/v1/projects/{id}", Some(("/api/projects/v1", "projects"))),
            ("/api/v3/movie/{id}", Some(("/api/v3/movie", "movie"))),
            ("/api/catalog/items", Some(("/api/catalog", "catalog"))),
            ("/items", Some(("/items", "items"))),
            ("/v1/items/by({x})", Some(("/v1/items", "items"))),
            ("/api/{id}", None),
            ("/", None),
            ("/items({id})/x", None),
        ] {
            let expected = expected.map(|(prefix, word)| (prefix.to_owned(), word));
            assert_eq!(prefix(path), expected, "{path}");
        }
    }
}
