//! Components that no operation uses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::{Change, Log, label};
use super::rule::Rule;
use super::side::{Operation, Side};
use crate::model::Node;

/// The components that operations reach.
pub(super) fn components<'o, 'a: 'o>(operations: impl Iterator<Item = &'o Operation<'a>>) -> BTreeSet<String> {
    let mut open: Vec<Node<'a>> =
        operations.flat_map(|operation| [operation.node.clone(), operation.item.clone()]).collect();
    let mut reached = BTreeSet::new();
    while let Some(node) = open.pop() {
        let target = node.value.get("$ref").and_then(Value::as_str).and_then(|target| node.target(target));
        open.extend(target.filter(|target| reached.insert(target.pointer.clone())));
        open.extend(node.members().map(|(_, child)| child));
        open.extend(node.items());
    }
    reached
}

/// Tells of components that came, went or changed without an operation that would show it, and gives the schemas on both
/// sides that are still to be compared. `lonely`: what only operations without a counterpart use.
pub(super) fn compare<'a>(
    sides: [&'a Side; 2],
    lonely: &[BTreeSet<String>; 2],
    log: &mut Log,
) -> Vec<(Node<'a>, Node<'a>)> {
    let mut unreached = Vec::new();
    for side in [0, 1] {
        for (kind, node) in all(sides[side]) {
            let is_schema = kind == "schemas";
            let place = &node.pointer;
            let counterpart = at(sides[1 - side], place);
            let used = [is_used(log, side, place), is_used(log, 1 - side, place)];
            match counterpart {
                // It came or went with the operations that use it.
                None if !used[0] && lonely[side].contains(place) => log.quiet.push((side == 0, place.clone())),
                None if !used[0] => {
                    let rule = match (is_schema, side) {
                        (true, 0) => Rule::SchemaRemoved,
                        (true, _) => Rule::SchemaAdded,
                        (false, _) => Rule::UnusedChanged,
                    };
                    let (before, after) = if side == 0 { (Some(&node), None) } else { (None, Some(&node)) };
                    log.push(Change::new(rule, label(place), before, after));
                }
                Some(other) if side == 0 && !(used[0] && used[1]) && node.value != other.value => {
                    if is_schema {
                        unreached.push((node, other));
                    } else {
                        log.push(Change::new(Rule::UnusedChanged, label(place), Some(&node), Some(&other)));
                    }
                }
                _ => {}
            }
        }
    }
    unreached
}

/// All components but those that are compared by themselves, or are documentation.
fn all(side: &Side) -> Vec<(&str, Node<'_>)> {
    let components = side.root().get("components");
    let kinds = components.iter().flat_map(|node| node.members().collect::<Vec<_>>()).collect::<Vec<_>>();
    let told = |kind: &str| matches!(kind, "securitySchemes" | "examples") || kind.starts_with("x-");
    let kinds = kinds.into_iter().filter(|(kind, _)| !told(kind));
    kinds.flat_map(|(kind, node)| node.members().map(|(_, child)| (kind, child)).collect::<Vec<_>>()).collect()
}

fn at<'a>(side: &'a Side, pointer: &str) -> Option<Node<'a>> {
    let value = side.document.tree.pointer(pointer)?;
    Some(Node { document: &side.document, pointer: pointer.to_owned(), value })
}

fn is_used(log: &Log, side: usize, place: &str) -> bool {
    let map = if side == 0 { &log.forward } else { &log.backward };
    map.contains_key(place) || log.judged[side].contains(place)
}
