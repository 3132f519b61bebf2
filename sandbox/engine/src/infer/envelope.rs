//! Envelopes: the way from a body to the item, or to the elements of a list.

use super::names::{ELEMENTS, WRAPPERS, is_one, plain, singular};
use crate::contract::SchemaRef;
use crate::outline::{Outline, Outlines};

/// The elements of a list in an answer.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    /// The members that lead to the array.
    pub(super) within: Vec<String>,
    pub(super) item: Option<SchemaRef>,
    pub(super) identity: Option<String>,
    /// The array is the body, or has a name that lists use.
    pub(super) is_certain: bool,
}

/// The way to the array of a list: the body itself, a member, or a member of a member. The elements that are of the known kind
/// win, then names, then the only array of objects.
pub(super) fn elements(outlines: &Outlines, schema: &SchemaRef, name: &str, known: Option<&str>) -> Option<Elements> {
    let shape = outlines.get(schema);
    if shape.is_array() && !shape.is_object() {
        let identity = shape.items.as_ref().and_then(|items| outlines.get(items).identity.clone());
        return Some(Elements { within: Vec::new(), item: shape.items.clone(), identity, is_certain: true });
    }
    let mut candidates = Vec::new();
    arrays(outlines, &shape, name, &mut Vec::new(), &mut candidates);
    let is_known = |elements: &&(Elements, bool)| known.is_some() && elements.0.identity.as_deref() == known;
    let objects = candidates.iter().filter(|(_, is_object)| *is_object).count();
    let best = candidates
        .iter()
        .find(is_known)
        .or_else(|| candidates.iter().find(|(elements, is_object)| elements.is_certain && *is_object))
        .or_else(|| candidates.iter().find(|(elements, _)| elements.is_certain))
        .or_else(|| candidates.iter().find(|(_, is_object)| *is_object && objects == 1))
        .or_else(|| candidates.first().filter(|_| candidates.len() == 1));
    best.map(|(elements, _)| {
        let is_certain = elements.is_certain || (known.is_some() && elements.identity.as_deref() == known);
        Elements { is_certain, ..elements.clone() }
    })
}

fn arrays(
    outlines: &Outlines,
    shape: &Outline,
    name: &str,
    path: &mut Vec<String>,
    candidates: &mut Vec<(Elements, bool)>,
) {
    for (member, declared) in shape.members.iter().take(200) {
        let inner = outlines.get(&declared.schema);
        path.push(member.clone());
        if inner.is_array() {
            let element = inner.items.as_ref().map(|items| outlines.get(items));
            let is_object = element.as_ref().is_some_and(|element| element.is_object());
            let (member, name) = (plain(member), plain(name));
            let is_certain = is_one(&member, ELEMENTS) || singular(&member) == singular(&name);
            let identity = element.and_then(|element| element.identity.clone());
            candidates
                .push((Elements { within: path.clone(), item: inner.items.clone(), identity, is_certain }, is_object));
        } else if path.len() == 1 && is_one(member, ELEMENTS) {
            arrays(outlines, &inner, name, path, candidates);
        }
        path.pop();
    }
}

/// The step of a way from an array to its only element.
pub(crate) const ELEMENT: &str = "[]";

/// The way to the item of a body. `is_item` says of a shape that it has the members of an item.
pub(super) fn item(
    outlines: &Outlines,
    schema: &SchemaRef,
    name: &str,
    is_item: &dyn Fn(&Outline) -> bool,
) -> (Vec<String>, SchemaRef) {
    let shape = outlines.get(schema);
    let own = || (Vec::new(), schema.clone());
    if !shape.is_object() || is_item(&shape) {
        return own();
    }
    let name = singular(&plain(name));
    let inner = |member: &str| {
        let declared = shape.members.get(member)?;
        let inner = outlines.get(&declared.schema);
        inner.is_object().then(|| (inner, declared.schema.clone()))
    };
    // `timesheetLine` has a line.
    let is_named = |member: &str| !name.is_empty() && singular(&plain(member)).ends_with(&name);
    let is_wrapper = |member: &str| is_one(member, WRAPPERS) || is_named(member);
    let wrappers = shape.members.keys().filter(|member: &&String| is_wrapper(member) || shape.members.len() == 1);
    for member in wrappers.clone() {
        let Some((inner, schema)) = inner(member) else { continue };
        if is_item(&inner) || shape.members.len() == 1 || is_one(member, WRAPPERS) && shape.members.len() < 4 {
            return (vec![member.clone()], schema);
        }
    }
    // An array of one item: `{"Employees": [{…}]}`.
    let arrays = shape.members.iter().filter_map(|(member, declared)| {
        let items = outlines.get(&declared.schema).items.clone()?;
        is_item(&outlines.get(&items)).then(|| (vec![member.clone(), ELEMENT.to_owned()], items))
    });
    let mut arrays: Vec<_> = arrays.collect();
    let position = arrays.iter().position(|(way, _)| way.first().is_some_and(|member| is_wrapper(member)));
    match position {
        Some(position) => arrays.swap_remove(position),
        None => arrays.pop().filter(|_| arrays.is_empty()).unwrap_or_else(own),
    }
}
