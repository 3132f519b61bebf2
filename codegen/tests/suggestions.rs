//! Entries of `[[pagination]]` that a contract suggests: one operation per style of services, and what must not be taken for one.

use driftless_codegen::{Config, Contract, Names, Setup, SuggestedPagination, Suggestions, api, generate, propose};
use serde_json::{Value, json};

const LIST: &str = r##"{"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}"##;

/// A contract with one operation. Parameters are `name:type`, with further words for their description.
fn contract(method: &str, parameters: &[&str], answer: &str, headers: &[&str], marks: Value) -> Value {
    let parameters: Vec<Value> = parameters
        .iter()
        .map(|text| {
            let mut words = text.splitn(3, ' ');
            let (name, kind) = words.next().unwrap().split_once(':').unwrap();
            let schema: Value = match words.next().filter(|word| word.starts_with('{')) {
                Some(schema) => serde_json::from_str(schema).unwrap(),
                None => json!({ "type": kind }),
            };
            let description = text.split_once(' ').map_or("", |(_, words)| words);
            json!({ "name": name, "in": "query", "schema": schema, "description": description })
        })
        .collect();
    let headers: serde_json::Map<String, Value> =
        headers.iter().map(|name| ((*name).to_owned(), json!({ "schema": { "type": "string" } }))).collect();
    let schema: Value = serde_json::from_str(&answer.replace("LIST", LIST)).unwrap();
    let mut operation = json!({
        "operationId": "listThings", "tags": ["things"], "parameters": parameters,
        "responses": { "200": { "description": "OK", "headers": headers, "content": { "application/json": { "schema": schema } } } },
    });
    operation.as_object_mut().unwrap().extend(marks.as_object().unwrap().clone());
    json!({
        "openapi": "3.0.4", "info": { "title": "Things", "version": "1" },
        "paths": { "/things": { method: operation } },
        "components": { "schemas": { "Thing": { "type": "object", "properties": {
            "id": { "type": "string" }, "size": { "type": "string" },
        } } } },
    })
}

fn suggested(contract: &Value) -> Suggestions {
    let bytes = contract.to_string();
    propose(&[Contract { name: "d", bytes: bytes.as_bytes() }], &Setup::default()).unwrap().suggestions
}

/// The entry in short: its keys in the order of the table of `docs/configuration.md`.
fn short(suggested: &SuggestedPagination) -> String {
    let entry = serde_json::to_value(&suggested.entry).unwrap();
    let keys = [
        "items",
        "skip",
        "page",
        "first",
        "cursor",
        "next",
        "next_header",
        "last_item",
        "next_link",
        "link",
        "total",
        "total_header",
        "pages",
        "pages_header",
        "more",
    ];
    let mut text: Vec<String> = keys
        .into_iter()
        .filter_map(|key| match entry.get(key)? {
            Value::Null | Value::Bool(false) => None,
            Value::String(text) => Some(format!("{key}={text}")),
            other => Some(format!("{key}={other}")),
        })
        .collect();
    if !suggested.is_sure {
        text.push("unsure".to_owned());
    }
    text.join(" ")
}

fn object(members: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{{members}}}}}"#)
}

/// The suggestion is bound by the generator, so each one fits its contract.
fn check(contract: &Value, suggestion: &SuggestedPagination) {
    let config = Config { paginations: vec![suggestion.entry.clone()], ..Config::default() };
    let bytes = contract.to_string();
    let contracts = [Contract { name: "d", bytes: bytes.as_bytes() }];
    let output = generate(&contracts, &Setup::from(config), &Names::default()).unwrap();
    assert_eq!(output.unused, []);
    assert_eq!(output.suggestions.paginations, [], "an operation with an entry needs no other");
    let items = output.api.items.iter().filter(|item| item.path.ends_with("::with_items"));
    let items: Vec<&str> = items.map(|item| &*item.signature).collect();
    assert!(matches!(items.as_slice(), [only] if only.contains("Thing")), "{items:?}: {suggestion:?}");
}

