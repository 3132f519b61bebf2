//! From the result of an introspection to the schema definition language.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use driftless_codegen::graphql::is_value;
use serde_json::Value;

/// An introspection: newer servers describe the schema, types, deprecated inputs and directives besides.
macro_rules! query {
    ($schema:literal, $types:literal, $all:literal, $input:literal, $directive:literal) => {
        concat!(
            "query Introspection { __schema { ", $schema, " queryType { name } mutationType { name } subscriptionType { name } ",
            "directives { name description ", $directive, " locations args", $all, " { ...I } } ",
            "types { kind name description ", $types, " fields(includeDeprecated: true) { name description args", $all,
            " { ...I } type { ...T } isDeprecated deprecationReason } inputFields", $all, " { ...I } interfaces { name } ",
            "enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } ",
            "possibleTypes { name } } } } ",
            "fragment I on __InputValue { name description type { ...T } defaultValue ", $input, " } ",
            "fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ",
            "ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ",
            "ofType { kind name } } } } } } } } } } }"
        )
    };
}

/// The queries, the newest first. A server answers one that names something it does not have with an error, and then the next
/// is asked: the specification of September 2025, that of October 2021, and that of June 2018.
pub(crate) const QUERIES: [&str; 3] = [
    query!(
        "description",
        "isOneOf specifiedByURL",
        "(includeDeprecated: true)",
        "isDeprecated deprecationReason",
        "isRepeatable"
    ),
    query!(
        "description",
        "specifiedByURL",
        "(includeDeprecated: true)",
        "isDeprecated deprecationReason",
        "isRepeatable"
    ),
    query!("", "", "", "", ""),
];

/// Types that every server has.
const BUILT_IN: [&str; 5] = ["Boolean", "Float", "ID", "Int", "String"];

/// Directives that every server has.
const DIRECTIVES: [&str; 5] = ["deprecated", "include", "oneOf", "skip", "specifiedBy"];

/// Renders the schema of an introspection response, sorted by name. The error is the reason why the response has no complete
/// schema, such as a type that is named and not defined.
pub(crate) fn render(answer: &Value) -> Result<String, String> {
    let schema = answer.pointer("/data/__schema").ok_or("it holds no `__schema`")?;
    if let Some(name) = odd_name(schema) {
        return Err(format!("{:?} is not a name", name.chars().take(LONGEST).collect::<String>()));
    }
    if let Some(text) = odd_text(schema) {
        return Err(format!(
            "{:?} is not what the schema definition language has there",
            text.chars().take(LONGEST).collect::<String>()
        ));
    }
    let types = schema.get("types").and_then(Value::as_array).ok_or("it holds no list of types")?;
    let known: BTreeSet<&str> = types.iter().map(name).chain(BUILT_IN).collect();
    let mut named = BTreeSet::new();
    references(schema, &mut named);
    if let Some(absent) = named.into_iter().find(|name| !known.contains(name)) {
        return Err(format!("it names the type `{absent}`, and does not hold it"));
    }
    text(schema).ok_or_else(|| "a type of it is incomplete, or of a kind that GraphQL does not have".to_owned())
}

/// Longest name that is shown, in characters.
const LONGEST: usize = 60;

/// A value of a member `name` that cannot be a name, at any depth. Names are written into the schema as they are.
fn odd_name(value: &Value) -> Option<&str> {
    match value {
        Value::Array(items) => items.iter().find_map(odd_name),
        Value::Object(members) => members.iter().find_map(|(key, value)| match value {
            Value::String(name) if key == "name" && !is_name(name) => Some(name.as_str()),
            value => odd_name(value),
        }),
        _ => None,
    }
}

/// A default that is not a value, or a location that is not a name, at any depth: both are written as they are.
fn odd_text(value: &Value) -> Option<&str> {
    match value {
        Value::Array(items) => items.iter().find_map(odd_text),
        Value::Object(members) => members.iter().find_map(|(key, value)| match (key.as_str(), value) {
            ("defaultValue", Value::String(text)) if !is_value(text) => Some(text.as_str()),
            ("locations", Value::Array(places)) => {
                places.iter().map(|location| location.as_str().unwrap_or("?")).find(|location| !is_name(location))
            }
            (_, value) => odd_text(value),
        }),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The names of all types that a schema refers to.
fn references<'a>(value: &'a Value, names: &mut BTreeSet<&'a str>) {
    const PLACES: [&str; 7] =
        ["type", "ofType", "interfaces", "possibleTypes", "queryType", "mutationType", "subscriptionType"];
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        Value::Object(members) => {
            for (key, value) in members {
                if PLACES.contains(&key.as_str()) {
                    let several = value.as_array().map(Vec::as_slice).unwrap_or(std::slice::from_ref(value));
                    names.extend(several.iter().map(name).filter(|name| !name.is_empty()));
                }
                references(value, names);
            }
        }
        _ => {}
    }
}

