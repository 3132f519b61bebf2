//! Names of operations: pinned, chosen, or the best of those that each wishes for.

use std::collections::{BTreeMap, BTreeSet};

use super::http::is_json;
use super::operations::FoundOperation;
use super::status::StatusKey;
use super::tree::Node;
use super::{Addition, NameOrigin};
use crate::naming::ident::{member_name, type_name};
use crate::naming::operation::{RouteWords, from_route, last_parameter, version};
use crate::naming::short::{Clues, is_name, with_verb_of, within_family, without_controller};
use crate::naming::{Doubles, Scope};
use crate::text::Ident;
use crate::{Config, Names, Report, StyleVersion};

/// The key of [`Names::styles`] for the names of operations.
pub(super) const OPERATIONS: &str = "operations";

/// Methods that the handle of each family has.
pub(crate) const METHODS_OF_HANDLES: [&str; 4] = ["new", "clone", "into", "from"];

/// Gives every operation its name: pinned, from its identifier, or from its method and path.
///
/// # Errors
///
/// Pinned or chosen names that two operations of a family have.
pub(super) fn name(
    operations: &mut [FoundOperation<'_>],
    config: &Config,
    pins: &Names,
) -> Result<BTreeMap<String, String>, Report> {
    let mut given = BTreeMap::new();
    let mut doubles = Doubles::default();
    let mut scopes: BTreeMap<Ident, Scope> = BTreeMap::new();
    let mut hints = Scope::default();
    let firsts: Vec<Wish> = Wish::all(operations, config.style.version);
    // Names of another style are given anew.
    let none = BTreeMap::new();
    let style = pins.styles.get(OPERATIONS).map_or("1", String::as_str);
    let pinned_names = if style == u8::from(config.style.version).to_string() { &pins.operations } else { &none };
    // Number of versions of a route with the same wished name.
    let mut versions: BTreeMap<(Ident, String), BTreeSet<Option<String>>> = BTreeMap::new();
    for (operation, first) in operations.iter().zip(&firsts) {
        let place = (operation.family.name.clone(), first.name.clone());
        versions.entry(place).or_default().insert(version(&operation.template));
    }
    let mut order: Vec<usize> = (0..operations.len()).collect();
    // Pinned names first: a newcomer never takes the name of one that was there before. Then those that somebody chose.
    order.sort_by_key(|index| {
        let key = &operations[*index].key;
        let is_chosen = config.rename.contains_key(key);
        (is_chosen || !pinned_names.contains_key(key), !is_chosen)
    });
    // Programs call a renamed operation by its pinned name: a newcomer does not take it in the same run.
    let renamed = operations.iter().filter(|operation| config.rename.contains_key(&operation.key));
    let left: Vec<(&str, &str)> =
        renamed.filter_map(|operation| pinned_names.get(&operation.key)?.split_once('.')).collect();
    for index in order {
        let operation = &mut operations[index];
        let key = operation.key.clone();
        let scope = scopes.entry(operation.family.name.clone()).or_insert_with(|| Scope::with(METHODS_OF_HANDLES));
        let pinned = pinned_names.get(&key).and_then(|pin| pin.strip_prefix(&format!("{}.", operation.family.name)));
        let chosen = config.rename.get(&key).map(String::as_str);
        if chosen.is_none() && pinned.is_none() {
            left.iter()
                .filter(|(family, _)| **family == *operation.family.name)
                .for_each(|(_, name)| _ = scope.take(name));
        }
        let first = &firsts[index];
        let is_versioned = versions
            .get(&(operation.family.name.clone(), first.name.clone()))
            .is_some_and(|versions| versions.len() > 1);
        let derived = wishes(operation, first, is_versioned);
        operation.name = match chosen.or(pinned) {
            Some(name) => {
                doubles.note("operation", &operation.family.name, &key, name, chosen.is_some());
                scope.claim([name])
            }
            None => scope.claim(derived.iter().map(String::as_str)),
        };
        operation.origin = NameOrigin {
            is_by_route: !is_named(operation, config.style.version),
            addition: addition(&operation.name, &derived),
        };
        operation.hint = match &firsts[index].typed {
            Some(typed) if chosen.is_none() => typed.clone(),
            _ => operation.name.to_string(),
        };
        given.insert(key, format!("{}.{}", operation.family.name, operation.name));
    }
    // Types are named after the operation; the family only joins where two operations have the same name.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for operation in operations.iter() {
        *counts.entry(type_name(&operation.hint)).or_default() += 1;
    }
    for operation in operations.iter_mut() {
        let short = type_name(&operation.hint);
        let long = type_name(&format!("{}_{}", operation.family.name, operation.hint));
        let wish = if counts.get(&short) == Some(&1) { short } else { long };
        operation.hint = hints.claim([wish.as_str()]).to_string();
    }
    doubles.check()?;
    Ok(given)
}

