//! `patternProperties`.

use serde_json::Value;

use super::{Journal, Schema, any_of};

const PASS: &str = "upgrade/pattern-properties";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let Some(patterns) = schema.remove("patternProperties") else { return };
    let Value::Object(patterns) = patterns else {
        journal.degraded(PASS, pointer, "dropped `patternProperties`", "it is no object");
        return;
    };
    if patterns.is_empty() {
        journal.same(PASS, pointer, "dropped an empty `patternProperties`");
        return;
    }
    let names = patterns.keys().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(", ");
    let mut values: Vec<Value> = patterns.into_iter().map(|(_, value)| value).collect();
    if let Some(present @ Value::Object(_)) = schema.remove("additionalProperties") {
        values.push(present);
    }
    schema.insert("additionalProperties".to_owned(), any_of(values));
    let what = "wrote `patternProperties` as `additionalProperties`";
    journal.prose(PASS, pointer, what, format!("which names the properties have: {names}"));
}
