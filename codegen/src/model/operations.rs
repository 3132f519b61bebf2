//! Operations: found, put into families, named.

use std::collections::{BTreeMap, BTreeSet};

use super::http::{is_json, is_token};
use super::status::StatusKey;
use super::tree::{Document, Node};
use super::{Family, Routes, families, route};
use crate::ledger::{Ledger, Loss};
use crate::naming::ident::{camel, feature_name, member_name, type_name};
use crate::naming::operation::{RouteWords, from_route, last_parameter, version};
use crate::naming::{Doubles, Scope};
use crate::rules::admits;
use crate::text::Ident;
use crate::walk::{METHODS, OTHER_OPERATIONS};
use crate::{Config, Names, Report, Setup};

/// An operation that has its family and name, and is not interpreted yet.
#[derive(Debug)]
pub(super) struct FoundOperation<'a> {
    pub(super) node: Node<'a>,
    pub(super) item: Node<'a>,
    pub(super) method: String,
    pub(super) template: String,
    pub(super) route: route::Route,
    /// `true` if another operation has the same method, path and fixed query.
    pub(super) shares: bool,
    pub(super) family: Family,
    pub(super) name: Ident,
    /// Prefix for the names of types that belong to it, unique over all operations.
    pub(super) hint: String,
    /// The key of the operation in the lock: `GET /orders`. If several documents have one, only the first is plain.
    pub(super) key: String,
    prefix: String,
}

/// All operations that the configuration admits and that can be sent, and the number of all.
pub(super) fn find<'a>(
    documents: &'a [Document],
    setup: &Setup,
    pins: &Names,
    ledger: &mut Ledger,
) -> (Vec<FoundOperation<'a>>, Routes) {
    let mut operations: Vec<FoundOperation<'a>> = Vec::new();
    let mut routes = Routes::default();
    let mut keys = BTreeSet::new();
    let mut owners = BTreeMap::new();
    let mut places: BTreeMap<(Option<String>, String), &str> = BTreeMap::new();
    for document in documents {
        routes.documents.insert(document.name.clone());
        let root = Node::root(document);
        for (written, item) in root.get("paths").iter().flat_map(|paths| paths.members().collect::<Vec<_>>()) {
            if written.starts_with("x-") {
                continue;
            }
            let template = if written.starts_with('/') { written.to_owned() } else { format!("/{written}") };
            let is_admitted = admits(&setup.config, &document.name, &template);
            if is_admitted && template != written {
                item.note(ledger, "model/path", format!("read as `{template}`"), Loss::Nothing);
            }
            let Some(item) = item.resolve() else {
                if is_admitted {
                    let cause = "its `$ref` does not resolve in this document".to_owned();
                    item.note(ledger, "model/path", "the path is left out", Loss::Degraded(cause));
                }
                continue;
            };
            let other = item.get(OTHER_OPERATIONS);
            let others = other.iter().flat_map(|others| others.members().collect::<Vec<_>>());
            let known = METHODS.iter().filter_map(|method| item.get(method).map(|node| (*method, node)));
            for (method, node) in known.chain(others).filter(|(_, node)| node.value.is_object()) {
                routes.templates.insert((document.name.clone(), template.clone()));
                if !is_admitted {
                    continue;
                }
                routes.admitted += 1;
                let mut route = route::Route::read(&template);
                if !is_method(method) {
                    route.refusal = Some("HTTP cannot send its method".to_owned());
                }
                if let Some(cause) = route.refusal {
                    node.note(ledger, "model/path", "the operation is left out", Loss::Degraded(cause));
                    continue;
                }
                let server = setup.config.server_of(&document.name);
                let method = if METHODS.contains(&method) { method.to_uppercase() } else { method.to_owned() };
                let mut key = format!("{method} {template}");
                let is_shared = server.is_some() || !keys.insert(key.clone());
                // An operation of another server is another one, whatever its path.
                let place = (server.map(str::to_owned), key.clone());
                if let Some(other) = places.insert(place, &document.name).filter(|other| *other != document.name) {
                    let what = format!("the document `{other}` has `{key}` as well");
                    node.note(ledger, "model/path", what, Loss::Nothing);
                }
                if is_shared {
                    key = format!("{key} of {}", document.name);
                    keys.insert(key.clone());
                }
                let before = pins.operations.get(&key).and_then(|pin| Some(pin.split_once('.')?.0));
                let (family, prefix) = families::claim(setup, &template, &node, before, ledger);
                let family = told_apart(&mut owners, family);
                routes.families.insert((family.server.clone(), family.accessor.to_string()));
                routes.prefixes.insert((family.server.clone(), prefix.to_owned()));
                let (template, prefix) = (template.clone(), prefix.to_owned());
                let (name, hint) = (Ident::fixed("unnamed"), String::new());
                operations.push(FoundOperation {
                    node,
                    item: item.clone(),
                    method,
                    template,
                    route,
                    shares: false,
                    family,
                    name,
                    hint,
                    key,
                    prefix,
                });
            }
        }
    }
    share(&mut operations, ledger);
    (operations, routes)
}

