//! Equal types are one type: between the model, which has a type for each schema that needs one, and the Rust types.
//!
//! Two types are one if they are equal in form (`partition`) and have the same role (`role`). Types of two documents are never
//! one: each document changes without the other. A name that the contract gave stays as an alias.

mod form;
mod grown;
mod ids;
mod names;
mod partition;
mod role;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use grown::Optional;
use partition::TypeGraph;

use crate::Names;
use crate::ledger::{Ledger, Loss};
use crate::model::{Definition, Deprecation, Kind, Model, TYPES, Type, TypeId, Uses, Variant, VariantContent, links};
use crate::naming::{Scope, published};
use crate::text::Ident;
use crate::text::docs::Docs;

/// The end of the key of an alias whose schema gave the shared type its key.
pub(crate) const ALIAS: &str = "!alias";

/// The facts about a type that its form does not show.
#[derive(Clone, Debug, Default)]
struct Fact {
    /// In `specs/names.lock`. A type without one is not shared.
    key: String,
    /// The contract gave it a name.
    is_component: bool,
    /// Programs know its name.
    is_pinned: bool,
    /// The name of the shared type that programs know it by, which it keeps.
    anchor: Option<String>,
}

/// Makes one type of those that are equal in form and role. `scope` has the names that are given.
pub(crate) fn share(model: &mut Model, pins: &Names, given: &mut Names, scope: &mut Scope, ledger: &mut Ledger) {
    let mut facts = facts(model, pins, given);
    let mut changes = Changes::default();
    changes.keep(model, &facts, pins, given);
    changes.inherit(&mut model.types, &mut facts, given);
    given.styles.insert(TYPES.to_owned(), "2".to_owned());
    let uses = uses(model, &facts, pins);
    let known = grown::groups(&facts);
    let optional = Optional::read(pins);
    let sent = grown::sent(model, pins);
    let mut apart = BTreeSet::new();
    let (mut types, classes) = loop {
        let types = grown::together(&model.types, &known, &apart, &optional, &sent);
        let classes = classes(&types, &uses, &facts);
        let is_torn =
            |members: &Vec<usize>| members.iter().map(|index| classes.get(*index)).collect::<BTreeSet<_>>().len() > 1;
        let torn = known.iter().filter(|(name, members)| !apart.contains(*name) && is_torn(members));
        let torn: Vec<String> = torn.map(|(name, _)| name.clone()).collect();
        if torn.is_empty() {
            break (types, classes);
        }
        apart.extend(torn);
    };
    for (name, members) in known.iter().filter(|(name, _)| apart.contains(*name)) {
        changes.leave(&mut types, &mut facts, (name, members), &classes, given, scope);
    }
    for (name, members) in known.iter().filter(|(name, _)| !apart.contains(*name)) {
        let owner = members.iter().find(|index| model.types.get(**index).is_some_and(|own| *own.name == **name));
        if let Some(owner) = owner.and_then(|owner| facts.get(*owner)) {
            optional.pin(&model.types, members, name, &owner.key, given);
        }
    }
    model.types = types;
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, class) in classes.into_iter().enumerate() {
        groups.entry(class).or_default().push(index);
    }
    let mut shared: Vec<(Vec<usize>, usize)> = groups
        .into_values()
        .filter(|members| members.len() > 1)
        .filter_map(|members| Some((names::first(&model.types, &facts, &members)?, members)))
        .map(|(first, members)| (members, first))
        .collect();
    // The type of most schemas chooses its name first.
    shared.sort_by_key(|(members, first)| (std::cmp::Reverse(members.len()), facts.get(*first).map(|fact| &fact.key)));
    for (members, first) in &shared {
        changes.unite(model, &facts, (members, *first), given, scope, ledger);
    }
    changes.apply(model, given);
}

/// The types that another one takes the place of, as they are found.
#[derive(Default)]
struct Changes {
    /// Type → the one in its place.
    into: HashMap<usize, usize>,
    aliases: Vec<Definition>,
    /// Keys of types that are a part of another one, and the key of that: it has the names of their members from now on.
    dropped: BTreeMap<String, String>,
}

