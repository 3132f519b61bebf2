//! `$dynamicRef` and `$recursiveRef`, as far as `definitions` could not resolve them; `$ref` that is not text.

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/dynamic-reference";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    if schema.member("$ref").is_some_and(|target| !target.is_string()) {
        schema.take_member("$ref");
        journal.degraded("upgrade/references", pointer, "dropped a reference", "`$ref` is not text");
    }
    for key in ["$dynamicRef", "$recursiveRef"] {
        if schema.take_member(key).is_some() {
            schema.retain(|key, _| matches!(key.as_str(), "description" | "title"));
            journal.degraded(
                PASS,
                pointer,
                format!("read `{key}` as a schema of anything"),
                "its target depends on the caller",
            );
        }
    }
}
