//! Each keyword of each dialect.

use serde_json::{Value, json};

use super::{component, inline, sample, schemas};
use crate::schema::{Direction, Hints};

/// Schemas with a value that they accept and one that they refuse.
fn table() -> Vec<(&'static str, Value, Value, Value)> {
    vec![
        ("2.0", json!({ "type": "string", "x-nullable": true }), json!(null), json!(1)),
        ("2.0", json!({ "type": "file" }), json!("bytes"), json!(1)),
        (
            "2.0",
            json!({ "type": "integer", "maximum": 5, "exclusiveMaximum": true, "minimum": 3, "exclusiveMinimum": true }),
            json!(4),
            json!(5),
        ),
        (
            "2.0",
            json!({ "type": "array", "items": [{ "type": "integer" }, { "type": "string" }], "additionalItems": false }),
            json!([1, "a"]),
            json!(["a"]),
        ),
        ("3.0.3", json!({ "type": "string", "nullable": true, "enum": ["a", null] }), json!(null), json!("b")),
        ("3.0.3", json!({ "type": "string", "enum": ["a"] }), json!("a"), json!(null)),
        ("3.0.3", json!({ "type": "integer", "format": "int32" }), json!(-2_147_483_648_i64), json!(2_147_483_648_i64)),
        ("3.0.3", json!({ "type": "integer", "format": "int64" }), json!(9_007_199_254_740_993_i64), json!(1.5)),
        (
            "3.0.3",
            json!({ "type": "number", "exclusiveMinimum": true, "minimum": 0, "maximum": 0.001 }),
            json!(0.0005),
            json!(0),
        ),
        (
            "3.0.3",
            json!({ "type": "number", "multipleOf": 0.01, "minimum": 0.57, "maximum": 0.585 }),
            json!(0.58),
            json!(0.575),
        ),
        ("3.0.3", json!({ "type": "integer", "multipleOf": 7, "minimum": 50, "maximum": 60 }), json!(56), json!(55)),
        ("3.0.3", json!({ "type": "integer", "multipleOf": 2.5, "minimum": 1 }), json!(5), json!(4)),
        ("3.0.3", json!({ "type": "string", "minLength": 40, "maxLength": 41 }), json!("a".repeat(40)), json!("a")),
        ("3.0.3", json!({ "type": "string", "pattern": "^[A-Z]{3}-\\d{4}$" }), json!("ABC-1234"), json!("abc-1234")),
        ("3.0.3", json!({ "type": "string", "pattern": "^(?!admin)[a-z]{5,8}$" }), json!("users"), json!("admins")),
        (
            "3.0.3",
            json!({ "type": "string", "pattern": "^\\/v\\d+\\/", "minLength": 30 }),
            json!("/v1/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            json!("/v1/"),
        ),
        ("3.0.3", json!({ "type": "string", "pattern": "[" }), json!("anything"), json!(1)),
        (
            "3.0.3",
            json!({ "type": "array", "items": { "enum": ["a", "b", "c"] }, "minItems": 3, "uniqueItems": true }),
            json!(["c", "a", "b"]),
            json!(["a", "a", "b"]),
        ),
        ("3.0.3", json!({ "type": "array", "items": {}, "maxItems": 0 }), json!([]), json!([1])),
        (
            "3.0.3",
            json!({ "type": "object", "additionalProperties": { "type": "integer" }, "minProperties": 3, "maxProperties": 3 }),
            json!({ "a": 1, "b": 2, "c": 3 }),
            json!({ "a": 1 }),
        ),
        (
            "3.0.3",
            json!({ "type": "object", "properties": { "a": {}, "b": {}, "c": {} }, "maxProperties": 1, "required": ["b"] }),
            json!({ "b": 1 }),
            json!({ "a": 1, "b": 1 }),
        ),
        (
            "3.0.3",
            json!({ "type": "object", "required": ["Id"], "properties": { "id": { "type": "integer" } }, "additionalProperties": false }),
            json!({ "id": 1 }),
            json!({}),
        ),
        (
            "3.0.3",
            json!({ "allOf": [{ "required": ["a"], "properties": { "a": { "type": "integer" } } }, { "properties": { "a": { "minimum": 5 } } }] }),
            json!({ "a": 5 }),
            json!({ "a": 4 }),
        ),
        (
            "3.0.3",
            json!({ "allOf": [{ "type": "object", "additionalProperties": false, "required": ["a"], "properties": { "a": {} } }, { "type": "object", "additionalProperties": false, "required": ["b"], "properties": { "b": {} } }] }),
            json!({ "a": 1, "b": 2 }),
            json!({ "a": 1, "b": 2, "c": 3 }),
        ),
        (
            "3.0.3",
            json!({ "oneOf": [{ "type": "integer" }, { "type": "number", "multipleOf": 5 }] }),
            json!(3),
            json!(10),
        ),
        (
            "3.0.3",
            json!({ "oneOf": [{ "type": "string", "format": "binary" }, { "type": "string", "format": "binary" }] }),
            json!("a"),
            json!(1),
        ),
        (
            "3.0.3",
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"], "anyOf": [{ "properties": { "a": { "enum": ["x"] } } }, { "required": ["b"] }] }),
            json!({ "a": "x" }),
            json!({ "a": "y" }),
        ),
        ("3.0.3", json!({ "type": "integer", "not": { "minimum": 3 }, "minimum": 0 }), json!(2), json!(3)),
        ("3.0.3", json!({ "enum": [true, false], "type": "string" }), json!("true"), json!(true)),
        (
            "3.0.3",
            json!({ "type": "string", "format": "date-time" }),
            json!("2024-05-01T10:00:00Z"),
            json!("yesterday"),
        ),
        ("3.1.0", json!({ "type": ["string", "null"], "format": "uuid" }), json!(null), json!("x")),
        ("3.1.0", json!({ "const": { "a": [1] } }), json!({ "a": [1] }), json!({})),
        (
            "3.1.0",
            json!({ "type": "array", "prefixItems": [{ "type": "integer" }, { "const": "a" }], "items": false, "minItems": 2 }),
            json!([1, "a"]),
            json!([1, "a", 2]),
        ),
        (
            "3.1.0",
            json!({ "type": "array", "items": { "type": "integer" }, "contains": { "minimum": 500 }, "minContains": 2 }),
            json!([500, 1, 501]),
            json!([500]),
        ),
        ("3.1.0", json!({ "exclusiveMinimum": 1, "exclusiveMaximum": 2, "type": "number" }), json!(1.5), json!(1)),
        (
            "3.1.0",
            json!({ "type": "object", "patternProperties": { "^x-": { "type": "integer" } }, "additionalProperties": false, "minProperties": 2 }),
            json!({ "x-a": 1, "x-b": 2 }),
            json!({ "a": 1, "b": 2 }),
        ),
        (
            "3.1.0",
            json!({ "type": "object", "propertyNames": { "pattern": "^[A-Z]+$" }, "minProperties": 2 }),
            json!({ "A": 1, "B": 2 }),
            json!({ "a": 1, "b": 2 }),
        ),
        (
            "3.1.0",
            json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["a"], "dependentRequired": { "a": ["b"] } }),
            json!({ "a": 1, "b": 2 }),
            json!({ "a": 1 }),
        ),
        (
            "3.1.0",
            json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "enum": ["a", "b"] } }, "if": { "properties": { "kind": { "const": "a" } } }, "then": { "required": ["x"] }, "else": { "required": ["y"] } }),
            json!({ "kind": "b", "y": 1 }),
            json!({ "kind": "a", "y": 1 }),
        ),
        (
            "3.1.0",
            json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "unevaluatedProperties": false }),
            json!({ "a": 1 }),
            json!({ "b": 1 }),
        ),
        ("3.1.0", json!({ "$ref": "#/components/schemas/Base", "maxLength": 3 }), json!("abc"), json!("abcd")),
        (
            "3.1.0",
            json!({ "type": ["integer", "string"], "format": "int32", "pattern": "^-?(?:0|[1-9]\\d*)$" }),
            json!("12"),
            json!("x"),
        ),
        ("3.1.0", json!(false), json!(null), json!(null)),
    ]
}

