//! Identifiers with a type of their own: an entry that names one of several equal schemas is about the type that they become, and
//! schemas with different identifiers are different types.

use std::collections::{BTreeMap, BTreeSet};

use super::Fact;
use super::form::by;
use crate::model::{Definition, Kind, Type, TypeId};

/// The groups of a class: one, unless a member has two identifiers. A schema whose entries name none of such members stays with those
/// that programs know as one type with it, or apart.
pub(super) fn groups(types: &[Definition], facts: &[Fact], members: &[usize]) -> Vec<Vec<usize>> {
    let ids = |index: usize| types.get(index).map(|definition| identifiers(definition, types)).unwrap_or_default();
    let mut all: BTreeMap<&str, BTreeSet<TypeId>> = BTreeMap::new();
    for (wire, id) in members.iter().flat_map(|index| ids(*index)) {
        all.entry(wire).or_default().insert(id);
    }
    all.retain(|_, several| several.len() > 1);
    let mut parts = by(members, |index| {
        let mut own = ids(index);
        own.retain(|wire, _| all.contains_key(wire));
        own
    });
    let others = parts.remove(&BTreeMap::new()).unwrap_or_default();
    let mut groups: Vec<Vec<usize>> = parts.into_values().collect();
    let anchor = |index: &usize| facts.get(*index).and_then(|fact| fact.anchor.as_deref());
    let mut rest = Vec::new();
    for index in others {
        let is_host = |group: &&mut Vec<usize>| {
            group.iter().any(|other| anchor(other).is_some() && anchor(other) == anchor(&index))
        };
        match groups.iter_mut().find(is_host) {
            Some(group) => group.push(index),
            None => rest.push(index),
        }
    }
    groups.extend(Some(rest).filter(|rest| !rest.is_empty()));
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// The identifiers of a struct, by the names of its members.
fn identifiers<'t>(definition: &'t Definition, types: &[Definition]) -> BTreeMap<&'t str, TypeId> {
    let Kind::Struct(fields, _) = &definition.kind else { return BTreeMap::new() };
    fields.iter().filter_map(|field| Some((field.wire.as_str(), identifier(&field.ty, types)?))).collect()
}

fn identifier(ty: &Type, types: &[Definition]) -> Option<TypeId> {
    let mut identifier = None;
    ty.each_named(&mut |id| {
        if types.get(id.0).is_some_and(|definition| matches!(definition.kind, Kind::Id(_))) {
            identifier = Some(id);
        }
    });
    identifier
}

/// Gives a type the identifiers of another one that is equal to it.
pub(super) fn join(joined: &mut Definition, other: &Definition, types: &[Definition]) {
    let (Kind::Struct(fields, _), Kind::Struct(others, _)) = (&mut joined.kind, &other.kind) else { return };
    for field in fields.iter_mut().filter(|field| identifier(&field.ty, types).is_none()) {
        let same = others.iter().find(|other| other.wire == field.wire);
        if let Some(other) = same.filter(|other| identifier(&other.ty, types).is_some()) {
            field.ty = other.ty.clone();
        }
    }
}