/// The family, under a name that no family of another server has. `owners`: name → server.
fn told_apart(owners: &mut BTreeMap<Ident, Option<String>>, mut family: Family) -> Family {
    let wish = family.name.clone();
    for number in 2.. {
        let owner = owners.entry(family.name.clone()).or_insert_with(|| family.server.clone());
        if *owner == family.server {
            break;
        }
        family.name = wish.numbered(number);
        family.handle = Ident::derived(&camel(&family.name), camel);
        family.feature = feature_name(&family.name);
    }
    family
}

/// Marks operations whose requests begin alike, and records dropped fragments.
fn share(operations: &mut [FoundOperation<'_>], ledger: &mut Ledger) {
    let line = |operation: &FoundOperation<'_>| {
        let query: Vec<&str> = operation.route.fixed.iter().map(|pair| pair.text.as_str()).collect();
        let path = route::anonymous(&operation.route.path);
        format!("{} {} {path}?{}", operation.node.document.name, operation.method, query.join("&"))
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for operation in operations.iter() {
        *counts.entry(line(operation)).or_default() += 1;
    }
    for operation in operations {
        operation.shares = counts.get(&line(operation)).is_some_and(|count| *count > 1);
        if let Some(fragment) = &operation.route.fragment {
            let others = if operation.shares { ", as other operations are" } else { "" };
            let what = format!(
                "`#{}` does not belong to a request: sent as `{} {}`{others}",
                fragment.escape_debug(),
                operation.method,
                operation.route.path
            );
            operation.node.note(ledger, "model/path", what, Loss::Nothing);
        }
    }
}

/// Returns whether a text is a method that a client can send (RFC 9110, section 9.1). `CONNECT` asks for a tunnel.
fn is_method(text: &str) -> bool {
    is_token(text) && !text.eq_ignore_ascii_case("connect")
}

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
    let firsts: Vec<String> = operations.iter().map(first_wish).collect();
    // Number of versions of a route with the same wished name.
    let mut versions: BTreeMap<(Ident, String), BTreeSet<Option<String>>> = BTreeMap::new();
    for (operation, first) in operations.iter().zip(&firsts) {
        let place = (operation.family.name.clone(), first.clone());
        versions.entry(place).or_default().insert(version(&operation.template));
    }
    let mut order: Vec<usize> = (0..operations.len()).collect();
    // Pinned names first: a newcomer never takes the name of one that was there before. Then those that somebody chose.
    order.sort_by_key(|index| {
        let key = &operations[*index].key;
        let is_chosen = config.rename.contains_key(key);
        (is_chosen || !pins.operations.contains_key(key), !is_chosen)
    });
    // Programs call a renamed operation by its pinned name: a newcomer does not take it in the same run.
    let renamed = operations.iter().filter(|operation| config.rename.contains_key(&operation.key));
    let left: Vec<(&str, &str)> =
        renamed.filter_map(|operation| pins.operations.get(&operation.key)?.split_once('.')).collect();
    for index in order {
        let operation = &mut operations[index];
        let key = operation.key.clone();
        let scope = scopes
            .entry(operation.family.name.clone())
            .or_insert_with(|| Scope::with(["new", "clone", "into", "from"]));
        let pinned = pins.operations.get(&key).and_then(|pin| pin.strip_prefix(&format!("{}.", operation.family.name)));
        let chosen = config.rename.get(&key).map(String::as_str);
        if chosen.is_none() && pinned.is_none() {
            left.iter()
                .filter(|(family, _)| **family == *operation.family.name)
                .for_each(|(_, name)| _ = scope.take(name));
        }
        let wishes: Vec<String> = match chosen.or(pinned) {
            Some(name) => {
                doubles.note("operation", &operation.family.name, &key, name, chosen.is_some());
                vec![name.to_owned()]
            }
            None => {
                let first = &firsts[index];
                let is_versioned = versions
                    .get(&(operation.family.name.clone(), first.clone()))
                    .is_some_and(|versions| versions.len() > 1);
                wishes(operation, first, is_versioned)
            }
        };
        operation.name = scope.claim(wishes.iter().map(String::as_str));
        given.insert(key, format!("{}.{}", operation.family.name, operation.name));
    }
    // Types are named after the operation; the family only joins where two operations have the same name.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for operation in operations.iter() {
        *counts.entry(type_name(&operation.name)).or_default() += 1;
    }
    for operation in operations.iter_mut() {
        let short = type_name(&operation.name);
        let long = type_name(&format!("{}_{}", operation.family.name, operation.name));
        let wish = if counts.get(&short) == Some(&1) { short } else { long };
        operation.hint = hints.claim([wish.as_str()]).to_string();
    }
    doubles.check()?;
    Ok(given)
}