#[test]
fn each_keyword_is_checked_and_sampled() {
    for (version, schema, accepted, refused) in table() {
        let schemas = schemas(version, &json!({ "Base": { "type": "string", "minLength": 2 } }));
        let never = schema == json!(false);
        let reference = inline(schema.clone());
        for direction in [Direction::Request, Direction::Response] {
            assert_eq!(schemas.violations(&reference, &accepted, direction).is_empty(), !never, "{schema}: {accepted}");
            assert!(!schemas.violations(&reference, &refused, direction).is_empty(), "{schema}: {refused}");
            for seed in 0..5 {
                let value = sample(&schemas, &reference, direction, seed);
                assert_eq!(value.is_err(), never, "{schema}: {value:?}");
            }
        }
    }
}

#[test]
fn each_format_has_samples() {
    let schemas = schemas("3.0.3", &json!({}));
    let formats = [
        "date-time",
        "date",
        "time",
        "duration",
        "uuid",
        "guid",
        "email",
        "idn-email",
        "hostname",
        "uri",
        "url",
        "iri",
        "uri-reference",
        "uri-template",
        "ipv4",
        "ipv6",
        "byte",
        "binary",
        "password",
        "json-pointer",
        "relative-json-pointer",
        "regex",
        "char",
        "date-span",
        "time-span",
        "decimal",
        "int64",
        "unknown",
    ];
    for format in formats {
        for seed in 0..5 {
            let value =
                sample(&schemas, &inline(json!({ "type": "string", "format": format })), Direction::Response, seed);
            assert!(value.is_ok_and(|value| value.as_str().is_some_and(|text| !text.is_empty())), "{format}");
        }
    }
}

