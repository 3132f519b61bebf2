//! The coarsest partition of types in which equal ones have equal parts: partition refinement on the graph of types, so that
//! recursive types are compared by what they are, not by their names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::{Definition, EnumKind, Kind, Presence, Tagging, Type, TypeId, Uses, VariantContent};
use crate::text::Ident;

/// Whatever decides about the Rust form and the wire form of a type, with classes in place of types. Documentation is not part of it.
#[derive(PartialEq, Eq, Hash)]
enum Form<'t> {
    Struct(Vec<Member<'t>>, Option<Type>),
    Enum(EnumKind),
    Union(&'t Tagging, Vec<(&'t Ident, Type, &'t [String])>),
    /// Equal to no other.
    Alone,
}

#[derive(PartialEq, Eq, Hash)]
struct Member<'t> {
    wire: &'t str,
    name: &'t Ident,
    ty: Type,
    presence: Presence,
    read_only: bool,
    write_only: bool,
}

/// The types, as the partition sees them.
#[derive(Clone, Copy)]
pub(super) struct TypeGraph<'t> {
    pub(super) types: &'t [Definition],
    /// The uses that decide about the presence of members.
    pub(super) uses: &'t [Uses],
    /// By type, the types that name it.
    pub(super) users: &'t [Vec<usize>],
}

impl TypeGraph<'_> {
    /// The type with classes in place of definitions. An identifier of its own type is equal to its scalar: `ids` tells them apart.
    fn classed(&self, ty: &Type, classes: &[usize]) -> Type {
        match ty {
            Type::List(inner) => Type::List(Box::new(self.classed(inner, classes))),
            Type::Map(inner) => Type::Map(Box::new(self.classed(inner, classes))),
            Type::Optional(inner) => Type::Optional(Box::new(self.classed(inner, classes))),
            Type::Named(id) => match self.types.get(id.0).map(|definition| &definition.kind) {
                Some(Kind::Id(id)) => id.scalar.clone(),
                _ => Type::Named(TypeId(classes.get(id.0).copied().unwrap_or_default())),
            },
            other => other.clone(),
        }
    }

    fn form(&self, index: usize, classes: &[usize]) -> Form<'_> {
        let Some(definition) = self.types.get(index) else { return Form::Alone };
        let uses = self.uses.get(index).copied().unwrap_or_default();
        match &definition.kind {
            Kind::Struct(fields, extra) => {
                let members = fields.iter().map(|field| Member {
                    wire: &field.wire,
                    name: &field.name,
                    ty: self.classed(&field.ty, classes),
                    presence: field.presence(uses),
                    read_only: field.read_only,
                    write_only: field.write_only,
                });
                let mut members: Vec<Member<'_>> = members.collect();
                members.sort_by(|one, other| one.wire.cmp(other.wire));
                Form::Struct(members, extra.as_ref().map(|extra| self.classed(extra, classes)))
            }
            Kind::Enum(kind, _) => Form::Enum(*kind),
            Kind::Union(tagging, variants) => {
                let variants = variants.iter().filter_map(|variant| match &variant.content {
                    VariantContent::Type(ty, tags) => Some((&variant.name, self.classed(ty, classes), tags.as_slice())),
                    VariantContent::Value => None,
                });
                Form::Union(tagging, variants.collect())
            }
            Kind::Alias(_) | Kind::Multipart(_) | Kind::ByStatus(_) | Kind::Id(_) => Form::Alone,
        }
    }

    /// Splits the classes until all types of a class have the same form. A split concerns the users of those types alone that got
    /// another class, and the largest part of a class keeps its number: a type gets another class as often as its class can be halved.
    pub(super) fn refine(&self, classes: &mut [usize]) {
        let mut members: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (index, class) in classes.iter().enumerate() {
            members.entry(*class).or_default().insert(index);
        }
        let mut next = classes.iter().max().map_or(0, |class| class + 1);
        // By class, the types whose form may have changed. The others of the class have one form.
        let mut waiting = members.clone();
        while let Some((class, changed)) = waiting.pop_first() {
            let Some(mut own) = members.remove(&class) else { continue };
            let mut users = BTreeSet::new();
            for part in self.leaving(&own, &changed, classes) {
                for index in &part {
                    own.remove(index);
                    classes.get_mut(*index).into_iter().for_each(|class| *class = next);
                    users.extend(self.users.get(*index).into_iter().flatten().copied());
                }
                members.insert(next, part);
                next += 1;
            }
            members.insert(class, own);
            for user in users {
                let class = classes.get(user).copied().unwrap_or_default();
                waiting.entry(class).or_default().insert(user);
            }
        }
    }

    /// The parts of a class by form, but for the largest.
    fn leaving(&self, own: &BTreeSet<usize>, changed: &BTreeSet<usize>, classes: &[usize]) -> Vec<BTreeSet<usize>> {
        if own.len() < 2 {
            return Vec::new();
        }
        let mut parts: Vec<BTreeSet<usize>> = Vec::new();
        let mut by_form: HashMap<Form<'_>, usize> = HashMap::new();
        // One stands for all that have not changed; its part is the first.
        let unchanged = own.iter().find(|index| !changed.contains(index));
        for index in unchanged.into_iter().chain(changed) {
            let part = *by_form.entry(self.form(*index, classes)).or_insert_with(|| {
                parts.push(BTreeSet::new());
                parts.len() - 1
            });
            parts.get_mut(part).into_iter().for_each(|part| part.extend([*index]));
        }
        if unchanged.is_some()
            && let Some((first, others)) = parts.split_first_mut()
        {
            let size = first.len() + own.len() - changed.len() - 1;
            if others.iter().all(|other| other.len() <= size) {
                parts.remove(0);
                return parts;
            }
            // They are fewer than the types of another part.
            first.extend(own.difference(changed));
        }
        let largest = parts.iter().map(BTreeSet::len).max().unwrap_or_default();
        if let Some(at) = parts.iter().position(|part| part.len() == largest) {
            parts.remove(at);
        }
        parts
    }
}