/// The best name for an operation, which others may want as well.
fn first_wish(operation: &FoundOperation<'_>) -> String {
    let id = operation.node.text("operationId");
    if id.trim().is_empty() {
        from_route(RouteWords {
            method: &operation.method,
            path: &operation.template,
            prefix: &operation.prefix,
            answers_array: answers_array(&operation.node),
            is_resource: ["get", "delete"].iter().any(|method| operation.item.get(method).is_some()),
        })
    } else {
        without_owner(id, operation)
    }
}

/// Names for an operation, best first.
fn wishes(operation: &FoundOperation<'_>, first: &str, is_versioned: bool) -> Vec<String> {
    let stem = first.trim_end_matches('_');
    let version = version(&operation.template).filter(|_| is_versioned);
    let mut wishes = vec![first.to_owned()];
    wishes.extend(version.map(|version| format!("{stem}_{version}")));
    wishes.extend(last_parameter(&operation.template).map(|parameter| format!("{stem}_by_{parameter}")));
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

/// Returns whether the first success response is a JSON array. Names need the answer before there are types.
fn answers_array(operation: &Node<'_>) -> bool {
    let responses = operation.get("responses");
    let first = responses.iter().flat_map(|responses| responses.members().collect::<Vec<_>>());
    let is_success = |status: &str| StatusKey::read(status).is_some_and(StatusKey::is_success);
    let success = first.into_iter().find(|(status, _)| is_success(status)).and_then(|(_, node)| node.resolve());
    let content = success.and_then(|response| response.get("content"));
    let media = content.as_ref().and_then(|content| content.members().find(|(name, _)| is_json(name)));
    let schema = media.and_then(|(_, media)| media.get("schema")).and_then(|schema| schema.resolve());
    schema.is_some_and(|schema| schema.text("type") == "array")
}
