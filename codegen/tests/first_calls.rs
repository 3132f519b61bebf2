//! The call of a first program: it needs as little as possible, and has a value for each argument.

use std::path::Path;

use driftless_codegen::{Contract, FirstCall, Names, Setup, generate};
use serde_json::{Value, json};

use crate::common::Case;

/// Contracts up to this size are tried.
const LARGEST: usize = 520_000;

/// The first call of a new client, and the number of its operations.
fn made(bytes: &[u8]) -> Option<(Option<FirstCall>, usize)> {
    let setup = Setup::from(toml::from_str::<driftless_codegen::Config>("[style]\nversion = 2").unwrap());
    let output = generate(&[Contract { name: "service", bytes }], &setup, &Names::default()).ok()?;
    Some((output.first_call, output.stats.operations))
}

fn first_call(paths: &Value, schemas: &Value) -> Option<FirstCall> {
    let info = json!({ "title": "T", "version": "1" });
    let contract = json!({ "openapi": "3.0.4", "info": info, "paths": paths, "components": { "schemas": schemas } });
    made(contract.to_string().as_bytes()).unwrap().0
}

fn parameter(name: &str, place: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": place, "required": true, "schema": schema })
}

fn operation(name: &str, parameters: &[Value]) -> Value {
    let text = json!({ "application/json": { "schema": { "type": "string" } } });
    let responses = json!({ "200": { "description": "OK", "content": text } });
    json!({ "operationId": name, "parameters": parameters, "responses": responses })
}

/// The values of the arguments, in order.
fn values(call: &FirstCall) -> Vec<&str> {
    call.arguments.iter().map(|(_, value)| value.as_str()).collect()
}

#[test]
fn the_first_call_only_reads_and_needs_the_fewest_values() {
    let text = json!({ "type": "string" });
    let id = parameter("id", "path", &text);
    let many = [parameter("a", "query", &text), parameter("b", "query", &text)];
    let first = |paths: &Value| first_call(paths, &json!({})).unwrap().path;
    let none = json!({ "get": operation("listEverything", &[]), "post": operation("add", &[]) });
    let one = json!({ "get": operation("get", std::slice::from_ref(&id)) });
    let two = json!({ "get": operation("two", &many) });
    assert_eq!(first(&json!({ "/a/{id}": one, "/b": two, "/longer": none })), "/longer");
    assert_eq!(first(&json!({ "/a/{id}": one, "/b": two })), "/a/{id}");
    // A call that only reads comes before others, however many arguments it has.
    assert_eq!(first(&json!({ "/b": two, "/c": { "post": operation("add", &[]) } })), "/b");
    // A program says that its call changes the service.
    for (method, changes) in [("get", false), ("head", false), ("post", true), ("put", true), ("delete", true)] {
        let paths = json!({ "/d": { method: operation("a", &[]) } });
        assert_eq!(first_call(&paths, &json!({})).unwrap().changes, changes, "{method}");
    }
    assert_eq!(
        first(&json!({ "/d": { "delete": operation("a", &[]) }, "/p": { "post": operation("add", &[]) } })),
        "/p"
    );
    // A deprecated one is last of them.
    let mut old = operation("a", &[]);
    old["deprecated"] = true.into();
    assert_eq!(first(&json!({ "/old": { "get": old }, "/b": two })), "/b");
    let only = first_call(&json!({ "/old": { "get": old } }), &json!({})).unwrap();
    assert!(only.deprecated);
    // Of two with as many arguments, the one that answers.
    let mut silent = operation("a", &[]);
    silent["responses"] = json!({ "204": { "description": "done" } });
    assert_eq!(first(&json!({ "/a": { "get": silent }, "/b": { "get": operation("longer", &[]) } })), "/b");
    assert_eq!(first(&json!({ "/a": { "get": silent } })), "/a");
}