impl Changes {
    /// The name of a shared type whose own schema is gone goes to another one of its schemas.
    fn inherit(&mut self, types: &mut [Definition], facts: &mut [Fact], given: &mut Names) {
        let owned: BTreeSet<String> = given.types.values().cloned().collect();
        for (name, members) in grown::groups(facts) {
            let Some(name) = Ident::new(&name).filter(|name| !owned.contains(&**name)) else { continue };
            self.bequeath(types, facts, &members, name, given);
        }
    }

    /// The name of a shared type stays with most of its schemas: if the one that gave it its place is another type now, that one gets
    /// another name, so that programs which use the others compile. A name that the contract gave stays with its schema.
    fn leave(
        &mut self,
        types: &mut [Definition],
        facts: &mut [Fact],
        (name, members): (&str, &[usize]),
        classes: &[usize],
        given: &mut Names,
        scope: &mut Scope,
    ) {
        let owner = members.iter().copied().find(|index| types.get(*index).is_some_and(|own| *own.name == *name));
        let parts = form::by(members, |index| classes.get(index).copied());
        let most = parts.values().max_by_key(|part| (part.len(), owner.is_some_and(|owner| part.contains(&owner))));
        let (Some(owner), Some(most)) = (owner, most) else { return };
        let Some((definition, fact)) = types.get_mut(owner).zip(facts.get_mut(owner)) else { return };
        let is_of_contract = fact.is_component && !given.types.contains_key(&format!("{}{ALIAS}", fact.key));
        if is_of_contract || most.contains(&owner) {
            return;
        }
        let shared = definition.name.clone();
        definition.name = scope.claim([name]);
        given.types.insert(fact.key.clone(), definition.name.to_string());
        self.bequeath(types, facts, most, shared, given);
    }

    /// Gives the name of a shared type to one of these schemas.
    fn bequeath(
        &mut self,
        types: &mut [Definition],
        facts: &mut [Fact],
        members: &[usize],
        name: Ident,
        given: &mut Names,
    ) {
        let heir = members.iter().copied();
        let heir = heir.min_by_key(|index| facts.get(*index).map(|fact| (fact.is_component, fact.key.clone())));
        let Some((index, fact)) = heir.and_then(|index| Some((index, facts.get_mut(index)?))) else { return };
        let Some(definition) = types.get_mut(index) else { return };
        if fact.is_component {
            self.alias(index, fact, definition.clone(), given);
        }
        given.types.insert(fact.key.clone(), name.to_string());
        definition.name = name;
        fact.is_pinned = true;
    }

    fn unite(
        &mut self,
        model: &mut Model,
        facts: &[Fact],
        (members, first): (&[usize], usize),
        given: &mut Names,
        scope: &mut Scope,
        ledger: &mut Ledger,
    ) {
        let (Some(own), Some(definition)) = (facts.get(first), model.types.get(first).cloned()) else { return };
        // The name that programs know stays, in a client of another style as an alias if it is that of one error.
        let is_kept = own.is_pinned && (own.anchor.is_some() || !names::are_errors(&model.types, facts, members));
        let name = match is_kept {
            true => definition.name.clone(),
            false => names::common(&model.types, facts, members, &definition.name, scope),
        };
        if (own.is_component || own.is_pinned) && name != definition.name {
            self.alias(first, own, definition.clone(), given);
        }
        let mut joined = Definition { name: name.clone(), ..definition };
        for index in members.iter().filter(|index| **index != first) {
            let (Some(fact), Some(other)) = (facts.get(*index), model.types.get(*index)) else { continue };
            join(&mut joined, other);
            ids::join(&mut joined, other, &model.types);
            self.into.insert(*index, first);
            self.dropped.insert(fact.key.clone(), own.key.clone());
            given.shared.insert(fact.key.clone(), name.to_string());
            let what = format!("equal to `{}`: one type, `{name}`", pointer_of(&own.key));
            ledger.note(&other.document, other.pointer.clone(), "shape/shared", what, Loss::Nothing);
            if fact.is_component || fact.is_pinned {
                self.aliases.push(alias_of(first, other.clone()));
            } else {
                given.types.remove(&fact.key);
            }
        }
        given.types.insert(own.key.clone(), name.to_string());
        model.types.get_mut(first).into_iter().for_each(|definition| *definition = joined.clone());
    }

