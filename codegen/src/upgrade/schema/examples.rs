//! `examples` of a schema.

use serde_json::Value;

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/examples";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let Some(examples) = schema.take_member("examples") else { return };
    let mut values: Vec<Value> = match examples {
        Value::Array(values) => values,
        // The form that parameters and media types have.
        Value::Object(named) => named.into_iter().map(|(_, example)| unwrap(example)).collect(),
        other => vec![other],
    };
    let present = schema.member("example").is_some();
    let others = if present { values.len() } else { values.len().saturating_sub(1) };
    if !present && !values.is_empty() {
        schema.insert("example".to_owned(), values.swap_remove(0));
    }
    match others {
        0 => journal.same(PASS, pointer, "wrote `examples` as `example`"),
        others => journal.prose(PASS, pointer, "wrote `examples` as `example`", format!("further examples: {others}")),
    }
}

fn unwrap(example: Value) -> Value {
    match example {
        Value::Object(mut map) if map.contains_key("value") => map.remove("value").unwrap_or_default(),
        other => other,
    }
}
