//! Names of operations that the generator is not sure of, and the entries of `[rename]` that it proposes for them.

use std::collections::BTreeMap;

use driftless_codegen::{Contract, NameStyle, Names, Output, Setup, StyleVersion, SuggestedName, generate, propose};
use serde_json::{Value, json};

use crate::common::{Case, published};

/// A contract of operations in the family `things`: method, path, operationId and summary; a GET with an `s` at the end is a list.
fn contract(operations: &[(&str, &str, &str, &str)]) -> Value {
    let mut paths = json!({});
    for (method, path, id, summary) in operations {
        let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        let parameters: Vec<Value> = names
            .map(|(name, _)| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
            .collect();
        paths[path][method.to_lowercase()] = json!({
            "operationId": id, "summary": summary, "tags": ["things"], "parameters": parameters,
            "responses": { "200": { "description": "OK", "content": { "application/json": {
                "schema": { "type": "array", "items": { "type": "string" } } } } } },
        });
        if id.is_empty() {
            paths[path][method.to_lowercase()].as_object_mut().unwrap().remove("operationId");
        }
        if !path.ends_with('s') {
            paths[path][method.to_lowercase()]["responses"] = json!({ "204": { "description": "done" } });
        }
    }
    json!({ "openapi": "3.0.4", "info": { "title": "Things", "version": "1" }, "paths": paths })
}

fn in_style(version: StyleVersion) -> Setup {
    let mut setup = Setup::default();
    setup.config.style = NameStyle { version };
    setup
}

fn run(contract: &Value, setup: &Setup, names: &Names) -> Output {
    let bytes = contract.to_string();
    generate(&[Contract { name: "d", bytes: bytes.as_bytes() }], setup, names).unwrap()
}

/// `operation → name: first words of each reason`
fn short(suggested: &SuggestedName) -> String {
    let reasons: Vec<&str> = [
        ("its verb", "verb"),
        ("the method at its end", "method"),
        ("the number at its end", "number"),
        ("a hash or a number", "opaque"),
        ("its family", "family"),
    ]
    .into_iter()
    .filter_map(|(text, word)| suggested.reason.contains(text).then_some(word))
    .collect();
    assert_eq!(suggested.is_better, !suggested.operation.ends_with(&format!(".{}", suggested.name)), "{suggested:?}");
    format!("{} → {}: {}", suggested.operation, suggested.name, reasons.join(" "))
}

#[test]
fn each_reason_for_a_doubt_has_its_proposal() {
    use StyleVersion::{One, Two};
    type Case<'a> = (StyleVersion, &'a [(&'a str, &'a str, &'a str, &'a str)], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        // Nothing says what a POST does.
        (Two, &[("POST", "/things", "", "")], &[]),
        (Two, &[("POST", "/thing", "", "")], &["things.post → post: verb"]),
        (Two, &[("POST", "/things/odd", "", "")], &["things.post_odd → post_odd: verb"]),
        (Two, &[("POST", "/things/odd", "", "Schedules a sweep of the shelves")], &[]),
        (Two, &[("POST", "/things/odd", "postOdd", "")], &[]),
        // No line can have its key.
        (Two, &[("POST", "/things/\u{7f}odd", "", "")], &[]),
        // A PATCH changes something, unless a PUT has the name.
        (Two, &[("PATCH", "/things/{id}", "", "")], &["things.patch → update: verb"]),
        (Two, &[("PATCH", "/things/{id}", "", ""), ("PUT", "/things/{id}", "", "")], &["things.patch → patch: verb"]),
        (One, &[("PATCH", "/things/{id}", "", "")], &["things.patch_thing → update_thing: verb"]),
        (Two, &[("PATCH", "/things/{id}", "", "Modifies the thing")], &["things.patch → update: verb"]),
        (Two, &[("PATCH", "/things/{id}", "", "Renames the thing")], &[]),
        // Something is appended.
        (
            Two,
            &[("GET", "/things", "getThings", ""), ("POST", "/things", "getThings", "")],
            &["things.get_things_post → query_things: method"],
        ),
        (
            Two,
            &[("GET", "/a", "read", ""), ("GET", "/b", "read", ""), ("GET", "/c", "read", "")],
            &["things.read_get → get_b: method", "things.read_get_2 → get_c: number"],
        ),
        (Two, &[("GET", "/a", "read_2", ""), ("GET", "/b", "read_get", ""), ("GET", "/v1/c", "read", "")], &[]),
        // A hash or a number.
        (One, &[("GET", "/things", "5f2b9c0e7d6a4b3c", "")], &["things.n_5f2b9c0e7d6a4b3c → list: opaque"]),
        (Two, &[("GET", "/things", "5f2b9c0e7d6a4b3c", "")], &[]),
        (
            Two,
            &[("GET", "/things", "operation17", ""), ("DELETE", "/things/{id}", "operation18", "")],
            &["things.operation17 → list: opaque", "things.operation18 → delete: opaque"],
        ),
        (Two, &[("PATCH", "/things/{id}", "op_1", "")], &["things.op_1 → update: opaque"]),
        // Two names within the family are one, so the whole ones repeat it.
        (
            Two,
            &[("GET", "/a/things/info", "", ""), ("GET", "/b/things/info", "", "")],
            &["things.get_b_things_info → get_b_info: family"],
        ),
        (One, &[("GET", "/a/things/info", "", ""), ("GET", "/things", "listThings", "")], &[]),
    ];
    for (style, operations, expected) in cases {
        let contract = contract(operations);
        let setup = in_style(*style);
        let output = run(&contract, &setup, &Names::default());
        let names: Vec<String> = output.suggestions.names.iter().map(short).collect();
        assert_eq!(names, *expected, "{operations:?}\n{:?}", output.names.operations);
        if *style == StyleVersion::Two {
            let bytes = contract.to_string();
            let proposed = propose(&[Contract { name: "d", bytes: bytes.as_bytes() }], &Setup::default()).unwrap();
            assert_eq!(proposed.suggestions.names.len(), output.suggestions.names.len(), "{operations:?}");
        }
        all_at_once("a table", &output, &setup, &|setup, names| run(&contract, setup, names));
    }
}

