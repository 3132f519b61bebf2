//! Identifiers with a type of their own: an entry that names one of several equal schemas is about the type that they become, and
//! schemas with different identifiers are different types.

use std::collections::BTreeMap;

use super::form::by;
use crate::model::{Definition, Kind, Type, TypeId};

/// The groups of a class: one, unless a member has two identifiers.
pub(super) fn groups(types: &[Definition], members: &[usize]) -> Vec<Vec<usize>> {
    let ids = |index: usize| types.get(index).map(|definition| identifiers(definition, types)).unwrap_or_default();
    let mut all: BTreeMap<&str, TypeId> = BTreeMap::new();
    let is_one =
        members.iter().all(|index| ids(*index).into_iter().all(|(wire, id)| *all.entry(wire).or_insert(id) == id));
    match is_one {
        true => vec![members.to_vec()],
        false => by(members, ids).into_values().collect(),
    }
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