#[test]
fn members_of_the_other_direction_are_not_required() {
    let member = |keyword: &str| json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "integer", (keyword): true }, "name": { "type": "string" } } });
    let schemas =
        schemas("3.0.3", &json!({ "Base": member("readOnly"), "Secret": { "type": "string", "writeOnly": true } }));
    let part = inline(json!({ "allOf": [{ "$ref": "#/components/schemas/Base" }, { "required": ["id", "name"] }] }));
    let by_reference = inline(
        json!({ "type": "object", "required": ["secret"], "properties": { "secret": { "$ref": "#/components/schemas/Secret" } } }),
    );
    let table = [
        (inline(member("readOnly")), Direction::Request, "id"),
        (inline(member("writeOnly")), Direction::Response, "id"),
        (part, Direction::Request, "id"),
        (by_reference, Direction::Response, "secret"),
    ];
    for (schema, direction, member) in table {
        let name = json!({ "name": "a" });
        assert!(schemas.violations(&schema, &name, direction).is_empty(), "{schema:?}");
        let other = if direction == Direction::Request { Direction::Response } else { Direction::Request };
        assert!(!schemas.violations(&schema, &name, other).is_empty(), "{schema:?}");
        assert!(sample(&schemas, &schema, direction, 1).unwrap().get(member).is_none(), "{schema:?}");
        assert!(sample(&schemas, &schema, other, 1).unwrap().get(member).is_some(), "{schema:?}");
    }
}

#[test]
fn a_valid_example_is_the_sample_and_an_invalid_one_is_not() {
    let schemas = schemas("3.0.3", &json!({}));
    let member = |example: Value| {
        inline(
            json!({ "type": "object", "properties": { "size": { "type": "integer", "maximum": 9, "example": example } } }),
        )
    };
    assert_eq!(sample(&schemas, &member(json!(7)), Direction::Response, 1), Ok(json!({ "size": 7 })));
    assert_ne!(sample(&schemas, &member(json!(70)), Direction::Response, 1), Ok(json!({ "size": 70 })));
    let whole = inline(
        json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "integer" } }, "example": { "a": "x" } }),
    );
    assert!(sample(&schemas, &whole, Direction::Response, 1).unwrap()["a"].is_i64());
}

