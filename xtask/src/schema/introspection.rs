//! From the result of an introspection to the schema definition language.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use platform_codegen::graphql::is_value;
use serde_json::Value;

/// An introspection: what newer servers say of the schema, of types, of inputs on their way out, and of directives.
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

/// The schema of an answer, sorted by name; an error says why there is none. What names a type that it does not hold is
/// partial.
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
    let held: BTreeSet<&str> = types.iter().map(name).chain(BUILT_IN).collect();
    let mut named = BTreeSet::new();
    references(schema, &mut named);
    if let Some(absent) = named.into_iter().find(|name| !held.contains(name)) {
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
                places.iter().map(|place| place.as_str().unwrap_or("?")).find(|place| !is_name(place))
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
fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    const PLACES: [&str; 7] =
        ["type", "ofType", "interfaces", "possibleTypes", "queryType", "mutationType", "subscriptionType"];
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(members) => {
            for (key, value) in members {
                if PLACES.contains(&key.as_str()) {
                    let several = value.as_array().map(Vec::as_slice).unwrap_or(std::slice::from_ref(value));
                    found.extend(several.iter().map(name).filter(|name| !name.is_empty()));
                }
                references(value, found);
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

/// A description before what it describes. The strings of JSON are strings of GraphQL.
fn description(value: &Value, indent: &str) -> String {
    match value.get("description") {
        Some(text @ Value::String(said)) if !said.trim().is_empty() => format!("{indent}{text}\n"),
        _ => String::new(),
    }
}

/// The directive behind what is on its way out.
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
mod tests {
    use serde_json::{Value, json};

    use super::{QUERIES, render};

    /// A schema with one field of this type, and these other types.
    fn with(ty: &Value, others: &Value) -> Value {
        let mut types = others.as_array().cloned().unwrap_or_default();
        types.push(json!({ "kind": "OBJECT", "name": "Query", "fields": [{ "name": "a", "args": [], "type": ty }] }));
        json!({ "data": { "__schema": { "queryType": { "name": "Query" }, "types": types } } })
    }

    #[test]
    fn a_partial_introspection_says_what_is_missing() {
        let named = |name: &str| json!({ "kind": "OBJECT", "name": name });
        render(&with(&named("Int"), &json!([]))).expect("whole");
        for (answer, reason) in [
            (with(&named("Gone"), &json!([])), "`Gone`"),
            (with(&json!({ "kind": "NON_NULL", "ofType": named("Gone") }), &json!([])), "`Gone`"),
            (with(&json!({ "kind": "LIST", "ofType": null }), &json!([])), "incomplete"),
            (with(&json!({ "kind": "LIST" }), &json!([])), "incomplete"),
            (with(&Value::Null, &json!([])), "incomplete"),
            (
                with(&named("Int"), &json!([{ "kind": "UNION", "name": "U", "possibleTypes": [named("Gone")] }])),
                "`Gone`",
            ),
            (json!({ "data": { "__schema": { "queryType": { "name": "Gone" }, "types": [] } } }), "`Gone`"),
        ] {
            let said = render(&answer).expect_err("partial");
            assert!(said.contains(reason), "{said}\n{answer}");
        }
    }

    #[test]
    fn a_name_that_would_be_more_than_a_name_is_refused() {
        for name in ["", "A { b: Int } type C", "A\n", "1", "a-b", "Ä", "\u{202e}A"] {
            let types = json!([{ "kind": "ENUM", "name": "E", "enumValues": [{ "name": name }] }]);
            let said = render(&with(&json!({ "kind": "ENUM", "name": "E" }), &types)).expect_err(name);
            assert!(said.contains("is not a name") && !said.contains(['\n', '\u{202e}']), "{said:?}");
        }
    }

    #[test]
    fn a_default_or_a_location_that_would_be_more_is_refused() {
        let field = |argument: Value| {
            let field = json!({ "name": "a", "args": [argument], "type": { "kind": "SCALAR", "name": "Int" } });
            json!({ "data": { "__schema": { "queryType": { "name": "Query" },
                "types": [{ "kind": "OBJECT", "name": "Query", "fields": [field] }] } } })
        };
        let int = json!({ "kind": "SCALAR", "name": "Int" });
        for default in ["1) } type Evil { a", "1, c: Int", "", "1 #", "$a", "1) @x(y: 1", "{a: 1", "\"a"] {
            let said = render(&field(json!({ "name": "b", "type": int, "defaultValue": default }))).expect_err(default);
            assert!(said.contains("schema definition language"), "{said}");
        }
        for default in ["1", "{a: [1, \"x\"], b: RED}", "null", "\"\"\"a\nb\"\"\""] {
            render(&field(json!({ "name": "b", "type": int, "defaultValue": default }))).expect(default);
        }
        let mut answer = with(&int, &json!([]));
        answer["data"]["__schema"]["directives"] =
            json!([{ "name": "d", "locations": ["FIELD } type Evil { a: Int"] }]);
        assert!(render(&answer).is_err());
    }

    /// A schema with all that the language has, and what a server says of it.
    #[test]
    fn introspection_and_language_say_the_same() {
        use apollo_compiler::{ExecutableDocument, Schema, introspection, request};
        let sdl = include_str!("../../tests/introspection/schema.graphql");
        let schema = Schema::parse_and_validate(sdl, "schema.graphql").expect("valid");
        // The newest asks for what this server does not have: it falls back.
        assert!(ExecutableDocument::parse_and_validate(&schema, QUERIES[0], "q").is_err());
        let document = ExecutableDocument::parse_and_validate(&schema, QUERIES[1], "q").expect("valid");
        let operation = document.operations.get(None).expect("one");
        let variables = request::coerce_variable_values(&schema, operation, &Default::default()).expect("none");
        let answer =
            introspection::partial_execute(&schema, &schema.implementers_map(), &document, operation, &variables)
                .expect("an answer");
        let text = render(&serde_json::to_value(&answer).expect("JSON")).expect("a schema");
        let again = Schema::parse(text.as_str(), "again.graphql").expect("a schema");
        assert_eq!(platform_codegen::graphql::changes(sdl, &text), Vec::<String>::new());
        for (name, ty) in &schema.types {
            assert_eq!(again.types.get(name).map(ToString::to_string), Some(ty.to_string()), "{name}");
        }
        for (name, directive) in &schema.directive_definitions {
            assert_eq!(again.directive_definitions.get(name).map(ToString::to_string), Some(directive.to_string()));
        }
        assert_eq!(again.schema_definition.description, schema.schema_definition.description);
    }

    #[test]
    fn what_only_new_servers_say_is_taken() {
        let answer = json!({ "data": { "__schema": { "queryType": { "name": "Query" }, "types": [
            { "kind": "OBJECT", "name": "Query", "fields": [{ "name": "a", "type": { "kind": "SCALAR", "name": "Int" },
              "args": [{ "name": "b", "type": { "kind": "INPUT_OBJECT", "name": "I" } }] }] },
            { "kind": "INPUT_OBJECT", "name": "I", "isOneOf": true,
              "inputFields": [{ "name": "x", "type": { "kind": "SCALAR", "name": "Int" } }] }] } } });
        let text = render(&answer).expect("a schema");
        assert!(text.contains("input I @oneOf {\n  x: Int\n}"), "{text}");
    }

    #[test]
    fn an_introspection_becomes_a_schema() {
        let named = |name: &str| json!({ "kind": "OBJECT", "name": name });
        let required = |ty| json!({ "kind": "NON_NULL", "name": null, "ofType": ty });
        let answer = json!({ "data": { "__schema": {
            "queryType": { "name": "Query" }, "mutationType": null, "subscriptionType": null,
            "types": [
                { "kind": "SCALAR", "name": "String" },
                { "kind": "SCALAR", "name": "Moment" },
                { "kind": "OBJECT", "name": "__Type", "fields": [] },
                { "kind": "ENUM", "name": "State", "description": "Where it \"is\".\n\u{7}", "enumValues": [
                    { "name": "A", "description": "" },
                    { "name": "B", "description": "The end.", "isDeprecated": true, "deprecationReason": "Use A." }] },
                { "kind": "UNION", "name": "Any", "possibleTypes": [{ "name": "Thing" }] },
                { "kind": "INPUT_OBJECT", "name": "Filter", "inputFields": [
                    { "name": "state", "type": { "kind": "ENUM", "name": "State" }, "defaultValue": "A" }] },
                { "kind": "OBJECT", "name": "Thing", "interfaces": [], "fields": [
                    { "name": "state", "args": [], "type": required(json!({ "kind": "ENUM", "name": "State" })),
                      "description": "Where\nit is.", "isDeprecated": true, "deprecationReason": null }] },
                { "kind": "OBJECT", "name": "Query", "interfaces": [], "fields": [
                    { "name": "things", "type": required(json!({ "kind": "LIST", "ofType": required(named("Thing")) })),
                      "args": [{ "name": "filter", "description": "All of it.", "type": { "kind": "INPUT_OBJECT", "name": "Filter" }, "defaultValue": null }] }] },
            ] } } });
        let text = render(&answer).expect("a schema");
        assert_eq!(
            text,
            "schema {\n  query: Query\n}\n\nunion Any = Thing\n\ninput Filter {\n  state: State = A\n}\n\nscalar Moment\n\n\
             type Query {\n  things(\"All of it.\" filter: Filter): [Thing!]!\n}\n\n\"Where it \\\"is\\\".\\n\\u0007\"\nenum State {\n  A\n  \
             \"The end.\"\n  B @deprecated(reason: \"Use A.\")\n}\n\ntype Thing {\n  \"Where\\nit is.\"\n  state: State! @deprecated\n}\n"
        );
        assert!(platform_codegen::graphql::is_schema(&text));
        for odd in [
            json!(null),
            json!({}),
            json!({ "data": null }),
            json!({ "data": { "__schema": { "types": 1 } } }),
            json!({ "data": { "__schema": { "types": [{ "kind": "ODD", "name": "X" }] } } }),
        ] {
            assert!(render(&odd).is_err(), "{odd}");
        }
    }
}
