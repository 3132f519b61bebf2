//! `type: file` of Swagger 2.0.

use serde_json::Value;

use super::{Journal, Schema, text};

const PASS: &str = "upgrade/file";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    if text(schema, "type") == Some("file") {
        schema.insert("type".to_owned(), Value::from("string"));
        schema.insert("format".to_owned(), Value::from("binary"));
        journal.same(PASS, pointer, "wrote `type: file` as a binary string");
    }
}
