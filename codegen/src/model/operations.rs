//! Operations: found, and put into families.

use std::collections::{BTreeMap, BTreeSet};

use super::http::is_token;
use super::tree::{Document, Node};
use super::{Family, NameOrigin, Routes, families, route};
use crate::ledger::{Ledger, Loss};
use crate::naming::ident::{camel, feature_name};
use crate::rules::admits;
use crate::text::Ident;
use crate::walk::{METHODS, OTHER_OPERATIONS};
use crate::{Names, Setup};

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
    pub(super) origin: NameOrigin,
    /// Prefix for the names of types that belong to it, unique over all operations.
    pub(super) hint: String,
    /// The key of the operation in the lock: `GET /orders`. If several documents have one, only the first is plain.
    pub(super) key: String,
    pub(super) prefix: String,
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
    let configured = families::Configured::new(setup);
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
                let (family, prefix) = families::claim(setup, &configured, &template, &node, before, ledger);
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
                    origin: NameOrigin::default(),
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
    let lines: Vec<String> = operations.iter().map(line).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    lines.iter().for_each(|line| *counts.entry(line).or_default() += 1);
    for (operation, line) in operations.iter_mut().zip(&lines) {
        operation.shares = counts.get(line.as_str()).is_some_and(|count| *count > 1);
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
