//! Pairs of contracts, and the reports about them.
//!
//! A pair is a folder of `tests/drift` with `before.*` and `after.*`, and beside them its report: `drift.snap`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use driftless_codegen::drift::{self, Drift, Finding, Heading, Sides, Site, Source, Wire};
use driftless_codegen::{Contract, Names, Setup, api, load};
use serde_json::{Value, json};

const TODAY: &str = "2026-01-01";

/// Each item that changed is explained by a finding.
fn compare(before: &[u8], after: &[u8]) -> Drift {
    let drift = compare_items(before, after);
    let unexplained: Vec<String> = drift.unexplained.iter().flatten().map(drift::ItemChange::says).collect();
    assert_eq!(unexplained, Vec::<String>::new(), "{:#?}", drift.findings);
    drift
}

fn compare_items(before: &[u8], after: &[u8]) -> Drift {
    let [before, after] = [before, after].map(|bytes| [Contract { name: "contract", bytes }]);
    let mut drift = drift::compare(Sides { before: &before, after: &after }, TODAY).unwrap();
    let setup = Setup::default();
    let (before, names) = api(&before, &setup, &Names::default()).unwrap();
    let (after, _) = api(&after, &setup, &names).unwrap();
    drift.with_items(Sides { before: &before, after: &after });
    drift
}

fn heading(what: &str) -> Heading<'_> {
    Heading { what, version: Some("0.4.2"), links: &[] }
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    let kinds = ["json", "yaml"];
    let file = kinds.iter().map(|kind| folder.join(format!("{name}.{kind}"))).find(|file| file.is_file()).unwrap();
    std::fs::read(file).unwrap()
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drift");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

#[test]
fn each_pair_has_its_report() {
    for case in cases() {
        let drift = compare(&read(&case, "before"), &read(&case, "after"));
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        tells_each_item_once(&drift, &name);
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(&case);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("drift", drift.report(&heading(&name)).markdown()));
    }
}

/// Checks that no line with items says that there are none, or an item twice, and that no row with items that break is silent.
fn tells_each_item_once(drift: &Drift, name: &str) {
    let report = drift.report(&heading(name)).markdown();
    for row in report.lines().filter(|line| line.starts_with("| ")) {
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let items: Vec<&str> = cell.split("; ").collect();
        assert_eq!(items.iter().collect::<BTreeSet<_>>().len(), items.len(), "{name}: {row}");
        assert!(cell.starts_with("no item") && !cell.contains("; ") || !cell.contains("no item"), "{name}: {row}");
    }
    for row in drift.rows().iter().filter(|row| row.is_silent()) {
        assert!(row.findings.iter().all(|(_, finding)| finding.source < Source::Major), "{name}: {}", row.number);
    }
    let changelog = drift.changelog();
    assert_eq!(changelog.iter().collect::<BTreeSet<_>>().len(), changelog.len(), "{name}: {changelog:#?}");
}

/// The content of a finding, without its texts.
type Content = (String, Option<Site>, Option<Site>, BTreeSet<String>);

fn contents(drift: &Drift) -> BTreeSet<Content> {
    let one = |finding: &Finding| {
        (finding.rule.id().to_owned(), finding.before.clone(), finding.after.clone(), BTreeSet::new())
    };
    drift.findings.iter().map(one).collect()
}

fn mirrored(drift: &Drift) -> BTreeSet<Content> {
    let one = |finding: &Finding| {
        (finding.rule.mirror().id().to_owned(), finding.after.clone(), finding.before.clone(), BTreeSet::new())
    };
    drift.findings.iter().map(one).collect()
}

#[test]
fn there_and_back_is_the_same_read_backwards() {
    for case in cases() {
        let (before, after) = (read(&case, "before"), read(&case, "after"));
        let (there, back) = (compare(&before, &after), compare(&after, &before));
        assert_eq!(mirrored(&there), contents(&back), "{}", case.display());
        assert_eq!(there.documentation, back.documentation, "{}", case.display());
        assert_eq!(there.not_judged.len(), back.not_judged.len(), "{}", case.display());
    }
}

