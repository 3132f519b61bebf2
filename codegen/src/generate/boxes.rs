//! Boxes: what ends the recursion of types that hold themselves.

use std::collections::HashSet;

use crate::model::{Definition, Kind, Type, TypeId};

/// A definition on the way that is being followed, and how many of its members have been followed.
struct Followed {
    id: TypeId,
    next: usize,
}

/// The members that need a box: those that lead back to a definition on the way to them. Lists and maps keep their elements
/// elsewhere, and unions box what is large, so only members that hold their type in themselves count.
pub(crate) fn boxes(types: &[Definition]) -> HashSet<(TypeId, usize)> {
    let held: Vec<Vec<(usize, TypeId)>> = types.iter().map(|definition| held(&definition.kind)).collect();
    leading_back(&held)
}

/// By definition, the members that hold a definition in themselves: those that close a circle.
fn leading_back(held: &[Vec<(usize, TypeId)>]) -> HashSet<(TypeId, usize)> {
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

fn enter(id: TypeId, way: &mut Vec<Followed>, done: &mut [bool], active: &mut [bool]) {
    if done.get(id.0) == Some(&false) {
        set(done, id, true);
        set(active, id, true);
        way.push(Followed { id, next: 0 });
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

#[cfg(test)]
mod tests {
    use super::leading_back;
    use crate::model::TypeId;

    /// Whether types can be laid out when the members in `boxed` are pointers: those without members can, then those whose
    /// members can.
    fn is_finite(held: &[Vec<(usize, TypeId)>], boxed: &dyn Fn(usize, usize) -> bool) -> bool {
        let mut finite = vec![false; held.len()];
        for _ in 0..held.len() {
            for (id, members) in held.iter().enumerate() {
                finite[id] = members.iter().all(|(position, target)| boxed(id, *position) || finite[target.0]);
            }
        }
        finite.iter().all(|finite| *finite)
    }

    #[test]
    fn no_type_holds_itself_and_what_holds_none_has_no_box() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % bound).unwrap_or_default()
        };
        let (mut with, mut without) = (0, 0);
        for _ in 0..500 {
            let count = 1 + below(7);
            let held: Vec<Vec<(usize, TypeId)>> = (0..count)
                .map(|_| (0..below(4)).map(|position| (position, TypeId(below(count as u64)))).collect())
                .collect();
            let boxes = leading_back(&held);
            assert!(is_finite(&held, &|id, position| boxes.contains(&(TypeId(id), position))), "{held:?}");
            let needed = !is_finite(&held, &|_, _| false);
            assert_eq!(!boxes.is_empty(), needed, "{held:?}");
            if needed { with += 1 } else { without += 1 }
        }
        assert!(with > 50 && without > 50, "{with} and {without}");
    }
}
