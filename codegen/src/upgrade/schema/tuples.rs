//! `prefixItems`, and its older form: `items` as an array.

use serde_json::Value;

use super::{Journal, Schema, any_of, is_nothing};
use crate::members::Members as _;

const PASS: &str = "upgrade/tuple";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let has_tuple = schema.member("items").is_some_and(Value::is_array) || schema.member("prefixItems").is_some();
    if !has_tuple && schema.member("additionalItems").is_none() {
        return;
    }
    let rest = schema.take_member("additionalItems");
    let (prefix, rest) = match (schema.take_member("prefixItems"), schema.take_member("items")) {
        (None, Some(items @ Value::Array(_))) => (items, rest),
        (Some(prefix), items) => (prefix, items),
        (None, items) => {
            if let Some(items) = items {
                schema.insert("items".to_owned(), items);
            }
            if rest.is_some() {
                journal.same(PASS, pointer, "dropped `additionalItems`, which means nothing without a tuple");
            }
            return;
        }
    };
    let Value::Array(mut items) = prefix else {
        journal.degraded(PASS, pointer, "dropped `prefixItems`", "it is not an array");
        if let Some(rest) = rest {
            schema.insert("items".to_owned(), rest);
        }
        return;
    };
    items.extend(rest.filter(|rest| rest.is_object() && !is_nothing(rest)));
    let items = if items.is_empty() { Value::Object(Schema::new()) } else { any_of(items) };
    schema.insert("items".to_owned(), items);
    journal.prose(PASS, pointer, "wrote a tuple as an array", "the positions of the items");
}