#[test]
fn a_contract_does_not_differ_from_itself_however_it_is_written() {
    insta::glob!("cases/*/contract.*", |path| {
        let bytes = std::fs::read(path).unwrap();
        let Ok(loaded) = load::load("contract", &bytes) else { return };
        let yaml =
            serde_yaml::to_string(&reversed(&loaded.tree, loaded.tree.to_string().contains("multipart/"))).unwrap();
        let drift = compare(&bytes, yaml.as_bytes());
        assert_eq!((&drift.findings, &drift.not_judged), (&Vec::new(), &Vec::new()), "{}", path.display());
        assert_eq!((drift.documentation, drift.spelling), (0, 0), "{}", path.display());
        assert_eq!(drift.source(), Source::None, "{}", path.display());
        // The same bytes are not compared place by place, and nothing else is said of them.
        let same = compare(&bytes, &bytes);
        assert_eq!((same.findings, same.operations), (drift.findings, drift.operations), "{}", path.display());
    });
}

/// The same, with the members of each object in the opposite order. Parts are sent in the order of their `properties`.
fn reversed(value: &Value, with_parts: bool) -> Value {
    match value {
        Value::Object(map) => {
            let members = map.iter().rev().map(|(key, value)| match value {
                Value::Object(parts) if with_parts && key == "properties" => {
                    let parts = parts.iter().map(|(key, value)| (key.clone(), reversed(value, with_parts)));
                    (key.clone(), Value::Object(parts.collect()))
                }
                value => (key.clone(), reversed(value, with_parts)),
            });
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(|item| reversed(item, with_parts)).collect(),
        value => value.clone(),
    }
}

#[test]
fn a_member_of_a_schema_that_all_operations_reach_is_one_finding() {
    let paths = |path: usize| {
        let body = json!({"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Outer"}}}}});
        (
            format!("/things/{path}"),
            json!({"get": {"responses": {"200": body.clone()}}, "put": {"requestBody": body, "responses": {}}}),
        )
    };
    let contract = |member: Value| {
        let paths: serde_json::Map<String, Value> = (0..100).map(paths).collect();
        json!({"openapi": "3.0.4", "paths": paths, "components": {"schemas": {
            "Outer": {"properties": {"inner": {"$ref": "#/components/schemas/Inner"}, "self": {"$ref": "#/components/schemas/Outer"}}},
            "Inner": {"properties": member},
        }}})
        .to_string()
    };
    let drift = compare(contract(json!({})).as_bytes(), contract(json!({"size": {"type": "integer"}})).as_bytes());
    let [finding] = drift.findings.as_slice() else { panic!("{:#?}", drift.findings) };
    assert_eq!((finding.rule.id(), finding.subject.as_str()), ("member-added", "Inner.size"));
    assert_eq!((finding.operations.len(), finding.client), (200, Wire::Safe));
}

/// Catches a variant of a change that the table of rules does not have: it would get the sentence of its rule.
#[test]
fn a_variant_of_a_change_has_a_sentence_of_its_own() {
    let contract = |extension: Value, closed: Value, schemas: Value| {
        let body = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}});
        let mut all = json!({"Thing": {"type": "object", "properties": {"id": {"type": "string"}}}});
        let thing = all["Thing"].as_object_mut().unwrap();
        thing.extend(closed.as_object().unwrap().clone());
        all.as_object_mut().unwrap().extend(schemas.as_object().unwrap().clone());
        let get = json!({"operationId": "a", "responses": {"200": body}, "x-more": extension});
        json!({"openapi": "3.0.4", "paths": {"/a": {"get": get}}, "components": {"schemas": all}}).to_string()
    };
    let plain = contract(json!(null), json!({}), json!({}));
    let open = contract(json!(null), json!({"additionalProperties": true}), json!({}));
    let more = json!({"More": {"type": "string"}});
    let used = contract(json!({"$ref": "#/components/schemas/More"}), json!({}), more);
    for (other, there, back) in [
        (&open, "says now that it takes undeclared members", "does not say any more that it takes undeclared members"),
        (&used, "is new", "is gone"),
    ] {
        for (before, after, change) in [(&plain, other, there), (other, &plain, back)] {
            let drift = compare(before.as_bytes(), after.as_bytes());
            let changes: Vec<&str> = drift.findings.iter().map(|finding| finding.change.as_str()).collect();
            assert_eq!(changes, [change], "{:#?}", drift.findings);
        }
    }
}

