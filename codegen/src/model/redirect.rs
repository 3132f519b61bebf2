//! Types that take the place of others.

use super::types::{Kind, PartKind, Type, TypeId, VariantContent};
use super::{BodyKind, Content, Model};

impl Model {
    /// Puts another type wherever a type is named, and leaves out the definitions that `is_kept` refuses.
    pub(crate) fn redirect(&mut self, to: &dyn Fn(TypeId) -> TypeId, is_kept: &dyn Fn(TypeId) -> bool) {
        let mut numbers = Vec::with_capacity(self.types.len());
        let mut next = 0;
        for index in 0..self.types.len() {
            numbers.push(TypeId(next));
            next += usize::from(is_kept(TypeId(index)));
        }
        let mut index = 0;
        self.types.retain(|_| {
            index += 1;
            is_kept(TypeId(index - 1))
        });
        let new = |id: TypeId| {
            let id = to(id);
            numbers.get(id.0).copied().unwrap_or(id)
        };
        self.each_id(&mut |id| *id = new(*id));
    }

    fn each_id(&mut self, visit: &mut impl FnMut(&mut TypeId)) {
        for definition in &mut self.types {
            definition.kind.each_id(visit);
        }
        for operation in &mut self.operations {
            for parameter in operation.parameters.iter_mut().chain(&mut operation.api_version) {
                parameter.ty.each_id(visit);
            }
            match operation.body.as_mut().map(|body| &mut body.kind) {
                Some(BodyKind::Json(ty) | BodyKind::Form(ty, _) | BodyKind::Xml(ty, _)) => ty.each_id(visit),
                Some(BodyKind::Multipart(id)) => visit(id),
                Some(BodyKind::Text | BodyKind::Binary) | None => {}
            }
            operation.success.each_id(visit);
            for status in &mut operation.statuses {
                status.content.each_id(visit);
                status.item.iter_mut().for_each(|item| item.each_id(visit));
            }
            for header in &mut operation.answered {
                header.ty.each_id(visit);
            }
        }
    }
}

impl Kind {
    fn each_id(&mut self, visit: &mut impl FnMut(&mut TypeId)) {
        match self {
            Self::Struct(fields, extra) => {
                fields.iter_mut().map(|field| &mut field.ty).chain(extra).for_each(|ty| ty.each_id(visit));
            }
            Self::Alias(ty) => ty.each_id(visit),
            Self::Enum(..) | Self::Id(_) => {}
            Self::Union(_, variants) => {
                for variant in variants {
                    if let VariantContent::Type(ty, _) = &mut variant.content {
                        ty.each_id(visit);
                    }
                }
            }
            Self::Multipart(parts) => {
                for part in parts {
                    match &mut part.kind {
                        PartKind::File | PartKind::Files => {}
                        PartKind::Text(ty)
                        | PartKind::Texts(ty)
                        | PartKind::Json(ty)
                        | PartKind::Jsons(ty)
                        | PartKind::Styled(ty, ..) => ty.each_id(visit),
                    }
                }
            }
            Self::ByStatus(variants) => variants.iter_mut().for_each(|(_, _, content)| content.each_id(visit)),
        }
    }
}

impl Content {
    fn each_id(&mut self, visit: &mut impl FnMut(&mut TypeId)) {
        match self {
            Self::Json(ty) | Self::OptionalJson(ty) | Self::Xml(ty, _) => ty.each_id(visit),
            Self::ByStatus(id) => visit(id),
            Self::Empty | Self::Text | Self::Stream | Self::Events | Self::Redirect => {}
        }
    }
}

impl Type {
    fn each_id(&mut self, visit: &mut impl FnMut(&mut TypeId)) {
        match self {
            Self::List(inner) | Self::Map(inner) | Self::Optional(inner) => inner.each_id(visit),
            Self::Named(id) => visit(id),
            _ => {}
        }
    }
}
