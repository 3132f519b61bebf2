//! The roles of types that are equal in form: those of one role are one type.
//!
//! Few members may be equal by accident (`{id, name}`), and the contract means two things by two names. So types that the contract
//! names are one only if their names end in the same thing; inline ones have names that the generator made of their places. Inline ones
//! with few members are one if they also go in the same direction, and the shared type is called after its members. The order of the types
//! in the contract decides about nothing.

use std::collections::BTreeMap;

use super::Fact;
use super::form::{by, weight};
use super::names;
use crate::model::{Definition, Kind, TypeId, links};

/// Members from which inline types that are equal are so by no accident.
const TELLING: usize = 3;

/// The groups of a class: each becomes one type.
pub(super) fn groups(types: &[Definition], facts: &[Fact], members: &[usize]) -> Vec<Vec<usize>> {
    let anchor = |index: usize| facts.get(index).and_then(|fact| fact.anchor.as_deref());
    // A type that programs know ends in what its name ends in, so that its schemas stay together when others become equal to it.
    let thing = |index: usize| {
        let name = anchor(index).or_else(|| types.get(index).map(|definition| &*definition.name));
        name.map(|name| names::thing(name, anchor(index).is_some())).unwrap_or_default()
    };
    let is_component = |index: &usize| facts.get(*index).is_some_and(|fact| fact.is_component);
    let mut parts = by(members, thing);
    // New inline objects with few members, by direction.
    let towards = |index: usize| types.get(index).map(|own| (own.reach.request, own.reach.response));
    let mut alike: BTreeMap<Option<(bool, bool)>, Vec<usize>> = BTreeMap::new();
    let Some(first) = members.first().and_then(|first| types.get(*first)) else { return Vec::new() };
    if is_telling(types, first) {
        let named = parts.values().filter(|part| part.iter().any(is_component)).count();
        let mut inline: Vec<usize> = Vec::new();
        parts.retain(|_, part| {
            let is_kept = part.iter().any(is_component);
            if !is_kept {
                inline.append(part);
            }
            is_kept
        });
        match parts.values_mut().next() {
            Some(only) if named == 1 => only.append(&mut inline),
            _ => drop(parts.insert(String::new(), inline)),
        }
    } else if names::has_few_members(first) {
        parts.retain(|_, part| {
            let directions = by(part, towards);
            let is_kept =
                directions.len() > 1 || part.iter().any(|index| is_component(index) || anchor(*index).is_some());
            if !is_kept {
                directions.into_iter().for_each(|(direction, part)| alike.entry(direction).or_default().extend(part));
            }
            is_kept
        });
    }
    let parts = parts.into_values().filter(|part| !part.is_empty());
    let mut groups: Vec<Vec<usize>> = parts.flat_map(|part| anchored(facts, &part)).collect();
    for (direction, part) in alike {
        // Inline objects that programs know as one type take in others of their directions, whatever its name is.
        let is_host = |group: &&mut Vec<usize>| {
            let known = || group.iter().filter(|index| anchor(**index).is_some());
            known().count() > 1 && !group.iter().any(is_component) && known().any(|index| towards(*index) == direction)
        };
        match groups.iter_mut().find(is_host) {
            Some(host) => host.extend(part),
            None => groups.push(part),
        }
    }
    groups
}

/// Types that programs know by different names stay different. A newcomer joins the one of most schemas.
fn anchored(facts: &[Fact], members: &[usize]) -> Vec<Vec<usize>> {
    let anchor = |index: usize| facts.get(index).and_then(|fact| fact.anchor.as_deref());
    let mut parts = by(members, anchor);
    let mut newcomers = parts.remove(&None).unwrap_or_default();
    match parts.values_mut().rev().max_by_key(|part| part.len()) {
        Some(most) => most.append(&mut newcomers),
        None => drop(parts.insert(None, newcomers)),
    }
    parts.into_values().collect()
}

/// Returns whether types of this form are equal by no accident: by the number of their members, or as one names another object.
fn is_telling(types: &[Definition], definition: &Definition) -> bool {
    let is_object =
        |id: &TypeId| types.get(id.0).is_some_and(|other| matches!(other.kind, Kind::Struct(..) | Kind::Union(..)));
    match &definition.kind {
        Kind::Enum(..) => weight(definition) > 1,
        _ => weight(definition) >= TELLING || links(definition).iter().any(is_object),
    }
}
