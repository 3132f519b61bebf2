//! Entries of `[[operation]]` for operations that a header of the answer identifies by an address.

use driftless_codegen::{AsyncOperation, Config, Contract, Names, Setup, Suggestions, generate, propose};
use serde_json::{Value, json};

fn parameters(path: &str) -> Vec<Value> {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    names
        .map(|(name, _)| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect()
}

/// A contract with an operation that submits, `marks` among its members, and operations that show an operation each.
fn contract(submit: &str, status: &str, headers: &[&str], marks: Value, watchable: &[&str]) -> Value {
    let headers: serde_json::Map<String, Value> =
        headers.iter().map(|name| ((*name).to_owned(), json!({ "schema": { "type": "string" } }))).collect();
    let mut operation = json!({
        "operationId": "begin", "tags": ["machines"], "parameters": parameters(submit),
        "responses": { status: { "description": "Accepted", "headers": headers } },
    });
    operation.as_object_mut().unwrap().extend(marks.as_object().unwrap().clone());
    let mut paths = json!({ submit: { "post": operation } });
    for (index, path) in watchable.iter().enumerate() {
        let mut parameters = parameters(path);
        parameters
            .push(json!({ "name": "api-version", "in": "query", "required": true, "schema": { "type": "string" } }));
        parameters.push(json!({ "name": "view", "in": "query", "schema": { "type": "string" } }));
        paths[path]["get"] = json!({
            "operationId": format!("show{index}"), "tags": ["machines"], "parameters": parameters,
            "responses": { "200": { "description": "OK", "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/State" } } } } },
        });
    }
    json!({
        "openapi": "3.0.4", "info": { "title": "Machines", "version": "1" }, "paths": paths,
        "components": { "schemas": { "State": { "type": "object", "properties": {
            "status": { "type": "string", "enum": ["InProgress", "Succeeded", "Failed", "Canceled"] },
        } } } },
    })
}

fn suggested(contract: &Value) -> Suggestions {
    let bytes = contract.to_string();
    propose(&[Contract { name: "d", bytes: bytes.as_bytes() }], &Setup::default()).unwrap().suggestions
}

const SUBMIT: &str = "/subscriptions/{subscription}/machines/{machine}/start";
const WATCHABLE: &str = "/subscriptions/{subscription}/locations/{location}/operationStatuses/{operationId}";
const ELSEWHERE: &str = "/tenants/{tenant}/operations/{operationId}";

/// The status, the headers, the marks, the operations that can be watched, and the header and the operation of the entry.
type Case<'a> = (&'a str, &'a [&'a str], Value, Vec<&'a str>, Option<(&'a str, &'a str)>);

