//! Enumerations: open, with names where the contract has them.

use std::collections::HashSet;

use serde_json::Value;

use super::claims::Claims;
use super::keys::key;
use super::shape::Shape;
use super::tree::Node;
use super::types::{Deprecation, EnumKind, Format, Kind, Type, Variant, VariantContent};
use crate::ledger::{Ledger, Loss};
use crate::members::Members as _;
use crate::naming::Scope;
use crate::naming::ident::variant_name;

/// The shape of a schema with `enum`; `None` if the rest of the schema decides.
pub(super) fn shape<'a>(node: &Node<'a>, values: &[Value]) -> Option<Shape<'a>> {
    let mut values = values.iter().filter(|value| !value.is_null()).peekable();
    values.peek()?;
    let kind = node.text("type");
    if matches!(kind, "array" | "object") {
        return None;
    }
    let values: Vec<&Value> = values.collect();
    if values.iter().all(|value| value.is_string()) {
        // Numbers and flags that the contract writes as strings are sent as `type` demands.
        return matches!(kind, "" | "string").then_some(Shape::Enum);
    }
    if values.iter().all(|value| value.is_i64()) {
        return match kind {
            "string" => Some(Shape::Scalar(Type::String(Format::Text))),
            // The next value may have a fraction.
            "number" => None,
            _ => Some(Shape::Enum),
        };
    }
    if values.iter().all(|value| value.is_boolean()) {
        return Some(Shape::Scalar(Type::Boolean));
    }
    if kind.is_empty() && values.iter().all(|value| value.is_number()) {
        return Some(Shape::Scalar(Type::Double));
    }
    None
}

/// Puts on the record that the values of an `enum` are not part of the type.
pub(super) fn unlisted(ledger: &mut Ledger, node: &Node<'_>) {
    let values = node.value.member("enum").and_then(Value::as_array).into_iter().flatten();
    if node.value.member("$ref").is_none() && values.filter(|value| !value.is_null()).count() > 0 {
        let lost = Loss::Documentation("the list of the values".to_owned());
        node.note(
            ledger,
            "model/enum",
            "the values are no enumeration: they are not all text, or not all integers, as the type demands",
            lost,
        );
    }
}

/// Returns whether values are all text, or all integers.
pub(super) fn is_enumeration(values: &[&Value]) -> bool {
    values.iter().all(|value| value.is_string()) || values.iter().all(|value| value.is_i64())
}

/// The values that a schema lists, null included.
pub(super) fn listed<'a>(node: &Node<'a>) -> Vec<&'a Value> {
    node.value.member("enum").and_then(Value::as_array).into_iter().flatten().collect()
}

/// Extensions in which generators write names of the values.
pub(crate) const VALUE_NAMES: [&str; 3] = ["x-enum-varnames", "x-enumNames", "x-enum-names"];

/// The variants of an enumeration of this name.
pub(super) fn kind(
    claims: &mut Claims<'_>,
    ledger: &mut Ledger,
    node: &Node<'_>,
    values: &[&Value],
    name: &str,
) -> Kind {
    let owner = claims.member_owner(name, key(node));
    let mut names = labels(ledger, node, &VALUE_NAMES, values.len());
    let mut about =
        labels(ledger, node, &["x-enum-descriptions", "x-enumDescriptions", "x-enumdescriptions"], values.len());
    let is_kept = claims.keeps_values(&owner) && !of_values(node, values, "name").is_empty();
    if claims.names_values(&owner) {
        names = if names.is_empty() { of_values(node, values, "name") } else { names };
        about = if about.is_empty() { of_values(node, values, "description") } else { about };
    }
    let integer =
        if node.text("format") == "int64" || values.iter().any(|value| too_large(value)) { "i64" } else { "i32" };
    let mut scope = Scope::with(["Unknown"]);
    let mut wishes: Vec<(String, String, String)> = Vec::new();
    let mut seen = HashSet::new();
    let mut kind = EnumKind::String;
    for (index, value) in values.iter().enumerate() {
        let (wire, plain) = match value {
            Value::String(text) => (text.clone(), variant_name(text)),
            Value::Number(number) => {
                kind = EnumKind::Integer(integer);
                let digits = number.to_string();
                (digits.clone(), if digits.starts_with('-') { variant_name(&digits) } else { format!("Value{digits}") })
            }
            _ => continue,
        };
        if !seen.insert(wire.clone()) {
            node.note(ledger, "model/enum", format!("`{wire}` stands twice"), Loss::Nothing);
            continue;
        }
        let wish = names.get(index).map_or(plain, |name| variant_name(name));
        wishes.push((wire, wish, about.get(index).cloned().unwrap_or_default()));
    }
    let members: Vec<(&str, String)> = wishes.iter().map(|(wire, wish, _)| (wire.as_str(), wish.clone())).collect();
    let given = claims.members(&mut scope, &owner, &members);
    if is_kept {
        claims.pin_members(&owner, wishes.iter().map(|(wire, ..)| wire.as_str()).zip(&given));
    }
    let variants = wishes.into_iter().zip(given).map(|((wire, _, docs), name)| {
        let content = VariantContent::Value;
        (wire, Variant { name, docs, deprecated: Deprecation::No, content })
    });
    Kind::Enum(kind, variants.collect())
}

fn too_large(value: &Value) -> bool {
    value.as_i64().is_some_and(|number| i32::try_from(number).is_err())
}

/// The name that AutoRest gives an enumeration, which stands in many places without one.
pub(super) fn name<'a>(node: &Node<'a>) -> Option<&'a str> {
    node.value.member(AUTOREST)?.get("name")?.as_str().filter(|name| name.starts_with(char::is_alphabetic))
}

/// The extension of AutoRest: `{name, values: [{value, name, description}]}`.
const AUTOREST: &str = "x-ms-enum";

/// Texts that extensions give value by value, one for each value: the entries of AutoRest, or of Speakeasy, which has a map, too.
fn of_values(node: &Node<'_>, values: &[&Value], member: &str) -> Vec<String> {
    let entries = node.value.member(AUTOREST).and_then(|extension| extension.get("values")).and_then(Value::as_array);
    let plain = node.value.member("x-speakeasy-enums").filter(|_| member == "name");
    let text = |(index, value): (usize, &&Value)| -> Option<String> {
        let plain_value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_own = |entry: &&Value| {
            let stated = entry.get("value");
            stated.is_some_and(|stated| stated == *value || stated.as_str() == Some(&plain_value))
        };
        let entry = entries.and_then(|entries| entries.iter().find(is_own)?.get(member));
        let entry = entry.or_else(|| plain?.get(index).or_else(|| plain?.get(plain_value.as_str())));
        entry?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    values.iter().enumerate().map(text).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// An extension that labels every value.
fn labels(ledger: &mut Ledger, node: &Node<'_>, extensions: &[&str], count: usize) -> Vec<String> {
    for extension in extensions {
        let Some(list) = node.value.get(extension).and_then(Value::as_array) else { continue };
        let labels: Vec<String> = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if labels.len() == count {
            return labels;
        }
        let lost = Loss::Documentation("the names of the values".to_owned());
        node.note(ledger, "model/enum", format!("`{extension}` does not fit the values"), lost);
    }
    Vec::new()
}
