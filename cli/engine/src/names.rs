//! Names at the shell: of families, operations and flags.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToKebabCase as _;

/// A name in the words of a shell: `list_projects` and `listProjects` become `list-projects`.
pub(crate) fn kebab(name: &str) -> String {
    let ascii = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name = name.trim_start_matches("r#").chars().map(ascii).collect::<String>().to_kebab_case();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// The name, with a suffix if another has it; the name is taken then.
pub(crate) fn unique(name: String, suffix: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = name;
    while !taken.insert(name.clone()) {
        name.push_str(suffix);
    }
    name
}

/// The commands of a family's operations, by name: without the words of the family, as `list` for `list_projects` in `projects`.
/// Operations that would have one command keep their whole names. Whole names always work, too: they stay when a short one changes.
pub(crate) fn operations<'n>(family: &str, names: &[&'n str]) -> Vec<(&'n str, String)> {
    let short: Vec<String> = names.iter().map(|name| short(family, name)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let whole: BTreeSet<String> = names.iter().map(|name| kebab(name)).collect();
    for name in &short {
        *counts.entry(name).or_default() += 1;
    }
    let is_free = |short: &str, whole_name: &str| {
        counts.get(short) == Some(&1) && (short == whole_name || !whole.contains(short))
    };
    let chosen = names.iter().zip(&short).map(|(name, short)| {
        let whole_name = kebab(name);
        (*name, if is_free(short, &whole_name) { short.clone() } else { whole_name })
    });
    let mut taken = BTreeSet::new();
    chosen.map(|(name, command)| (name, unique(command, "-2", &mut taken))).collect()
}

fn short(family: &str, name: &str) -> String {
    let (family, name) = (kebab(family), kebab(name));
    let Some((verb, rest)) = name.split_once('-') else { return name };
    let rest: Vec<&str> = rest.split('-').collect();
    let family: Vec<&str> = family.split('-').collect();
    let is_same = |one: &str, other: &str| {
        let single = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
        one == other || single(one) == single(other)
    };
    let begins =
        rest.len() >= family.len() && rest.iter().zip(&family).all(|(word, of_family)| is_same(word, of_family));
    let left = if begins { &rest[family.len()..] } else { &rest[..] };
    match left.is_empty() {
        true => verb.to_owned(),
        false => format!("{verb}-{}", left.join("-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_family_are_left_out() {
        let names = ["create_project", "get_project", "list_projects", "list_project_components", "archive"];
        let commands: Vec<String> = operations("projects", &names).into_iter().map(|(_, command)| command).collect();
        assert_eq!(commands, ["create", "get", "list", "list-components", "archive"]);
        let names = ["start_virtual_machine", "get_virtual_machine_log"];
        let commands: Vec<String> =
            operations("virtual_machines", &names).into_iter().map(|(_, command)| command).collect();
        assert_eq!(commands, ["start", "get-log"]);
    }

    #[test]
    fn two_operations_with_one_command_keep_their_whole_names() {
        let names = ["get_project", "get_projects", "get"];
        let commands: Vec<String> = operations("projects", &names).into_iter().map(|(_, command)| command).collect();
        assert_eq!(commands, ["get-project", "get-projects", "get"]);
    }

    #[test]
    fn any_name_is_a_word() {
        for (name, word) in [
            ("type_", "type"),
            ("r#match", "match"),
            ("__", "unnamed"),
            ("X-Api_Key", "x-api-key"),
            ("teamId", "team-id"),
        ] {
            assert_eq!(kebab(name), word);
        }
    }
}
