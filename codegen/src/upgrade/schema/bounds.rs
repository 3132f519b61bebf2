//! Exclusive bounds as numbers; OpenAPI 3.0 has a flag beside the bound.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/exclusive-bound";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    convert_bound(schema, "exclusiveMinimum", "minimum", Ordering::Greater, pointer, journal);
    convert_bound(schema, "exclusiveMaximum", "maximum", Ordering::Less, pointer, journal);
}

fn convert_bound(
    schema: &mut Schema,
    exclusive: &str,
    inclusive: &str,
    tighter: Ordering,
    pointer: &str,
    journal: &mut Journal<'_>,
) {
    match schema.member(exclusive) {
        None | Some(Value::Bool(_)) => return,
        Some(Value::Number(_)) => {}
        Some(_) => {
            schema.take_member(exclusive);
            journal.prose(PASS, pointer, format!("dropped `{exclusive}`"), "a bound that is not a number");
            return;
        }
    }
    let Some(bound) = schema.take_member(exclusive) else { return };
    let wins = schema.member(inclusive).and_then(Value::as_f64).is_none_or(|other| {
        bound
            .as_f64()
            .and_then(|bound| bound.partial_cmp(&other))
            .is_some_and(|order| order == tighter || order == Ordering::Equal)
    });
    if wins {
        schema.insert(inclusive.to_owned(), bound);
        schema.insert(exclusive.to_owned(), Value::Bool(true));
        journal.same(PASS, pointer, format!("wrote `{exclusive}` as a flag beside `{inclusive}`"));
    } else {
        journal.same(PASS, pointer, format!("dropped `{exclusive}`, which `{inclusive}` implies"));
    }
}
