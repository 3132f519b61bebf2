//! The order of the parts of a form: keys are sorted where a contract is pinned, and parts are sent in the order of the contract.

use std::collections::HashSet;

use serde_json::Value;

use crate::members::Members as _;
use crate::pointer;

/// The names of `properties`, beside them, in the order of the contract. It stands where parts of a multipart body are declared in
/// another order than the alphabet's.
pub(crate) const PART_ORDER: &str = "x-part-order";

/// Writes the order of parts down. A contract that has [`PART_ORDER`] itself keeps it.
pub(super) fn keep_order(tree: &mut Value) {
    let mut schemas = Vec::new();
    sent_in_parts(tree, &mut String::new(), &mut schemas);
    let mut seen = HashSet::new();
    let mut orders = Vec::new();
    while let Some((place, schema)) = schemas.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        if let Some(target) = target.map(pointer::percent_decode) {
            if let Some(schema) = pointer::find(tree, &target) {
                schemas.push((target, schema));
            }
            continue;
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            for (index, part) in schema.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate() {
                schemas.push((format!("{place}/{keyword}/{index}"), part));
            }
        }
        let names = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|names| names.keys());
        if schema.get(PART_ORDER).is_none() && !names.clone().is_sorted() {
            orders.push((place, names.map(|name| Value::from(name.as_str())).collect()));
        }
    }
    for (place, names) in orders {
        if let Some(Value::Object(schema)) = tree.pointer_mut(&place) {
            schema.insert(PART_ORDER.to_owned(), Value::Array(names));
        }
    }
}

/// The schemas of multipart bodies.
fn sent_in_parts<'t>(value: &'t Value, place: &mut String, schemas: &mut Vec<(String, &'t Value)>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members.iter().filter(|(_, member)| member.is_object() || member.is_array()) {
                let is_multipart = key.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("multipart/"));
                let length = pointer::push(place, key);
                if let (true, Some(schema)) = (is_multipart && place.ends_with(&content(key)), member.member("schema"))
                {
                    schemas.push((format!("{place}/schema"), schema));
                }
                sent_in_parts(member, place, schemas);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().filter(|(_, item)| item.is_object() || item.is_array()) {
                let length = pointer::push_index(place, index);
                sent_in_parts(item, place, schemas);
                place.truncate(length);
            }
        }
        _ => {}
    }
}

/// The end of a pointer to a media type.
fn content(media_type: &str) -> String {
    pointer::join("/content", media_type)
}
