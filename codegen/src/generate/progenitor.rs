//! Progenitor, called where it can do no harm.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use serde_json::{Map, Value, json};

use super::Rust;
use crate::model::{Format, Type};

/// The schema that stands for every type that has a name.
const NAMED: &str = "T";

/// The schema whose members are the shapes.
const SHAPES: &str = "Shapes";

/// Types of the client's own runtime, which replace certain schemas. Their index is their placeholder.
const RUNTIME: &[&str] = &["DateTime", "Date", "Time", "TimeSpan", "Base64", "Object", "Decimal"];

/// The Rust type of each shape.
pub(super) fn resolve(shapes: &[Type]) -> Result<Vec<Rust>, String> {
    if shapes.is_empty() {
        return Ok(Vec::new());
    }
    let file = run(document(shapes))?;
    let mut translated: HashMap<String, Rust> = HashMap::new();
    let modules = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if module.ident == "types" => module.content.as_ref(),
        _ => None,
    });
    for item in modules.flat_map(|(_, items)| items) {
        if let syn::Item::Struct(item) = item
            && item.ident == SHAPES
        {
            for field in &item.fields {
                let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                translated.insert(name, Rust::read(&field.ty, NAMED)?);
            }
        }
    }
    let of = |position: usize| {
        translated.remove(&member(position)).ok_or_else(|| format!("progenitor left out {:?}", shapes.get(position)))
    };
    (0..shapes.len()).map(of).collect()
}

fn member(position: usize) -> String {
    format!("f{position}")
}

/// The shapes as the members of an object.
fn document(shapes: &[Type]) -> Value {
    let mut schemas = Map::new();
    for position in 0..RUNTIME.len() {
        schemas.insert(format!("R{position}"), json!({ "type": "object" }));
    }
    schemas.insert(NAMED.to_owned(), json!({ "type": "object" }));
    let properties: Map<String, Value> =
        shapes.iter().enumerate().map(|(position, shape)| (member(position), schema(shape))).collect();
    let required: Vec<&String> = properties.keys().collect();
    schemas.insert(SHAPES.to_owned(), json!({ "type": "object", "required": required, "properties": properties }));
    json!({
        "openapi": "3.0.3",
        "info": { "title": "shapes", "version": "0" },
        "paths": {},
        "components": { "schemas": schemas },
    })
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
        Type::Optional(inner) => schema(inner),
        Type::Named(_) => json!({ "$ref": format!("#/components/schemas/{NAMED}") }),
    }
}

/// Runs progenitor. A panic inside of it is an error like any other.
fn run(document: Value) -> Result<syn::File, String> {
    let document: openapiv3::OpenAPI =
        serde_json::from_value(document).map_err(|error| format!("openapiv3 refuses the shapes: {error}"))?;
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Positional).with_tag(TagStyle::Merged);
    settings.with_map_type("::std::collections::BTreeMap");
    settings.with_replacement(NAMED, format!("types::{NAMED}"), std::iter::empty());
    for (position, name) in RUNTIME.iter().enumerate() {
        settings.with_replacement(format!("R{position}"), format!("runtime::{name}"), std::iter::empty());
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| Generator::new(&settings).generate_tokens(&document)));
    let tokens = match outcome {
        Ok(Ok(tokens)) => tokens,
        Ok(Err(error)) => return Err(format!("progenitor: {error}")),
        Err(panic) => {
            let text =
                panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            return Err(format!("progenitor stopped: {}", text.unwrap_or("without a message")));
        }
    };
    syn::parse2(tokens).map_err(|error| format!("progenitor's output does not parse: {error}"))
}

#[cfg(test)]
mod tests {
    use super::resolve;
    use crate::generate::Rust;
    use crate::model::{Format, Type, TypeId};

    #[test]
    fn each_shape_has_a_type_of_the_client() {
        let list = |inner: Type| Type::List(Box::new(inner));
        let map = |inner: Type| Type::Map(Box::new(inner));
        let named = Type::Named(TypeId(0));
        let text = Rust::name("String");
        let shapes = [
            (Type::Any, Rust::name("Value")),
            (Type::Boolean, Rust::name("bool")),
            (Type::Integer("u8"), Rust::name("u8")),
            (Type::Integer("i64"), Rust::name("i64")),
            (Type::Float, Rust::name("f32")),
            (Type::Double, Rust::name("f64")),
            (Type::Decimal, Rust::name("Decimal")),
            (Type::Object, Rust::name("Object")),
            (Type::String(Format::Text), text.clone()),
            (Type::String(Format::Binary), text.clone()),
            (Type::String(Format::Uuid), Rust::name("Uuid")),
            (Type::String(Format::DateTime), Rust::name("DateTime")),
            (Type::String(Format::Date), Rust::name("Date")),
            (Type::String(Format::Time), Rust::name("Time")),
            (Type::String(Format::TimeSpan), Rust::name("TimeSpan")),
            (Type::String(Format::Byte), Rust::name("Base64")),
            (named.clone(), Rust::Named(TypeId(0))),
            (list(list(named.clone())), Rust::with("Vec", Rust::with("Vec", Rust::Named(TypeId(0))))),
            (map(named), Rust::Name("BTreeMap", vec![text.clone(), Rust::Named(TypeId(0))])),
            (map(list(Type::Any)), Rust::Name("BTreeMap", vec![text, Rust::with("Vec", Rust::name("Value"))])),
        ];
        let (types, expected): (Vec<Type>, Vec<Rust>) = shapes.into_iter().unzip();
        assert_eq!(resolve(&types), Ok(expected));
        assert_eq!(resolve(&[]), Ok(Vec::new()));
    }
}
