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
        (with(&named("Int"), &json!([{ "kind": "UNION", "name": "U", "possibleTypes": [named("Gone")] }])), "`Gone`"),
        (json!({ "data": { "__schema": { "queryType": { "name": "Gone" }, "types": [] } } }), "`Gone`"),
    ] {
        let message = render(&answer).expect_err("partial");
        assert!(message.contains(reason), "{message}\n{answer}");
    }
}

#[test]
fn a_name_that_would_be_more_than_a_name_is_refused() {
    for name in ["", "A { b: Int } type C", "A\n", "1", "a-b", "Ä", "\u{202e}A"] {
        let types = json!([{ "kind": "ENUM", "name": "E", "enumValues": [{ "name": name }] }]);
        let message = render(&with(&json!({ "kind": "ENUM", "name": "E" }), &types)).expect_err(name);
        assert!(message.contains("is not a name") && !message.contains(['\n', '\u{202e}']), "{message:?}");
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
        let message = render(&field(json!({ "name": "b", "type": int, "defaultValue": default }))).expect_err(default);
        assert!(message.contains("schema definition language"), "{message}");
    }
    for default in ["1", "{a: [1, \"x\"], b: RED}", "null", "\"\"\"a\nb\"\"\""] {
        render(&field(json!({ "name": "b", "type": int, "defaultValue": default }))).expect(default);
    }
    let mut answer = with(&int, &json!([]));
    answer["data"]["__schema"]["directives"] = json!([{ "name": "d", "locations": ["FIELD } type Evil { a: Int"] }]);
    assert!(render(&answer).is_err());
}

/// A schema with everything that the language has, and the answer of a server that has it.
#[test]
fn introspection_and_language_say_the_same() {
    use apollo_compiler::{ExecutableDocument, Schema, introspection, request};
    let sdl = include_str!("../../../tests/introspection/schema.graphql");
    let schema = Schema::parse_and_validate(sdl, "schema.graphql").expect("valid");
    // The newest query asks for members that this server lacks: it falls back.
    assert!(ExecutableDocument::parse_and_validate(&schema, QUERIES[0], "q").is_err());
    let document = ExecutableDocument::parse_and_validate(&schema, QUERIES[1], "q").expect("valid");
    let operation = document.operations.get(None).expect("one");
    let variables = request::coerce_variable_values(&schema, operation, &Default::default()).expect("none");
    let answer = introspection::partial_execute(&schema, &schema.implementers_map(), &document, operation, &variables)
        .expect("an answer");
    let text = render(&serde_json::to_value(&answer).expect("JSON")).expect("a schema");
    let again = Schema::parse(text.as_str(), "again.graphql").expect("a schema");
    assert_eq!(driftless_codegen::graphql::changes(sdl, &text), Vec::<String>::new());
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
    assert!(driftless_codegen::graphql::is_schema(&text));
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
