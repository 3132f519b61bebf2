//! Entries of `[[pagination]]` for operations that take the way to the next page in a JSON body.

use driftless_codegen::{Config, Contract, Names, Setup, Suggestions, generate, propose};
use serde_json::{Value, json};

/// A contract with one operation. `body` and `answer` are the members of its objects.
fn contract(method: &str, path: &str, id: &str, docs: &str, body: &Value, answer: &Value) -> Value {
    let json =
        |members: &Value| json!({ "application/json": { "schema": { "type": "object", "properties": members } } });
    json!({
        "openapi": "3.0.4", "info": { "title": "Things", "version": "1" },
        "paths": { path: { method: {
            "operationId": id, "tags": ["things"], "description": docs,
            "requestBody": { "content": json(body) },
            "responses": { "200": { "description": "OK", "content": json(answer) } },
        } } },
        "components": { "schemas": { "Thing": { "type": "object", "properties": { "id": { "type": "string" } } } } },
    })
}

fn suggested(contract: &Value) -> Suggestions {
    let bytes = contract.to_string();
    propose(&[Contract { name: "d", bytes: bytes.as_bytes() }], &Setup::default()).unwrap().suggestions
}

fn things() -> Value {
    json!({ "type": "array", "items": { "$ref": "#/components/schemas/Thing" } })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn integer() -> Value {
    json!({ "type": "integer" })
}

#[test]
fn a_reading_operation_has_an_entry_if_body_and_answer_say_all() {
    let number = json!({ "type": "integer", "minimum": 1 });
    let cases = [
        // AWS
        (
            json!({ "nextToken": text(), "maxResults": integer() }),
            json!({ "things": things(), "nextToken": text() }),
            "/things cursor=/nextToken next=/nextToken",
        ),
        (
            json!({ "Marker": text(), "MaxRecords": integer() }),
            json!({ "Things": things(), "Marker": text() }),
            "/Things cursor=/Marker next=/Marker",
        ),
        // Notion
        (
            json!({ "start_cursor": text(), "page_size": integer() }),
            json!({ "results": things(), "next_cursor": text(), "has_more": { "type": "boolean" } }),
            "/results cursor=/start_cursor next=/next_cursor more=/has_more",
        ),
        (
            json!({ "page": { "type": "object", "properties": { "cursor": text(), "limit": integer() } } }),
            json!({ "data": things(), "meta": { "type": "object", "properties": { "nextCursor": text() } } }),
            "/data cursor=/page~1cursor next=/meta/nextCursor",
        ),
        (
            json!({ "offset": integer(), "limit": integer() }),
            json!({ "items": things(), "total": integer() }),
            "/items skip=/offset total=/total",
        ),
        (
            json!({ "page": number, "pageSize": integer() }),
            json!({ "items": things(), "totalPages": integer() }),
            "/items page=/page pages=/totalPages",
        ),
        (
            json!({ "startIndex": { "type": "integer", "default": 1 }, "count": integer() }),
            json!({ "items": things(), "totalResults": integer() }),
            "/items skip=/startIndex first=1 total=/totalResults",
        ),
    ];
    for (body, answer, expected) in cases {
        let contract = contract("post", "/things/search", "searchThings", "", &body, &answer);
        let suggestions = suggested(&contract);
        let [only] = suggestions.paginations.as_slice() else { panic!("{body}: {suggestions:?}") };
        let entry = &only.entry;
        let keys = [
            ("cursor", &entry.cursor),
            ("next", &entry.next),
            ("skip", &entry.skip),
            ("first", &entry.first.map(|first| first.to_string())),
            ("page", &entry.page),
            ("total", &entry.total),
            ("pages", &entry.pages),
            ("more", &entry.more),
        ];
        let keys: Vec<String> =
            keys.iter().filter_map(|(key, value)| Some(format!(" {key}={}", value.as_ref()?))).collect();
        assert_eq!(format!("{}{}", entry.items, keys.concat()), expected.replace("~1", "/"));
        assert!(only.is_sure, "{only:?}");
        let config = Config { paginations: vec![entry.clone()], ..Config::default() };
        let bytes = contract.to_string();
        let contracts = [Contract { name: "d", bytes: bytes.as_bytes() }];
        let output = generate(&contracts, &Setup::from(config), &Names::default()).unwrap();
        assert!(output.unused.is_empty() && output.suggestions.paginations.is_empty());
        let code = &output.files["families/things.rs"];
        assert!(code.contains("fn with_items(self)") && code.contains(".in_body("), "{code}");
    }
}

#[test]
fn an_operation_that_changes_something_or_does_not_say_all_has_no_entry() {
    let cursor = || (json!({ "cursor": text() }), json!({ "items": things(), "nextCursor": text() }));
    let verbs = [
        ("post", "/things/search", "searchThings", "", 1),
        ("post", "/things/query", "postThingsQuery", "", 1),
        ("post", "/#X=DescribeThings", "DescribeThings", "Describes things.", 1),
        ("post", "/things/page", "thingsPage", "Returns things.", 1),
        ("post", "/things", "createThings", "Returns things.", 0),
        ("post", "/things", "updateThings", "", 0),
        ("post", "/things", "things", "", 0),
        ("put", "/things", "replaceThings", "", 0),
        ("delete", "/things", "deleteThings", "Lists what it deleted", 0),
        ("post", "/things/query", "deleteThings", "", 0),
        ("post", "/things/search", "getOrCreateThings", "", 0),
        ("post", "/things/query", "listAndAckThings", "Lists things.", 0),
        ("delete", "/things/query", "thingsQuery", "", 0),
        ("put", "/things/search", "searchThings", "", 0),
    ];
    for (method, path, id, docs, expected) in verbs {
        let (body, answer) = cursor();
        let suggestions = suggested(&contract(method, path, id, docs, &body, &answer));
        assert_eq!((suggestions.paginations.len(), suggestions.paged), (expected, expected), "{id}: {suggestions:?}");
    }
    let (body, answer) = cursor();
    for (body, answer, paged) in [
        // The types differ, or nothing is typed.
        (body.clone(), json!({ "items": things(), "nextCursor": integer() }), 1),
        (json!({ "cursor": {} }), answer.clone(), 0),
        // Nothing leads on, or says where the list ends, or which page is the first.
        (body.clone(), json!({ "items": things() }), 1),
        (json!({ "offset": integer(), "limit": integer() }), json!({ "items": things() }), 1),
        (json!({ "page": integer() }), json!({ "items": things(), "totalPages": integer() }), 1),
        // A filter, a list that is missing, an address, a member that nobody sends.
        (json!({ "after": text() }), answer.clone(), 0),
        (body.clone(), json!({ "nextCursor": text() }), 0),
        (json!({ "skip": integer() }), json!({ "items": things(), "nextLink": text() }), 1),
        (json!({ "cursor": { "type": "string", "readOnly": true } }), answer, 0),
    ] {
        let suggestions = suggested(&contract("post", "/things/search", "searchThings", "", &body, &answer));
        let counts = (suggestions.paginations.len(), suggestions.paged, suggestions.without.len());
        assert_eq!(counts, (0, paged, paged), "{body} {answer}: {suggestions:?}");
    }
}

/// Operations with one method and path are named by their families.
#[test]
fn operations_that_only_a_fragment_tells_apart_have_an_entry_each() {
    let (body, answer) = (json!({ "nextToken": text() }), json!({ "things": things(), "nextToken": text() }));
    let mut both = contract("post", "/#ListThings", "ListThings", "", &body, &answer);
    let other = contract("post", "/#DescribeThings", "DescribeThings", "", &body, &answer);
    both["paths"]["/#DescribeThings"] = other["paths"]["/#DescribeThings"].clone();
    let suggestions = suggested(&both);
    let keys: Vec<&str> = suggestions.paginations.iter().map(|one| one.entry.operation.as_str()).collect();
    assert_eq!(keys, ["things.describe_things", "things.list_things"]);
    let paginations = suggestions.paginations.into_iter().map(|one| one.entry).collect();
    let bytes = both.to_string();
    let contracts = [Contract { name: "d", bytes: bytes.as_bytes() }];
    let setup = Setup::from(Config { paginations, ..Config::default() });
    let output = generate(&contracts, &setup, &Names::default()).unwrap();
    assert_eq!(output.files["families/things.rs"].matches("fn with_items(self)").count(), 2);
}
