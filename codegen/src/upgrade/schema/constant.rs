//! `const`.

use serde_json::{Value, json};

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/const";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let Some(value) = schema.take_member("const") else { return };
    if value.is_null() {
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    schema.insert("enum".to_owned(), json!([value]));
    journal.same(PASS, pointer, "wrote `const` as an `enum` of one value");
}
