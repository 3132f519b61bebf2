//! The members of a page.

use super::spelling::{is_one, is_word, plain};
use super::words::{ABOUT, ENVELOPE, ITEMS, NO_ITEMS};
use crate::model::{Field, Kind, Model, Operation, Type};
use crate::pointer;

/// The most aliases and options around a type.
const DEPTH: usize = 130;

/// The type behind aliases and options.
pub(super) fn bare<'m>(model: &'m Model, mut ty: &'m Type) -> &'m Type {
    for _ in 0..DEPTH {
        ty = match ty {
            Type::Optional(inner) => inner,
            Type::Named(id) => match &model.definition(*id).kind {
                Kind::Alias(inner) => inner,
                Kind::Id(id) => &id.scalar,
                _ => break,
            },
            _ => break,
        };
    }
    ty
}

/// The declared members of an object.
pub(super) fn members<'m>(model: &'m Model, ty: &'m Type) -> &'m [Field] {
    match bare(model, ty) {
        Type::Named(id) => match &model.definition(*id).kind {
            Kind::Struct(fields, _) => fields,
            _ => &[],
        },
        _ => &[],
    }
}

/// The elements of a list.
pub(super) fn elements<'m>(model: &'m Model, ty: &'m Type) -> Option<&'m Type> {
    match bare(model, ty) {
        Type::List(inner) => Some(inner),
        _ => None,
    }
}

pub(super) fn is_text(model: &Model, ty: &Type) -> bool {
    matches!(bare(model, ty), Type::String(_) | Type::Any)
}

pub(super) fn is_integer(model: &Model, ty: &Type) -> bool {
    matches!(bare(model, ty), Type::Integer(_))
}

pub(super) fn is_flag(model: &Model, ty: &Type) -> bool {
    matches!(bare(model, ty), Type::Boolean)
}

/// A member of a page, or of an object about it.
pub(super) struct Member<'m> {
    /// The pointer to the object that has it.
    place: String,
    /// The object about the page that has it.
    pub(super) owner: Option<&'m str>,
    pub(super) field: &'m Field,
}

impl Member<'_> {
    pub(super) fn pointer(&self) -> String {
        pointer::join(&self.place, &self.field.wire)
    }

    pub(super) fn is_one(&self, list: &[&str]) -> bool {
        is_one(&self.field.wire, list)
    }
}

/// The most objects about a page that are followed. Names are compared without signs, so a hostile type has any number.
const OWNERS: usize = 8;

/// The members of a page, and those of the objects about it; its own are first.
pub(super) fn about<'m>(model: &'m Model, page: &'m Type) -> Vec<Member<'m>> {
    let own = members(model, page);
    let mut all: Vec<Member<'m>> =
        own.iter().map(|field| Member { place: String::new(), owner: None, field }).collect();
    // The second level is that of `_links.next.href`.
    let mut first = 0;
    for _ in 0..2 {
        let level = all.get(first..).unwrap_or_default();
        let owners = level.iter().filter(|member| member.is_one(ABOUT)).take(OWNERS);
        let owners: Vec<(String, &'m Field)> = owners.map(|member| (member.pointer(), member.field)).collect();
        first = all.len();
        for (place, owner) in owners {
            let below = members(model, &owner.ty).iter();
            all.extend(below.map(|field| Member { place: place.clone(), owner: Some(&owner.wire), field }));
        }
    }
    all
}

/// The list of a page: its place, the type of its elements.
pub(super) struct List<'m> {
    pub(super) pointer: String,
    pub(super) item: &'m Type,
}

/// The list of items. The reason, if there is not exactly one that can be it.
pub(super) fn list<'m>(
    model: &'m Model,
    page: &'m Type,
    operation: &Operation,
    named: Option<&str>,
) -> Result<List<'m>, String> {
    if let Some(item) = elements(model, page) {
        return Ok(List { pointer: String::new(), item });
    }
    let fields = members(model, page);
    if let Some(name) = named
        && let Some(field) = fields.iter().find(|field| field.wire == name)
        && let Some(item) = elements(model, &field.ty)
    {
        return Ok(List { pointer: pointer::join("", name), item });
    }
    let own = candidates(model, fields, "", operation);
    let nested = || {
        let mut all: Vec<List<'m>> = Vec::new();
        for field in fields.iter().filter(|field| is_one(&field.wire, ENVELOPE)) {
            all.extend(candidates(model, members(model, &field.ty), &pointer::join("", &field.wire), operation));
        }
        all
    };
    let mut lists = if own.is_empty() { nested() } else { own };
    match (lists.pop(), lists.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(_), false) => Err("several of its lists can be the items".to_owned()),
        (None, _) => Err("its answer declares no list".to_owned()),
    }
}

/// The lists among the members that can be the items: the ones with a usual name, the one that the path names, else all.
fn candidates<'m>(model: &'m Model, fields: &'m [Field], before: &str, operation: &Operation) -> Vec<List<'m>> {
    let lists = fields.iter().filter_map(|field| Some((field, elements(model, &field.ty)?)));
    let lists: Vec<_> = lists.filter(|(field, _)| !is_one(&field.wire, NO_ITEMS)).collect();
    let subject = operation.path.split('/').rev().find(|part| !part.is_empty() && !part.contains('{'));
    let subject = plain(subject.unwrap_or_default());
    let is_subject = |field: &Field| is_word(&field.wire, &subject);
    let chosen: Vec<_> = match lists.len() {
        0 | 1 => lists,
        _ if lists.iter().any(|(field, _)| is_subject(field)) => {
            lists.into_iter().filter(|(field, _)| is_subject(field)).collect()
        }
        _ if lists.iter().any(|(field, _)| is_one(&field.wire, ITEMS)) => {
            lists.into_iter().filter(|(field, _)| is_one(&field.wire, ITEMS)).collect()
        }
        _ => lists,
    };
    chosen.into_iter().map(|(field, item)| List { pointer: pointer::join(before, &field.wire), item }).collect()
}
