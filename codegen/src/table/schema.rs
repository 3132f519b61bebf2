//! Types as JSON Schema (2020-12). A named type is `#/$defs/Name`, its line of the table.

use serde_json::{Value, json};

use super::{Object, provenance};
use crate::model::{
    Content, Definition, Deprecation, EnumKind, Field, Format, Kind, Model, Tagging, Type, Variant, VariantContent,
};

/// The beginning of references to named types.
pub(super) const DEFINITIONS: &str = "#/$defs/";

/// The schema of a type at a place of use.
pub(super) fn schema(model: &Model, ty: &Type) -> Value {
    match ty {
        Type::Any | Type::Custom(_) => json!(true),
        Type::Boolean => json!({ "type": "boolean" }),
        Type::Integer(name) => integer(name),
        Type::Float => json!({ "type": "number", "format": "float" }),
        Type::Double => json!({ "type": "number", "format": "double" }),
        Type::Decimal => json!({ "type": "number" }),
        Type::String(format) => match text_format(*format) {
            "" => json!({ "type": "string" }),
            format => json!({ "type": "string", "format": format }),
        },
        Type::Object => json!({ "type": "object" }),
        Type::List(inner) => json!({ "type": "array", "items": schema(model, inner) }),
        Type::Map(inner) => json!({ "type": "object", "additionalProperties": schema(model, inner) }),
        Type::Optional(inner) => nullable(schema(model, inner)),
        Type::Named(id) if let Kind::Id(id) = &model.definition(*id).kind => schema(model, &id.scalar),
        Type::Named(id) => json!({ "$ref": format!("{DEFINITIONS}{}", model.definition(*id).name) }),
    }
}

fn text_format(format: Format) -> &'static str {
    match format {
        Format::Text => "",
        Format::Uuid => "uuid",
        Format::DateTime => "date-time",
        Format::Date => "date",
        Format::Time => "time",
        // The format of .NET, `1.02:03:04`, is none of JSON Schema.
        Format::TimeSpan => "time-span",
        Format::Byte => "byte",
        Format::Binary => "binary",
    }
}

/// Rust types of 8 and 16 bits, and those without a sign, have no format of their own: their limits say the same.
fn integer(name: &str) -> Value {
    match name {
        "i32" => json!({ "type": "integer", "format": "int32" }),
        "i64" => json!({ "type": "integer", "format": "int64" }),
        "i8" => json!({ "type": "integer", "minimum": i8::MIN, "maximum": i8::MAX }),
        "i16" => json!({ "type": "integer", "minimum": i16::MIN, "maximum": i16::MAX }),
        "u8" => json!({ "type": "integer", "minimum": 0, "maximum": u8::MAX }),
        "u16" => json!({ "type": "integer", "minimum": 0, "maximum": u16::MAX }),
        "u32" => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
        "u64" => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
        _ => json!({ "type": "integer" }),
    }
}

fn nullable(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut()
        && let Some(Value::String(name)) = object.get("type")
    {
        let types = json!([name, "null"]);
        object.insert("type".to_owned(), types);
        return schema;
    }
    match schema {
        Value::Bool(_) => schema,
        schema => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

/// The schema with words for people; a reference keeps them beside it, as 2020-12 allows.
pub(super) fn annotated(mut schema: Value, words: [&str; 2], notes: Object) -> Value {
    let [docs, limits] = words.map(str::trim);
    let description = match (docs.is_empty(), limits.is_empty()) {
        (true, _) => limits.to_owned(),
        (_, true) => docs.to_owned(),
        (false, false) => format!("{docs}\n\n{limits}"),
    };
    let mut notes = notes;
    notes.text("description", &description);
    if notes.0.is_empty() {
        return schema;
    }
    match schema.as_object_mut() {
        Some(object) => {
            object.extend(notes.0);
            schema
        }
        None => notes.into(),
    }
}

/// The schema of a named type.
pub(super) fn defined(model: &Model, definition: &Definition) -> Value {
    let schema = match &definition.kind {
        Kind::Struct(fields, extra) => object(model, fields, extra.as_ref()),
        Kind::Alias(ty) => schema(model, ty),
        Kind::Id(id) => schema(model, &id.scalar),
        Kind::Enum(kind, variants) => enumeration(*kind, variants),
        Kind::Union(tagging, variants) => union(model, tagging, variants),
        // A body of parts stands with its operation.
        Kind::Multipart(_) => json!({ "type": "object" }),
        Kind::ByStatus(variants) => {
            let schemas = variants.iter().filter_map(|(_, _, content)| content_schema(model, content));
            json!({ "anyOf": schemas.collect::<Vec<_>>() })
        }
    };
    let mut notes = Object::default();
    notes.flag("deprecated", definition.deprecated != Deprecation::No);
    notes.text("x-provenance", provenance(definition.provenance));
    annotated(schema, [&definition.docs, ""], notes)
}

/// The schema of a body that is JSON or XML.
pub(super) fn content_schema(model: &Model, content: &Content) -> Option<Value> {
    match content {
        Content::Json(ty) | Content::OptionalJson(ty) | Content::Xml(ty, _) => Some(schema(model, ty)),
        Content::ByStatus(id) => Some(schema(model, &Type::Named(*id))),
        _ => None,
    }
}

fn object(model: &Model, fields: &[Field], extra: Option<&Type>) -> Value {
    let mut properties = Object::default();
    let mut required = Vec::new();
    for field in fields {
        let declared = schema(model, &field.ty);
        let declared = if field.nullable { nullable(declared) } else { declared };
        let mut notes = Object::default();
        notes.flag("readOnly", field.read_only);
        notes.flag("writeOnly", field.write_only);
        notes.flag("deprecated", field.deprecated != Deprecation::No);
        properties.set(&field.wire, annotated(declared, [&field.docs, &field.limits.to_string()], notes));
        if field.required && !field.read_only {
            required.push(json!(field.wire));
        }
    }
    let mut object = Object::default();
    object.set("type", "object");
    object.set("properties", properties);
    object.list("required", required);
    object.optional("additionalProperties", extra.map(|ty| schema(model, ty)));
    object.into()
}

fn enumeration(kind: EnumKind, variants: &[(String, Variant)]) -> Value {
    let value = |wire: &String| match kind {
        EnumKind::String => json!(wire),
        EnumKind::Integer(_) => {
            wire.parse::<i128>().ok().and_then(serde_json::Number::from_i128).map_or(json!(wire), Value::Number)
        }
    };
    let values: Vec<Value> = variants.iter().map(|(wire, _)| value(wire)).collect();
    match kind {
        EnumKind::String => json!({ "type": "string", "enum": values }),
        EnumKind::Integer(_) => json!({ "type": "integer", "enum": values }),
    }
}

fn union(model: &Model, tagging: &Tagging, variants: &[Variant]) -> Value {
    let variants = variants.iter().filter_map(|variant| match &variant.content {
        VariantContent::Type(ty, tags) => Some((schema(model, ty), tags)),
        VariantContent::Value => None,
    });
    let variants = variants.map(|(schema, tags)| match tagging {
        Tagging::Tag(tag) if !tags.is_empty() => {
            json!({ "allOf": [schema, { "type": "object", "properties": { tag: { "enum": tags } }, "required": [tag] }] })
        }
        Tagging::Key => match tags.first() {
            Some(key) => json!({ "type": "object", "properties": { key: schema }, "required": [key] }),
            None => schema,
        },
        Tagging::Tag(_) | Tagging::Shape => schema,
    });
    json!({ "anyOf": variants.collect::<Vec<_>>() })
}