    /// The name that the contract gave a schema stays, as an alias of the type that has its key.
    fn alias(&mut self, index: usize, fact: &Fact, definition: Definition, given: &mut Names) {
        given.types.insert(format!("{}{ALIAS}", fact.key), definition.name.to_string());
        self.aliases.push(alias_of(index, definition));
    }

    /// Aliases of types that have the key, and programs that know them.
    fn keep(&mut self, model: &Model, facts: &[Fact], pins: &Names, given: &mut Names) {
        for (index, (fact, definition)) in facts.iter().zip(&model.types).enumerate() {
            let known = pins.types.get(&format!("{}{ALIAS}", fact.key)).and_then(|name| Ident::new(name));
            if let Some(name) = known.filter(|name| *name != definition.name) {
                self.alias(index, fact, Definition { name, ..definition.clone() }, given);
            }
        }
    }

    fn apply(self, model: &mut Model, given: &mut Names) {
        // A member that only one of the schemas has is a member of the type for programs.
        let types: BTreeSet<String> = given.types.keys().chain(self.dropped.keys()).cloned().collect();
        let moved = |key: &String| {
            let mut ends = key.rmatch_indices('.').map(|(end, _)| end);
            let owner = ends.find_map(|end| key.get(..end).filter(|owner| types.contains(*owner)))?;
            Some((key.clone(), format!("{}{}", self.dropped.get(owner)?, key.get(owner.len()..)?)))
        };
        for (old, new) in given.members.keys().filter_map(moved).collect::<Vec<_>>() {
            if let Some(name) = given.members.remove(&old) {
                given.members.entry(new).or_insert(name);
            }
        }
        for (dropped, own) in &self.dropped {
            let wires = published::read(&given.published, dropped);
            given.published.remove(dropped);
            published::add(&mut given.published, own, wires.iter().map(String::as_str).collect());
        }
        model.types.extend(self.aliases);
        let target = |id: TypeId| self.into.get(&id.0).copied().map_or(id, TypeId);
        model.redirect(&target, &|id| !self.into.contains_key(&id.0));
    }
}

/// Nothing names an alias: it keeps the reach of its schema, so it is there where the schema is used.
fn alias_of(target: usize, definition: Definition) -> Definition {
    Definition { kind: Kind::Alias(Type::Named(TypeId(target))), ..definition }
}

/// Adds the documentation of a type that is equal to another one, and takes away the marks that they do not share.
fn join(joined: &mut Definition, other: &Definition) {
    both(&mut joined.docs, &mut joined.deprecated, &other.docs, &other.deprecated);
    match (&mut joined.kind, &other.kind) {
        (Kind::Struct(fields, _), Kind::Struct(others, _)) => {
            for (position, field) in fields.iter_mut().enumerate() {
                // Members are in one order, except those that came to a shared type.
                let same = others.get(position).filter(|other| other.wire == field.wire);
                let Some(other) = same.or_else(|| others.iter().find(|other| other.wire == field.wire)) else {
                    continue;
                };
                both(&mut field.docs, &mut field.deprecated, &other.docs, &other.deprecated);
                field.tag &= other.tag;
                // Limits that differ are those of neither.
                if field.limits != other.limits {
                    field.limits = Docs::default();
                }
            }
        }
        (Kind::Enum(_, values), Kind::Enum(_, others)) => {
            let others: HashMap<&String, &Variant> = others.iter().map(|(wire, variant)| (wire, variant)).collect();
            for (wire, variant) in values {
                let Some(other) = others.get(wire) else { continue };
                both(&mut variant.docs, &mut variant.deprecated, &other.docs, &other.deprecated);
            }
        }
        _ => {}
    }
}

fn both(docs: &mut String, deprecated: &mut Deprecation, other: &str, others: &Deprecation) {
    if docs.is_empty() {
        other.clone_into(docs);
    }
    if *others == Deprecation::No {
        *deprecated = Deprecation::No;
    }
}

fn pointer_of(key: &str) -> &str {
    key.split_once('#').map_or(key, |(_, pointer)| pointer)
}

