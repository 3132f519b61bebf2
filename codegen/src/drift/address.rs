//! Addresses of operations: the address of the service, and the path behind it.

use std::collections::BTreeSet;

use super::change::{Change, Log};
use super::rule::{Rule, Wire};
use super::side::{Operation, Side, segments, split};
use super::sides::Sides;
use crate::model::{Node, servers as addresses};

/// Tells of an operation with another address.
pub(super) fn moved(Sides { before: old, after: new }: Sides<&Operation<'_>>, index: usize, log: &mut Log) {
    if old.positional() == new.positional() && old.method == new.method {
        return;
    }
    let rule = if is_same_place(old, new) { Rule::BasePathMoved } else { Rule::OperationMoved };
    let mut change =
        Change::new(rule, old.key(), Sides { before: Some(&old.node), after: Some(&new.node) }).at_operation(index);
    let (one, other) = match rule {
        Rule::BasePathMoved => difference(&old.base, &new.base),
        _ if old.method == new.method && old.base == new.base => difference(&old.positional(), &new.positional()),
        _ if old.method == new.method => difference(&old.full(), &new.full()),
        _ => (old.key(), new.key()),
    };
    change.keyword = format!("{one} → {other}");
    log.push(change);
}

/// Reports whether requests go to the same address, although address and path are put together from other parts.
fn is_same_place(old: &Operation<'_>, new: &Operation<'_>) -> bool {
    let path = |operation: &Operation<'_>| segments(&operation.full()).map(str::to_owned).collect::<Vec<_>>();
    old.method == new.method && path(old) == path(new)
}

/// The middles of two paths, without their common beginnings and ends.
fn difference(one: &str, other: &str) -> (String, String) {
    let (one, other): (Vec<&str>, Vec<&str>) = (segments(one).collect(), segments(other).collect());
    let shortest = one.len().min(other.len());
    let begin = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let end = end.min(shortest - begin);
    let middle = |path: &[&str]| format!("/{}", path[begin..path.len() - end].join("/"));
    (middle(&one), middle(&other))
}

/// Tells of the addresses of the document, unless a part of them that moved to the paths, or from there, is all that differs.
pub(super) fn servers(sides: Sides<&Side>, pairs: &[(&Operation<'_>, &Operation<'_>)], log: &mut Log) {
    let Sides { before: old, after: new } = sides.map(|side| side.root().get("servers"));
    let value = |node: &Option<Node<'_>>| node.as_ref().map(|node| node.value.clone());
    if value(&old) == value(&new) {
        return;
    }
    let Sides { before, after } = sides.map(|side| addresses(&side.root()).into_iter().collect::<BTreeSet<String>>());
    let hosts =
        |all: &BTreeSet<String>| all.iter().map(|address| split(address).0.to_owned()).collect::<BTreeSet<String>>();
    let is_moved = |(old, new): &(&Operation<'_>, &Operation<'_>)| old.base != new.base && is_same_place(old, new);
    if hosts(&before).is_subset(&hosts(&after)) && !pairs.is_empty() && pairs.iter().all(is_moved) {
        for (side, node) in (Sides { before: old, after: new }) {
            log.quiet[side].extend(node.map(|node| node.pointer));
        }
        return;
    }
    let mut change = Change::new(
        Rule::ServerChanged,
        "the address of the service",
        Sides { before: old.as_ref(), after: new.as_ref() },
    );
    let list = |all: &BTreeSet<String>| all.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    change.keyword = format!("{} → {}", list(&before), list(&after));
    if before.is_subset(&after) {
        change.wire = Some(Wire::Safe);
    }
    log.push(change);
}
