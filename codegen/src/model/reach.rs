//! The operations that reach a type.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::types::{Definition, Kind, PartKind, Reach, Tagging, Type, TypeId, Uses, VariantContent};
use super::{BodyKind, Content, Model, Operation, Provenance};
use crate::Names;

/// Fills in [`Definition::reach`] from the operations. Marks that are there stay, and those that a type names get them, too: since it was
/// marked, it can have come to name others.
pub(super) fn mark(model: &mut Model) {
    let links: Vec<Vec<TypeId>> = model.types.iter().map(links).collect();
    for (index, named) in links.iter().enumerate() {
        let own = model.types[index].reach.clone();
        spread(&mut model.types, &links, named.clone(), |reach| reach.add(&own));
    }
    for operation in &model.operations {
        let (request, response) = roots(operation);
        let documented = operation.provenance != Provenance::Assumed;
        for (roots, is_request) in [(request, true), (response, false)] {
            let families = BTreeSet::from([operation.family.clone()]);
            let own = Reach { request: is_request, response: !is_request, documented, families };
            spread(&mut model.types, &links, roots, |reach| reach.add(&own));
        }
    }
}

/// Settles how the members of each type are present: as it was pinned, else by who uses it. It is pinned where another use
/// would change a member, which those who have the type rely on, or would part the schemas of a shared type: the members of another
/// schema than its own may depend on it.
pub(crate) fn settle(model: &mut Model, pins: &Names, given: &mut Names) {
    let keys: HashMap<&str, &String> = given.types.iter().map(|(key, name)| (name.as_str(), key)).collect();
    let variants = variants(model);
    let shared: BTreeSet<&str> = given.shared.values().map(String::as_str).collect();
    let mut pinned = BTreeMap::new();
    for (index, definition) in model.types.iter_mut().enumerate() {
        let actual = Uses { request: definition.reach.request, response: definition.reach.response };
        let (Kind::Struct(fields, _), Some(key)) = (&mut definition.kind, keys.get(&*definition.name)) else {
            definition.uses = actual;
            continue;
        };
        definition.uses = pins.uses.get(*key).and_then(|word| Uses::read(word)).unwrap_or(actual);
        for field in fields.iter_mut() {
            let member = format!("{key}.{}", field.wire);
            field.tag |= pins.uses.get(&member).is_some_and(|words| words.split(' ').any(|word| word == "variant"));
            if field.tag {
                pinned.insert(member, "variant".to_owned());
            }
        }
        let is_shared = shared.contains(&*definition.name);
        let depends = fields.iter().any(|field| field.presence(definition.uses) != field.presence(Uses::BOTH));
        if definition.uses != Uses::BOTH && (depends || is_shared || variants.contains(&index)) {
            pinned.insert((*key).clone(), definition.uses.word().to_owned());
        }
    }
    given.uses.extend(pinned);
}

/// The variants of tagged unions: their names depend on the union that they are sent in.
fn variants(model: &Model) -> BTreeSet<usize> {
    let mut ids = BTreeSet::new();
    for definition in &model.types {
        if let Kind::Union(Tagging::Tag(_), variants) = &definition.kind {
            for variant in variants {
                if let VariantContent::Type(ty, _) = &variant.content {
                    ty.each_named(&mut |id| {
                        ids.insert(id.0);
                    });
                }
            }
        }
    }
    ids
}

impl Reach {
    /// Adds the marks of another one, and returns whether that changed any.
    fn add(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.request |= other.request;
        self.response |= other.response;
        self.documented |= other.documented;
        self.families.extend(other.families.iter().cloned());
        before != *self
    }
}

/// Walks from `roots`, and goes on from a type only if `mark` changed it: marks that were there before have been
/// spread.
fn spread(
    types: &mut [Definition],
    links: &[Vec<TypeId>],
    mut queue: Vec<TypeId>,
    mut mark: impl FnMut(&mut Reach) -> bool,
) {
    while let Some(id) = queue.pop() {
        if mark(&mut types[id.0].reach) {
            queue.extend(&links[id.0]);
        }
    }
}

/// The types that an operation names in its request, and in its responses.
pub(crate) fn roots(operation: &Operation) -> (Vec<TypeId>, Vec<TypeId>) {
    let mut request = Vec::new();
    for parameter in &operation.parameters {
        parameter.ty.each_named(&mut |id| request.push(id));
    }
    match operation.body.as_ref().map(|body| &body.kind) {
        Some(BodyKind::Json(ty) | BodyKind::Form(ty, _) | BodyKind::Xml(ty, _)) => {
            ty.each_named(&mut |id| request.push(id))
        }
        Some(BodyKind::Multipart(id)) => request.push(*id),
        _ => {}
    }
    let mut response = Vec::new();
    content(&operation.success, &mut response);
    for status in &operation.statuses {
        content(&status.content, &mut response);
        status.item.iter().for_each(|item| item.each_named(&mut |id| response.push(id)));
    }
    for header in &operation.answered {
        header.ty.each_named(&mut |id| response.push(id));
    }
    (request, response)
}

fn content(content: &Content, into: &mut Vec<TypeId>) {
    match content {
        Content::Json(ty) | Content::OptionalJson(ty) | Content::Xml(ty, _) => ty.each_named(&mut |id| into.push(id)),
        Content::ByStatus(id) => into.push(*id),
        _ => {}
    }
}

/// The types that a definition names.
pub(crate) fn links(definition: &Definition) -> Vec<TypeId> {
    let mut named = Vec::new();
    let mut add = |ty: &Type| ty.each_named(&mut |id| named.push(id));
    match &definition.kind {
        Kind::Struct(fields, extra) => {
            fields.iter().for_each(|field| add(&field.ty));
            extra.iter().for_each(&mut add);
        }
        Kind::Alias(ty) => add(ty),
        Kind::Enum(..) | Kind::Id(_) => {}
        Kind::Union(_, variants) => {
            for variant in variants {
                if let VariantContent::Type(ty, _) = &variant.content {
                    add(ty);
                }
            }
        }
        Kind::Multipart(parts) => {
            for part in parts {
                match &part.kind {
                    PartKind::File | PartKind::Files => {}
                    PartKind::Text(ty)
                    | PartKind::Texts(ty)
                    | PartKind::Json(ty)
                    | PartKind::Jsons(ty)
                    | PartKind::Styled(ty, ..) => add(ty),
                }
            }
        }
        Kind::ByStatus(variants) => variants.iter().for_each(|(_, _, body)| content(body, &mut named)),
    }
    named
}
