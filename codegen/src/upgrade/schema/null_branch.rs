//! A branch of `oneOf` or `anyOf` that is null.

use serde_json::{Value, json};

use super::{Journal, Schema, is_null_only};
use crate::members::Members as _;
use crate::pointer;

const PASS: &str = "upgrade/null-branch";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    for key in ["oneOf", "anyOf"] {
        convert_union(schema, key, pointer, journal);
    }
}

fn convert_union(schema: &mut Schema, key: &str, pointer: &str, journal: &mut Journal<'_>) {
    let Some(Value::Array(branches)) = schema.member(key) else { return };
    let several = branches.len() > 1;
    let is_null = |branch: &Value| is_null_only(branch) || (several && *branch == json!({"nullable": true}));
    if !branches.iter().any(is_null) {
        return;
    }
    let Some(Value::Array(branches)) = schema.take_member(key) else { return };
    let (nulls, mut kept): (Vec<_>, Vec<_>) = branches.into_iter().enumerate().partition(|(_, branch)| is_null(branch));
    debug_assert!(!nulls.is_empty());
    schema.insert("nullable".to_owned(), Value::Bool(true));
    let place = pointer::join(pointer, key);
    if kept.is_empty() {
        schema.insert("enum".to_owned(), json!([null]));
        journal.same(PASS, pointer, format!("wrote the `{key}` of null alone as an `enum` of null"));
        return;
    }
    if kept.len() > 1 {
        for (index, (old, _)) in kept.iter().enumerate().filter(|(index, (old, _))| index != old) {
            journal.origins.moved(&format!("{place}/{old}"), &format!("{place}/{index}"));
        }
        let branches: Vec<Value> = kept.into_iter().map(|(_, branch)| branch).collect();
        journal.same(PASS, pointer, format!("wrote the null branch of `{key}` as `nullable`"));
        schema.insert(key.to_owned(), Value::Array(branches));
        return;
    }
    let (old, only) = kept.swap_remove(0);
    let from = format!("{place}/{old}");
    journal.same(PASS, pointer, format!("wrote the `{key}` of one schema and null as that schema, nullable"));
    match only {
        Value::Object(branch)
            if !branch.contains_key("$ref")
                && branch.iter().all(|(name, value)| schema.member(name).is_none_or(|present| present == value)) =>
        {
            for (name, value) in branch {
                if value.is_object() || value.is_array() {
                    journal.origins.moved(&pointer::join(&from, &name), &pointer::join(pointer, &name));
                }
                schema.insert(name, value);
            }
        }
        branch => {
            let all = schema.entry("allOf").or_insert_with(|| json!([]));
            let Value::Array(all) = all else {
                *all = json!([branch]);
                return;
            };
            journal.origins.moved(&from, &format!("{}/{}", pointer::join(pointer, "allOf"), all.len()));
            all.push(branch);
        }
    }
}
