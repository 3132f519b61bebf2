//! Keywords of OpenAPI and JSON Schema, in valid and invalid positions.

use serde_json::{Value, json};

use super::{hostile, place};
use crate::random::Random;

/// Sets a keyword of an object that its other keys suggest.
pub(super) fn change(tree: &mut Value, random: &mut Random) {
    let Some(pointer) = place::such(tree, random, Value::is_object) else { return };
    let has = |key: &str| tree.pointer(&pointer).and_then(|object| object.get(key)).is_some();
    // Sometimes the keywords of one kind of object are put into another.
    let (key, value) = match (has("responses"), has("in"), random.below(8)) {
        (_, _, 0) | (true, _, _) => operation(tree, random),
        (_, _, 1) | (_, true, _) => parameter(tree, random),
        _ => schema(tree, random),
    };
    if let Some(Value::Object(members)) = tree.pointer_mut(&pointer) {
        members.insert(key.to_owned(), value);
    }
}

fn one<T: Clone>(random: &mut Random, list: &[T], otherwise: T) -> T {
    random.pick(list).cloned().unwrap_or(otherwise)
}

fn operation(tree: &Value, random: &mut Random) -> (&'static str, Value) {
    let text = Value::from(hostile::text(random));
    let media = one(
        random,
        &[
            "application/json",
            "application/xml",
            "text/plain",
            "text/event-stream",
            "multipart/form-data",
            "application/x-www-form-urlencoded",
            "application/octet-stream",
            "*/*",
        ],
        "",
    );
    let schema = place::reference(tree, random);
    let content = json!({media: {"schema": schema}});
    match random.below(13) {
        0 => ("operationId", text),
        1 => ("tags", json!([text, text])),
        2 => ("summary", text),
        3 => ("description", text),
        4 => ("security", one(random, &[json!([]), json!([{}]), json!([{"x": ["y"]}])], Value::Null)),
        5 => ("servers", json!([{"url": text}])),
        6 => ("deprecated", json!(true)),
        7 => ("callbacks", json!({"x": {"{$request.body#/url}": {"post": {"responses": {"200": {}}}}}})),
        8 => ("requestBody", json!({"content": content, "required": random.once_in(2)})),
        9 => ("responses", json!({"200": {"description": text, "content": content}, "default": {"content": content}})),
        10 => ("parameters", json!([parameter_object(tree, random), parameter_object(tree, random)])),
        11 => ("consumes", json!([media, text])),
        _ => ("produces", json!([media, text])),
    }
}

fn parameter_object(tree: &Value, random: &mut Random) -> Value {
    let name = hostile::text(random);
    let place = one(random, &["path", "query", "header", "cookie", "body", "formData", "nowhere"], "");
    json!({"name": name, "in": place, "required": random.once_in(2), "schema": place::reference(tree, random)})
}

fn parameter(tree: &Value, random: &mut Random) -> (&'static str, Value) {
    match random.below(9) {
        0 => ("name", Value::from(hostile::text(random))),
        1 => ("in", one(random, &["path", "query", "header", "cookie", "body", "formData", ""], "").into()),
        2 => {
            let styles =
                ["simple", "form", "matrix", "label", "deepObject", "spaceDelimited", "pipeDelimited", "tsv", "x"];
            ("style", one(random, &styles, "").into())
        }
        3 => ("explode", json!(random.once_in(2))),
        4 => ("required", json!(random.once_in(2))),
        5 => ("allowReserved", json!(true)),
        6 => ("content", json!({"application/json": {"schema": place::reference(tree, random)}})),
        7 => ("collectionFormat", one(random, &["csv", "ssv", "tsv", "pipes", "multi", "x"], "").into()),
        _ => ("schema", place::reference(tree, random)),
    }
}

fn schema(tree: &Value, random: &mut Random) -> (&'static str, Value) {
    let list = |random: &mut Random| -> Value {
        let count = random.below(4);
        (0..count)
            .map(|_| if random.once_in(4) { hostile::value(random) } else { place::reference(tree, random) })
            .collect()
    };
    match random.below(30) {
        0 => (
            "type",
            one(random, &["object", "array", "string", "integer", "number", "boolean", "null", "file"], "").into(),
        ),
        1 => ("type", json!([one(random, &["object", "array", "string", "integer"], ""), "null"])),
        2 => {
            let formats = [
                "int8",
                "int32",
                "int64",
                "uint64",
                "float",
                "double",
                "decimal",
                "byte",
                "binary",
                "date",
                "date-time",
                "time",
                "duration",
                "date-span",
                "uuid",
                "x",
            ];
            ("format", one(random, &formats, "").into())
        }
        3 => ("nullable", json!(true)),
        4 => ("allOf", list(random)),
        5 => ("oneOf", list(random)),
        6 => ("anyOf", list(random)),
        7 => {
            let mapping = json!({"a": place::reference(tree, random)["$ref"], "b": hostile::text(random)});
            ("discriminator", json!({"propertyName": hostile::key(random), "mapping": mapping}))
        }
        8 => ("discriminator", Value::from(hostile::text(random))),
        9 => ("additionalProperties", json!(random.once_in(2))),
        10 => ("additionalProperties", place::reference(tree, random)),
        11 => ("required", json!([hostile::key(random), "id", "Id", 1])),
        12 => ("readOnly", json!(true)),
        13 => ("writeOnly", json!(true)),
        14 => ("default", hostile::value(random)),
        15 => ("items", if random.once_in(2) { list(random) } else { place::reference(tree, random) }),
        16 => {
            let mut properties = serde_json::Map::new();
            for _ in 0..random.below(5) {
                properties.insert(hostile::text(random), place::reference(tree, random));
            }
            ("properties", Value::Object(properties))
        }
        17 => ("xml", json!({"name": hostile::text(random), "attribute": random.once_in(2), "wrapped": true})),
        18 => ("const", hostile::value(random)),
        19 => ("pattern", Value::from(hostile::text(random))),
        20 => ("minimum", hostile::number(random)),
        21 => ("exclusiveMaximum", hostile::number(random)),
        22 => ("prefixItems", list(random)),
        23 => ("not", place::reference(tree, random)),
        24 => ("if", place::reference(tree, random)),
        25 => ("$defs", json!({hostile::text(random): place::reference(tree, random)})),
        26 => ("enum", json!([hostile::value(random), hostile::text(random), hostile::text(random)])),
        27 => ("title", Value::from(hostile::text(random))),
        28 => ("x-enum-varnames", json!([hostile::text(random), hostile::text(random)])),
        _ => ("description", Value::from(hostile::text(random))),
    }
}
