//! `patternProperties`.

use serde_json::Value;

use super::{Journal, Schema, any_of};
use crate::members::Members as _;

const PASS: &str = "upgrade/pattern-properties";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let Some(patterns) = schema.take_member("patternProperties") else { return };
    let Value::Object(patterns) = patterns else {
        journal.degraded(PASS, pointer, "dropped `patternProperties`", "it is not an object");
        return;
    };
    if patterns.is_empty() {
        journal.same(PASS, pointer, "dropped an empty `patternProperties`");
        return;
    }
    let names = patterns.keys().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(", ");
    let declared =
        schema.member("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty());
    let closed =
        schema.member("additionalProperties").is_some_and(|other| *other == Value::Bool(false) || other.is_object());
    if declared && !closed {
        // A property that fits no pattern may hold anything, and a server may add one at any time.
        let lost = format!("the schemas of properties named {names}");
        journal.prose(PASS, pointer, "left properties beside the declared ones open", lost);
        schema.insert("additionalProperties".to_owned(), Value::Bool(true));
        return;
    }
    let mut values: Vec<Value> = patterns.into_iter().map(|(_, value)| value).collect();
    if let Some(present @ Value::Object(_)) = schema.take_member("additionalProperties") {
        values.push(present);
    }
    schema.insert("additionalProperties".to_owned(), any_of(values));
    let what = "wrote `patternProperties` as `additionalProperties`";
    journal.prose(PASS, pointer, what, format!("the names of the properties: {names}"));
}
