//! Types that were one and have grown apart: as long as each only gained what the others lack, they stay one, with the members and
//! values of all. So an addition to one of several equal schemas changes no type that programs have.

use std::collections::{BTreeMap, BTreeSet};

use super::Fact;
use crate::Names;
use crate::model::{Definition, Field, Kind, Model, Operation, Presence, TypeId, Uses, Variant, links, roots};

/// The word in `specs/names.lock` for a member that not all schemas of a shared type had.
const OPTIONAL: &str = "optional";

/// The shared types that programs know: name → schemas.
pub(super) type Groups = BTreeMap<String, Vec<usize>>;

pub(super) fn groups(facts: &[Fact]) -> Groups {
    let mut groups = Groups::new();
    for (index, fact) in facts.iter().enumerate() {
        if let Some(anchor) = &fact.anchor {
            groups.entry(anchor.clone()).or_default().push(index);
        }
    }
    groups
}

/// The types that operations send which programs know.
pub(super) fn sent(model: &Model, pins: &Names) -> BTreeSet<usize> {
    let known: BTreeSet<&str> = pins.operations.values().map(String::as_str).collect();
    let is_known = |operation: &&Operation| known.contains(format!("{}.{}", operation.family, operation.name).as_str());
    let mut sent = BTreeSet::new();
    let mut waiting: Vec<TypeId> = model.operations.iter().filter(is_known).flat_map(|known| roots(known).0).collect();
    while let Some(id) = waiting.pop() {
        if sent.insert(id.0) {
            waiting.extend(model.types.get(id.0).into_iter().flat_map(links));
        }
    }
    sent
}

/// The types, each with the members and values of those that it was one with. `apart` are groups that are not one any more, `sent` the
/// types that programs send already.
pub(super) fn together(
    types: &[Definition],
    groups: &Groups,
    apart: &BTreeSet<String>,
    optional: &Optional,
    sent: &BTreeSet<usize>,
) -> Vec<Definition> {
    let mut types = types.to_vec();
    for (name, members) in groups.iter().filter(|(name, _)| !apart.contains(*name)) {
        if members.len() < 2 && !optional.0.contains_key(name) {
            continue;
        }
        let members: Vec<TypeId> = members.iter().copied().map(TypeId).collect();
        fields(&mut types, &members, optional.0.get(name), sent);
        values(&mut types, &members);
    }
    types
}

/// The members that are optional in a shared type, by its name: one that was missing once is so for programs.
#[derive(Debug, Default)]
pub(super) struct Optional(BTreeMap<String, BTreeSet<String>>);

impl Optional {
    pub(super) fn read(pins: &Names) -> Self {
        let mut optional = Self::default();
        for (member, _) in pins.uses.iter().filter(|(_, words)| words.split(' ').any(|word| word == OPTIONAL)) {
            let owners = member
                .match_indices('.')
                .filter_map(|(end, _)| Some((pins.types.get(member.get(..end)?)?, member.get(end + 1..)?)));
            for (name, wire) in owners {
                optional.0.entry(name.clone()).or_default().insert(wire.to_owned());
            }
        }
        optional
    }

    /// Pins the members that not all schemas have, and those that were pinned.
    pub(super) fn pin(&self, types: &[Definition], members: &[usize], name: &str, key: &str, given: &mut Names) {
        let all: Vec<&Vec<Field>> = members.iter().filter_map(|index| fields_of(types.get(*index)?)).collect();
        let known = self.0.get(name).into_iter().flatten().map(String::as_str);
        let wires: BTreeSet<&str> =
            all.iter().flat_map(|fields| fields.iter()).map(|field| field.wire.as_str()).collect();
        let missing = wires.iter().copied().filter(|wire| !all.iter().all(|fields| has(fields, wire)));
        let is_required =
            |wire: &str| all.iter().any(|fields| fields.iter().any(|field| field.wire == wire && field.required));
        for wire in known.filter(|wire| wires.contains(wire)).chain(missing.filter(|wire| is_required(wire))) {
            given.uses.insert(format!("{key}.{wire}"), OPTIONAL.to_owned());
        }
    }
}

