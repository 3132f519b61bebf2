//! Checks JSON pointers against types.

use std::cell::Cell;

use crate::model::{Content, EnumKind, Kind, Model, Type, TypeId};
use crate::pointer::tokens;

/// The most types that are followed for one step of a pointer. References end after 64 ([`crate::model::Node::resolve`]), each at
/// most with an option around it, so a pointer is never given up half-way.
const DEPTH: usize = 2 * 64 + 2;

/// Checks that a pointer leads from a type to a value that can be an identifier. An untyped value fits.
pub(super) fn identifies(model: &Model, ty: &Type, pointer: &str) -> Result<(), String> {
    let steps: Vec<String> = tokens(pointer).collect();
    walk(model, ty, &steps, DEPTH * (steps.len() + 1), &|leaf| match leaf {
        Type::Boolean | Type::Float | Type::Double => Err("it is neither text nor an integer".to_owned()),
        _ => Ok(()),
    })
}

/// As above, for a result with a type for each status: one of them has to fit.
pub(super) fn identifies_by_status(model: &Model, id: TypeId, pointer: &str) -> Result<(), String> {
    let Kind::ByStatus(variants) = &model.definition(id).kind else { return Ok(()) };
    let mut reason = Err("the accepted result has no body".to_owned());
    for (_, _, content) in variants {
        if let Content::Json(ty) | Content::OptionalJson(ty) = content {
            reason = identifies(model, ty, pointer);
            if reason.is_ok() {
                break;
            }
        }
    }
    reason
}

/// The element type of the list that a pointer leads to. An untyped value is a list of any JSON.
pub(super) fn list(model: &Model, ty: &Type, pointer: &str) -> Result<Type, String> {
    let mut ty = ty.clone();
    let rounds = DEPTH * (tokens(pointer).count() + 1);
    let mut steps = tokens(pointer);
    for _ in 0..rounds {
        ty = match ty {
            Type::Any | Type::Custom(_) => return Ok(Type::Any),
            Type::Optional(inner) => *inner,
            Type::Named(id) => match &model.definition(id).kind {
                Kind::Alias(inner) => inner.clone(),
                Kind::Struct(fields, rest) => {
                    let name = &model.definition(id).name;
                    let Some(step) = steps.next() else { return Err(format!("`{name}` is an object")) };
                    match (fields.iter().find(|field| field.wire == step), rest) {
                        (Some(field), _) => field.ty.clone(),
                        (None, Some(inner)) => inner.clone(),
                        (None, None) => {
                            let names: Vec<&str> = fields.iter().map(|field| field.wire.as_str()).collect();
                            return Err(format!("`{name}` has no `{step}`; it has {}", names.join(", ")));
                        }
                    }
                }
                Kind::Union(..) => return Ok(Type::Any),
                _ => return Err("it is a single value".to_owned()),
            },
            Type::List(inner) => match steps.next() {
                Some(index) if index.parse::<usize>().is_ok() => *inner,
                Some(_) => return Err("it is a list already".to_owned()),
                None => return Ok(*inner),
            },
            Type::Map(inner) => match steps.next() {
                Some(_) => *inner,
                None => return Err("it is an object".to_owned()),
            },
            Type::Object => match steps.next() {
                Some(_) => return Ok(Type::Any),
                None => return Err("it is an object".to_owned()),
            },
            _ => return Err("it is a single value".to_owned()),
        };
    }
    Ok(Type::Any)
}

/// Checks that a pointer leads from a type to a flag. An untyped value fits.
pub(super) fn decides(model: &Model, ty: &Type, pointer: &str) -> Result<(), String> {
    let steps: Vec<String> = tokens(pointer).collect();
    walk(model, ty, &steps, DEPTH * (steps.len() + 1), &|leaf| match leaf {
        Type::Boolean => Ok(()),
        _ => Err("it is not a flag".to_owned()),
    })
}

/// Checks that a pointer leads from a type to a number. An untyped value fits.
pub(super) fn counts(model: &Model, ty: &Type, pointer: &str) -> Result<(), String> {
    let steps: Vec<String> = tokens(pointer).collect();
    walk(model, ty, &steps, DEPTH * (steps.len() + 1), &|leaf| match leaf {
        Type::Integer(_) | Type::Decimal | Type::Float | Type::Double => Ok(()),
        _ => Err("it is not a number".to_owned()),
    })
}

