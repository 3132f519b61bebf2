//! Members beside `$ref`.

use serde_json::{Value, json};

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/ref-siblings";
/// Siblings that are kept although Swagger 2.0 and OpenAPI 3.0 ignore them: they show the author's intent, and
/// constrain nothing.
const KEPT: [&str; 9] =
    ["default", "deprecated", "description", "example", "externalDocs", "nullable", "readOnly", "title", "writeOnly"];

pub(super) fn convert(schema: &mut Schema, pointer: &str, count: bool, journal: &mut Journal<'_>) {
    if schema.len() < 2 || schema.member("$ref").is_none() {
        return;
    }
    let Some(target) = schema.take_member("$ref") else { return };
    let mut ignored = Vec::new();
    if !count {
        schema.retain(|key, value| {
            // `required: true` on a property is a mistake that a later pass fixes.
            let kept =
                KEPT.contains(&key.as_str()) || key.starts_with("x-") || (key == "required" && value.is_boolean());
            if !kept {
                ignored.push(format!("`{key}`"));
            }
            kept
        });
    }
    if !ignored.is_empty() {
        journal.same(PASS, pointer, format!("dropped {} beside `$ref`: the version ignores it", ignored.join(", ")));
    }
    if schema.is_empty() {
        schema.insert("$ref".to_owned(), target);
        return;
    }
    let reference = json!({ "$ref": target });
    match schema.get_mut("allOf") {
        Some(Value::Array(all)) => {
            let place = format!("{pointer}/allOf");
            for index in (0..all.len()).rev() {
                journal.origins.moved(&format!("{place}/{index}"), &format!("{place}/{}", index + 1));
            }
            all.insert(0, reference);
        }
        _ => {
            schema.insert("allOf".to_owned(), json!([reference]));
        }
    }
    journal.same(PASS, pointer, "moved `$ref` into `allOf`, so that the members beside it count");
}