/// The best name for an operation, which others may want as well.
#[derive(Debug)]
struct Wish {
    name: String,
    /// The name that says what the operation does without its family.
    long: Option<String>,
    /// The long name with the verb of the name, if no other operation has the same: types are named after it.
    typed: Option<String>,
    /// The whole operationId, if the name is without its controller.
    whole: Option<String>,
}

impl Wish {
    /// One for each operation.
    fn all(operations: &[FoundOperation<'_>], style: StyleVersion) -> Vec<Self> {
        let changes = |method: &str| matches!(method, "GET" | "PUT" | "PATCH" | "DELETE");
        let items = operations.iter().filter(|operation| changes(&operation.method));
        let collections: BTreeSet<&str> = items
            .filter_map(|operation| operation.template.trim_end_matches('/').rsplit_once('/'))
            .filter(|(_, last)| last.starts_with('{'))
            .map(|(collection, _)| collection)
            .collect();
        let paths: BTreeSet<String> =
            operations.iter().map(|operation| unnamed(operation.template.trim_end_matches('/'))).collect();
        let places = Places { collections, paths };
        let mut wishes: Vec<Self> = operations.iter().map(|operation| Self::new(operation, style, &places)).collect();
        // The order of operations does not decide which of them is called by the short name.
        let mut counts: BTreeMap<(Ident, String), usize> = BTreeMap::new();
        for (operation, wish) in operations.iter().zip(&wishes) {
            *counts.entry((operation.family.name.clone(), wish.name.clone())).or_default() += 1;
        }
        let mut typed: BTreeMap<Option<String>, usize> = BTreeMap::new();
        wishes.iter().for_each(|wish| *typed.entry(wish.typed.clone()).or_default() += 1);
        for (operation, wish) in operations.iter().zip(&mut wishes) {
            let count = counts.get(&(operation.family.name.clone(), wish.name.clone()));
            if let Some(whole) = wish.whole.as_ref().filter(|_| count.is_some_and(|count| *count > 1)) {
                wish.name.clone_from(whole);
            }
            if typed.get(&wish.typed).is_some_and(|count| *count > 1) {
                wish.typed.clone_from(&wish.long);
            }
        }
        wishes
    }

    fn new(operation: &FoundOperation<'_>, style: StyleVersion, places: &Places<'_>) -> Self {
        if is_named(operation, style) {
            let id = operation.node.text("operationId");
            let whole = without_owner(id, operation);
            let short =
                if style == StyleVersion::One { None } else { without_controller(id, &operation.family.accessor) };
            return match short.filter(|_| whole == member_name(id)) {
                Some(name) => Self { name, long: None, typed: None, whole: Some(whole) },
                None => Self { name: whole, long: None, typed: None, whole: None },
            };
        }
        let success = success(&operation.node);
        let is_array = success.as_ref().is_some_and(|(_, schema)| schema.text("type") == "array");
        let route = RouteWords {
            method: &operation.method,
            path: &operation.template,
            prefix: &operation.prefix,
            answers_array: is_array,
            is_resource: ["get", "delete"].iter().any(|method| operation.item.get(method).is_some()),
        };
        let long = from_route(route);
        if style == StyleVersion::One {
            return Self { name: long, long: None, typed: None, whole: None };
        }
        let has_created = operation.node.get("responses").is_some_and(|responses| responses.get("201").is_some());
        let clues = Clues {
            family: &operation.family.accessor,
            prose: [operation.node.text("summary"), operation.node.text("description")]
                .into_iter()
                .find(|text| !text.trim().is_empty())
                .unwrap_or_default(),
            creates: has_created,
            has_items: places.collections.contains(operation.template.trim_end_matches('/')),
            is_item: operation
                .template
                .trim_end_matches('/')
                .rsplit_once('/')
                .is_some_and(|(parent, _)| places.paths.contains(&unnamed(parent))),
        };
        let route =
            RouteWords { answers_array: is_array || success.is_some_and(|(_, schema)| is_page(&schema)), ..route };
        let name = within_family(route, clues);
        Self { typed: Some(with_verb_of(&name, &long)), long: Some(long), name, whole: None }
    }
}

/// Returns whether the operationId names an operation.
fn is_named(operation: &FoundOperation<'_>, style: StyleVersion) -> bool {
    let id = operation.node.text("operationId");
    match style {
        StyleVersion::One => !id.trim().is_empty(),
        StyleVersion::Two => is_name(id),
    }
}

/// The part of a name, pinned or not, that only tells it from another one. The last wish ends with the method.
fn addition(name: &str, wishes: &[String]) -> Option<Addition> {
    let (last, others) = wishes.split_last()?;
    let ident = |wish: &String| Ident::derived(wish, member_name);
    if others.iter().any(|wish| *ident(wish) == *name) {
        return None;
    }
    let with_method = ident(last);
    if *with_method == *name {
        return Some(Addition::Method);
    }
    let (stem, number) = name.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && stem == with_method.trim_end_matches('_')).then_some(Addition::Number)
}