/// The proposal for an operationId that says nothing is the name of the operation without it.
#[test]
fn an_opaque_name_has_the_name_of_its_route_as_its_proposal() {
    let schema = |schema: Value| json!({ "schema": schema });
    let file = json!({ "required": true, "content": { "application/octet-stream": schema(json!({ "type": "string", "format": "binary" })) } });
    let list = json!({ "200": { "description": "OK", "content": { "application/json": schema(json!({ "type": "array", "items": {} })) } } });
    let done = json!({ "204": { "description": "Done" } });
    let contract = |is_opaque: bool| {
        let mut number = 0;
        let mut operation = |summary: &str, responses: &Value| {
            let mut operation = json!({ "tags": ["things"], "summary": summary, "responses": responses });
            number += 1;
            if is_opaque {
                operation["operationId"] = json!(format!("op_{number:04}"));
            }
            operation
        };
        let mut photo = operation("", &done);
        photo["requestBody"] = file.clone();
        let paths = json!({
            "/v1/things": { "get": operation("", &list), "post": operation("", &done) },
            "/v1/things/{id}": { "delete": operation("Stops the thing", &done), "put": operation("", &done) },
            "/v1/things/{id}/photo": { "post": photo },
            "/v1/search?q={q}": { "post": operation("Returns things", &list) },
        });
        json!({ "openapi": "3.0.4", "info": { "title": "Things", "version": "1" }, "paths": paths })
    };
    let setup = in_style(StyleVersion::Two);
    let by_route = run(&contract(false), &setup, &Names::default()).names.operations;
    let opaque = run(&contract(true), &setup, &Names::default());
    let proposed: BTreeMap<String, String> = opaque
        .suggestions
        .names
        .iter()
        .map(|name| (name.key.clone(), format!("{}.{}", name.operation.split('.').next().unwrap(), name.name)))
        .collect();
    assert!(by_route.values().any(|name| name == "things.upload_photo"), "{by_route:?}");
    assert_eq!(proposed, by_route);
}

/// Chooses all proposals, with the names of the run and with none: each is accepted, no other name changes, and none of them is a
/// guess any more. Returns the number of proposals, and of those with another name.
fn all_at_once(what: &str, output: &Output, setup: &Setup, run: &dyn Fn(&Setup, &Names) -> Output) -> (usize, usize) {
    let mut chosen = setup.clone();
    let names = &output.suggestions.names;
    if names.is_empty() {
        return (0, 0);
    }
    chosen.config.rename.extend(names.iter().map(|name| (name.key.clone(), name.name.clone())));
    let mut expected: BTreeMap<String, String> = output.names.operations.clone();
    for name in names {
        let place = expected.get_mut(&name.key).unwrap_or_else(|| panic!("{what}: {name:?} has no operation"));
        assert_eq!(*place, name.operation, "{what}");
        let (family, _) = name.operation.split_once('.').unwrap();
        *place = format!("{family}.{}", name.name);
    }
    for pins in [&output.names, &Names::default()] {
        let renamed = run(&chosen, pins);
        assert_eq!(renamed.names.operations, expected, "{what}");
        assert_eq!(renamed.suggestions.names, [], "{what}");
        let unused: Vec<_> = renamed.unused.iter().filter(|rule| rule.pointer.starts_with("/rename")).collect();
        assert!(unused.is_empty(), "{what}: {unused:?}");
    }
    // The file of proposals is the same after the next run.
    assert_eq!(run(setup, &output.names).suggestions.names, *names, "{what}");
    (names.len(), names.iter().filter(|name| name.is_better).count())
}

/// The numbers of all operations, of proposals, and of those with another name.
fn chosen(cases: Vec<Case>) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for case in cases {
        let Ok(output) = case.generate() else { continue };
        let (all, better) = all_at_once(&case.name, &output, &case.setup, &|setup, names| {
            let case = Case { name: case.name.clone(), bytes: case.bytes.clone(), setup: setup.clone() };
            case.with(&case.bytes, names).unwrap_or_else(|report| panic!("{}: {report}", case.name))
        });
        counts = (counts.0 + output.names.operations.len(), counts.1 + all, counts.2 + better);
    }
    counts
}

#[test]
fn all_proposals_of_the_cases_can_be_chosen_together() {
    let (operations, all, _) = chosen(Case::all().into_iter().map(Case::in_style_2).collect());
    assert!(all > 0 && all < operations, "{all} of {operations}");
}

#[test]
#[ignore = "published contracts, and the cases in style 1: .ci/run --all runs it"]
fn all_proposals_of_published_contracts_can_be_chosen_together() {
    let cases = published(400_000).into_iter().map(Case::in_style_2);
    println!("operations, guesses, better names: {:?}", chosen(cases.chain(Case::all()).collect()));
}
