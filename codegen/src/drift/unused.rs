//! Components that came, went or changed: with their users, or unused.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::{Change, Log, label};
use super::rule::Rule;
use super::side::{Operation, Side};
use super::sides::{Sides, When};
use crate::model::Node;

/// The components that operations reach.
pub(super) fn components<'o, 'a: 'o>(operations: impl Iterator<Item = &'o Operation<'a>>) -> BTreeSet<String> {
    let mut open: Vec<Node<'a>> =
        operations.flat_map(|operation| [operation.node.clone(), operation.item.clone()]).collect();
    let mut reached = BTreeSet::new();
    while let Some(node) = open.pop() {
        open.extend(target(&node).filter(|target| reached.insert(target.pointer.clone())));
        open.extend(node.members().map(|(_, child)| child));
        open.extend(node.items());
    }
    reached
}

fn target<'a>(node: &Node<'a>) -> Option<Node<'a>> {
    node.value.get("$ref").and_then(Value::as_str).and_then(|target| node.target(target))
}

/// Tells of components that came, went or changed without an operation that would show it, and gives the schemas on both
/// sides that are still to be compared. `reached`: the components that operations use.
pub(super) fn compare<'a>(
    sides: Sides<&'a Side>,
    reached: &Sides<BTreeSet<String>>,
    log: &mut Log,
) -> Vec<(Node<'a>, Node<'a>)> {
    let mut unreached = Vec::new();
    for (side, own) in sides {
        let mut following = BTreeMap::new();
        for (kind, node) in all(own) {
            let is_schema = kind == "schemas";
            let place = &node.pointer;
            let counterpart = at(sides[side.other()], place);
            let (used, used_there) = (is_used(log, side, place), is_used(log, side.other(), place));
            match counterpart {
                // A value of another type stands in its places now, or did before.
                None if used && log.is_ended(side, place) => {
                    log.quiet[side].push(place.clone());
                    following.insert(place.clone(), node);
                }
                None if !used && reached[side].contains(place) => {
                    log.quiet[side].push(place.clone());
                    following.insert(place.clone(), node);
                }
                None if !used => log.push(lone(is_schema, side, &node)),
                Some(other) if side == When::Before && !(used && used_there) && node.value != other.value => {
                    if is_schema {
                        unreached.push((node, other));
                    } else {
                        log.push(Change::new(
                            Rule::UnusedChanged,
                            label(place),
                            Sides { before: Some(&node), after: Some(&other) },
                        ));
                    }
                }
                _ => {}
            }
        }
        follow(own, side, following, log);
    }
    unreached
}

fn lone(is_schema: bool, side: When, node: &Node<'_>) -> Change {
    let rule = match (is_schema, side) {
        (true, When::Before) => Rule::SchemaRemoved,
        (true, When::After) => Rule::SchemaAdded,
        (false, _) => Rule::UnusedChanged,
    };
    Change::new(rule, label(&node.pointer), Sides::only(side, node))
}

/// The number of components that are reported with one change.
const MOST: usize = 256;

/// Components that came or went with their users are reported with the changes there, first with those of something that came or
/// went itself.
fn follow(own: &Side, side: When, mut following: BTreeMap<String, Node<'_>>, log: &mut Log) {
    let named: BTreeMap<String, BTreeSet<String>> =
        following.iter().map(|(place, node)| (place.clone(), names(node))).collect();
    for alone in [true, false] {
        if following.is_empty() {
            return;
        }
        let mut reported = BTreeSet::new();
        for change in &mut log.changes {
            let sites = change.sites();
            let (Some(site), other) = (sites[side], sites[side.other()]) else { continue };
            if other.is_none() != alone {
                continue;
            }
            let Some(node) = at(own, &site.pointer) else { continue };
            let mut open: Vec<String> = names(&node).into_iter().collect();
            while let Some(place) = open.pop() {
                if following.contains_key(&place)
                    && change.with[side].len() < MOST
                    && change.with[side].insert(place.clone())
                {
                    open.extend(named.get(&place).into_iter().flatten().cloned());
                    reported.insert(place);
                }
            }
        }
        following.retain(|place, _| !reported.contains(place));
    }
    // Something that no rule speaks of uses them.
    for node in following.values().filter(|node| node.pointer.starts_with("/components/schemas/")) {
        log.push(lone(true, side, node).variant("used"));
    }
}

/// The components that a place names, itself or within.
fn names(node: &Node<'_>) -> BTreeSet<String> {
    let (mut open, mut names) = (vec![node.clone()], BTreeSet::new());
    while let Some(node) = open.pop() {
        names.extend(target(&node).map(|target| target.pointer));
        open.extend(node.members().map(|(_, child)| child));
        open.extend(node.items());
    }
    names
}

/// All components but those that are compared by themselves, or are documentation.
fn all(side: &Side) -> Vec<(&str, Node<'_>)> {
    let components = side.root().get("components");
    let kinds = components.iter().flat_map(|node| node.members().collect::<Vec<_>>()).collect::<Vec<_>>();
    let is_reported = |kind: &str| matches!(kind, "securitySchemes" | "examples") || kind.starts_with("x-");
    let kinds = kinds.into_iter().filter(|(kind, _)| !is_reported(kind));
    kinds.flat_map(|(kind, node)| node.members().map(|(_, child)| (kind, child)).collect::<Vec<_>>()).collect()
}

fn at<'a>(side: &'a Side, pointer: &str) -> Option<Node<'a>> {
    let value = side.document.tree.pointer(pointer)?;
    Some(Node { document: &side.document, pointer: pointer.to_owned(), value })
}

fn is_used(log: &Log, side: When, place: &str) -> bool {
    log.paired[side].contains_key(place) || log.judged[side].contains(place)
}
