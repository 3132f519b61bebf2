//! Names of a contract may be names of the Rust library.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

/// A contract in which schemas, members, values, parameters and operations have these names, with a use for every macro
/// of the generated code, all in one family: their types lie in one module.
fn contract(names: &[&str]) -> Value {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let texts = |value: &Value| names.iter().map(|name| ((*name).to_owned(), value.clone())).collect::<Map<_, _>>();
    let record = |first: &str| {
        json!({"type": "object", "required": [first], "properties":
            {first: {"type": "string"}, "shade": reference("Shade of all"), "step": reference("Step of all")}})
    };
    let mut schemas: BTreeMap<String, Value> = names.iter().map(|name| ((*name).to_owned(), record(name))).collect();
    let numbers: Vec<usize> = (0..names.len()).collect();
    schemas.insert("Shade of all".to_owned(), json!({"type": "string", "enum": names}));
    schemas.insert(
        "Step of all".to_owned(),
        json!({"type": "integer", "format": "int32", "enum": numbers, "x-enum-varnames": names}),
    );
    let members = texts(&json!({"type": "integer", "nullable": true}));
    schemas.insert("Members of all".to_owned(), json!({"type": "object", "properties": members}));
    let parts = texts(&json!({"type": "string"}));
    schemas.insert("Parts of all".to_owned(), json!({"type": "object", "properties": parts}));
    let some: Vec<&str> =
        names.iter().copied().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())).take(40).collect();
    let variants: Vec<Value> = some.iter().map(|name| reference(name)).collect();
    let mapping: Map<String, Value> =
        some.iter().map(|name| ((*name).to_owned(), format!("#/components/schemas/{name}").into())).collect();
    schemas.insert("Fit of some".to_owned(), json!({"oneOf": variants}));
    schemas.insert(
        "Tag of some".to_owned(),
        json!({"oneOf": variants, "discriminator": {"propertyName": "shade", "mapping": mapping}}),
    );

    let answer = |schema: Value| json!({"description": "OK", "content": {"application/json": {"schema": schema}}});
    let mut paths = Map::new();
    for name in names {
        let operation = json!({"operationId": name, "tags": ["all"],
            "parameters": [{"name": name, "in": "query", "schema": {"type": "string"}}],
            "responses": {"200": answer(reference(name))}});
        paths.insert(format!("/all/{name}"), json!({"get": operation}));
    }
    for (index, schema) in ["Members of all", "Fit of some", "Tag of some"].into_iter().enumerate() {
        let body = json!({"content": {"application/json": {"schema": reference(schema)}}});
        let responses = json!({"200": answer(reference(schema)), "201": answer(reference("Step of all")), "204": {"description": "OK"}});
        let operation = json!({"operationId": format!("whole {index}"), "tags": ["all"], "requestBody": body, "responses": responses});
        paths.insert(format!("/whole/{index}"), json!({"post": operation}));
    }
    let body = json!({"content": {"multipart/form-data": {"schema": reference("Parts of all")}}});
    paths.insert(
        "/parts".to_owned(),
        json!({"post": {"tags": ["all"], "requestBody": body, "responses": {"204": {"description": "OK"}}}}),
    );
    json!({"openapi": "3.0.4", "info": {"title": "All", "version": "v1"}, "paths": paths, "components": {"schemas": schemas}})
}

#[test]
#[ignore = "compiles a client of a thousand operations; `.ci/run` calls it"]
fn a_contract_that_is_named_like_the_standard_library_compiles() {
    let list = include_str!("std-names.txt").lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = list.flat_map(|line| line.split(' ')).collect();
    assert!(names.len() > 500 && names.contains(&"AsRef") && names.contains(&"PartialEq"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("std.json"), contract(&names).to_string()).expect("written");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_developer"));
    let run = command.arg("corpus").arg("--together").arg(folder.path()).current_dir(root).output().expect("it runs");
    assert!(run.status.success(), "{}\n{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
}
