//! `x-nullable`, the extension by which Swagger 2.0 says `nullable`.

use serde_json::Value;

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/x-nullable";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    for key in ["x-nullable", "x-isnullable"] {
        let flag = match schema.member(key) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) if text == "true" || text == "false" => text == "true",
            _ => continue,
        };
        schema.take_member(key);
        if schema.member("nullable").is_none() {
            schema.insert("nullable".to_owned(), Value::Bool(flag));
        }
        journal.same(PASS, pointer, format!("wrote `{key}` as `nullable`"));
    }
}
