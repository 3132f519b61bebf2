//! The distinct shapes of a model's types.

use std::collections::HashSet;

use crate::model::{BodyKind, Content, Kind, Model, Operation, PartKind, Type, TypeId, VariantContent};

/// Represents all named types.
const PLACEHOLDER: Type = Type::Named(TypeId(0));

/// A type without the parts that are put back afterwards: names, and nullability of elements.
pub(super) fn shape(ty: &Type) -> Type {
    match ty {
        Type::Named(_) => PLACEHOLDER,
        Type::Optional(inner) => shape(inner),
        Type::List(inner) => Type::List(Box::new(shape(inner))),
        Type::Map(inner) => Type::Map(Box::new(shape(inner))),
        other => other.clone(),
    }
}

/// Every shape that occurs, once, in the order in which they are met. The elements of a list are met after it: pages are
/// read by them.
pub(super) fn distinct(model: &Model) -> Vec<Type> {
    let members = model.types.iter().flat_map(|definition| members(&definition.kind));
    let mentioned = model.operations.iter().flat_map(mentioned);
    let mut seen = HashSet::new();
    let elements = |ty: &Type| match ty {
        Type::List(inner) => Some((**inner).clone()),
        _ => None,
    };
    let shapes = members.chain(mentioned).flat_map(|ty| std::iter::successors(Some(shape(ty)), elements));
    shapes.filter(|shape| seen.insert(shape.clone())).collect()
}

/// The types inside of a definition.
fn members(kind: &Kind) -> Vec<&Type> {
    match kind {
        Kind::Struct(fields, extra) => fields.iter().map(|field| &field.ty).chain(extra).collect(),
        Kind::Alias(ty) => vec![ty],
        Kind::Enum(..) => Vec::new(),
        Kind::Union(_, variants) => variants
            .iter()
            .filter_map(|variant| match &variant.content {
                VariantContent::Type(ty, _) => Some(ty),
                VariantContent::Value => None,
            })
            .collect(),
        Kind::Multipart(parts) => parts
            .iter()
            .filter_map(|part| match &part.kind {
                PartKind::File | PartKind::Files => None,
                PartKind::Text(ty)
                | PartKind::Texts(ty)
                | PartKind::Json(ty)
                | PartKind::Jsons(ty)
                | PartKind::Styled(ty, ..) => Some(ty),
            })
            .collect(),
        Kind::ByStatus(variants) => variants.iter().filter_map(|(_, _, content)| carried(content)).collect(),
    }
}

fn carried(content: &Content) -> Option<&Type> {
    match content {
        Content::Json(ty) | Content::OptionalJson(ty) | Content::Xml(ty, _) => Some(ty),
        _ => None,
    }
}

/// The types that an operation mentions: of its parameters, of its body, and of its answer.
fn mentioned(operation: &Operation) -> Vec<&Type> {
    let body = match operation.body.as_ref().map(|body| &body.kind) {
        Some(BodyKind::Json(ty) | BodyKind::Form(ty, _) | BodyKind::Xml(ty, _)) => Some(ty),
        Some(BodyKind::Multipart(_) | BodyKind::Text | BodyKind::Binary) | None => None,
    };
    let parameters = operation.parameters.iter().map(|parameter| &parameter.ty);
    let headers = operation.answered.iter().map(|header| &header.ty);
    parameters.chain(body).chain(carried(&operation.success)).chain(headers).collect()
}
