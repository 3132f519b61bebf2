//! Small or regular contracts that take a careless algorithm minutes, or for ever.
//!
//! The watchdog is far above the time that the work takes in a debug build, and far below the time that it took: no
//! test depends on speed.

use std::sync::mpsc;
use std::time::Duration;

use driftless_codegen::{Config, Contract, NameStyle, Names, Output, Report, Setup, StyleVersion, generate};
use serde_json::{Map, Value, json};

const WATCHDOG: Duration = Duration::from_secs(120);

/// Generates from a contract in both styles, each within the time limit. Returns the result of style 1.
fn within(what: &str, bytes: Vec<u8>) -> Result<Output, Report> {
    let second = within_by(what, bytes.clone(), in_style_2());
    let first = within_by(what, bytes, Setup::default());
    assert_eq!(first.is_ok(), second.is_ok(), "{what}: {second:?}");
    first
}

fn in_style_2() -> Setup {
    let style = NameStyle { version: StyleVersion::Two };
    Setup::from(Config { style, ..Config::default() })
}

fn within_by(what: &str, bytes: Vec<u8>, setup: Setup) -> Result<Output, Report> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let outcome = generate(&[Contract { name: "platform", bytes: &bytes }], &setup, &Names::default());
        // Nobody listens any more when the watchdog was first.
        let _ = send.send(outcome);
    });
    receive.recv_timeout(WATCHDOG).unwrap_or_else(|_| panic!("{what}: no end after {} s", WATCHDOG.as_secs()))
}

/// A contract with one operation, which answers the first schema.
fn contract(schemas: Vec<(String, Value)>) -> Vec<u8> {
    let first = format!("#/components/schemas/{}", schemas.first().map(|(name, _)| name.as_str()).unwrap());
    let schemas: Map<String, Value> = schemas.into_iter().collect();
    let content = json!({"application/json": {"schema": {"$ref": first}}});
    let tree = json!({
        "openapi": "3.0.3",
        "paths": {"/things": {"get": {"responses": {"200": {"description": "OK", "content": content}}}}},
        "components": {"schemas": schemas},
    });
    serde_json::to_vec(&tree).unwrap()
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

#[test]
fn alternatives_that_hold_each_other_end() {
    let one_of = |names: &[&str]| json!({"oneOf": names.iter().map(|name| reference(name)).collect::<Vec<_>>()});
    let object = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let three = vec![
        ("A".to_owned(), one_of(&["B", "C", "L"])),
        ("B".to_owned(), one_of(&["A", "L2"])),
        ("C".to_owned(), one_of(&["A", "L"])),
        ("L".to_owned(), object.clone()),
        ("L2".to_owned(), object),
    ];
    within("three unions", contract(three)).unwrap();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let both = json!({keyword: [reference("M"), reference("N")]});
        let two = vec![("M".to_owned(), both.clone()), ("N".to_owned(), both)];
        within(keyword, contract(two)).unwrap();
        // Everybody names everybody.
        let names: Vec<String> = (0..16).map(|index| format!("S{index}")).collect();
        let all = json!({keyword: names.iter().map(|name| reference(name)).collect::<Vec<_>>()});
        within(keyword, contract(names.into_iter().map(|name| (name, all.clone())).collect())).unwrap();
    }
}

/// Each schema of a chain differs from the others by the length of what follows it, which the comparison finds one after the other.
#[test]
#[ignore = "ten thousand schemas, 4 s: .ci/run --all runs it"]
fn a_chain_of_schemas_is_compared_in_short_steps() {
    let length = 10_000;
    let link = |index: usize| {
        let next =
            if index + 1 < length { reference(&format!("Link{}", index + 1)) } else { json!({"type": "string"}) };
        (format!("Link{index}"), json!({"type": "object", "properties": {"next": next, "a": {"type": "string"}}}))
    };
    within_by("a chain", contract((0..length).map(link).collect()), in_style_2()).unwrap();
}

