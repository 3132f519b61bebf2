//! The smallest nesting of a value that a definition allows, for the way out of a recursion.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::schema::bundle::Bundle;

/// The height of a definition whose every value contains itself.
pub(super) const ENDLESS: u32 = u32::MAX;

/// Values are not nested deeper.
const MOST_ROUNDS: u32 = 64;

#[derive(Default)]
pub(super) struct Heights(HashMap<String, u32>);

impl Heights {
    pub(super) fn new(bundle: &Bundle) -> Self {
        let mut heights = Self::default();
        for _ in 0..MOST_ROUNDS {
            let mut is_changed = false;
            for index in 0..bundle.pointers.len() {
                let name = index.to_string();
                let Some(schema) = bundle.definition(&name) else { continue };
                let height = heights.height(bundle, schema);
                if heights.0.get(&name).copied().unwrap_or(ENDLESS) != height {
                    heights.0.insert(name, height);
                    is_changed = true;
                }
            }
            if !is_changed {
                break;
            }
        }
        heights
    }

    pub(super) fn height(&self, bundle: &Bundle, schema: &Value) -> u32 {
        let Value::Object(keywords) = schema else {
            return if *schema == Value::Bool(false) { ENDLESS } else { 1 };
        };
        if keywords.contains_key("const") || keywords.contains_key("enum") {
            return 1;
        }
        let mut height = 1;
        if let Some(name) = bundle.target(schema).map(|(name, _)| name) {
            height = height.max(self.0.get(name).copied().unwrap_or(ENDLESS));
        }
        for part in list(keywords, "allOf") {
            height = height.max(self.height(bundle, part));
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(lowest) = list(keywords, name).map(|branch| self.height(bundle, branch)).min() {
                height = height.max(lowest);
            }
        }
        height.max(self.children(bundle, keywords))
    }

    fn children(&self, bundle: &Bundle, keywords: &Map<String, Value>) -> u32 {
        let is_null = |kind: &Value| {
            kind == "null" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"))
        };
        if keywords.get("type").is_some_and(is_null) {
            return 1;
        }
        let mut height = 0;
        if keywords.get("minItems").and_then(Value::as_u64).unwrap_or(0) > 0
            && let Some(items) = keywords.get("items")
        {
            height = self.height(bundle, items);
        }
        let members = keywords.get("properties").and_then(Value::as_object);
        for name in list(keywords, "required").filter_map(Value::as_str) {
            if let Some(schema) = members.and_then(|members| members.get(name)) {
                height = height.max(self.height(bundle, schema));
            }
        }
        height.saturating_add(1)
    }
}

fn list<'s>(keywords: &'s Map<String, Value>, name: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    keywords.get(name).and_then(Value::as_array).into_iter().flatten()
}
