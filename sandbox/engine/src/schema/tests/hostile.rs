//! Schemas that have no value, no end or no bound.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{component, inline, sample, schemas};
use crate::schema::Direction;

/// Much more than any of these takes, also in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn recursion_ends_at_the_shortest_value() {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let components = json!({
        "Node": { "type": "object", "required": ["id", "children"], "properties": { "id": { "type": "integer" }, "parent": reference("Node"), "children": { "type": "array", "items": reference("Node") } } },
        "List": { "type": "object", "required": ["next"], "properties": { "next": { "oneOf": [reference("List"), { "type": "null" }] } } },
        "Expression": { "oneOf": [reference("And"), reference("Leaf")] },
        "And": { "type": "object", "required": ["left", "right"], "additionalProperties": false, "properties": { "left": reference("Expression"), "right": reference("Expression") } },
        "Leaf": { "type": "object", "required": ["value"], "additionalProperties": false, "properties": { "value": { "type": "string" } } },
        "Tree": { "type": "object", "additionalProperties": reference("Tree") },
        "Endless": { "type": "object", "required": ["again"], "properties": { "again": reference("Endless") } },
        "Self": reference("Self"),
        "Ping": { "allOf": [reference("Pong")] },
        "Pong": { "anyOf": [reference("Ping"), { "$ref": "#/components/schemas/Self", "type": "object" }] },
        "Missing": reference("Nothing"),
        "Outside": { "$ref": "other.json#/x" },
    });
    let schemas = schemas("3.1.0", &components);
    for name in ["Node", "List", "Expression", "And", "Tree", "Self", "Ping", "Pong", "Missing", "Outside"] {
        let value = sample(&schemas, &component(name), Direction::Response, 3);
        assert!(value.as_ref().is_ok_and(|value| value.to_string().len() < 5_000), "{name}: {value:?}");
    }
    let error = sample(&schemas, &component("Endless"), Direction::Response, 3).unwrap_err();
    assert_eq!(error.schema, "/components/schemas/Endless");
    assert!(error.to_string().contains("contains itself"), "{error}");
}

#[test]
fn what_has_no_value_is_an_error_that_names_the_place() {
    let schemas = schemas("3.0.3", &json!({}));
    let table = [
        json!({ "type": "array", "items": { "type": "integer" }, "minItems": 1_000_000 }),
        json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 3, "uniqueItems": true }),
        json!({ "type": "array", "items": {}, "minItems": 3, "maxItems": 2 }),
        json!({ "type": "integer", "minimum": 5, "maximum": 4 }),
        json!({ "type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 10 }),
        json!({ "type": "string", "minLength": 5, "maxLength": 4 }),
        json!({ "type": "string", "minLength": 1_000_000_000 }),
        json!({ "type": "string", "pattern": "^a$", "enum": ["b"] }),
        json!({ "type": "string", "pattern": "^(?=b)a$" }),
        json!({ "type": "object", "minProperties": 5_000_000 }),
        json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false, "minProperties": 2 }),
        json!({ "allOf": [{ "type": "string" }, { "type": "integer" }] }),
        json!({ "not": {} }),
    ];
    for schema in table {
        let start = Instant::now();
        let member =
            json!({ "type": "object", "required": ["a"], "properties": { "a": schema, "b": { "type": "string" } } });
        let error = sample(&schemas, &inline(member), Direction::Response, 1).expect_err(&schema.to_string());
        assert_eq!(error.pointer, "/a", "{schema}: {error}");
        // An optional member without a value is left out.
        let member =
            json!({ "type": "object", "required": ["b"], "properties": { "a": schema, "b": { "type": "string" } } });
        let value = sample(&schemas, &inline(member), Direction::Response, 1);
        assert!(value.as_ref().is_ok_and(|value| value.get("a").is_none()), "{schema}: {value:?}");
        assert!(start.elapsed() < LIMIT, "{schema}: {:?}", start.elapsed());
    }
}

#[test]
fn patterns_cost_bounded_time() {
    let schemas = schemas("3.0.3", &json!({}));
    let text = Value::String("a".repeat(50_000) + "!");
    let patterns = [
        "^(a+)+$",
        "^(a|aa)+$",
        "^(?=(a+)+$)(a+)+$",
        "(a*)*b",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "^a{1,1000}{1,1000}$",
        "^(.{0,100000}){0,100000}$",
    ];
    for pattern in patterns {
        let start = Instant::now();
        let schema = inline(json!({ "type": "string", "pattern": pattern }));
        let _ = schemas.violations(&schema, &text, Direction::Request);
        let _ = sample(&schemas, &schema, Direction::Response, 1);
        assert!(start.elapsed() < LIMIT, "{pattern}: {:?}", start.elapsed());
    }
}