#[test]
fn a_header_with_an_address_has_an_entry_if_one_operation_can_answer_it() {
    let marked = |via: &str| json!({ "x-ms-long-running-operation": true, "x-ms-long-running-operation-options": { "final-state-via": via } });
    let below = format!("{SUBMIT}/{{run}}");
    let cases: Vec<Case<'_>> = vec![
        ("202", &["Operation-Location"], json!({}), vec![WATCHABLE], Some(("Operation-Location", WATCHABLE))),
        (
            "202",
            &["azure-asyncoperation", "Location"],
            json!({}),
            vec![WATCHABLE],
            Some(("azure-asyncoperation", WATCHABLE)),
        ),
        ("201", &["Operation-Location"], json!({}), vec![WATCHABLE], Some(("Operation-Location", WATCHABLE))),
        ("202", &["Location"], json!({}), vec![WATCHABLE], Some(("Location", WATCHABLE))),
        ("202", &["Location"], json!({}), vec![WATCHABLE, &below], Some(("Location", &below))),
        ("202", &["Operation-Location"], json!({}), vec![WATCHABLE, &below], Some(("Operation-Location", WATCHABLE))),
        (
            "202",
            &["Operation-Location"],
            json!({}),
            vec![ELSEWHERE, WATCHABLE],
            Some(("Operation-Location", WATCHABLE)),
        ),
        ("200", &[], marked("azure-async-operation"), vec![WATCHABLE], Some(("Azure-AsyncOperation", WATCHABLE))),
        ("200", &[], marked("operation-location"), vec![WATCHABLE], Some(("Operation-Location", WATCHABLE))),
        ("202", &[], marked("location"), vec![WATCHABLE], Some(("Location", WATCHABLE))),
        ("202", &["Operation-Location"], marked("location"), vec![WATCHABLE], Some(("Operation-Location", WATCHABLE))),
        // The resource is the final state, or nothing says which header it is.
        ("202", &[], marked("original-uri"), vec![WATCHABLE], None),
        ("202", &[], json!({ "x-ms-long-running-operation": true }), vec![WATCHABLE], None),
        // No operation, or two of one kind, or one with a parameter that is a part of a segment.
        ("202", &["Operation-Location"], json!({}), vec!["/machines/{machine}"], None),
        ("202", &["Operation-Location"], json!({}), vec![], None),
        ("202", &["Operation-Location"], json!({}), vec!["/a/operations/{id}", "/b/operations/{id}"], None),
        ("202", &["Operation-Location"], json!({}), vec!["/regions({region})/operations/{id}"], None),
    ];
    for (status, headers, marks, watchable, expected) in cases {
        let contract = contract(SUBMIT, status, headers, marks.clone(), &watchable);
        let suggestions = suggested(&contract);
        let case = format!("{status} {headers:?} {marks} {watchable:?}: {suggestions:?}");
        let Some((header, path)) = expected else {
            assert_eq!((suggestions.operations.len(), suggestions.without.len()), (0, 1), "{case}");
            continue;
        };
        let [only] = suggestions.operations.as_slice() else { panic!("{case}") };
        let watch = only.entry.watch.as_ref().unwrap();
        assert_eq!((watch.header.as_deref(), &only.entry.identifier), (Some(header), &None), "{case}");
        assert_eq!(watch.operation, format!("GET {path}"), "{case}");
        assert!(only.reason.contains(&format!("the header `{header}`")), "{case}");
        let config = Config { operations: vec![only.entry.clone()], ..Config::default() };
        let bytes = contract.to_string();
        let contracts = [Contract { name: "d", bytes: bytes.as_bytes() }];
        let output = generate(&contracts, &Setup::from(config), &Names::default()).unwrap();
        assert!(output.suggestions.operations.is_empty() && output.unused.is_empty(), "{case}");
        let code = output.files["bindings.rs"].replace([' ', '\n'], "");
        let written = format!("path:\"{path}?api-version={{api-version}}\"");
        assert!(code.contains(&written) && code.contains(&format!("header:Some(\"{header}\")")), "{case}: {code}");
    }
}

/// Without a sign, an operation has no entry.
#[test]
fn the_address_of_a_new_resource_is_not_the_address_of_an_operation() {
    for (status, headers) in [("201", ["Location"]), ("200", ["Location"]), ("200", ["Content-Location"])] {
        let suggestions = suggested(&contract(SUBMIT, status, &headers, json!({}), &[WATCHABLE]));
        assert_eq!((suggestions.long_running, suggestions.without.len()), (0, 0), "{status} {headers:?}");
    }
}

#[test]
fn an_entry_by_address_fits_or_is_refused() {
    let contract =
        contract(SUBMIT, "202", &["Location"], json!({}), &[WATCHABLE, "/regions({region})/operations/{id}"]);
    let entry = suggested(&contract).operations.remove(0).entry;
    let bytes = contract.to_string();
    let codes = |change: &dyn Fn(&mut AsyncOperation)| {
        let mut entry = entry.clone();
        change(&mut entry);
        let config = Config { operations: vec![entry], ..Config::default() };
        let contracts = [Contract { name: "d", bytes: bytes.as_bytes() }];
        let report = generate(&contracts, &Setup::from(config), &Names::default()).unwrap_err();
        report
            .problems()
            .iter()
            .map(|problem| (problem.code, problem.pointer.clone().unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let header = |entry: &mut AsyncOperation, name: Option<&str>| {
        entry.watch.as_mut().unwrap().header = name.map(str::to_owned);
    };
    let at = |code, place: &str| vec![(code, format!("/operation/0/{place}"))];
    assert_eq!(codes(&|entry| entry.identifier = Some("/id".to_owned()))[0].1, "/operation/0/identifier");
    assert_eq!(codes(&|entry| header(entry, Some("not a name"))), at("operation/watch", "watch/header"));
    assert_eq!(codes(&|entry| header(entry, Some(""))), at("operation/watch", "watch/header"));
    // Without the header, nothing identifies it, and the submission does not have the parameters.
    assert_eq!(codes(&|entry| header(entry, None))[0], ("operation/pointer", "/operation/0/identifier".to_owned()));
    let region = |entry: &mut AsyncOperation| {
        let watch = entry.watch.as_mut().unwrap();
        (watch.operation, watch.parameter) = ("GET /regions({region})/operations/{id}".to_owned(), "id".to_owned());
    };
    assert_eq!(codes(&region), at("operation/watch", "watch/operation"));
}