#[test]
fn hints_are_kept_if_the_schema_allows_them() {
    let schemas = schemas("3.0.3", &json!({}));
    let schema = inline(
        json!({ "type": "object", "required": ["id"], "example": { "id": 1, "name": "example" }, "properties": { "id": { "type": "integer" }, "name": { "type": "string" }, "at": { "type": "object", "properties": { "city": { "type": "string" } } } } }),
    );
    let keep = |value: Value| Hints { keep: Some(value) };
    let value = schemas.sample(&schema, Direction::Response, 1, &keep(json!({ "id": 42 }))).unwrap();
    assert_eq!(value, json!({ "id": 42, "name": "example" }));
    let value =
        schemas.sample(&schema, Direction::Response, 1, &keep(json!({ "id": "x", "at": { "city": "Oslo" } }))).unwrap();
    assert!(value["id"].is_i64(), "{value}");
    assert_eq!(value["at"]["city"], "Oslo");
}

#[test]
fn a_discriminator_names_the_branch() {
    let animal = json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } }, "discriminator": { "propertyName": "kind", "mapping": { "cat": "#/components/schemas/Cat", "dog": "Dog" } } });
    let part = |member: &str| json!({ "allOf": [{ "$ref": "#/components/schemas/Animal" }, { "type": "object", "required": [member], "properties": { (member): { "type": "integer" } } }] });
    let schemas = schemas(
        "3.0.3",
        &json!({
            "Animal": animal, "Cat": part("claws"), "Dog": part("tricks"),
            "Pet": { "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }], "discriminator": { "propertyName": "kind" } },
        }),
    );
    let value = sample(&schemas, &component("Animal"), Direction::Response, 1).unwrap();
    assert_eq!((&value["kind"], value["claws"].is_i64()), (&json!("cat"), true));
    let value = sample(&schemas, &component("Dog"), Direction::Response, 1).unwrap();
    assert_eq!((&value["kind"], value["tricks"].is_i64()), (&json!("dog"), true));
    let dog = json!({ "kind": "dog", "tricks": 3 });
    let value = schemas.sample(&component("Pet"), Direction::Response, 1, &Hints { keep: Some(dog.clone()) });
    assert_eq!(value, Ok(dog));
}

/// A closed base refuses the members of its subtypes, so a value of it is that of a subtype that needs no others.
#[test]
fn the_tag_of_a_closed_base_names_a_subtype_that_needs_no_more() {
    let mapping = json!({ "cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog" });
    let base = json!({
        "type": "object", "additionalProperties": false, "required": ["kind"], "properties": { "kind": { "type": "string" } },
        "discriminator": { "propertyName": "kind", "mapping": mapping },
    });
    let part = |required: Value| json!({ "allOf": [{ "$ref": "#/components/schemas/Animal" }, { "type": "object", "required": required, "properties": { "claws": { "type": "integer" } } }] });
    let schemas =
        schemas("3.0.3", &json!({ "Animal": base, "Cat": part(json!(["claws"])), "Dog": part(json!(["kind"])) }));
    let value = sample(&schemas, &component("Animal"), Direction::Response, 1).unwrap();
    assert_eq!(value, json!({ "kind": "dog" }));
}

#[test]
fn an_example_without_the_form_of_a_guid_is_no_sample() {
    let id = json!({ "type": "string", "format": "guid" });
    let item = json!({ "type": "object", "required": ["Id"], "properties": { "Id": id }, "example": { "Id": "Id" } });
    let schemas = schemas("3.0.3", &json!({ "Item": item }));
    let value = sample(&schemas, &component("Item"), Direction::Response, 1).unwrap();
    assert_eq!(value["Id"].as_str().map(str::len), Some(36), "{value}");
}