/// The subject of the pair does not depend on how many operations reach it, on texts, or on names of Rust.
#[test]
fn items_that_no_row_speaks_of_are_on_the_first_screen() {
    let side = |value: Value| {
        let member = json!({"type": "object", "properties": {"value": value}});
        serde_json::to_vec(&json!({
            "openapi": "3.0.4", "info": {"title": "x", "version": "1"},
            "paths": {"/fields": {"put": {"operationId": "setField",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Field"}}}},
                "responses": {"204": {"description": "done"}}}}},
            "components": {"schemas": {"Field": member}},
        }))
        .unwrap()
    };
    let drift = compare_items(&side(json!({"nullable": true})), &side(json!({})));
    assert_eq!(drift.findings.len(), 0, "{:#?}", drift.findings);
    let tasks = drift.tasks();
    assert_eq!(tasks.len(), 1, "{tasks:#?}");
    assert_eq!(tasks[0].action, drift::Action::EditLater);
    assert_eq!(tasks[0].jobs[0].row, "");
    assert_eq!(tasks[0].jobs[0].changes, ["`types::Field::value`: `Maybe<Value>` → `Option<Value>`"]);
    let text: Vec<String> = drift.report(&heading("x")).lines(9).iter().map(ToString::to_string).collect();
    assert!(text.contains(&"Action required".to_owned()), "{text:#?}");
}

#[test]
fn a_fingerprint_stays_while_the_contract_grows() {
    let contract = |kind: &str, more: bool| {
        let get = json!({"get": {"summary": if more { "Words" } else { "Other words" }, "responses": {"200": {"content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Plan"}}}}}}});
        let mut paths = serde_json::Map::from_iter([("/plans".to_owned(), get.clone())]);
        if more {
            paths.insert("/all-plans".to_owned(), get);
        }
        json!({"openapi": "3.0.4", "paths": paths, "components": {"schemas": {"Plan": {"properties": {"price": {"type": kind}}}}}})
            .to_string()
    };
    let print = |more| {
        let drift = compare(contract("number", more).as_bytes(), contract("string", more).as_bytes());
        let [finding] = drift.findings.as_slice() else { panic!("{:#?}", drift.findings) };
        finding.fingerprint.clone()
    };
    assert_eq!(print(false), print(true));
    assert_eq!(print(false).len(), 12);
}

#[test]
fn what_is_not_a_contract_is_an_error() {
    let contract = |bytes| Contract { name: "contract", bytes };
    let report = drift::compare(Sides { before: &[contract(b"<html>")], after: &[contract(b"{")] }, TODAY).unwrap_err();
    let codes: Vec<&str> = report.problems().iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["contract/html", "contract/truncated"]);
}

/// A contract with one operation: its parameters, the type of a member, more members, and whether it is deprecated.
fn shop(parameters: Value, member: Value, deprecated: bool) -> String {
    json!({"openapi": "3.0.4", "paths": {"/orders/{id}": {"put": {
        "tags": ["shop"], "operationId": "saveOrder", "deprecated": deprecated, "parameters": parameters,
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
        "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}}}}},
        "components": {"schemas": {"Order": member}}})
    .to_string()
}

#[test]
fn each_change_of_an_item_has_its_verdict() {
    let path = |name: &str| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}});
    let query = |name: &str, required: bool| json!({"name": name, "in": "query", "required": required, "schema": {"type": "string"}});
    let order =
        |members: Value, required: Value| json!({"type": "object", "properties": members, "required": required});
    let (id, text, number) = (path("id"), json!({"type": "string"}), json!({"type": "integer", "format": "int32"}));
    let plain = || shop(json!([id]), order(json!({"note": text}), json!([])), false);
    let with = |parameters| shop(parameters, order(json!({"note": text}), json!([])), false);
    let member = |members, required| shop(json!([id]), order(members, required), false);
    let rows = [
        // Renaming an argument only.
        (plain(), with(json!([id])).replace("\"id\"", "\"order\"").replace("{id}", "{order}"), Source::None, "", false),
        (
            plain(),
            with(json!([id, query("page", false)])),
            Source::Minor,
            "`operations::SaveOrder::page()` is new",
            false,
        ),
        (
            with(json!([id, query("page", false)])),
            plain(),
            Source::Major,
            "`operations::SaveOrder::page()` is gone",
            false,
        ),
        (
            plain(),
            with(json!([id, query("page", true)])),
            Source::Major,
            "`Shop::save_order()` takes `(id: &str, body: &types::Order)` → `(id: &str, page: &str, body: &types::Order)`",
            false,
        ),
        (
            plain(),
            shop(json!([id]), order(json!({"note": text}), json!([])), true),
            Source::Minor,
            "`Shop::save_order()` is deprecated",
            false,
        ),
        (
            plain(),
            member(json!({"note": text, "size": number}), json!([])),
            Source::Minor,
            "`types::Order::size` is new",
            false,
        ),
        (
            plain(),
            member(json!({"note": number}), json!([])),
            Source::Major,
            "`types::Order::note`: `Option<String>` → `Option<i32>`",
            false,
        ),
        (
            plain(),
            member(json!({"note": text}), json!(["note"])),
            Source::Major,
            "`types::Order` is not `Default` any more",
            false,
        ),
        // A tighter limit in a request: no item shows it.
        (plain(), member(json!({"note": {"type": "string", "maxLength": 3}}), json!([])), Source::None, "", true),
    ];
    for (before, after, source, says, silent) in rows {
        let drift = compare(before.as_bytes(), after.as_bytes());
        let items: Vec<String> = drift.items().iter().map(|(change, _)| change.says()).collect();
        assert_eq!(drift.source(), source, "{items:#?}");
        assert!(says.is_empty() && items.is_empty() || items.iter().any(|item| item == says), "{says}: {items:#?}");
        assert_eq!(drift.findings.iter().any(|finding| finding.silent), silent, "{:#?}", drift.findings);
    }
}

