//! `$id`, `$schema` and the other names that schemas carry; references by them are resolved before.

use super::{Journal, Schema, drop_all};

const PASS: &str = "upgrade/schema-identifiers";
const KEYS: [&str; 7] = ["$anchor", "$comment", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary"];

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    // In a map of properties these would be names; here they are keywords.
    let dropped = drop_all(schema, &KEYS);
    if !dropped.is_empty() {
        journal.same(PASS, pointer, format!("dropped {}", dropped.join(", ")));
    }
}
