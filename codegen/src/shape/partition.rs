//! The coarsest partition of types in which equal ones have equal parts: partition refinement on the graph of types, so that
//! recursive types are compared by what they are, not by their names.

use std::collections::HashMap;

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
    fn form(&self, index: usize, classes: &[usize]) -> Form<'_> {
        let Some(definition) = self.types.get(index) else { return Form::Alone };
        let uses = self.uses.get(index).copied().unwrap_or_default();
        match &definition.kind {
            Kind::Struct(fields, extra) => {
                let members = fields.iter().map(|field| Member {
                    wire: &field.wire,
                    name: &field.name,
                    ty: classed(&field.ty, classes),
                    presence: field.presence(uses),
                    read_only: field.read_only,
                    write_only: field.write_only,
                });
                let mut members: Vec<Member<'_>> = members.collect();
                members.sort_by(|one, other| one.wire.cmp(other.wire));
                Form::Struct(members, extra.as_ref().map(|extra| classed(extra, classes)))
            }
            Kind::Enum(kind, _) => Form::Enum(*kind),
            Kind::Union(tagging, variants) => {
                let variants = variants.iter().filter_map(|variant| match &variant.content {
                    VariantContent::Type(ty, tags) => Some((&variant.name, classed(ty, classes), tags.as_slice())),
                    VariantContent::Value => None,
                });
                Form::Union(tagging, variants.collect())
            }
            Kind::Alias(_) | Kind::Multipart(_) | Kind::ByStatus(_) => Form::Alone,
        }
    }

    /// Splits the classes until all types of a class have the same form. A split only concerns the users of the types that got
    /// another class: the largest part of a class keeps its number.
    pub(super) fn refine(&self, classes: &mut [usize]) {
        let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, class) in classes.iter().enumerate() {
            members.entry(*class).or_default().push(index);
        }
        let mut next = classes.iter().max().map_or(0, |class| class + 1);
        let mut waiting: Vec<usize> = members.keys().copied().collect();
        waiting.sort_unstable();
        let mut is_waiting: HashMap<usize, bool> = waiting.iter().map(|class| (*class, true)).collect();
        while let Some(class) = waiting.pop() {
            is_waiting.insert(class, false);
            let Some(own) = members.get(&class).filter(|own| own.len() > 1) else { continue };
            let mut parts: Vec<Vec<usize>> = Vec::new();
            let mut by_form: HashMap<Form<'_>, usize> = HashMap::new();
            for index in own {
                let part = *by_form.entry(self.form(*index, classes)).or_insert_with(|| {
                    parts.push(Vec::new());
                    parts.len() - 1
                });
                parts.get_mut(part).into_iter().for_each(|part| part.push(*index));
            }
            if parts.len() < 2 {
                continue;
            }
            // The first of the largest keeps the number.
            parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
            let mut parts = parts.into_iter();
            members.insert(class, parts.next().unwrap_or_default());
            for part in parts {
                for index in &part {
                    classes.get_mut(*index).into_iter().for_each(|class| *class = next);
                }
                for user in part.iter().filter_map(|index| self.users.get(*index)).flatten() {
                    let class = classes.get(*user).copied().unwrap_or_default();
                    if !is_waiting.insert(class, true).unwrap_or_default() {
                        waiting.push(class);
                    }
                }
                members.insert(next, part);
                next += 1;
            }
        }
    }
}

/// The type with classes in place of definitions.
fn classed(ty: &Type, classes: &[usize]) -> Type {
    match ty {
        Type::List(inner) => Type::List(Box::new(classed(inner, classes))),
        Type::Map(inner) => Type::Map(Box::new(classed(inner, classes))),
        Type::Optional(inner) => Type::Optional(Box::new(classed(inner, classes))),
        Type::Named(id) => Type::Named(TypeId(classes.get(id.0).copied().unwrap_or_default())),
        other => other.clone(),
    }
}