/// The paths of a contract.
#[derive(Debug)]
struct Places<'a> {
    /// Those whose items can be read, changed or deleted.
    collections: BTreeSet<&'a str>,
    /// Without the names of their parameters.
    paths: BTreeSet<String>,
}

/// `/orders/{id}/lines` → `/orders/{}/lines`
fn unnamed(path: &str) -> String {
    let segments: Vec<&str> =
        path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment }).collect();
    segments.join("/")
}

/// Names for an operation, best first.
fn wishes(operation: &FoundOperation<'_>, first: &Wish, is_versioned: bool) -> Vec<String> {
    let stem = first.name.trim_end_matches('_');
    let version = version(&operation.template).filter(|_| is_versioned);
    let mut wishes = vec![first.name.clone()];
    wishes.extend(first.whole.clone());
    wishes.extend(version.map(|version| format!("{stem}_{version}")));
    wishes.extend(last_parameter(&operation.template).map(|parameter| format!("{stem}_by_{parameter}")));
    wishes.extend(first.long.clone());
    wishes.push(format!("{stem}_{}", operation.method.to_lowercase()));
    wishes
}

/// `Projects_List` in the family `projects` reads `list`.
fn without_owner(id: &str, operation: &FoundOperation<'_>) -> String {
    let tag = operation.node.get("tags").and_then(|tags| tags.items().next()).and_then(|tag| tag.value.as_str());
    if let Some((owner, rest)) = id.split_once(['_', '/', '.']) {
        let owner = member_name(owner);
        let owned = *owner == *operation.family.name || tag.is_some_and(|tag| member_name(tag) == owner);
        if owned && rest.chars().any(char::is_alphabetic) {
            return member_name(rest);
        }
    }
    member_name(id)
}

/// The first success response with a JSON body, and its schema. Names need the answer before there are types.
fn success<'a>(operation: &Node<'a>) -> Option<(String, Node<'a>)> {
    let responses = operation.get("responses")?;
    let is_success = |status: &str| StatusKey::read(status).is_some_and(StatusKey::is_success);
    let (status, success) = responses.members().find(|(status, _)| is_success(status))?;
    let content = success.resolve()?.get("content")?;
    let (_, media) = content.members().find(|(name, _)| is_json(name))?;
    Some((status.to_owned(), media.get("schema")?.resolve()?))
}

/// Returns whether a schema is a page: an object with one list, and a number beside it.
fn is_page(schema: &Node<'_>) -> bool {
    let members: Vec<String> = schema
        .get("properties")
        .iter()
        .flat_map(|members| members.members().collect::<Vec<_>>())
        .filter_map(|(_, member)| Some(member.resolve()?.text("type").to_owned()))
        .collect();
    members.iter().filter(|kind| *kind == "array").count() == 1 && members.iter().any(|kind| kind == "integer")
}
