//! The roles of types that are equal in form: those of one role are one type.
//!
//! Few members may be equal by accident (`{id, name}`), and the contract means two things by two names. So types that the contract
//! names are one only if their names end in the same thing; inline ones have names that the generator made of their places. Inline ones
//! with few members are one if they also go in the same direction, and the shared type is called after its members.

use std::collections::BTreeMap;

use super::Fact;
use super::form::{by, weight};
use super::names;
use crate::model::{Definition, Kind, TypeId, links};

/// Members from which inline types that are equal are so by no accident.
const TELLING: usize = 3;

/// The groups of a class: each becomes one type. The first of a group decides about nothing.
pub(super) fn groups(types: &[Definition], facts: &[Fact], members: &[usize]) -> Vec<Vec<usize>> {
    let anchor = |index: usize| facts.get(index).and_then(|fact| fact.anchor.as_deref());
    // A type that programs know ends in what its name ends in, so that its schemas stay together when others become equal to it.
    let thing = |index: usize| {
        let name = anchor(index).or_else(|| types.get(index).map(|definition| &*definition.name));
        name.map(names::thing).unwrap_or_default()
    };
    let is_component = |index: &usize| facts.get(*index).is_some_and(|fact| fact.is_component);
    let mut parts = by(members, thing);
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
    } else if let Some(name) = names::from_members(first) {
        let is_free = |index: &usize| !is_component(index) && anchor(*index).is_none_or(|anchor| anchor == name);
        let direction = |index: usize| types.get(index).map(|own| (own.reach.request, own.reach.response));
        let mut alike: BTreeMap<Option<(bool, bool)>, Vec<usize>> = BTreeMap::new();
        parts.retain(|_, part| {
            let directions = by(part, direction);
            let is_kept = directions.len() > 1 || !part.iter().all(is_free);
            if !is_kept {
                directions.into_iter().for_each(|(direction, part)| alike.entry(direction).or_default().extend(part));
            }
            is_kept
        });
        // No thing has such a name.
        parts.extend(alike.into_iter().map(|(direction, part)| (format!("{direction:?}"), part)));
    }
    parts.into_values().filter(|part| !part.is_empty()).flat_map(|part| anchored(facts, &part)).collect()
}

/// Types that programs know by different names stay different. A newcomer joins the first.
fn anchored(facts: &[Fact], members: &[usize]) -> Vec<Vec<usize>> {
    let anchor = |index: usize| facts.get(index).and_then(|fact| fact.anchor.as_deref());
    let mut parts = by(members, anchor);
    let mut newcomers = parts.remove(&None).unwrap_or_default();
    match parts.values_mut().next() {
        Some(first) => first.append(&mut newcomers),
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
