//! The model as the OpenAPI document that progenitor gets to see.

use serde_json::{Map, Value, json};

use crate::model::{BodyKind, Content, Format, Kind, Model, PartKind, Type, TypeId, VariantContent};

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
    let mut paths = Map::new();
    for unit in units {
        match *unit {
            Unit::Type(index) => {
                let name =
                    if is_plain_struct(model, TypeId(index)) { format!("T{index}") } else { format!("M{index}") };
                let members = members(&model.types[index].kind);
                if !members.is_empty() {
                    schemas.insert(name, object(&members));
                }
            }
            Unit::Operation(index) => {
                paths.insert(format!("/o{index}"), operation(model, index));
            }
        }
    }
    json!({
        "openapi": "3.0.3",
        "info": { "title": "projection", "version": "0" },
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

/// Whether progenitor defines the type itself. All others are opaque to it: enumerations, unions, aliases.
pub(crate) fn is_plain_struct(model: &Model, id: TypeId) -> bool {
    matches!(&model.definition(id).kind, Kind::Struct(fields, extra) if !fields.is_empty() || extra.is_some())
}

/// The types inside of a definition, in an order that `refine` relies on.
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

fn object(members: &[&Type]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (index, ty) in members.iter().enumerate() {
        properties.insert(format!("f{index}"), schema(ty));
        required.push(Value::String(format!("f{index}")));
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn operation(model: &Model, index: usize) -> Value {
    let operation = &model.operations[index];
    let parameters: Vec<Value> = operation.parameters.iter().enumerate().map(|(index, parameter)| {
        json!({ "name": format!("p{index}"), "in": "query", "required": parameter.required, "schema": schema(&parameter.ty) })
    }).collect();
    let success = match carried(&operation.success) {
        Some(ty) => {
            json!({ "200": { "description": "", "content": { "application/json": { "schema": schema(ty) } } } })
        }
        None => json!({ "204": { "description": "" } }),
    };
    let mut value = json!({ "operationId": format!("o{index}"), "parameters": parameters, "responses": success });
    let body = match operation.body.as_ref().map(|body| &body.kind) {
        Some(BodyKind::Json(ty) | BodyKind::Form(ty, _) | BodyKind::Xml(ty, _)) => Some(schema(ty)),
        Some(BodyKind::Multipart(id)) => Some(schema(&Type::Named(*id))),
        Some(BodyKind::Text | BodyKind::Binary) | None => None,
    };
    if let (Some(schema), Some(operation)) = (body, value.as_object_mut()) {
        let content = json!({ "content": { "application/json": { "schema": schema } }, "required": true });
        operation.insert("requestBody".to_owned(), content);
    }
    json!({ "post": value })
}

fn schema(ty: &Type) -> Value {
    let runtime = |name: &str| {
        let index = RUNTIME.iter().position(|other| *other == name).unwrap_or_default();
        json!({ "$ref": format!("#/components/schemas/R{index}") })
    };
    match ty {
        Type::Any => json!({}),
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
