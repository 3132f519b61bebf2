//! Values of stored ones, and values of text.

use serde_json::{Value, json};

use super::{inline, schemas};
use crate::schema::{Direction, Text};

fn movie() -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": ["id", "title"], "properties": {
        "id": { "type": "integer" },
        "title": { "type": "string" },
        "year": { "type": "integer", "minimum": 1900 },
        "tags": { "type": "array", "items": { "type": "string" } },
        "owner": { "type": "object", "required": ["name"], "additionalProperties": false, "properties": { "name": { "type": "string" } } },
        "password": { "type": "string", "writeOnly": true },
    } })
}

#[test]
fn a_stored_value_is_completed() {
    let schemas = schemas("3.0.3", &json!({}));
    let table = [
        (json!({ "id": 1, "title": "a", "year": 1999 }), json!({ "id": 1, "title": "a", "year": 1999 })),
        (json!({ "id": 1, "title": "a", "password": "x" }), json!({ "id": 1, "title": "a" })),
        (json!({ "id": "12", "title": 7, "unknown": 1 }), json!({ "id": 12, "title": "7" })),
        (json!({ "id": 1, "title": "a", "tags": ["x", 5] }), json!({ "id": 1, "title": "a", "tags": ["x", "5"] })),
    ];
    for (stored, expected) in table {
        assert_eq!(schemas.complete(&inline(movie()), Direction::Response, &stored, 1), Ok(expected), "{stored}");
    }
    let stored = json!({ "title": "a", "year": 5, "owner": { "x": 1 }, "tags": { "no": "list" } });
    let value = schemas.complete(&inline(movie()), Direction::Response, &stored, 1).unwrap();
    assert!(schemas.violations(&inline(movie()), &value, Direction::Response).is_empty(), "{value}");
    assert_eq!((&value["title"], value["id"].is_i64(), value["owner"]["name"].is_string()), (&json!("a"), true, true));
}

#[test]
fn a_stored_value_goes_into_the_branch_that_fits() {
    let schemas = schemas("3.0.3", &json!({}));
    let branch = |name: &str| json!({ "type": "object", "required": [name, "id"], "additionalProperties": false, "properties": { "id": { "type": "integer" }, (name): { "type": "string" } } });
    let schema = inline(json!({ "oneOf": [branch("a"), branch("b"), branch("c")] }));
    let value = schemas.complete(&schema, Direction::Response, &json!({ "b": "kept", "extra": 1 }), 1).unwrap();
    assert_eq!(value["b"], "kept");
    let envelope = inline(
        json!({ "type": "object", "required": ["data"], "properties": { "data": { "type": "array", "items": movie() }, "total": { "type": "integer" } } }),
    );
    let stored = json!({ "data": [{ "id": 1, "title": "a" }, { "id": 2 }], "total": 2 });
    let value = schemas.complete(&envelope, Direction::Response, &stored, 1).unwrap();
    assert_eq!(
        (&value["total"], &value["data"][0], &value["data"][1]["id"]),
        (&json!(2), &json!({ "id": 1, "title": "a" }), &json!(2))
    );
}

#[test]
fn text_is_read_by_the_types_of_its_schema() {
    let schemas = schemas("3.1.0", &json!({}));
    let table = [
        (json!({ "type": "integer" }), "7", json!(7)),
        (json!({ "type": "integer" }), "+7", json!("+7")),
        (json!({ "type": "number" }), "1.5", json!(1.5)),
        (json!({ "type": "boolean" }), "true", json!(true)),
        (json!({ "type": "boolean" }), "True", json!(true)),
        (json!({ "type": "string" }), "7", json!("7")),
        (json!({ "type": ["integer", "null"] }), "", json!(null)),
        (json!({ "type": ["integer", "string"] }), "7", json!(7)),
        (json!({ "oneOf": [{ "type": "integer" }, { "enum": ["auto"] }] }), "auto", json!("auto")),
        (json!({ "enum": [1, 2] }), "2", json!(2)),
        (json!({}), "7", json!("7")),
    ];
    for (schema, text, expected) in table {
        assert_eq!(schemas.coerce(&inline(schema.clone()), &Text::One(text.to_owned())), expected, "{schema}: {text}");
    }
}