#[test]
#[ignore = "merges up to the budget: .ci/run --all runs it"]
fn objects_that_extend_each_other_are_merged_within_a_budget() {
    // Each adds a member to all that it extends, so the client grows with the square: up to the budget.
    let chain = |length: usize| {
        let link = |index: usize| {
            let own = json!({"type": "object", "properties": {format!("p{index}"): {"type": "string"}}});
            (format!("S{index}"), json!({"allOf": [reference(&format!("S{}", index + 1)), own]}))
        };
        let mut schemas: Vec<_> = (0..length).map(link).collect();
        schemas.push((format!("S{length}"), json!({"type": "object", "properties": {"id": {"type": "string"}}})));
        contract(schemas)
    };
    let whole = within("a chain of 150", chain(150)).unwrap();
    assert!(whole.ledger.degraded().next().is_none());
    assert!(whole.api.index().lines().filter(|line| line.contains("S0")).count() > 150);
    let cut = within("a chain of 2,000", chain(2_000)).unwrap();
    assert!(cut.ledger.degraded().any(|entry| entry.what.contains("left out of the object")));
}

#[test]
#[ignore = "forty thousand values: .ci/run --all runs it"]
fn long_lists_of_values_members_and_alternatives_end() {
    let texts: Vec<String> = (0..40_000).map(|index| format!("value {index}")).collect();
    within("values", contract(vec![("E".into(), json!({"type": "string", "enum": texts}))])).unwrap();
    // All of them want one name.
    let dashes: Vec<String> = (0..2_000).map(|index| "-".repeat(index + 1)).collect();
    within("values alike", contract(vec![("E".into(), json!({"type": "string", "enum": dashes}))])).unwrap();
    let branch = |index: usize| json!({"type": "object", "properties": {"a": {"type": "string"}, "kind": {"enum": [format!("k{index}")]}}});
    let branches: Vec<Value> = (0..2_000).map(branch).collect();
    within("alternatives", contract(vec![("U".into(), json!({"oneOf": branches}))])).unwrap();
}

#[test]
fn brackets_that_stay_open_are_refused_where_they_are_too_many() {
    for text in [format!("a: {}", "[".repeat(200_000)), format!("a:\n {}", "{a: ".repeat(200_000))] {
        let report = within("brackets", text.into_bytes()).unwrap_err();
        let problem = report.problems().first().unwrap();
        assert_eq!(problem.code, "contract/too-deep");
        assert!(problem.position.is_some() && !problem.hint.is_empty());
    }
}

#[test]
fn long_ways_from_schema_to_schema_end() {
    let long = |length: usize, link: &dyn Fn(Value) -> Value| {
        let next = |index: usize| (format!("C{index}"), link(reference(&format!("C{}", index + 1))));
        let mut schemas: Vec<_> = (0..length).map(next).collect();
        schemas.push((format!("C{length}"), json!({"type": "object", "properties": {"id": {"type": "string"}}})));
        contract(schemas)
    };
    let objects = within("objects", long(600, &|next| json!({"properties": {"next": next}}))).unwrap();
    assert_eq!(objects.ledger.degraded().count(), 0);
    // The budgets end at 500.
    for (what, link) in [
        ("lists", (&|next| json!({"type": "array", "items": next})) as &dyn Fn(Value) -> Value),
        ("maps", &|next| json!({"type": "object", "additionalProperties": next})),
        ("the same", &|next| json!({"allOf": [next]})),
        ("parts", &|next| json!({"allOf": [next, {"required": ["id"]}]})),
    ] {
        let output = within(what, long(600, link)).unwrap();
        assert!(output.ledger.degraded().next().is_some(), "{what}");
    }
}

