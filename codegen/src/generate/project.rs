//! The model as the OpenAPI document that progenitor gets to see.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::model::{BodyKind, Content, Format, Kind, Model, Operation, PartKind, Type, TypeId, VariantContent};

/// Types of the client's own runtime, which stand in for what a schema says. Their position is their placeholder.
pub(crate) const RUNTIME: &[&str] = &["DateTime", "Date", "Time", "TimeSpan", "Base64", "Object", "Decimal"];

/// What is resolved, and can be refused, on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Index into the model's types.
    Type(usize),
    /// Index into the model's operations.
    Operation(usize),
}

/// Everything that there is to resolve.
pub(crate) fn units(model: &Model) -> Vec<Unit> {
    let types = (0..model.types.len()).map(Unit::Type);
    types.chain((0..model.operations.len()).map(Unit::Operation)).collect()
}

/// A document with the given units; the other types appear as opaque ones, so that references to them hold.
pub(crate) fn project(model: &Model, units: &[Unit]) -> Value {
    let mut schemas = Map::new();
    for index in 0..RUNTIME.len() {
        schemas.insert(format!("R{index}"), json!({ "type": "object" }));
    }
    for index in 0..model.types.len() {
        schemas.insert(format!("T{index}"), json!({ "type": "object" }));
    }
    for unit in units {
        let (name, members) = match *unit {
            Unit::Type(index) => {
                let letter = if is_plain_struct(model, TypeId(index)) { 'T' } else { 'M' };
                (format!("{letter}{index}"), members(&model.types[index].kind))
            }
            Unit::Operation(index) => (format!("O{index}"), mentioned(&model.operations[index])),
        };
        if !members.is_empty() {
            schemas.insert(name, object(&members));
        }
    }
    json!({
        "openapi": "3.0.3",
        "info": { "title": "projection", "version": "0" },
        "paths": {},
        "components": { "schemas": schemas },
    })
}

/// Whether progenitor defines the type itself. All others are opaque to it: enumerations, unions, aliases.
pub(crate) fn is_plain_struct(model: &Model, id: TypeId) -> bool {
    matches!(&model.definition(id).kind, Kind::Struct(fields, extra) if !fields.is_empty() || extra.is_some())
}

/// The types inside of a definition, in an order that `refine` relies on.
pub(super) fn members(kind: &Kind) -> Vec<&Type> {
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
            .map(|part| match &part.kind {
                PartKind::File | PartKind::Files => &Type::Any,
                PartKind::Text(ty)
                | PartKind::Texts(ty)
                | PartKind::Json(ty)
                | PartKind::Jsons(ty)
                | PartKind::Styled(ty, ..) => ty,
            })
            .collect(),
        Kind::ByStatus(variants) => {
            variants.iter().map(|(_, _, content)| carried(content).unwrap_or(&Type::Any)).collect()
        }
    }
}

fn carried(content: &Content) -> Option<&Type> {
    match content {
        Content::Json(ty) | Content::OptionalJson(ty) | Content::Xml(ty, _) => Some(ty),
        _ => None,
    }
}

/// The types that an operation mentions: those of its parameters in their order, of its body, and of its answer.
pub(super) fn mentioned(operation: &Operation) -> Vec<&Type> {
    let body = match operation.body.as_ref().map(|body| &body.kind) {
        Some(BodyKind::Json(ty) | BodyKind::Form(ty, _) | BodyKind::Xml(ty, _)) => ty,
        Some(BodyKind::Multipart(_) | BodyKind::Text | BodyKind::Binary) | None => &Type::Any,
    };
    let success = carried(&operation.success).unwrap_or(&Type::Any);
    operation.parameters.iter().map(|parameter| &parameter.ty).chain([body, success]).collect()
}

/// For each member, the first one of the same type: only that is resolved.
pub(super) fn firsts(members: &[&Type]) -> Vec<usize> {
    let mut seen: HashMap<&Type, usize> = HashMap::new();
    members.iter().enumerate().map(|(index, ty)| *seen.entry(*ty).or_insert(index)).collect()
}

fn object(members: &[&Type]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (index, first) in firsts(members).into_iter().enumerate().filter(|(index, first)| index == first) {
        properties.insert(format!("f{index}"), schema(members[first]));
        required.push(Value::String(format!("f{index}")));
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn schema(ty: &Type) -> Value {
    let runtime = |name: &str| {
        let index = RUNTIME.iter().position(|other| *other == name).unwrap_or_default();
        json!({ "$ref": format!("#/components/schemas/R{index}") })
    };
    match ty {
        Type::Any | Type::Custom(_) => json!({}),
        Type::Boolean => json!({ "type": "boolean" }),
        Type::Integer(name) => json!({ "type": "integer", "format": name.replace('i', "int").replace('u', "uint") }),
        Type::Float => json!({ "type": "number", "format": "float" }),
        Type::Double => json!({ "type": "number", "format": "double" }),
        Type::Decimal => runtime("Decimal"),
        Type::String(Format::Text | Format::Binary) => json!({ "type": "string" }),
        Type::String(Format::Uuid) => json!({ "type": "string", "format": "uuid" }),
        Type::String(Format::DateTime) => runtime("DateTime"),
        Type::String(Format::Date) => runtime("Date"),
        Type::String(Format::Time) => runtime("Time"),
        Type::String(Format::TimeSpan) => runtime("TimeSpan"),
        Type::String(Format::Byte) => runtime("Base64"),
        Type::Object => runtime("Object"),
        Type::List(inner) => json!({ "type": "array", "items": schema(inner) }),
        Type::Map(inner) => json!({ "type": "object", "additionalProperties": schema(inner) }),
        // `refine` puts the option back: progenitor would make a type of its own of a nullable reference.
        Type::Optional(inner) => schema(inner),
        Type::Named(TypeId(index)) => json!({ "$ref": format!("#/components/schemas/T{index}") }),
    }
}
