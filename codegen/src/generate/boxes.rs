//! Boxes: what ends the recursion of types that hold themselves.

use std::collections::HashSet;

use crate::model::{Definition, Kind, Type, TypeId};

/// A definition on the way that is being followed, and how many of its members have been followed.
struct Step {
    id: TypeId,
    next: usize,
}

/// The members that need a box: those that lead back to a definition on the way to them. Lists and maps keep their elements
/// elsewhere, and unions box what is large, so only members that hold their type in themselves count.
pub(crate) fn boxes(types: &[Definition]) -> HashSet<(TypeId, usize)> {
    let held: Vec<Vec<(usize, TypeId)>> = types.iter().map(|definition| held(&definition.kind)).collect();
    let mut boxes = HashSet::new();
    let mut done = vec![false; held.len()];
    let mut active = vec![false; held.len()];
    for start in 0..held.len() {
        let mut way = Vec::new();
        enter(TypeId(start), &mut way, &mut done, &mut active);
        while let Some(step) = way.last_mut() {
            let id = step.id;
            let Some((position, target)) = held.get(id.0).and_then(|held| held.get(step.next)) else {
                set(&mut active, id, false);
                way.pop();
                continue;
            };
            step.next += 1;
            if active.get(target.0) == Some(&true) {
                boxes.insert((id, *position));
            } else {
                enter(*target, &mut way, &mut done, &mut active);
            }
        }
    }
    boxes
}

fn enter(id: TypeId, way: &mut Vec<Step>, done: &mut [bool], active: &mut [bool]) {
    if done.get(id.0) == Some(&false) {
        set(done, id, true);
        set(active, id, true);
        way.push(Step { id, next: 0 });
    }
}

fn set(flags: &mut [bool], id: TypeId, value: bool) {
    if let Some(flag) = flags.get_mut(id.0) {
        *flag = value;
    }
}

/// The definitions that a struct holds in itself, by the position of the member.
fn held(kind: &Kind) -> Vec<(usize, TypeId)> {
    let Kind::Struct(fields, _) = kind else { return Vec::new() };
    let members = fields.iter().enumerate();
    members.filter_map(|(position, field)| Some((position, in_place(&field.ty)?))).collect()
}

fn in_place(ty: &Type) -> Option<TypeId> {
    match ty {
        Type::Named(id) => Some(*id),
        Type::Optional(inner) => in_place(inner),
        _ => None,
    }
}
