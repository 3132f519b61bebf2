//! The schemas that describe objects.

use std::collections::HashMap;

use serde_json::Value;

use super::tree::Node;

/// The answers that are known. Each schema is looked at once, whatever refers to it and however often.
///
/// A schema that is made of nothing but itself counts as an object: the answer is the greatest one that the keywords
/// allow. So all that a schema is composed of is collected first, every schema counts as an object, and those that are
/// none take the others with them.
#[derive(Debug, Default)]
pub(super) struct ObjectLike {
    /// By the place of the schema in memory, which no reference can spell in two ways.
    known: HashMap<*const Value, bool>,
}

/// A schema whose answer depends on others.
#[derive(Debug)]
struct Open<'a> {
    value: &'a Value,
    /// Per keyword: whether all of its parts may still be objects.
    groups: [Group; KEYWORDS.len()],
}

const KEYWORDS: [&str; 3] = ["allOf", "oneOf", "anyOf"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Absent,
    Holds,
    Fails,
}

impl ObjectLike {
    /// Returns whether a schema describes an object.
    pub(super) fn is_object(&mut self, node: &Node<'_>) -> bool {
        let Some(node) = node.resolve() else { return false };
        if let Some(known) = self.known.get(&std::ptr::from_ref(node.value)) {
            return *known;
        }
        let place = std::ptr::from_ref(node.value);
        self.settle(node);
        self.known.get(&place).copied().unwrap_or_default()
    }

    /// Finds the answers of a schema and of all that it is composed of.
    fn settle<'a>(&mut self, start: Node<'a>) {
        let mut open: Vec<Open<'a>> = Vec::new();
        // Part → the schemas that hold it, each with the keyword.
        let mut holders: HashMap<*const Value, Vec<(usize, usize)>> = HashMap::new();
        let mut failed: Vec<*const Value> = Vec::new();
        let mut queue = vec![start];
        while let Some(node) = queue.pop() {
            let place = std::ptr::from_ref(node.value);
            if self.known.contains_key(&place) {
                continue;
            }
            if let Some(known) = by_itself(&node) {
                self.known.insert(place, known);
                if !known {
                    failed.push(place);
                }
                continue;
            }
            // Until something speaks against it.
            self.known.insert(place, true);
            let mut groups = [Group::Absent; KEYWORDS.len()];
            for (group, keyword) in KEYWORDS.iter().enumerate() {
                let conditions = *keyword == "allOf";
                let says = |part: &Node<'_>| !(is_empty(part) || conditions && is_neutral(part));
                for part in node.get(keyword).iter().flat_map(Node::items).filter(says) {
                    if groups[group] == Group::Absent {
                        groups[group] = Group::Holds;
                    }
                    let Some(target) = part.resolve() else {
                        groups[group] = Group::Fails;
                        continue;
                    };
                    let part = std::ptr::from_ref(target.value);
                    match self.known.get(&part) {
                        Some(false) => groups[group] = Group::Fails,
                        Some(true) => holders.entry(part).or_default().push((open.len(), group)),
                        None => {
                            holders.entry(part).or_default().push((open.len(), group));
                            queue.push(target);
                        }
                    }
                }
            }
            if !groups.contains(&Group::Holds) {
                self.known.insert(place, false);
                failed.push(place);
            }
            open.push(Open { value: node.value, groups });
        }
        while let Some(part) = failed.pop() {
            for (holder, group) in holders.remove(&part).unwrap_or_default() {
                let Some(holder) = open.get_mut(holder) else { continue };
                holder.groups[group] = Group::Fails;
                let place = std::ptr::from_ref(holder.value);
                if !holder.groups.contains(&Group::Holds) && self.known.insert(place, false) == Some(true) {
                    failed.push(place);
                }
            }
        }
    }
}

/// Decides by the schema without its parts; `None` if they decide.
fn by_itself(node: &Node<'_>) -> Option<bool> {
    let has = |keyword: &str| node.value.get(keyword).is_some();
    match node.text("type") {
        "object" => Some(true),
        "" if has("properties") => Some(true),
        "" => None,
        _ => Some(false),
    }
}

/// Returns whether a schema leaves the type of a value open: it has only annotations, or conditions for values of one
/// type.
pub(super) fn is_neutral(node: &Node<'_>) -> bool {
    let typing = ["$ref", "type", "allOf", "oneOf", "anyOf", "enum", "properties", "not"];
    node.object().is_some_and(|schema| !typing.iter().any(|keyword| schema.contains_key(*keyword)))
}

/// Only words about the schema.
pub(super) fn is_empty(node: &Node<'_>) -> bool {
    let about = ["description", "title", "nullable", "example", "default", "deprecated", "readOnly", "writeOnly"];
    node.object().is_some_and(|schema| schema.keys().all(|key| about.contains(&key.as_str()) || key.starts_with("x-")))
}