#[test]
fn long_chains_and_wide_schemas_are_compiled() {
    let mut chain: Map<String, Value> = (0..3_000)
        .map(|index| {
            (format!("C{index}"), json!({ "allOf": [{ "$ref": format!("#/components/schemas/C{}", index + 1) }] }))
        })
        .collect();
    chain.insert("C3000".to_owned(), json!({ "type": "integer" }));
    for index in 0..3_000 {
        let next = json!({ "$ref": format!("#/components/schemas/D{}", index + 1) });
        chain.insert(format!("D{index}"), json!({ "type": "object", "properties": { "next": next } }));
    }
    chain.insert("D3000".to_owned(), json!({ "type": "integer" }));
    let branches: Vec<Value> = (0..500)
        .map(|index| json!({ "type": "object", "required": ["k"], "properties": { "k": { "enum": [index] } } }))
        .collect();
    chain.insert("Wide".to_owned(), json!({ "oneOf": branches, "minProperties": 1 }));
    let schemas = schemas("3.0.3", &Value::Object(chain));
    for name in ["C0", "D0", "Wide"] {
        let start = Instant::now();
        let value = sample(&schemas, &component(name), Direction::Response, 1);
        assert!(value.is_ok(), "{name}: {value:?}");
        assert!(start.elapsed() < LIMIT, "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn violations_are_bounded() {
    let schemas = schemas("3.0.3", &json!({}));
    let schema = inline(json!({ "type": "array", "items": { "type": "object", "required": ["a".repeat(10_000)] } }));
    let violations = schemas.violations(&schema, &Value::Array(vec![json!({}); 10_000]), Direction::Request);
    assert!(violations.len() <= 20);
    assert!(violations.iter().all(|violation| violation.message.len() + violation.pointer.len() < 1_000));
}

#[test]
fn keywords_with_values_of_the_wrong_type_are_left_out() {
    let schemas = schemas("3.0.3", &json!({}));
    let schema = json!({
        "type": "any", "required": true, "enum": [], "minimum": "1", "maxLength": -1, "minItems": 1.5, "pattern": 3, "items": [],
        "properties": [], "allOf": {}, "oneOf": [], "not": 5, "format": 7, "multipleOf": 0, "additionalProperties": "no", "discriminator": 3,
        "uniqueItems": "yes", "exclusiveMinimum": true, "example": null, "examples": {}, "const": null, "default": {}, "nullable": "true",
    });
    assert_eq!(sample(&schemas, &inline(schema), Direction::Response, 1), Ok(Value::Null));
    for schema in
        [json!(null), json!("string"), json!([]), json!(true), json!({ "$ref": 3 }), json!({ "$ref": "#/%ff" })]
    {
        assert!(sample(&schemas, &inline(schema), Direction::Response, 1).is_ok());
    }
}

/// Each level doubles the checks of one value: by its parts, by one member in two parts, by branches, by a schema within itself.
#[test]
fn a_check_takes_bounded_time() {
    const LEVELS: usize = 40;
    let mut components = Map::new();
    for index in 0..=LEVELS {
        let target = |kind: &str| json!({ "$ref": format!("#/components/schemas/{kind}{}", index + 1) });
        let member = |kind: &str, name: &str| json!({ "title": name, "properties": { "a": target(kind) } });
        let is_last = index == LEVELS;
        let closed = json!({ "type": "object", "properties": { "b": {} }, "additionalProperties": false });
        for (kind, node, last) in [
            ("P", json!({ "allOf": [target("P"), target("P")] }), json!({ "required": ["b"] })),
            ("C", json!({ "allOf": [target("C"), { "title": "and", "allOf": [target("C")] }] }), closed),
            ("M", json!({ "allOf": [member("M", "one"), member("M", "two")] }), json!({ "type": "integer" })),
            ("B", json!({ "anyOf": [member("B", "one"), member("B", "two")] }), json!({ "type": "integer" })),
            ("O", json!({ "oneOf": [member("O", "one"), { "anyOf": [member("O", "two"), false] }] }), json!({})),
        ] {
            components.insert(format!("{kind}{index}"), if is_last { last } else { node });
        }
    }
    let own = |name: &str| json!({ "title": name, "properties": { "a": { "$ref": "#/components/schemas/S0" } } });
    components.insert("S0".to_owned(), json!({ "allOf": [own("one"), own("two"), { "not": { "required": ["x"] } }] }));
    let schemas = schemas("3.1.0", &components.into());
    let deep = |last: Value| (0..LEVELS).fold(last, |value, _| json!({ "a": value }));
    let wrong = [deep(json!("text")), deep(json!({ "x": 1 }))];
    for kind in ["P", "C", "M", "B", "O", "S"] {
        for value in [json!({}), deep(json!(1))].iter().chain(&wrong) {
            let start = Instant::now();
            let schema = component(&format!("{kind}0"));
            let violations = schemas.violations(&schema, value, Direction::Request);
            assert!(violations.len() <= 20, "{kind}");
            let _ = schemas.complete(&schema, Direction::Response, value, 1);
            assert!(start.elapsed() < LIMIT, "{kind}: {:?}", start.elapsed());
        }
    }
    let refused = schemas.violations(&component("B0"), &wrong[0], Direction::Request);
    assert!(refused.iter().any(|violation| violation.message.contains("the limit of the sandbox")), "{refused:?}");
    let missing = schemas.violations(&component("P30"), &json!({}), Direction::Request);
    assert!(missing.iter().any(|violation| violation.message == "is required"), "{missing:?}");
}
