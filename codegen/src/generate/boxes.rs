//! Boxes: they end the recursion of types that contain themselves, and limit the size of a type on the stack.

use std::collections::{BTreeMap, HashSet};

use super::Rust;
use crate::Names;
use crate::model::{Custom, Definition, EnumKind, Format, Kind, PartKind, Type, TypeId};

/// The most that a struct holds of other structs in itself, in bytes: reading a value keeps several copies of each struct on the
/// way to it on the stack. Boxes are added where more would stand there, the largest member first.
pub const LARGEST_NEW: usize = 4_096;

/// The same for a struct that programs have already: it grows with its contract, and a box that is added breaks them.
pub const LARGEST_PUBLISHED: usize = 4 * LARGEST_NEW;

/// The word in `specs/names.lock` that marks a member behind a box.
const BOXED: &str = "boxed";

/// The size of a pointer, and the most that an option adds.
const WORD: usize = 8;

/// Members behind a box: definition and position.
#[derive(Debug, Default)]
pub(crate) struct Boxed(HashSet<(TypeId, usize)>);

impl Boxed {
    /// The type of a member of a definition.
    pub(crate) fn member(&self, id: TypeId, position: usize, ty: &Type) -> Rust {
        let rust = Rust::from_type(ty);
        if self.0.contains(&(id, position)) { rust.boxed() } else { rust }
    }
}

/// A definition on the way that is being followed, and how many of its members have been followed.
struct Followed {
    id: TypeId,
    next: usize,
}

/// The members that need a box: those that lead back to a definition on the way to them, and those that make a struct
/// too large. Lists and maps keep their elements elsewhere, and unions box their structs, so only members that hold
/// their type in themselves count.
///
/// A member that was published behind a box stays there, so that no addition to a contract moves one. `keys` are those
/// of the definitions in `specs/names.lock`; the boxes are added to `given`, which the next run gets as `pins`.
pub(crate) fn boxes(
    types: &[Definition],
    keys: &[Option<&String>],
    pins: &Names,
    given: &mut BTreeMap<String, String>,
) -> Boxed {
    let key = |id: usize| keys.get(id).copied().flatten();
    let member = |id: TypeId, position: usize| {
        let (wire, _) = *members(&types.get(id.0)?.kind).get(position)?;
        Some(format!("{}.{wire}", key(id.0)?))
    };
    let is_pinned = |id: TypeId, position: usize| {
        member(id, position).and_then(|member| pins.uses.get(&member)).is_some_and(|words| says(words, BOXED))
    };
    let mut contained: Vec<Vec<(usize, TypeId)>> = types.iter().map(|definition| contained(&definition.kind)).collect();
    let is_scalar = |id: TypeId| types.get(id.0).is_some_and(|definition| matches!(definition.kind, Kind::Id(_)));
    contained.iter_mut().for_each(|members| members.retain(|(_, target)| !is_scalar(*target)));
    let mut boxes = HashSet::new();
    for (id, members) in contained.iter_mut().enumerate() {
        members.retain(|(position, _)| {
            let is_pinned = is_pinned(TypeId(id), *position);
            if is_pinned {
                boxes.insert((TypeId(id), *position));
            }
            !is_pinned
        });
    }
    boxes.extend(leading_back(&contained));
    let published =
        |id: usize| key(id).is_some_and(|key| pins.types.contains_key(key) || pins.graphql.contains_key(key));
    let most: Vec<usize> =
        (0..types.len()).map(|id| if published(id) { LARGEST_PUBLISHED } else { LARGEST_NEW }).collect();
    bound(types, &contained, &most, &mut boxes);
    for member in boxes.iter().filter_map(|(id, position)| member(*id, *position)) {
        let words = given.entry(member).or_default();
        if !says(words, BOXED) {
            *words = format!("{words} {BOXED}").trim_start().to_owned();
        }
    }
    Boxed(boxes)
}

/// Returns whether this word is one of the words of a pin.
fn says(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

/// Boxes the largest members of each struct until its size is at most `most`, or it contains no other struct.
fn bound(
    types: &[Definition],
    contained: &[Vec<(usize, TypeId)>],
    most: &[usize],
    boxes: &mut HashSet<(TypeId, usize)>,
) {
    // An identifier is as large as its scalar, and waits for nothing.
    let of_scalar =
        |definition: &Definition| if let Kind::Id(id) = &definition.kind { size(&id.scalar, &[]) } else { WORD };
    let mut sizes: Vec<usize> = types.iter().map(of_scalar).collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); types.len()];
    let mut waits: Vec<usize> = vec![0; types.len()];
    for (id, definition) in types.iter().enumerate() {
        let aliased = if let Kind::Alias(ty) = &definition.kind { in_place(ty) } else { None };
        let members =
            contained.get(id).into_iter().flatten().filter(|(position, _)| !boxes.contains(&(TypeId(id), *position)));
        for target in members.map(|(_, target)| *target).chain(aliased) {
            if let (Some(users), Some(waits)) = (users.get_mut(target.0), waits.get_mut(id)) {
                users.push(id);
                *waits += 1;
            }
        }
    }
    // Each definition comes after those that it holds, and no struct holds itself any more.
    let mut ready: Vec<usize> = (0..types.len()).filter(|id| waits.get(*id) == Some(&0)).collect();
    while let Some(id) = ready.pop() {
        let Some(definition) = types.get(id) else { continue };
        let size = match &definition.kind {
            Kind::Struct(..) | Kind::Multipart(_) => {
                let of_member = |position: usize, member: &Member<'_>| match boxes.contains(&(TypeId(id), position)) {
                    true => WORD,
                    false => member.size(&sizes).next_multiple_of(WORD).saturating_add(WORD),
                };
                let mut sizes_of: Vec<usize> = members(&definition.kind)
                    .iter()
                    .enumerate()
                    .map(|(index, (_, member))| of_member(index, member))
                    .collect();
                let mut structs: Vec<usize> =
                    contained.get(id).into_iter().flatten().map(|(position, _)| *position).collect();
                structs.sort_by_key(|position| std::cmp::Reverse(sizes_of.get(*position).copied()));
                let mut structs = structs.into_iter();
                // The members that the contract does not declare stand in a map.
                let whole = |members: &[usize]| members.iter().fold(OBJECT, |sum, size| sum.saturating_add(*size));
                while most.get(id).is_some_and(|most| whole(&sizes_of) > *most)
                    && let Some(position) = structs.next()
                {
                    boxes.insert((TypeId(id), position));
                    sizes_of.get_mut(position).into_iter().for_each(|size| *size = WORD);
                }
                whole(&sizes_of)
            }
            Kind::Alias(ty) => size(ty, &sizes),
            Kind::Id(id) => size(&id.scalar, &sizes),
            Kind::Enum(EnumKind::String, _) => 32,
            Kind::Enum(EnumKind::Integer(_), _) => 16,
            // Structs among the variants are boxed.
            Kind::Union(..) => OBJECT + WORD,
            // They are no member of anything.
            Kind::ByStatus(_) => WORD,
        };
        sizes.get_mut(id).into_iter().for_each(|own| *own = size);
        for user in users.get(id).into_iter().flatten() {
            if let Some(waits) = waits.get_mut(*user) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 {
                    ready.push(*user);
                }
            }
        }
    }
}

