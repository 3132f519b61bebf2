//! Members that name the variant of a union.
//!
//! A union writes the tag of the variant that is sent. If a type is only sent as a variant, its tag is therefore no
//! argument.

use std::collections::BTreeSet;

use super::Model;
use super::reach::{links, roots};
use super::types::{EnumKind, Kind, Tagging, Type, TypeId, VariantContent};

/// Marks the tags that unions write.
pub(super) fn mark(model: &mut Model) {
    for definition in &mut model.types {
        if let Kind::Struct(fields, _) = &mut definition.kind {
            fields.iter_mut().for_each(|field| field.tag = false);
        }
    }
    let mut direct: BTreeSet<TypeId> = model.operations.iter().flat_map(|operation| roots(operation).0).collect();
    let mut tags: Vec<(TypeId, String)> = Vec::new();
    for definition in &model.types {
        match &definition.kind {
            Kind::Union(Tagging::Tag(tag), variants) => {
                for variant in variants {
                    if let VariantContent::Type(Type::Named(id), _) = &variant.content {
                        tags.push((*id, tag.clone()));
                    }
                }
            }
            _ if definition.reach.request => direct.extend(links(definition)),
            _ => {}
        }
    }
    // A tag that is not text is not written by the union.
    let texts: BTreeSet<TypeId> = (0..model.types.len())
        .map(TypeId)
        .filter(|id| match &model.definition(*id).kind {
            Kind::Enum(EnumKind::String, _) => true,
            Kind::Id(id) => matches!(id.scalar, Type::String(_)),
            _ => false,
        })
        .collect();
    let is_text = |ty: &Type| match ty {
        Type::String(_) => true,
        Type::Named(id) => texts.contains(id),
        _ => false,
    };
    for (id, tag) in tags.into_iter().filter(|(id, _)| !direct.contains(id)) {
        if let Kind::Struct(fields, _) = &mut model.types[id.0].kind {
            let tags = fields.iter_mut().filter(|field| field.wire == tag && is_text(&field.ty));
            tags.for_each(|field| field.tag = true);
        }
    }
}