/// Parameters, answer, headers, marks, and the entry.
type Case<'a> = (&'a [&'a str], String, &'a [&'a str], Value, &'a str);

#[test]
fn each_style_of_pages_has_its_entry() {
    let text = r#""type": "string""#;
    let cases: Vec<Case<'_>> = vec![
        (&["limit:integer", "offset:integer"], LIST.to_owned(), &[], json!({}), "items= skip=offset"),
        (
            &["skip:integer", "take:integer"],
            object(r#""items": LIST, "totalCount": {"type": "integer"}"#),
            &[],
            json!({}),
            "items=/items skip=skip total=/totalCount",
        ),
        (
            &["$skip:integer", "$top:integer"],
            object(r#""value": LIST, "@odata.count": {"type": "integer"}, "@odata.nextLink": {"type": "string"}"#),
            &[],
            json!({}),
            "items=/value next_link=/@odata.nextLink",
        ),
        (
            &["startIndex:integer", "count:integer"],
            object(
                r#""Resources": LIST, "schemas": {"type": "array", "items": {"type": "string"}}, "totalResults": {"type": "integer"}"#,
            ),
            &[],
            json!({}),
            "items=/Resources skip=startIndex first=1 total=/totalResults",
        ),
        (
            &[r#"page:integer {"type":"integer","default":1}"#, "pageSize:integer"],
            object(r#""records": LIST, "totalRecords": {"type": "integer"}"#),
            &[],
            json!({}),
            "items=/records page=page total=/totalRecords",
        ),
        (
            &["page:integer Zero-based page index (0..N)", "size:integer"],
            object(r#""content": LIST, "totalPages": {"type": "integer"}"#),
            &[],
            json!({}),
            "items=/content page=page first=0 pages=/totalPages",
        ),
        (&["page:integer", "per_page:integer"], LIST.to_owned(), &[], json!({}), "items= page=page unsure"),
        (&["page:integer", "per_page:integer"], LIST.to_owned(), &["Link"], json!({}), "items= link=true"),
        (
            &[r#"page:integer {"type":"integer","minimum":1}"#],
            LIST.to_owned(),
            &["X-Pages"],
            json!({}),
            "items= page=page pages_header=X-Pages",
        ),
        (
            &["page:integer", "per_page:integer"],
            LIST.to_owned(),
            &["X-Next-Page", "X-Total"],
            json!({}),
            "items= cursor=page next_header=X-Next-Page total_header=X-Total",
        ),
        (
            &["pageToken:string", "maxResults:integer"],
            object(&format!(r#""items": LIST, "nextPageToken": {{{text}}}"#)),
            &[],
            json!({}),
            "items=/items cursor=pageToken next=/nextPageToken",
        ),
        // Asana: the offset is a cursor.
        (
            &["offset:string", "limit:integer"],
            object(
                r#""data": LIST, "next_page": {"type": "object", "properties": {"offset": {"type": "string"}, "uri": {"type": "string"}}}"#,
            ),
            &[],
            json!({}),
            "items=/data cursor=offset next=/next_page/offset",
        ),
        // HubSpot.
        (
            &["after:string", "limit:integer"],
            object(
                r#""results": LIST, "paging": {"type": "object", "properties": {"next": {"type": "object", "properties": {"after": {"type": "string"}}}}}"#,
            ),
            &[],
            json!({}),
            "items=/results cursor=after next=/paging/next/after",
        ),
        // Box: cursors are returned on request only, and the total is always there.
        (
            &["offset:integer", "marker:string", "limit:integer"],
            object(r#""entries": LIST, "next_marker": {"type": "string"}, "total_count": {"type": "integer"}"#),
            &[],
            json!({}),
            "items=/entries skip=offset total=/total_count",
        ),
        // Twilio.
        (
            &["PageSize:integer", "Page:integer", "PageToken:string"],
            object(
                r#""things": LIST, "meta": {"type": "object", "properties": {"next_page_url": {"type": "string"}, "page": {"type": "integer"}}}"#,
            ),
            &[],
            json!({}),
            "items=/things next_link=/meta/next_page_url",
        ),
        // Django REST framework.
        (
            &["limit:integer", "offset:integer"],
            object(
                r#""count": {"type": "integer"}, "next": {"type": "string", "format": "uri"}, "previous": {"type": "string", "format": "uri"}, "results": LIST"#,
            ),
            &[],
            json!({}),
            "items=/results next_link=/next",
        ),
        // Stripe.
        (
            &["starting_after:string", "limit:integer"],
            object(r#""data": LIST, "has_more": {"type": "boolean"}, "url": {"type": "string"}"#),
            &[],
            json!({}),
            "items=/data cursor=starting_after last_item=/id more=/has_more",
        ),
        (
            &[],
            object(r#""value": LIST, "nextLink": {"type": "string"}"#),
            &[],
            json!({ "x-ms-pageable": { "nextLinkName": "nextLink" } }),
            "items=/value next_link=/nextLink",
        ),
        (
            &["cursor:string"],
            LIST.to_owned(),
            &["X-Next-Cursor"],
            json!({}),
            "items= cursor=cursor next_header=X-Next-Cursor",
        ),
    ];
    for (parameters, answer, headers, marks, expected) in cases {
        let contract = contract("get", parameters, &answer, headers, marks);
        let suggestions = suggested(&contract);
        let case = format!("{parameters:?}: {suggestions:?}");
        let [only] = suggestions.paginations.as_slice() else { panic!("{case}") };
        assert_eq!((short(only), suggestions.paged), (expected.to_owned(), 1), "{case}");
        check(&contract, only);
    }
}

#[test]
fn an_operation_that_does_not_page_has_no_entry() {
    let page = object(r#""value": LIST"#);
    let cases: [(&str, &[&str], &str, Value, usize); 8] = [
        // Parameters of a filter: the item has them.
        ("get", &["size:string", "after:string"], LIST, json!({}), 0),
        ("get", &["from:string", "to:string"], LIST, json!({}), 0),
        ("get", &["start:integer Only what began after this timestamp", "limit:integer"], LIST, json!({}), 0),
        ("get", &["limit:integer"], LIST, json!({}), 0),
        // A list that is marked as a single page.
        ("get", &[], &page, json!({ "x-ms-pageable": { "nextLinkName": null } }), 0),
        // A change is not repeated for each page.
        ("post", &["offset:integer", "limit:integer"], LIST, json!({}), 0),
        // These page, and nothing leads to the next page.
        ("get", &["cursor:string"], LIST, json!({}), 1),
        ("get", &["page:integer"], r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#, json!({}), 1),
    ];
    for (method, parameters, answer, marks, paged) in cases {
        let suggestions = suggested(&contract(method, parameters, answer, &[], marks));
        assert_eq!((suggestions.paginations.len(), suggestions.paged), (0, paged), "{parameters:?}: {suggestions:?}");
        assert_eq!(suggestions.without.len(), paged);
    }
}

/// Every entry that the real contracts suggest is one that the generator accepts.
#[test]
fn entries_of_contracts_at_hand_fit_them() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for case in std::fs::read_dir(folder).unwrap().filter_map(Result::ok) {
        let files = std::fs::read_dir(case.path()).into_iter().flatten().filter_map(Result::ok);
        for file in files.filter(|file| file.file_name().to_string_lossy().starts_with("contract")) {
            let bytes = std::fs::read(file.path()).unwrap();
            let contracts = [Contract { name: "d", bytes: &bytes }];
            let Ok(proposal) = propose(&contracts, &Setup::default()) else { continue };
            let paginations: Vec<_> = proposal.suggestions.paginations.into_iter().map(|one| one.entry).collect();
            let config = Config { paginations, ..Config::default() };
            assert!(api(&contracts, &Setup::from(config), &Names::default()).is_ok(), "{:?}", file.path());
        }
    }
}

/// A contract of jobs: one operation accepts them, another shows them.
fn jobs(states: &Value, accepted: Value, path: &str, marks: Value) -> Value {
    let mut submit = json!({
        "operationId": "startJob", "tags": ["jobs"],
        "responses": { "202": { "description": "Accepted", "content": { "application/json": { "schema": accepted } } } },
    });
    submit.as_object_mut().unwrap().extend(marks.as_object().unwrap().clone());
    let job = json!({ "schema": { "$ref": "#/components/schemas/Job" } });
    json!({
        "openapi": "3.0.4", "info": { "title": "Jobs", "version": "1" },
        "paths": { "/rooms/{room}/jobs": { "post": submit, "parameters": [{ "name": "room", "in": "path", "required": true, "schema": { "type": "string" } }] },
            path: { "get": { "operationId": "getJob", "tags": ["jobs"],
                "parameters": [{ "name": "room", "in": "path", "required": true, "schema": { "type": "string" } }, { "name": "jobId", "in": "path", "required": true, "schema": { "type": "string" } }],
                "responses": { "200": { "description": "OK", "content": { "application/json": job } } } } } },
        "components": { "schemas": { "Job": { "type": "object", "properties": {
            "id": { "type": "string" }, "status": { "type": "string", "enum": states },
        } } } },
    })
}

#[test]
fn an_operation_that_another_one_shows_has_its_entry() {
    let states = json!(["Queued", "Running", "Succeeded", "Failed", "Canceled"]);
    let job = json!({ "$ref": "#/components/schemas/Job" });
    let ticket = json!({ "type": "object", "properties": { "jobId": { "type": "string" } } });
    let path = "/rooms/{room}/jobs/{jobId}";
    for (accepted, identifier) in [(job.clone(), "/id"), (ticket, "/jobId")] {
        let contract = jobs(&states, accepted, path, json!({}));
        let suggestions = suggested(&contract);
        let [only] = suggestions.operations.as_slice() else { panic!("{suggestions:?}") };
        let entry = &only.entry;
        assert_eq!(
            (&*entry.submit, entry.identifier.as_deref(), &*entry.state),
            ("POST /rooms/{room}/jobs", Some(identifier), "/status")
        );
        let watch = entry.watch.as_ref().unwrap();
        assert_eq!((&*watch.operation, &*watch.parameter), ("GET /rooms/{room}/jobs/{jobId}", "jobId"));
        let meanings = [&entry.states.pending, &entry.states.succeeded, &entry.states.failed, &entry.states.cancelled];
        assert_eq!(meanings.map(Vec::len), [2, 1, 1, 1]);
        let config = Config { operations: vec![entry.clone()], ..Config::default() };
        let bytes = contract.to_string();
        let contracts = [Contract { name: "d", bytes: bytes.as_bytes() }];
        let output = generate(&contracts, &Setup::from(config), &Names::default()).unwrap();
        assert!(output.suggestions.operations.is_empty() && output.unused.is_empty());
        let code = &output.files["bindings.rs"];
        assert!(code.contains("watch: Some(Watched {") && code.contains("parameter: \"jobId\""), "{code}");
    }
    // A state without a usual name, a result without an identifier, a resource that needs more, and no state at all.
    for (states, accepted, path, long_running) in [
        (json!(["Queued", "Purple", "Succeeded"]), job.clone(), path, 1),
        (json!(["Queued", "Running"]), job.clone(), path, 1),
        (states.clone(), json!({ "type": "object", "properties": { "note": { "type": "string" } } }), path, 1),
        (states.clone(), job.clone(), "/rooms/{room}/floors/{floor}/jobs/{jobId}", 1),
    ] {
        let suggestions = suggested(&jobs(&states, accepted, path, json!({})));
        assert_eq!((suggestions.operations.len(), suggestions.long_running), (0, long_running), "{suggestions:?}");
        assert_eq!(suggestions.without.len(), long_running);
    }
    let marked = suggested(&jobs(&states, job, path, json!({ "x-ms-long-running-operation": true })));
    assert!(marked.operations[0].reason.starts_with("`x-ms-long-running-operation` says"), "{marked:?}");
}

/// The state of a process may be a member of any resource; that of something else says nothing about an operation.
#[test]
fn the_member_with_the_state_may_name_the_process() {
    let job = json!({ "type": "object", "properties": { "id": { "type": "string" } } });
    let contract = jobs(&json!(["pending", "complete"]), job, "/rooms/{room}/jobs/{jobId}", json!({}));
    for (member, is_state) in [
        ("processing_status", true),
        ("executionState", true),
        ("jobStatus", true),
        ("provisioningState", true),
        ("resolution_state", false),
        ("status_callback", false),
        ("processing", false),
    ] {
        let renamed = contract.to_string().replace("\"status\":", &format!("\"{member}\":"));
        let suggestions = suggested(&serde_json::from_str(&renamed).unwrap());
        let states: Vec<String> = suggestions.operations.iter().map(|one| one.entry.state.clone()).collect();
        let expected = if is_state { vec![format!("/{member}")] } else { Vec::new() };
        assert_eq!((states, suggestions.long_running), (expected, 1), "{member}");
    }
}

/// An entry whose operation shows nothing, needs more, or is not a reading one, is refused with its place.
#[test]
fn an_operation_that_shows_another_fits_or_is_refused() {
    let states = json!(["Queued", "Succeeded"]);
    let contract =
        jobs(&states, json!({ "$ref": "#/components/schemas/Job" }), "/rooms/{room}/jobs/{jobId}", json!({}));
    let entry = suggested(&contract).operations.remove(0).entry;
    let bytes = contract.to_string();
    let with = |change: &dyn Fn(&mut driftless_codegen::AsyncOperation)| {
        let mut entry = entry.clone();
        change(&mut entry);
        let config = Config { operations: vec![entry], ..Config::default() };
        let contracts = [Contract { name: "d", bytes: bytes.as_bytes() }];
        let report = generate(&contracts, &Setup::from(config), &Names::default()).unwrap_err();
        report.problems().iter().map(|problem| problem.code).collect::<Vec<_>>()
    };
    let watch = |entry: &mut driftless_codegen::AsyncOperation, operation: &str, parameter: &str| {
        let (operation, parameter) = (operation.to_owned(), parameter.to_owned());
        entry.watch = Some(driftless_codegen::WatchOperation { operation, parameter, header: None });
    };
    assert_eq!(with(&|entry| entry.watch = None), ["operation/document"]);
    assert_eq!(with(&|entry| entry.state = "/nothing".to_owned()), ["operation/pointer"]);
    assert_eq!(with(&|entry| watch(entry, "GET /elsewhere", "jobId")), ["operation/watch"]);
    let codes = with(&|entry| watch(entry, "POST /rooms/{room}/jobs", "jobId"));
    assert_eq!(codes, ["operation/watch", "operation/watch"], "no such parameter, and no GET");
}
