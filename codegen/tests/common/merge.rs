//! Merge patches (RFC 7396).

use serde_json::Value;

/// Changes a value by a patch.
pub(crate) fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = Value::Object(serde_json::Map::new());
    }
    let map = value.as_object_mut().unwrap();
    for (key, patch) in patch {
        if patch.is_null() {
            map.remove(key);
        } else {
            merge(map.entry(key).or_insert(Value::Null), patch);
        }
    }
}