/// Two arguments of one type that change places compile, and mean something else.
#[test]
fn arguments_that_change_places_break() {
    let path = |first: &str, second: &str| {
        json!({"openapi": "3.0.4", "paths": {(format!("/{{{first}}}/{{{second}}}")): {"get": {"tags": ["shop"], "operationId": "find",
            "parameters": ([first, second].map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))),
            "responses": {"204": {"description": ""}}}}}})
        .to_string()
    };
    let drift = compare_items(path("shop", "order").as_bytes(), path("order", "shop").as_bytes());
    assert_eq!(drift.source(), Source::Major, "{:#?}", drift.items());
    // No request differs, so that no finding speaks of it: the report has a section for such items.
    let report = drift.report(&heading("places")).markdown();
    assert!(
        report.contains("- `Shop::find()` takes `(shop: &str, order: &str)` → `(order: &str, shop: &str)`"),
        "{report}"
    );
}

#[test]
fn the_version_follows_what_compiles() {
    let order = |members: Value| shop(json!([]), json!({"type": "object", "properties": members}), false);
    let (small, large) =
        (order(json!({"a": {"type": "string"}})), order(json!({"a": {"type": "string"}, "b": {"type": "string"}})));
    let (more, less) = (compare(small.as_bytes(), large.as_bytes()), compare(large.as_bytes(), small.as_bytes()));
    let next = |drift: &Drift, version: &str| drift.release(version).map(|release| release.next);
    for (version, addition, removal) in [("0.4.2", "0.4.3", "0.5.0"), ("1.4.2", "1.5.0", "2.0.0")] {
        assert_eq!(next(&more, version).as_deref(), Some(addition));
        assert_eq!(next(&less, version).as_deref(), Some(removal));
    }
    assert_eq!(next(&more, "1.0.0-alpha"), None);
    let same = compare(small.as_bytes(), small.as_bytes());
    assert_eq!(next(&same, "0.4.2").as_deref(), Some("0.4.2"));
}

