//! Swagger 2.0 inside a document that calls itself OpenAPI 3: typed parameters and headers, bodies and form fields among
//! the parameters, a schema of a response as such.

use serde_json::{Map, Value};

use super::journal::Journal;
use super::swagger2::{body, parameter, response};
use crate::pointer;
use crate::walk::{self, NodeKind};

const PASS: &str = "upgrade/swagger2-leftovers";

/// Converts remains of Swagger 2.0. Runs first, while pointers are still those of the published document.
pub(super) fn convert(tree: &mut Value, journal: &mut Journal<'_>) {
    journal.by_source = true;
    walk::each(tree, &mut |kind, value, pointer| {
        let Value::Object(map) = value else { return };
        match kind {
            NodeKind::Parameter if is_typed(map) && !matches!(place(map), "body" | "formData") => {
                journal.same(PASS, pointer, "moved the type of the parameter into a schema");
                let separated = map.contains_key("collectionFormat");
                let own = ["style", "explode"].map(|key| (key, map.get(key).cloned()));
                *value = parameter::convert(std::mem::take(map), pointer, pointer, journal);
                if let Value::Object(map) = value
                    && !separated
                {
                    // Nothing asks for the commas that Swagger 2.0 puts between the items of an array.
                    for (key, own) in own {
                        map.remove(key);
                        map.extend(own.map(|own| (key.to_owned(), own)));
                    }
                }
            }
            NodeKind::Header if is_typed(map) => {
                journal.same(PASS, pointer, "moved the type of the header into a schema");
                response::header(map, pointer, pointer, journal);
            }
            NodeKind::Response if map.contains_key("schema") && !map.contains_key("content") => {
                journal.same(PASS, pointer, "moved the schema of the response into its content");
                response::convert(value, pointer, pointer, &[], journal);
            }
            NodeKind::Operation => operation(map, pointer, journal),
            _ => {}
        }
    });
    journal.by_source = false;
}

fn is_typed(map: &Map<String, Value>) -> bool {
    map.contains_key("type") && !["$ref", "content", "schema"].iter().any(|key| map.contains_key(*key))
}

fn place(parameter: &Map<String, Value>) -> &str {
    parameter.get("in").and_then(Value::as_str).unwrap_or_default()
}

/// Turns body and form parameters of an operation into its request body.
fn operation(operation: &mut Map<String, Value>, pointer: &str, journal: &mut Journal<'_>) {
    let Some(Value::Array(parameters)) = operation.get_mut("parameters") else { return };
    let in_body = |value: &Value| value.as_object().is_some_and(|map| matches!(place(map), "body" | "formData"));
    if !parameters.iter().any(in_body) {
        return;
    }
    let mut kept = Vec::new();
    let mut bodies = Vec::new();
    let mut fields = Vec::new();
    for (index, value) in std::mem::take(parameters).into_iter().enumerate() {
        let from = format!("{pointer}/parameters/{index}");
        match value {
            Value::Object(map) if place(&map) == "body" => bodies.push((map, from)),
            Value::Object(parameter) if place(&parameter) == "formData" => {
                fields.push(body::FormField { parameter, pointer: from });
            }
            value => {
                journal.origins.record(&from, &format!("{pointer}/parameters/{}", kept.len()));
                kept.push(value);
            }
        }
    }
    *parameters = kept;
    let to = pointer::join(pointer, "requestBody");
    let consumes = super::swagger2::media_types(operation.remove("consumes").as_ref()).unwrap_or_default();
    let place = pointer::join(pointer, "parameters");
    if operation.contains_key("requestBody") {
        journal.degraded(PASS, &place, "dropped body parameters beside `requestBody`", "a request has one body");
        return;
    }
    if bodies.len() + usize::from(!fields.is_empty()) > 1 {
        journal.degraded(PASS, &place, "dropped all bodies but the first", "a request has one body");
    }
    journal.same(PASS, &place, "moved body parameters into `requestBody`");
    let request = match bodies.into_iter().next() {
        Some((map, from)) => body::json(&map, &from, &to, &consumes, journal),
        None => body::form(fields, &to, &consumes, journal),
    };
    operation.insert("requestBody".to_owned(), request);
}
