//! `allOf`, merged into one object.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::budget;
use super::schemas::Types;
use super::tree::Node;
use crate::ledger::Loss;

/// The declarations of a member.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations<'a> {
    pub(super) together: Vec<Node<'a>>,
    pub(super) apart: Vec<Node<'a>>,
}

impl<'a> Declarations<'a> {
    fn add(&mut self, node: &Node<'a>, binding: bool) {
        if binding { &mut self.together } else { &mut self.apart }.push(node.clone());
    }
}

/// An object with everything that its schema and the schemas it is composed of declare.
#[derive(Debug, Default)]
pub(super) struct Flat<'a> {
    pub(super) properties: BTreeMap<&'a str, Node<'a>>,
    /// Members that more than one part declares: in parts that all hold, and in alternatives.
    pub(super) repeated: BTreeMap<&'a str, Declarations<'a>>,
    pub(super) required: BTreeSet<&'a str>,
    /// Schema of the members that are not declared, where one says so.
    pub(super) additional: Option<Node<'a>>,
    visited: HashSet<*const serde_json::Value>,
}

impl<'a> Types<'a> {
    /// Merges a schema and all that it is composed of. Circles are cut where they close.
    pub(super) fn flatten(&mut self, node: &Node<'a>) -> Flat<'a> {
        let mut flat = Flat::default();
        self.merge(node, &mut flat, true, 0);
        flat.repeated.retain(|_, declarations| declarations.together.len() + declarations.apart.len() > 1);
        flat
    }

    fn merge(&mut self, node: &Node<'a>, flat: &mut Flat<'a>, binding: bool, depth: usize) {
        if !flat.visited.insert(std::ptr::from_ref(node.value)) {
            return;
        }
        let own = node.value.get("properties").and_then(serde_json::Value::as_object).map_or(0, serde_json::Map::len);
        // An object's own members are free: the budget is for merged ones.
        if depth > 0 && !self.budget.merge(own) {
            self.lose(node, "left out of the objects that are composed of it", budget::spent());
            return;
        }
        if depth > budget::PARTS {
            let cause = format!("a part of a part, more than {} deep", budget::PARTS);
            self.lose(node, "left out of the object", cause);
            return;
        }
        if node.value.get("$ref").is_some() {
            match node.resolve() {
                Some(target) => self.merge(&target, flat, binding, depth),
                None => {
                    self.lose(node, "left out of the object", node.unresolved());
                }
            }
            return;
        }
        for member in node.get("allOf").iter().flat_map(Node::items) {
            self.merge(&member, flat, binding, depth + 1);
        }
        // Alternatives within an object: each of their members may be there.
        for keyword in ["oneOf", "anyOf"] {
            let branches: Vec<Node<'a>> = node.get(keyword).iter().flat_map(Node::items).collect();
            if !branches.is_empty()
                && !self.subtypes.is_base(node)
                && (node.value.get("properties").is_some() || !binding || flat.visited.len() > 1)
            {
                let what =
                    format!("the alternatives of `{keyword}` are merged into one object, their members optional");
                node.note(
                    self.ledger,
                    "model/flatten",
                    what,
                    Loss::Documentation("the alternatives that exclude each other".to_owned()),
                );
                for branch in branches {
                    self.merge(&branch, flat, false, depth + 1);
                }
            }
        }
        for (name, property) in node.get("properties").iter().flat_map(Node::members) {
            match flat.properties.get(name) {
                // A repetition that only adds a description does not hide the type.
                Some(_) if says_nothing(&property) => {}
                _ => {
                    flat.repeated.entry(name).or_default().add(&property, binding);
                    flat.properties.insert(name, property);
                }
            }
        }
        if binding {
            let names = node.value.get("required").and_then(serde_json::Value::as_array).into_iter().flatten();
            flat.required.extend(names.filter_map(serde_json::Value::as_str));
        }
        if let Some(additional) = node.get("additionalProperties")
            && (additional.value.is_object() || additional.value == &serde_json::Value::Bool(true))
        {
            flat.additional = Some(additional);
        }
    }
}

/// Returns whether a schema leaves the type open.
fn says_nothing(node: &Node<'_>) -> bool {
    let typing =
        ["$ref", "type", "allOf", "oneOf", "anyOf", "enum", "properties", "items", "additionalProperties", "format"];
    !typing.iter().any(|keyword| node.value.get(keyword).is_some())
}
