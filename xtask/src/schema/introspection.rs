//! From the result of an introspection to the schema definition language.

use std::fmt::Write as _;

use serde_json::Value;

/// The query. Descriptions are left out, as are the parts that older servers do not have.
pub(crate) const QUERY: &str = "query Introspection { __schema { queryType { name } mutationType { name } \
    subscriptionType { name } types { kind name fields(includeDeprecated: true) { name args { name type { ...T } \
    defaultValue } type { ...T } } inputFields { name type { ...T } defaultValue } interfaces { name } \
    enumValues(includeDeprecated: true) { name } possibleTypes { name } } } } \
    fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name \
    ofType { kind name ofType { kind name } } } } } } }";

/// Types that every server has.
const BUILT_IN: [&str; 5] = ["Boolean", "Float", "ID", "Int", "String"];

/// The schema of an answer, sorted by name. `None`: the answer is no introspection.
pub(crate) fn render(answer: &Value) -> Option<String> {
    let schema = answer.pointer("/data/__schema")?;
    let mut text = String::new();
    let root = |name: &str| schema.get(name)?.get("name")?.as_str();
    text.push_str("schema {\n");
    for (kind, member) in [("query", "queryType"), ("mutation", "mutationType"), ("subscription", "subscriptionType")] {
        if let Some(name) = root(member) {
            let _ = writeln!(text, "  {kind}: {name}");
        }
    }
    text.push_str("}\n");
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
    let list = |member: &str| ty.get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names = |member: &str| -> Vec<&str> { list(member).iter().map(self::name).collect() };
    let mut text = match ty.get("kind")?.as_str()? {
        "SCALAR" => return Some(format!("\nscalar {name}\n")),
        "UNION" => return Some(format!("\nunion {name} = {}\n", names("possibleTypes").join(" | "))),
        "ENUM" => {
            let values: String = names("enumValues").iter().map(|value| format!("  {value}\n")).collect();
            return Some(format!("\nenum {name} {{\n{values}}}\n"));
        }
        "INPUT_OBJECT" => {
            let fields: Option<String> =
                list("inputFields").iter().map(|field| Some(format!("  {}\n", input(field)?))).collect();
            return Some(format!("\ninput {name} {{\n{}}}\n", fields?));
        }
        "INTERFACE" => format!("\ninterface {name}"),
        "OBJECT" => format!("\ntype {name}"),
        _ => return None,
    };
    if !list("interfaces").is_empty() {
        let _ = write!(text, " implements {}", names("interfaces").join(" & "));
    }
    text.push_str(" {\n");
    for field in list("fields") {
        let arguments: Option<Vec<String>> = field
            .get("args")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .map(input)
            .collect();
        let arguments = arguments?;
        let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
        let _ = writeln!(text, "  {}{arguments}: {}", self::name(field), reference(field.get("type")?)?);
    }
    text.push_str("}\n");
    Some(text)
}

fn input(value: &Value) -> Option<String> {
    let ty = reference(value.get("type")?)?;
    let default =
        value.get("defaultValue").and_then(Value::as_str).map(|text| format!(" = {text}")).unwrap_or_default();
    Some(format!("{}: {ty}{default}", name(value)))
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
    use serde_json::json;

    use super::render;

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
                { "kind": "ENUM", "name": "State", "enumValues": [{ "name": "A" }, { "name": "B" }] },
                { "kind": "UNION", "name": "Any", "possibleTypes": [{ "name": "Thing" }] },
                { "kind": "INPUT_OBJECT", "name": "Filter", "inputFields": [
                    { "name": "state", "type": { "kind": "ENUM", "name": "State" }, "defaultValue": "A" }] },
                { "kind": "OBJECT", "name": "Thing", "interfaces": [], "fields": [
                    { "name": "state", "args": [], "type": required(json!({ "kind": "ENUM", "name": "State" })) }] },
                { "kind": "OBJECT", "name": "Query", "interfaces": [], "fields": [
                    { "name": "things", "type": required(json!({ "kind": "LIST", "ofType": required(named("Thing")) })),
                      "args": [{ "name": "filter", "type": { "kind": "INPUT_OBJECT", "name": "Filter" }, "defaultValue": null }] }] },
            ] } } });
        let text = render(&answer).expect("a schema");
        assert_eq!(
            text,
            "schema {\n  query: Query\n}\n\nunion Any = Thing\n\ninput Filter {\n  state: State = A\n}\n\nscalar Moment\n\n\
             type Query {\n  things(filter: Filter): [Thing!]!\n}\n\nenum State {\n  A\n  B\n}\n\ntype Thing {\n  state: State!\n}\n"
        );
        assert!(platform_codegen::graphql::is_schema(&text));
        for odd in [
            json!(null),
            json!({}),
            json!({ "data": null }),
            json!({ "data": { "__schema": { "types": 1 } } }),
            json!({ "data": { "__schema": { "types": [{ "kind": "ODD", "name": "X" }] } } }),
        ] {
            assert!(render(&odd).is_none(), "{odd}");
        }
    }
}
