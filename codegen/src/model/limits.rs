//! The constraints of a schema as sentences: the client does not enforce them, so its documentation lists them.

use serde_json::Value;

use super::tree::Node;
use crate::members::Members as _;
use crate::text::docs::{Docs, closed, docs, span};

/// One line, such as `6 to 20 characters. Default: "x".`; empty where nothing is demanded.
pub(super) fn limits(node: &Node<'_>) -> Docs {
    let number = |key: &str| node.value.member(key).filter(|value| value.is_number());
    let mut parts: Vec<Docs> = Vec::new();
    for (least, most, one, many) in [
        ("minLength", "maxLength", "character", "characters"),
        ("minItems", "maxItems", "element", "elements"),
        ("minProperties", "maxProperties", "member", "members"),
    ] {
        let count = |number: &Value| docs![digits(number), " ", if number.as_u64() == Some(1) { one } else { many }];
        match (number(least).filter(|least| least.as_u64() != Some(0)), number(most)) {
            (Some(least), Some(most)) if least == most => parts.push(count(least)),
            (Some(least), Some(most)) => parts.push(docs![digits(least), " to ", digits(most), " ", many]),
            (Some(least), None) => parts.push(docs!["At least ", count(least)]),
            (None, Some(most)) => parts.push(docs!["At most ", count(most)]),
            (None, None) => {}
        }
    }
    if let Some(least) = number("minimum") {
        let word = if node.flag("exclusiveMinimum") { "Above " } else { "At least " };
        parts.push(docs![word, digits(least)]);
    }
    if let Some(most) = number("maximum") {
        let word = if node.flag("exclusiveMaximum") { "Below " } else { "At most " };
        parts.push(docs![word, digits(most)]);
    }
    if let Some(unit) = number("multipleOf") {
        parts.push(docs!["A multiple of ", digits(unit)]);
    }
    if node.flag("uniqueItems") {
        parts.push(docs!["Unique elements"]);
    }
    if !node.text("pattern").is_empty() {
        parts.push(docs!["Pattern: ", span(node.text("pattern"))]);
    }
    if let Some(default) = node.value.member("default").filter(|value| !value.is_null()) {
        parts.push(docs!["Default: ", span(&default.to_string())]);
    }
    Docs::join(" ", parts.into_iter().map(|part| docs![part, "."]))
}

fn digits(number: &Value) -> Docs {
    closed(&number.to_string())
}
