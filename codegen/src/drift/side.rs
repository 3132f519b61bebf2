//! One of the two contracts: its outline, and the operations in it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Dialect;
use crate::model::{Document, Node, servers};
use crate::walk::METHODS;

/// A contract that is compared.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) document: Document,
    /// The document as it was published, if the outline differs from it.
    pub(super) published: Option<Value>,
    pub(super) dialect: Dialect,
}

impl Side {
    /// Reports whether members beside `$ref` count.
    pub(super) fn siblings(&self) -> bool {
        matches!(self.dialect, Dialect::OpenApi31 | Dialect::OpenApi32)
    }

    pub(super) fn root(&self) -> Node<'_> {
        Node::root(&self.document)
    }

    /// The document as it was published.
    pub(super) fn published(&self) -> &Value {
        self.published.as_ref().unwrap_or(&self.document.tree)
    }

    /// A place in the document as it was published.
    pub(super) fn source(&self, pointer: &str) -> String {
        self.document.origins.place(pointer, &self.document.published)
    }
}

/// An operation of one side.
#[derive(Clone, Debug)]
pub(super) struct Operation<'a> {
    /// Upper case.
    pub(super) method: String,
    pub(super) path: String,
    pub(super) node: Node<'a>,
    /// The path item that it stands in.
    pub(super) item: Node<'a>,
    /// `true` if the service calls the client.
    pub(super) webhook: bool,
    /// The path of the address that it is called at.
    pub(super) base: String,
}

impl<'a> Operation<'a> {
    /// As people name it.
    pub(super) fn key(&self) -> String {
        if self.webhook {
            format!("webhook {} {}", self.path, self.method)
        } else {
            format!("{} {}", self.method, self.path)
        }
    }

    /// The path, with placeholders by position.
    pub(super) fn positional(&self) -> String {
        segments(&self.path).map(|segment| placeholders(segment).0).collect::<Vec<_>>().join("/")
    }

    /// The same, with the path of the address in front.
    pub(super) fn full(&self) -> String {
        format!("{}/{}", self.base, self.positional())
    }

    /// The names of the placeholders of the path, in order.
    pub(super) fn placeholders(&self) -> Vec<String> {
        segments(&self.path).flat_map(|segment| placeholders(segment).1).collect()
    }

    /// The parameters, by place and name; those of the path by their position.
    pub(super) fn parameters(&self) -> BTreeMap<(String, String), Node<'a>> {
        let placeholders = self.placeholders();
        let mut all = BTreeMap::new();
        for holder in [&self.item, &self.node] {
            let list = holder.get("parameters");
            for parameter in list.iter().flat_map(|list| list.items().collect::<Vec<_>>()) {
                let parameter = parameter.resolve().unwrap_or(parameter);
                let (place, name) = (parameter.text("in").to_owned(), parameter.text("name"));
                // Routes of ASP.NET match the names of their parameters in either case, and so do the contracts that it writes.
                let exact = placeholders.iter().position(|placeholder| placeholder == name);
                let either = || placeholders.iter().position(|placeholder| placeholder.eq_ignore_ascii_case(name));
                let name = match exact.or_else(either) {
                    Some(position) if place == "path" => format!("{position:03}"),
                    _ if place == "header" => name.to_lowercase(),
                    _ => name.to_owned(),
                };
                all.insert((place, name), parameter);
            }
        }
        all
    }
}

pub(super) fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.trim_matches('/').split('/')
}

/// A segment without the names of its placeholders, and these names.
fn placeholders(segment: &str) -> (String, Vec<String>) {
    let (mut plain, mut names, mut rest) = (String::new(), Vec::new(), segment);
    while let Some((before, tail)) = rest.split_once('{') {
        let Some((name, tail)) = tail.split_once('}') else { break };
        plain.push_str(before);
        plain.push_str("{}");
        names.push(name.to_owned());
        rest = tail;
    }
    plain.push_str(rest);
    (plain, names)
}

/// The path of the address that a document, a path or an operation names first.
fn base(holder: &Node<'_>) -> Option<String> {
    Some(split(servers(holder).first()?).1.trim_matches('/').to_owned())
}

/// The host of an address, and its path.
pub(super) fn split(address: &str) -> (&str, &str) {
    let bare = address.split(['?', '#']).next().unwrap_or_default();
    match bare.find("//") {
        Some(start) => bare.split_at(bare[start + 2..].find('/').map_or(bare.len(), |end| start + 2 + end)),
        None => ("", bare),
    }
}

/// All operations of a side, in the order of their paths.
pub(super) fn operations(side: &Side) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (key, webhook) in [("paths", false), ("webhooks", true)] {
        let Some(paths) = side.root().get(key) else { continue };
        let of_document = base(&side.root()).filter(|_| !webhook).unwrap_or_default();
        for (path, item) in paths.members().filter(|(path, _)| !path.starts_with("x-")) {
            let item = item.resolve().unwrap_or(item);
            let of_item = base(&item).unwrap_or_else(|| of_document.clone());
            let named = METHODS.iter().chain(&["query"]).filter_map(|method| Some((*method, item.get(method)?)));
            let more = item.get("additionalOperations");
            let more = more.iter().flat_map(|more| more.members().collect::<Vec<_>>());
            for (method, node) in named.chain(more).filter(|(_, node)| node.value.is_object()) {
                let base = base(&node).unwrap_or_else(|| of_item.clone());
                operations.push(Operation {
                    base,
                    method: method.to_uppercase(),
                    path: path.to_owned(),
                    node,
                    item: item.clone(),
                    webhook,
                });
            }
        }
    }
    operations
}