/// If many schemas only refer to the next one, the last decides about the XML form.
#[test]
fn a_long_way_to_a_list_leads_there_in_xml_too() {
    let form = |length: usize| {
        let next = |index: usize| {
            let next = reference(&format!("C{}", index + 1));
            (format!("C{index}"), if index.is_multiple_of(2) { next } else { json!({"allOf": [next]}) })
        };
        let mut schemas = vec![("A".to_owned(), json!({"type": "object", "properties": {"list": reference("C0")}}))];
        schemas.extend((0..length).map(next));
        let items = json!({"type": "string", "xml": {"name": "item"}});
        schemas.push((
            format!("C{length}"),
            json!({"type": "array", "items": items, "xml": {"wrapped": true, "name": "all"}}),
        ));
        let text = String::from_utf8(contract(schemas)).unwrap().replace("application/json", "application/xml");
        within("xml", text.into_bytes()).unwrap().files.remove("xml.rs").unwrap()
    };
    let short = form(1);
    assert!(short.contains("\"item\"") && short.contains("\"all\""), "{short}");
    for length in [15, 17, 18, 40, 60] {
        assert_eq!(form(length), short, "{length}");
    }
}

/// References of references are followed to their end, up to a limit that the ledger names. Only those that lead back to themselves
/// are said to.
#[test]
fn references_are_followed_to_their_end() {
    use serde_json::{Map, Value, json};
    const LENGTH: usize = 60;
    let chain = |folder: &str, end: Value| -> Map<String, Value> {
        let next = |index: usize| match index + 1 == LENGTH {
            true => end.clone(),
            false => json!({"$ref": format!("#/components/{folder}/c{}", index + 1)}),
        };
        let mut all: Map<String, Value> = (0..LENGTH).map(|index| (format!("c{index}"), next(index))).collect();
        for (from, to) in [("round", "back"), ("back", "round")] {
            all.insert(from.to_owned(), json!({"$ref": format!("#/components/{folder}/{to}")}));
        }
        all
    };
    let component = |folder: &str, name: &str| json!({"$ref": format!("#/components/{folder}/{name}")});
    let answer =
        |media: Value| json!({"responses": {"200": {"description": "OK", "content": {"application/json": media}}}});
    let contract = json!({
        "openapi": "3.2.0",
        "paths": {
            "/schema": {"get": answer(json!({"schema": component("schemas", "c0")}))},
            "/media": {"get": answer(component("mediaTypes", "c0"))},
            "/media-round": {"get": answer(component("mediaTypes", "round"))},
            "/item": component("pathItems", "c0"),
            "/item-round": component("pathItems", "round"),
        },
        "components": {
            "schemas": chain("schemas", json!({"type": "integer", "format": "int64"})),
            "mediaTypes": chain("mediaTypes", json!({"schema": {"type": "boolean"}})),
            "pathItems": chain("pathItems", json!({"get": {"operationId": "atTheEnd", "responses": {"204": {"description": "Done"}}}})),
        },
    });
    let bytes = contract.to_string();
    let contracts = [driftless_codegen::Contract { name: "platform", bytes: bytes.as_bytes() }];
    let output = driftless_codegen::generate(&contracts, &Default::default(), &Default::default()).unwrap();
    for call in ["GET /schema  () -> i64", "GET /media  () -> bool", "at_the_end  GET /item "] {
        assert!(output.surface.contains(call), "{call}\n{}", output.surface);
    }
    let entries =
        output.ledger.entries().iter().filter(|entry| format!("{:?}", entry.loss).contains("leads back to itself"));
    let places: Vec<&str> = entries.map(|entry| entry.pointer.split('/').nth(2).unwrap_or_default()).collect();
    assert!(places.contains(&"mediaTypes") && places.contains(&"~1item-round"), "{places:?}");
    assert!(!places.contains(&"~1media") && !places.contains(&"~1item"), "{places:?}");

    let mut long: Vec<(String, Value)> =
        (0..2000).map(|index| (format!("C{index}"), reference(&format!("C{}", index + 1)))).collect();
    long.push(("C2000".to_owned(), json!({"type": "integer"})));
    let output = within("a long chain", super::effort::contract(long)).unwrap();
    let losses = format!("{:?}", output.ledger.entries().iter().map(|entry| &entry.loss).collect::<Vec<_>>());
    assert!(losses.contains("through more than 64 references"), "{losses}");
}