/// The size of a value of the runtime that may be anything, and of an object.
const OBJECT: usize = 80;

/// The most that a type takes, in bytes. A type that people chose for a scalar is taken for an object.
fn size(ty: &Type, sizes: &[usize]) -> usize {
    match ty {
        Type::Boolean | Type::Integer(_) | Type::Float | Type::Double | Type::Custom(Custom::TextNumber(_)) => 24,
        Type::String(Format::Uuid) => 16,
        Type::Decimal | Type::String(_) | Type::List(_) | Type::Map(_) => 24,
        Type::Any | Type::Object | Type::Custom(Custom::Path(..)) => OBJECT,
        Type::Custom(Custom::File) => 2 * OBJECT,
        Type::Optional(inner) => size(inner, sizes).next_multiple_of(WORD).saturating_add(WORD),
        Type::Named(id) => sizes.get(id.0).copied().unwrap_or(WORD),
    }
}

/// By definition, the members that hold a definition in themselves: those that close a circle.
fn leading_back(contained: &[Vec<(usize, TypeId)>]) -> HashSet<(TypeId, usize)> {
    let mut boxes = HashSet::new();
    let mut done = vec![false; contained.len()];
    let mut active = vec![false; contained.len()];
    for start in 0..contained.len() {
        let mut way = Vec::new();
        enter(TypeId(start), &mut way, &mut done, &mut active);
        while let Some(step) = way.last_mut() {
            let id = step.id;
            let Some((position, target)) = contained.get(id.0).and_then(|contained| contained.get(step.next)) else {
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

/// The definitions that a struct or a form holds in itself, by the position of the member.
fn contained(kind: &Kind) -> Vec<(usize, TypeId)> {
    let members = members(kind).into_iter().enumerate();
    let in_place = |member| if let Member::Value(ty) = member { in_place(ty) } else { None };
    members.filter_map(|(position, (_, member))| Some((position, in_place(member)?))).collect()
}

/// A member of a struct, or a part of a form.
#[derive(Clone, Copy)]
enum Member<'t> {
    Value(&'t Type),
    File,
    List,
}

impl Member<'_> {
    fn size(self, sizes: &[usize]) -> usize {
        match self {
            Self::Value(ty) => size(ty, sizes),
            Self::File => size(&Type::Custom(Custom::File), sizes),
            Self::List => size(&Type::Decimal, sizes),
        }
    }
}

/// The members of a struct, or the parts of a form, by their wire names.
fn members(kind: &Kind) -> Vec<(&str, Member<'_>)> {
    match kind {
        Kind::Struct(fields, _) => fields.iter().map(|field| (field.wire.as_str(), Member::Value(&field.ty))).collect(),
        Kind::Multipart(parts) => parts
            .iter()
            .map(|part| {
                let member = match &part.kind {
                    PartKind::Text(ty) | PartKind::Json(ty) | PartKind::Styled(ty, ..) => Member::Value(ty),
                    PartKind::File => Member::File,
                    PartKind::Files | PartKind::Texts(_) | PartKind::Jsons(_) => Member::List,
                };
                (part.wire.as_str(), member)
            })
            .collect(),
        _ => Vec::new(),
    }
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

    /// Returns whether all types have a finite size if the members in `boxed` are pointers: types without members have,
    /// then types whose members have.
    fn is_finite(contained: &[Vec<(usize, TypeId)>], boxed: &dyn Fn(usize, usize) -> bool) -> bool {
        let mut finite = vec![false; contained.len()];
        for _ in 0..contained.len() {
            for (id, members) in contained.iter().enumerate() {
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
            let contained: Vec<Vec<(usize, TypeId)>> = (0..count)
                .map(|_| (0..below(4)).map(|position| (position, TypeId(below(count as u64)))).collect())
                .collect();
            let boxes = leading_back(&contained);
            assert!(is_finite(&contained, &|id, position| boxes.contains(&(TypeId(id), position))), "{contained:?}");
            let needed = !is_finite(&contained, &|_, _| false);
            assert_eq!(!boxes.is_empty(), needed, "{contained:?}");
            if needed { with += 1 } else { without += 1 }
        }
        assert!(with > 50 && without > 50, "{with} and {without}");
    }
}
