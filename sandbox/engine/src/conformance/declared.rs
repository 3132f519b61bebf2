//! Members that a schema declares. An example can have others, which a client need not keep.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::{SchemaRef, resolve};

/// The deepest place, and the longest chain of references.
const DEEPEST: usize = 24;

/// Removes the members that the schema of their object does not declare, if it declares some and says nothing about others.
pub(super) fn prune(document: &Value, schema: &SchemaRef, value: &mut Value) {
    let schema = match schema {
        SchemaRef::Pointer(pointer) => resolve(document, pointer).map(|(_, value)| value),
        SchemaRef::Inline(value) => Some(value.as_ref()),
    };
    if let Some(schema) = schema {
        walk(document, schema, value, DEEPEST);
    }
}

fn walk(document: &Value, schema: &Value, value: &mut Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(members) => {
            let mut declared = BTreeMap::new();
            if !declare(document, schema, &mut declared, depth) || declared.is_empty() {
                return;
            }
            members.retain(|name, _| declared.contains_key(name.as_str()));
            for (name, value) in members {
                declared.get(name.as_str()).into_iter().for_each(|schema| walk(document, schema, value, depth));
            }
        }
        Value::Array(items) => {
            let mut schema = schema;
            for _ in 0..depth {
                let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
                let Some((_, next)) = resolve(document, reference.trim_start_matches('#')) else { return };
                schema = next;
            }
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| walk(document, schema, item, depth));
            }
        }
        _ => {}
    }
}

/// Adds the declared members. `false`: the schema allows others, or a keyword decides that is not followed here.
fn declare<'d>(
    document: &'d Value,
    schema: &'d Value,
    declared: &mut BTreeMap<&'d str, &'d Value>,
    depth: usize,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let Some((_, schema)) = resolve(document, reference.trim_start_matches('#')) else { return false };
        return declare(document, schema, declared, depth);
    }
    let is_open = ["additionalProperties", "patternProperties", "unevaluatedProperties"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some_and(|value| *value != Value::Bool(false)));
    if is_open || ["anyOf", "oneOf", "if", "discriminator"].iter().any(|keyword| schema.get(keyword).is_some()) {
        return false;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    declared.extend(properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema)));
    let mut branches = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    branches.all(|branch| declare(document, branch, declared, depth))
}

/// An object whose tag names a subtype that requires a member which the object lacks, as no value of a closed base can have it: the name of
/// the subtype, and that of the member.
pub(super) fn lacking(document: &Value, schema: &SchemaRef, value: &Value) -> Option<(String, String)> {
    let schema = match schema {
        SchemaRef::Pointer(pointer) => resolve(document, pointer)?.1,
        SchemaRef::Inline(value) => value.as_ref(),
    };
    lacks(document, schema, value, DEEPEST)
}

/// The pointer of a value of `mapping`, which is a reference, or the name of a schema (Discriminator Object).
fn mapped(target: &str) -> String {
    match target.strip_prefix('#') {
        Some(pointer) => pointer.to_owned(),
        None => format!("/components/schemas/{target}"),
    }
}

fn lacks(document: &Value, schema: &Value, value: &Value, depth: usize) -> Option<(String, String)> {
    let depth = depth.checked_sub(1)?;
    let mut schema = schema;
    for _ in 0..DEEPEST {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
        schema = resolve(document, reference.trim_start_matches('#'))?.1;
    }
    match value {
        Value::Object(members) => {
            let is_closed = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(false));
            if (is_closed("additionalProperties") || is_closed("unevaluatedProperties"))
                && let Some(discriminator) = schema.get("discriminator")
                && let Some(tag) =
                    discriminator.get("propertyName").and_then(|name| members.get(name.as_str()?)?.as_str())
                && let Some(target) = discriminator.get("mapping").and_then(|mapping| mapping.get(tag)?.as_str())
                && let Some((_, subtype)) = resolve(document, &mapped(target))
            {
                let parts = subtype.get("allOf").and_then(Value::as_array).into_iter().flatten().chain([subtype]);
                let required = parts.filter_map(|part| part.get("required")?.as_array()).flatten();
                let missing = required.filter_map(Value::as_str).find(|name| !members.contains_key(*name));
                if let Some(name) = missing {
                    return Some((target.rsplit('/').next().unwrap_or_default().to_owned(), name.to_owned()));
                }
            }
            let branches = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
            let schemas: Vec<&Value> = branches.chain([schema]).collect();
            members.iter().find_map(|(name, value)| {
                let declared = schemas.iter().find_map(|schema| schema.get("properties")?.get(name));
                let declared =
                    declared.or_else(|| schemas.iter().find_map(|schema| schema.get("additionalProperties")));
                lacks(document, declared?, value, depth)
            })
        }
        Value::Array(items) => {
            let schema = schema.get("items")?;
            items.iter().find_map(|item| lacks(document, schema, item, depth))
        }
        _ => None,
    }
}
