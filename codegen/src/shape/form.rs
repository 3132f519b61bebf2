//! The first classes of types: by document, kind and mark, and enumerations by their values.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Fact;
use crate::model::{Definition, EnumKind, Kind, Provenance, Variant};
use crate::naming::ident::variant_name;

/// Names of values, by value.
pub(super) type ValueNames<'t> = BTreeSet<(&'t str, &'t str)>;

/// The facts that types have in common before their members are compared.
#[derive(PartialEq, Eq, Hash)]
enum First<'t> {
    Struct,
    Union,
    /// The values, and their names where these say more than the values do.
    Enum(EnumKind, BTreeSet<&'t str>, ValueNames<'t>),
    Alone(usize),
}

/// The class of each type, from 0.
pub(super) fn kinds(types: &[Definition], facts: &[Fact]) -> Vec<usize> {
    let mut named: HashMap<(&str, BTreeSet<&str>), BTreeSet<ValueNames<'_>>> = HashMap::new();
    for definition in types {
        if let Kind::Enum(kind, values) = &definition.kind {
            let names = value_names(*kind, values);
            if !names.is_empty() {
                named.entry((&definition.document, wires(values))).or_default().insert(names);
            }
        }
    }
    let mut numbers: HashMap<(&str, Provenance, First<'_>), usize> = HashMap::new();
    let mut classes = Vec::with_capacity(types.len());
    for (index, definition) in types.iter().enumerate() {
        let is_known = facts.get(index).is_some_and(|fact| !fact.key.is_empty());
        let first = match &definition.kind {
            _ if !is_known => First::Alone(index),
            Kind::Struct(..) => First::Struct,
            Kind::Union(..) => First::Union,
            Kind::Enum(kind, values) => {
                let wires = wires(values);
                let known = named.get(&(definition.document.as_str(), wires.clone()));
                // Values without names take those that the contract gives elsewhere, if it gives no others.
                let names = match known.filter(|known| known.len() == 1).and_then(BTreeSet::first) {
                    Some(only) => only.clone(),
                    None => value_names(*kind, values),
                };
                First::Enum(*kind, wires, names)
            }
            Kind::Alias(_) | Kind::Multipart(_) | Kind::ByStatus(_) | Kind::Id(_) => First::Alone(index),
        };
        let next = numbers.len();
        classes.push(*numbers.entry((&definition.document, definition.provenance, first)).or_insert(next));
    }
    classes
}

fn wires(values: &[(String, Variant)]) -> BTreeSet<&str> {
    values.iter().map(|(wire, _)| wire.as_str()).collect()
}

/// The names of values, by value, if at least one does not follow from its value.
pub(super) fn value_names(kind: EnumKind, values: &[(String, Variant)]) -> ValueNames<'_> {
    let says_more = |(wire, variant): &(String, Variant)| {
        let plain = match kind {
            EnumKind::Integer(_) if !wire.starts_with('-') => format!("Value{wire}"),
            _ => variant_name(wire),
        };
        !variant.name.starts_with(plain.as_str())
    };
    match values.iter().any(says_more) {
        true => values.iter().map(|(wire, variant)| (wire.as_str(), &*variant.name)).collect(),
        false => BTreeSet::new(),
    }
}

/// The number of members, values or variants: what few of them have in common may be chance.
pub(super) fn weight(definition: &Definition) -> usize {
    match &definition.kind {
        Kind::Struct(fields, _) => fields.len(),
        Kind::Enum(_, values) => values.len(),
        Kind::Union(_, variants) => variants.len(),
        Kind::Alias(_) | Kind::Multipart(_) | Kind::ByStatus(_) | Kind::Id(_) => 0,
    }
}

/// Types by something that they have in common, in order.
pub(super) fn by<K: Ord>(members: &[usize], key: impl Fn(usize) -> K) -> BTreeMap<K, Vec<usize>> {
    let mut parts: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for index in members {
        parts.entry(key(*index)).or_default().push(*index);
    }
    parts
}