fn text(schema: &Value) -> Option<String> {
    let mut text = String::new();
    let root = |name: &str| schema.get(name)?.get("name")?.as_str();
    text.push_str(&description(schema, ""));
    text.push_str("schema {\n");
    for (kind, member) in [("query", "queryType"), ("mutation", "mutationType"), ("subscription", "subscriptionType")] {
        if let Some(name) = root(member) {
            let _ = writeln!(text, "  {kind}: {name}");
        }
    }
    text.push_str("}\n");
    let none = Vec::new();
    let mut directives: Vec<&Value> =
        schema.get("directives").and_then(Value::as_array).unwrap_or(&none).iter().collect();
    directives.sort_by_key(|directive| name(directive).to_owned());
    for directive in directives.into_iter().filter(|directive| !DIRECTIVES.contains(&name(directive))) {
        let places: Vec<&str> = list(directive, "locations").iter().filter_map(Value::as_str).collect();
        let repeatable = if flag(directive, "isRepeatable") { " repeatable" } else { "" };
        let (docs, arguments) = (description(directive, ""), arguments(directive)?);
        let _ =
            writeln!(text, "\n{docs}directive @{}{arguments}{repeatable} on {}", name(directive), places.join(" | "));
    }
    let mut types: Vec<&Value> = schema.get("types")?.as_array()?.iter().collect();
    types.sort_by_key(|ty| name(ty).to_owned());
    for ty in types {
        let name = name(ty);
        if !(name.is_empty() || name.starts_with("__") || BUILT_IN.contains(&name)) {
            text.push_str(&definition(ty, name)?);
        }
    }
    Some(text)
}

fn definition(ty: &Value, name: &str) -> Option<String> {
    let list = |member: &str| self::list(ty, member);
    let names = |member: &str| -> Vec<&str> { list(member).iter().map(self::name).collect() };
    let docs = description(ty, "");
    let mut text = match ty.get("kind")?.as_str()? {
        "SCALAR" => {
            let address = ty.get("specifiedByURL").filter(|address| address.is_string());
            let address = address.map(|address| format!(" @specifiedBy(url: {address})")).unwrap_or_default();
            return Some(format!("\n{docs}scalar {name}{address}\n"));
        }
        "UNION" => return Some(format!("\n{docs}union {name} = {}\n", names("possibleTypes").join(" | "))),
        "ENUM" => {
            let value = |value| format!("{}  {}{}\n", description(value, "  "), self::name(value), deprecation(value));
            let values: String = list("enumValues").iter().map(value).collect();
            return Some(format!("\n{docs}enum {name} {{\n{values}}}\n"));
        }
        "INPUT_OBJECT" => {
            let field = |field| Some(format!("{}  {}\n", description(field, "  "), input(field)?));
            let fields: Option<String> = list("inputFields").iter().map(field).collect();
            let one_of = if flag(ty, "isOneOf") { " @oneOf" } else { "" };
            return Some(format!("\n{docs}input {name}{one_of} {{\n{}}}\n", fields?));
        }
        "INTERFACE" => format!("\n{docs}interface {name}"),
        "OBJECT" => format!("\n{docs}type {name}"),
        _ => return None,
    };
    if !list("interfaces").is_empty() {
        let _ = write!(text, " implements {}", names("interfaces").join(" & "));
    }
    text.push_str(" {\n");
    for field in list("fields") {
        let arguments = arguments(field)?;
        text.push_str(&description(field, "  "));
        let ty = reference(field.get("type")?)?;
        let _ = writeln!(text, "  {}{arguments}: {ty}{}", self::name(field), deprecation(field));
    }
    text.push_str("}\n");
    Some(text)
}

/// The arguments of a field or of a directive, in brackets.
fn arguments(owner: &Value) -> Option<String> {
    let one = |argument| Some(format!("{}{}", description(argument, "").replace('\n', " "), input(argument)?));
    let all: Vec<String> = list(owner, "args").iter().map(one).collect::<Option<_>>()?;
    Some(if all.is_empty() { String::new() } else { format!("({})", all.join(", ")) })
}

fn list<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value.get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn flag(value: &Value, member: &str) -> bool {
    value.get(member) == Some(&Value::Bool(true))
}

/// A description, in front of the item that it describes. The strings of JSON are strings of GraphQL.
fn description(value: &Value, indent: &str) -> String {
    match value.get("description") {
        Some(text @ Value::String(description)) if !description.trim().is_empty() => format!("{indent}{text}\n"),
        _ => String::new(),
    }
}

/// The directive behind a deprecated item.
fn deprecation(value: &Value) -> String {
    match (value.get("isDeprecated"), value.get("deprecationReason")) {
        // The reason that servers give where the schema has none.
        (Some(Value::Bool(true)), Some(Value::String(reason))) if reason == "No longer supported" => {
            " @deprecated".to_owned()
        }
        (Some(Value::Bool(true)), Some(reason @ Value::String(_))) => format!(" @deprecated(reason: {reason})"),
        (Some(Value::Bool(true)), _) => " @deprecated".to_owned(),
        _ => String::new(),
    }
}

fn input(value: &Value) -> Option<String> {
    let ty = reference(value.get("type")?)?;
    let default =
        value.get("defaultValue").and_then(Value::as_str).map(|text| format!(" = {text}")).unwrap_or_default();
    Some(format!("{}: {ty}{default}{}", name(value), deprecation(value)))
}

fn reference(ty: &Value) -> Option<String> {
    match ty.get("kind")?.as_str()? {
        "NON_NULL" => Some(format!("{}!", reference(ty.get("ofType")?)?)),
        "LIST" => Some(format!("[{}]", reference(ty.get("ofType")?)?)),
        _ => Some(name(ty).to_owned()),
    }
}

fn name(value: &Value) -> &str {
    value.get("name").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