#[test]
fn every_argument_has_a_value_of_its_type() {
    let strings = |format: &str| json!({ "type": "string", "format": format });
    let parameters = [
        parameter("id", "path", &json!({ "type": "integer", "format": "int64" })),
        parameter("email", "query", &json!({ "type": "string" })),
        parameter("key", "query", &strings("uuid")),
        parameter("since", "query", &strings("date-time")),
        parameter("day", "query", &strings("date")),
        parameter("ratio", "query", &json!({ "type": "number", "format": "double" })),
        parameter("deep", "query", &json!({ "type": "boolean" })),
        parameter("tags", "query", &json!({ "type": "array", "items": { "type": "string" } })),
        parameter("state", "query", &json!({ "$ref": "#/components/schemas/State" })),
    ];
    let mut paths = json!({ "/a/{id}": { "get": operation("get", &parameters) } });
    let schemas = json!({
        "State": { "type": "string", "enum": ["open", "closed"] },
        "Part": { "type": "object", "required": ["name", "state", "sizes"], "properties": {
            "name": { "type": "string" },
            "state": { "$ref": "#/components/schemas/State" },
            "sizes": { "type": "array", "items": { "type": "integer", "format": "int32" } },
            "note": { "type": "string" },
        } },
        "Loop": { "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#/components/schemas/Loop" } } },
    });
    let call = first_call(&paths, &schemas).unwrap();
    let expected = [
        "42",
        "&\"2026-01-31\".parse()?",
        "true",
        "\"ada@example.com\"",
        "\"67e55044-10b1-426f-9247-bb680e5fe0c8\".parse()?",
        "1.0",
        "&\"2026-01-31T12:00:00Z\".parse()?",
        "&types::State::Open",
        "&[\"tags\".to_owned()]",
    ];
    assert_eq!(values(&call), expected);
    assert_eq!((call.fields_of.as_deref(), call.uses), (Some("GetArguments"), vec!["types"]));

    // A body is a value of its own, of its required members.
    let body =
        |schema: &str| json!({ "required": true, "content": { "application/json": { "schema": { "$ref": schema } } } });
    let mut add = operation("add", &[]);
    add["requestBody"] = body("#/components/schemas/Part");
    paths = json!({ "/parts": { "post": add } });
    let call = first_call(&paths, &schemas).unwrap();
    assert_eq!(values(&call), ["&body"]);
    assert_eq!(call.body.as_deref(), Some("types::Part::new(\"example\", vec![1], types::State::Open)"));
    // A type that needs itself has no value, so a contract whose only operation sends one has no first call.
    paths["/parts"]["post"]["requestBody"] = body("#/components/schemas/Loop");
    assert_eq!(first_call(&paths, &schemas), None);
}

/// Catches a search without a limit: it would try the last types 30 to the power of 7 times.
#[test]
fn values_of_values_end() {
    let refer = |name: String| json!({ "$ref": format!("#/components/schemas/{name}") });
    let mut schemas = json!({ "T9": { "type": "string" }, "U9": { "type": "object" } });
    for index in 0..9 {
        let members: serde_json::Map<String, Value> =
            (0..30).map(|member| (format!("m{member}"), refer(format!("T{}", index + 1)))).collect();
        let names: Vec<&String> = members.keys().collect();
        schemas[format!("T{index}")] = json!({ "type": "object", "required": names, "properties": members });
        let variants: Vec<Value> = (0..30)
            .map(|variant| {
                let wanted =
                    json!({ "next": refer(format!("U{}", index + 1)), format!("v{variant}"): refer("T0".to_owned()) });
                json!({ "type": "object", "required": ["next", format!("v{variant}")], "properties": wanted })
            })
            .collect();
        schemas[format!("U{index}")] = json!({ "oneOf": variants });
    }
    let post = |schema: &str, name: &str| {
        let mut post = operation(name, &[]);
        post["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": refer(schema.to_owned()) } } });
        json!({ "post": post })
    };
    let paths = json!({ "/t": post("T2", "t"), "/u": post("U0", "u") });
    assert_eq!(first_call(&paths, &schemas), None);
    let paths = json!({ "/t": post("T2", "t"), "/u": post("U0", "u"), "/longer": post("T8", "longer") });
    assert_eq!(first_call(&paths, &schemas).unwrap().path, "/longer");
}

/// The client refuses to send a call without a version of the interface, so a program does not begin with one.
#[test]
fn a_call_without_a_version_of_the_interface_is_not_the_first() {
    let call = |version: &str| {
        let get = operation("get", &[parameter("api-version", "query", &json!({ "type": "string" }))]);
        let contract = json!({ "openapi": "3.0.4", "info": { "title": "T", "version": version }, "paths": { "/a": { "get": get } } });
        made(contract.to_string().as_bytes()).unwrap().0
    };
    assert_eq!(values(&call("2026-01-31").unwrap()), Vec::<&str>::new());
    assert_eq!(call("the first one"), None);
}

/// `cargo xtask corpus` compiles the calls of the cases.
#[test]
fn cases_with_operations_have_a_first_call() {
    let without = Case::all().into_iter().filter_map(|case| {
        let output = case.clone().in_style_2().generate().unwrap();
        (output.stats.operations > 0 && output.first_call.is_none()).then_some(case.name)
    });
    assert_eq!(without.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
#[ignore = "takes longer: .ci/run runs it"]
fn real_contracts_with_operations_have_a_first_call() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/contracts");
    if !folder.exists() {
        eprintln!("SKIPPED: there is no {}", folder.display());
        return;
    }
    let mut tried = 0;
    for kind in ["dotnet", "openapi3", "swagger2"] {
        for entry in std::fs::read_dir(folder.join(kind)).into_iter().flatten().flatten() {
            let bytes = std::fs::read(entry.path()).unwrap();
            if bytes.len() > LARGEST {
                continue;
            }
            let Some((call, operations)) = made(&bytes) else { continue };
            assert!(call.is_some() || operations == 0, "{}", entry.path().display());
            tried += 1;
        }
    }
    assert!(tried > 0);
}