fn facts(model: &Model, pins: &Names, given: &Names) -> Vec<Fact> {
    let keys: HashMap<&str, &String> = given.types.iter().map(|(key, name)| (name.as_str(), key)).collect();
    // A client of another style has a type for each schema: they become one, and their names aliases.
    let is_settled = pins.styles.contains_key(TYPES);
    let fact = |definition: &Definition| {
        let key = keys.get(&*definition.name).copied()?.clone();
        let shared = pins.shared.get(&key);
        Some(Fact {
            is_component: key.split_once("#/components/schemas/").is_some_and(|(_, name)| !name.contains(['/', '!'])),
            is_pinned: pins.types.contains_key(&key),
            anchor: shared.or_else(|| pins.types.get(&key).filter(|_| is_settled)).cloned(),
            key,
        })
    };
    model.types.iter().map(|definition| fact(definition).unwrap_or_default()).collect()
}

/// The class of each type: those of one class become one type.
fn classes(types: &[Definition], uses: &[Uses], facts: &[Fact]) -> Vec<usize> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); types.len()];
    for (index, definition) in types.iter().enumerate() {
        for id in links(definition) {
            users.get_mut(id.0).into_iter().for_each(|users| users.push(index));
        }
    }
    let graph = TypeGraph { types, uses, users: &users };
    let mut classes = form::kinds(types, facts);
    graph.refine(&mut classes);
    split(&mut classes, |members| role::groups(types, facts, members));
    graph.refine(&mut classes);
    split(&mut classes, |members| ids::groups(types, facts, members));
    graph.refine(&mut classes);
    // Two variants of one union stay two types: a program tells them apart.
    loop {
        let alone = conflicts(types, &classes);
        if alone.is_empty() {
            break;
        }
        let next = classes.iter().max().map_or(0, |class| class + 1);
        for (index, class) in alone.into_iter().zip(next..) {
            classes.get_mut(index).into_iter().for_each(|own| *own = class);
        }
        graph.refine(&mut classes);
    }
    classes
}

/// The uses that decide about the presence of members. Those of a shared type that programs know are those of the type.
fn uses(model: &Model, facts: &[Fact], pins: &Names) -> Vec<Uses> {
    let keys: HashMap<&str, &String> = pins.types.iter().map(|(key, name)| (name.as_str(), key)).collect();
    let read = |key: &str| pins.uses.get(key).and_then(|word| Uses::read(word));
    let of_anchor = |anchor: &String| keys.get(anchor.as_str()).and_then(|key| read(key)).unwrap_or(Uses::BOTH);
    let one = |(definition, fact): (&Definition, &Fact)| {
        let actual = Uses { request: definition.reach.request, response: definition.reach.response };
        match &fact.anchor {
            Some(anchor) => of_anchor(anchor),
            None => read(&fact.key).unwrap_or(actual),
        }
    };
    model.types.iter().zip(facts).map(one).collect()
}

/// Gives all groups of each class a class of their own, but the first.
fn split(classes: &mut [usize], groups: impl Fn(&[usize]) -> Vec<Vec<usize>>) {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, class) in classes.iter().enumerate() {
        members.entry(*class).or_default().push(index);
    }
    let mut next = classes.iter().max().map_or(0, |class| class + 1);
    for members in members.into_values().filter(|members| members.len() > 1) {
        for group in groups(&members).into_iter().skip(1) {
            for index in group {
                classes.get_mut(index).into_iter().for_each(|class| *class = next);
            }
            next += 1;
        }
    }
}

/// The variants that an earlier variant of the same union is equal to.
fn conflicts(types: &[Definition], classes: &[usize]) -> BTreeSet<usize> {
    let mut alone = BTreeSet::new();
    for definition in types {
        let Kind::Union(_, variants) = &definition.kind else { continue };
        let mut first: HashMap<usize, usize> = HashMap::new();
        for variant in variants {
            let VariantContent::Type(Type::Named(id), _) = &variant.content else { continue };
            let Some(class) = classes.get(id.0) else { continue };
            if *first.entry(*class).or_insert(id.0) != id.0 {
                alone.insert(id.0);
            }
        }
    }
    alone
}