/// The JSON type of a value that is text or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonScalar {
    Text,
    Number,
}

/// The JSON type of the value that a pointer leads to; `None`: it may be either.
pub(super) fn scalar(model: &Model, ty: &Type, pointer: &str) -> Option<JsonScalar> {
    let steps: Vec<String> = tokens(pointer).collect();
    let (texts, numbers) = (Cell::new(false), Cell::new(false));
    let leads = walk(model, ty, &steps, DEPTH * (steps.len() + 1), &|leaf| {
        match leaf {
            Type::String(_) => texts.set(true),
            Type::Integer(_) | Type::Decimal | Type::Float | Type::Double => numbers.set(true),
            _ => {}
        }
        Ok(())
    });
    match (leads, texts.get(), numbers.get()) {
        (Ok(()), true, false) => Some(JsonScalar::Text),
        (Ok(()), false, true) => Some(JsonScalar::Number),
        _ => None,
    }
}

/// Returns whether a parameter takes a number. An untyped parameter does.
pub(crate) fn is_number(model: &Model, ty: &Type) -> bool {
    match ty {
        Type::Optional(inner) => is_number(model, inner),
        Type::Named(id) => match &model.definition(*id).kind {
            Kind::Alias(inner) => is_number(model, inner),
            Kind::Id(id) => is_number(model, &id.scalar),
            _ => false,
        },
        Type::Any | Type::Integer(_) | Type::Decimal | Type::Float | Type::Double => true,
        _ => false,
    }
}

/// `fits` judges the single value at the end.
fn walk(
    model: &Model,
    ty: &Type,
    steps: &[String],
    depth: usize,
    fits: &dyn Fn(&Type) -> Result<(), String>,
) -> Result<(), String> {
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    match ty {
        Type::Any | Type::Custom(_) => Ok(()),
        Type::Optional(inner) => walk(model, inner, steps, depth, fits),
        Type::Named(id) => named(model, *id, steps, depth, fits),
        Type::Object if !steps.is_empty() => Ok(()),
        Type::Map(inner) => match steps.split_first() {
            Some((_, rest)) => walk(model, inner, rest, depth, fits),
            None => Err("it is an object".to_owned()),
        },
        Type::List(inner) => match steps.split_first() {
            Some((index, rest)) if index.parse::<usize>().is_ok() => walk(model, inner, rest, depth, fits),
            _ => Err("it is a list".to_owned()),
        },
        Type::Object => Err("it is an object".to_owned()),
        Type::String(_) | Type::Integer(_) | Type::Decimal | Type::Boolean | Type::Float | Type::Double => {
            match steps.first() {
                Some(step) => Err(format!("there is no `{step}` in a single value")),
                None => fits(ty),
            }
        }
    }
}

fn named(
    model: &Model,
    id: TypeId,
    steps: &[String],
    depth: usize,
    fits: &dyn Fn(&Type) -> Result<(), String>,
) -> Result<(), String> {
    let definition = model.definition(id);
    match &definition.kind {
        Kind::Alias(ty) => walk(model, ty, steps, depth, fits),
        Kind::Id(id) => walk(model, &id.scalar, steps, depth, fits),
        Kind::Struct(fields, rest) => {
            let Some((step, further)) = steps.split_first() else { return Err("it is an object".to_owned()) };
            match (fields.iter().find(|field| field.wire == *step), rest) {
                (Some(field), _) => walk(model, &field.ty, further, depth, fits),
                (None, Some(ty)) => walk(model, ty, further, depth, fits),
                (None, None) => {
                    let names: Vec<&str> = fields.iter().map(|field| field.wire.as_str()).collect();
                    Err(format!("`{}` has no `{step}`; it has {}", definition.name, names.join(", ")))
                }
            }
        }
        Kind::Enum(EnumKind::String, _) if steps.is_empty() => fits(&Type::String(crate::model::Format::Text)),
        Kind::Enum(EnumKind::Integer(integer), _) if steps.is_empty() => fits(&Type::Integer(integer)),
        Kind::Enum(..) => Err("there is nothing below a single value".to_owned()),
        // The shape of a union is known when it arrives.
        Kind::Union(..) => Ok(()),
        Kind::Multipart(_) | Kind::ByStatus(_) => Err("it is not a JSON value".to_owned()),
    }
}
