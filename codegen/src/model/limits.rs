//! What a schema demands of a value, in words: the client does not enforce it, so its documentation says it.

use super::tree::Node;

/// One line, such as `6 to 20 characters. Default: "x".`; empty where nothing is demanded.
pub(super) fn limits(node: &Node<'_>) -> String {
    let number = |key: &str| node.value.get(key).filter(|value| value.is_number());
    let count = |number: &serde_json::Value, what: &str| match number.as_u64() {
        Some(1) => format!("1 {}", what.trim_end_matches('s')),
        _ => format!("{number} {what}"),
    };
    let mut parts: Vec<String> = Vec::new();
    for (least, most, what) in [
        ("minLength", "maxLength", "characters"),
        ("minItems", "maxItems", "elements"),
        ("minProperties", "maxProperties", "members"),
    ] {
        match (number(least).filter(|least| least.as_u64() != Some(0)), number(most)) {
            (Some(least), Some(most)) if least == most => parts.push(count(least, what)),
            (Some(least), Some(most)) => parts.push(format!("{least} to {most} {what}")),
            (Some(least), None) => parts.push(format!("At least {}", count(least, what))),
            (None, Some(most)) => parts.push(format!("At most {}", count(most, what))),
            (None, None) => {}
        }
    }
    if let Some(least) = number("minimum") {
        parts.push(format!("{} {least}", if node.flag("exclusiveMinimum") { "Above" } else { "At least" }));
    }
    if let Some(most) = number("maximum") {
        parts.push(format!("{} {most}", if node.flag("exclusiveMaximum") { "Below" } else { "At most" }));
    }
    if let Some(unit) = number("multipleOf") {
        parts.push(format!("A multiple of {unit}"));
    }
    if node.flag("uniqueItems") {
        parts.push("No element twice".to_owned());
    }
    if !node.text("pattern").is_empty() {
        parts.push(format!("Pattern: `{}`", quoted(node.text("pattern"))));
    }
    if let Some(default) = node.value.get("default").filter(|value| !value.is_null()) {
        parts.push(format!("Default: `{}`", quoted(&default.to_string())));
    }
    parts.iter().map(|part| format!("{part}.")).collect::<Vec<_>>().join(" ")
}

/// Text that can stand between backticks on one line.
fn quoted(text: &str) -> String {
    text.replace('`', "'").replace(['\r', '\n'], " ")
}
