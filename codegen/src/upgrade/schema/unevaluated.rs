//! `unevaluatedProperties` and `unevaluatedItems`.

use serde_json::Value;

use super::{Journal, Schema, is_nothing};
use crate::members::Members as _;

const PASS: &str = "upgrade/unevaluated";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    replace(schema, "unevaluatedProperties", "additionalProperties", pointer, journal);
    replace(schema, "unevaluatedItems", "items", pointer, journal);
}

fn replace(schema: &mut Schema, key: &str, heir: &str, pointer: &str, journal: &mut Journal<'_>) {
    let Some(value) = schema.take_member(key) else { return };
    let useful = value.as_object().is_some_and(|value| !value.is_empty()) && !is_nothing(&value);
    // Beside a tuple, `items` belongs to the tuple.
    if useful && schema.member(heir).is_none() && !(heir == "items" && schema.member("prefixItems").is_some()) {
        schema.insert(heir.to_owned(), value);
        journal.prose(
            PASS,
            pointer,
            format!("wrote `{key}` as `{heir}`"),
            "the members that the rest of the schema covers",
        );
    } else if value == Value::Bool(true) {
        journal.same(PASS, pointer, format!("dropped `{key}: true`, which is the default"));
    } else {
        journal.prose(
            PASS,
            pointer,
            format!("dropped `{key}`"),
            "its constraints on members that the rest of the schema does not cover",
        );
    }
}