#[test]
fn schemas_are_told_as_contracts_are() {
    let schema = "type Query { project(id: ID!, archived: Boolean = false): Project name: String! all: [Project!]! }
        type Project { id: ID! state: State } enum State { RUNNING ENDED } input Filter { name: String } union Any = Project
        extend type Query { search(filter: Filter, state: State): Any }";
    for (from, to, expected, wire) in [
        ("state: State }", "}", "field-removed Project.state", Wire::Break),
        ("name: String!", "name: String", "became-nullable Query.name", Wire::Break),
        ("state: State }", "state: State! }", "became-not-nullable Project.state", Wire::Safe),
        ("name: String }", "name: String! }", "became-not-nullable Filter.name", Wire::Break),
        ("name: String }", "name: String first: Int! }", "required-input-added Filter.first", Wire::Break),
        ("name: String }", "name: String first: Int! = 1 }", "input-added Filter.first", Wire::Safe),
        (", archived: Boolean = false", "", "input-removed Query.project(archived:)", Wire::Break),
        ("= false", "= true", "default-changed Query.project(archived:)", Wire::Risk),
        ("name: String!", "name: Int!", "type-changed Query.name", Wire::Break),
        (" ENDED", "", "enum-value-removed State", Wire::Break),
        (" ENDED", " ENDED PAUSED", "enum-value-added State", Wire::Safe),
        (
            "union Any = Project",
            "type Team { id: ID! } union Any = Project | Team",
            "variant-added Any; type-added Team",
            Wire::Risk,
        ),
        ("state: State }", "state: State @deprecated }", "deprecated Project.state", Wire::Safe),
    ] {
        assert!(schema.contains(from), "{from}");
        let mut drift = Drift::default();
        drift.with_schemas(Sides { before: Some(schema), after: Some(&schema.replacen(from, to, 1)) });
        let findings = drift.findings.iter().map(|finding| format!("{} {}", finding.rule.id(), finding.subject));
        assert_eq!(findings.collect::<Vec<_>>().join("; "), expected);
        assert_eq!(drift.client(), wire, "{expected}");

        let mut back = Drift::default();
        back.with_schemas(Sides { before: Some(&schema.replacen(from, to, 1)), after: Some(schema) });
        let rules = |drift: &Drift| drift.findings.iter().map(|finding| finding.rule).collect::<BTreeSet<_>>();
        assert_eq!(rules(&back), rules(&drift).iter().map(|rule| rule.mirror()).collect(), "{expected}");
    }
    let mut same = Drift::default();
    same.with_schemas(Sides {
        before: Some(schema),
        after: Some(&schema.replace("enum State { RUNNING ENDED }", "enum State { ENDED RUNNING }")),
    });
    assert!(same.findings.is_empty(), "{:?}", same.findings);
}

#[test]
fn the_same_change_at_many_places_is_one_row_and_no_finding_is_lost() {
    let contract = |size: usize, default: &str| {
        let operation = |index: usize| {
            let query = json!({"name": "size", "in": "query", "schema": {"type": "string", "default": default}});
            let responses = json!({"204": {"description": "Done"}});
            let get = json!({"operationId": format!("get_{index}"), "parameters": [query], "responses": responses});
            (format!("/things{index}"), json!({"get": get}))
        };
        let paths: serde_json::Map<String, Value> = (0..size).map(operation).collect();
        json!({"openapi": "3.0.3", "info": {"title": "Things", "version": "1"}, "paths": paths}).to_string()
    };
    for (size, folds) in [(1, false), (4, false), (5, true), (60, true)] {
        let [before, after] = ["small", "large"].map(|default| contract(size, default));
        let drift = drift::compare(
            Sides {
                before: &[Contract { name: "contract", bytes: before.as_bytes() }],
                after: &[Contract { name: "contract", bytes: after.as_bytes() }],
            },
            TODAY,
        )
        .unwrap();
        assert_eq!(drift.findings.len(), size, "{:#?}", drift.findings);
        let rows = drift.rows();
        let known: BTreeSet<usize> = rows.iter().flat_map(|row| row.findings.iter().map(|(index, _)| *index)).collect();
        assert_eq!(known, (0..size).collect(), "each finding has its row");
        let text = drift.report(&heading("things")).markdown();
        let (table, parts) = text.split_once("<details>").unwrap_or((&text, ""));
        let listed = parts.lines().filter(|line| line.starts_with("| R1.")).count();
        assert_eq!(listed, if folds { size } else { 0 }, "{text}");
        let first = table.lines().filter(|line| line.starts_with("| R")).count();
        assert_eq!(first, if folds { 1 } else { size }, "{text}");
        let note = format!("{size} parameters have another default");
        assert_eq!(table.contains(&note), folds, "{text}");
        let lines: Vec<String> = drift.report(&heading("things")).lines(10).iter().map(ToString::to_string).collect();
        assert_eq!(lines.join("\n").contains(&note), folds, "{lines:#?}");
    }
}