fn fields_of(definition: &Definition) -> Option<&Vec<Field>> {
    if let Kind::Struct(fields, _) = &definition.kind { Some(fields) } else { None }
}

fn has(fields: &[Field], wire: &str) -> bool {
    fields.iter().any(|field| field.wire == wire)
}

/// Gives each struct the members of the others that a program may leave out: all but those that a schema requires which programs send.
fn fields(types: &mut [Definition], members: &[TypeId], optional: Option<&BTreeSet<String>>, sent: &BTreeSet<usize>) {
    let mut all: BTreeMap<String, Field> = BTreeMap::new();
    let mut needed: BTreeSet<String> = BTreeSet::new();
    let mut open = None;
    for id in members {
        let Some(Kind::Struct(fields, extra)) = types.get(id.0).map(|definition| &definition.kind) else { continue };
        open = open.or_else(|| extra.clone());
        for field in fields {
            if sent.contains(&id.0) && field.presence(Uses::BOTH) == Presence::Required {
                needed.insert(field.wire.clone());
            }
            all.entry(field.wire.clone()).or_insert_with(|| field.clone()).required |= field.required;
        }
    }
    let names: BTreeSet<_> = all.values().map(|field| &field.name).collect();
    if names.len() < all.len() {
        return;
    }
    let structs = members.iter().filter_map(|id| fields_of(types.get(id.0)?)).count();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for field in members.iter().filter_map(|id| fields_of(types.get(id.0)?)).flatten() {
        *counts.entry(field.wire.as_str()).or_default() += 1;
    }
    let is_everywhere = |wire: &str| counts.get(wire) == Some(&structs);
    let mut wanted: Vec<(Field, bool)> = Vec::new();
    for (wire, field) in all {
        let is_known = optional.is_some_and(|optional| optional.contains(&wire));
        let is_optional = is_known || !is_everywhere(&wire);
        if is_optional && needed.contains(&wire) && !is_known {
            return;
        }
        wanted.push((field, is_optional));
    }
    for id in members {
        let Some(Kind::Struct(fields, extra)) = types.get_mut(id.0).map(|definition| &mut definition.kind) else {
            continue;
        };
        if extra.is_none() {
            extra.clone_from(&open);
        }
        let own: BTreeSet<String> = fields.iter().map(|field| field.wire.clone()).collect();
        fields.extend(wanted.iter().filter(|(field, _)| !own.contains(&field.wire)).map(|(field, _)| field.clone()));
        let left_out: BTreeSet<&str> =
            wanted.iter().filter(|(_, is_optional)| *is_optional).map(|(field, _)| field.wire.as_str()).collect();
        for field in fields.iter_mut().filter(|field| left_out.contains(field.wire.as_str())) {
            field.required = false;
        }
    }
}

/// Gives each enumeration the values of the others.
fn values(types: &mut [Definition], members: &[TypeId]) {
    let mut all: BTreeMap<String, Variant> = BTreeMap::new();
    for id in members {
        if let Some(Kind::Enum(_, values)) = types.get(id.0).map(|definition| &definition.kind) {
            for (wire, variant) in values {
                all.entry(wire.clone()).or_insert_with(|| variant.clone());
            }
        }
    }
    let names: BTreeSet<_> = all.values().map(|variant| &variant.name).collect();
    if names.len() < all.len() {
        return;
    }
    for id in members {
        if let Some(Kind::Enum(_, values)) = types.get_mut(id.0).map(|definition| &mut definition.kind) {
            let own: BTreeSet<String> = values.iter().map(|(wire, _)| wire.clone()).collect();
            values.extend(
                all.iter()
                    .filter(|(wire, _)| !own.contains(*wire))
                    .map(|(wire, variant)| (wire.clone(), variant.clone())),
            );
        }
    }
}
