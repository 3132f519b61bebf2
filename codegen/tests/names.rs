//! Names that were given do not move when a contract grows or shrinks.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::{Api, Names, Output, Setup, load};
use serde_json::{Value, json};

use crate::common::{Case, Random, published};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Places of all operations: path and method.
fn operations(tree: &Value) -> Vec<(String, String)> {
    let paths = tree["paths"].as_object().into_iter().flatten();
    let listed = paths.flat_map(|(path, item)| {
        METHODS
            .iter()
            .filter(|method| item.get(**method).is_some())
            .map(move |method| (path.clone(), (*method).to_owned()))
    });
    listed.collect()
}

fn without(tree: &Value, (path, method): &(String, String)) -> Value {
    let mut tree = tree.clone();
    tree["paths"][path].as_object_mut().unwrap().remove(method);
    tree
}

fn generate(case: &Case, tree: &Value, names: &Names) -> Output {
    case.outline(tree.to_string().as_bytes(), names).unwrap_or_else(|report| panic!("{}: {report}", case.name))
}

/// The public items, without their signatures.
fn items(output: &Output) -> BTreeSet<String> {
    index_of(&output.api)
}

fn index_of(api: &Api) -> BTreeSet<String> {
    let item = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    api.index().lines().map(item).collect()
}

/// Every key that both know has the same name.
fn kept(what: &str, before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    for (key, name) in before {
        if let Some(other) = after.get(key) {
            assert_eq!(name, other, "{what}: {key}");
        }
    }
}

/// Names that `small` gave stand in `large`, which has all of it and more.
fn keeps(what: &str, case: &Case, small: &Value, large: &Value) {
    keeps_from(what, case, &generate(case, small, &Names::default()), large);
}

/// Names that a client has stand in `large`, which has all of its contract and more.
fn keeps_from(what: &str, case: &Case, before: &Output, large: &Value) {
    let after = generate(case, large, &before.names);
    kept(what, &before.names.operations, &after.names.operations);
    kept(what, &before.names.types, &after.names.types);
    kept(what, &before.names.members, &after.names.members);
    let after = items(&after);
    let lost: Vec<String> = items(before).into_iter().filter(|item| !after.contains(item)).collect();
    assert!(lost.is_empty(), "{what}: gone or renamed: {lost:#?}");
}

/// From `small` to `large`, and back.
fn grows(what: &str, case: &Case, small: &Value, large: &Value) {
    keeps(what, case, small, large);
    // And back again.
    let large = generate(case, large, &Names::default());
    let small = generate(case, small, &large.names);
    kept(what, &large.names.operations, &small.names.operations);
    kept(what, &large.names.types, &small.names.types);
}

fn each_operation(case: &Case, most: usize) {
    let tree = load::load(&case.name, &case.bytes).unwrap().tree;
    let all_operations = operations(&tree);
    for operation in Random::new(7).shuffled(all_operations).into_iter().take(most) {
        let what = format!("{} without {} {}", case.name, operation.1, operation.0);
        grows(&what, case, &without(&tree, &operation), &tree);
    }
}

#[test]
fn an_operation_more_or_less_moves_no_name() {
    // A correction or an identifier whose place is gone is an error.
    let is_free = |case: &&Case| case.setup.config.corrections.is_empty() && case.setup.config.ids.is_empty();
    Case::all().iter().filter(is_free).for_each(|case| each_operation(case, 1));
}

#[test]
fn an_operation_more_or_less_moves_no_name_of_a_published_contract() {
    published(12_000).iter().for_each(|case| each_operation(case, 1));
}

/// Puts something in front of every list of parameters and alternatives, and beside every declared member.
fn crowd(value: &mut Value, key: &str) {
    match value {
        Value::Object(members) => {
            members.iter_mut().for_each(|(key, value)| crowd(value, key));
            if let (Some(Value::Object(properties)), false) = (members.get_mut("properties"), key == "properties") {
                properties.insert("AAA".to_owned(), json!({"type": "string", "enum": ["new"]}));
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| crowd(item, ""));
            if key == "parameters" {
                items.insert(0, json!({"name": "AAA", "in": "query", "schema": {"type": "string", "enum": ["new"]}}));
            }
        }
        _ => {}
    }
}

#[test]
fn a_newcomer_in_front_takes_no_name() {
    for case in Case::all().iter().filter(|case| case.setup.config.corrections.is_empty()) {
        let tree = load::load(&case.name, &case.bytes).unwrap().tree;
        if tree.get("swagger").is_some() {
            continue;
        }
        let mut large = tree.clone();
        crowd(&mut large, "");
        // Named schemas may have the name of an inline one, too.
        let before = generate(case, &tree, &Names::default());
        for name in before.names.types.values() {
            let schemas = &mut large["components"]["schemas"];
            if schemas.get(name).is_none() {
                schemas[name] = json!({"type": "object", "properties": {"AAA": {"type": "string"}}});
            }
        }
        keeps_from(&case.name, case, &before, &large);
    }
}

/// Gives each operation an identifier.
fn identify(value: &mut Value, count: &mut usize) {
    let Value::Object(members) = value else { return };
    let named = members.get("operationId").and_then(Value::as_str).is_some_and(|id| !id.trim().is_empty());
    if ["responses", "tags"].iter().any(|key| members.contains_key(*key)) && !named {
        *count += 1;
        members.insert("operationId".to_owned(), json!(format!("doPart{count}")));
    }
    members.values_mut().for_each(|value| identify(value, count));
}

/// The contract with all operations at other paths.
fn moved(tree: &Value) -> Value {
    let mut tree = tree.clone();
    let paths = tree["paths"].as_object().unwrap().iter();
    let moved = paths.map(|(path, item)| match path == "/" || path.contains(['?', '#']) {
        true => (path.clone(), item.clone()),
        false => (format!("{}/elsewhere", path.trim_end_matches('/')), item.clone()),
    });
    tree["paths"] = moved.collect();
    tree
}

/// Gives all media types of bodies a parameter.
fn with_charset(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let bodies = members.iter_mut().filter(|(key, _)| *key != "parameters");
            bodies.for_each(|(_, value)| with_charset(value));
            if let Some(Value::Object(content)) = members.get_mut("content") {
                let media = std::mem::take(content).into_iter();
                *content = media
                    .map(|(name, media)| (name + if media.is_object() { "; charset=utf-8" } else { "" }, media))
                    .collect();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(with_charset),
        _ => {}
    }
}

#[test]
fn an_operation_that_moves_and_a_media_type_with_a_parameter_rename_nothing() {
    // An entry for an operation does not follow it to another path.
    let paths = |case: &Case| {
        let config = &case.setup.config;
        config.corrections.is_empty()
            && config.rename.is_empty()
            && config.operations.is_empty()
            && config.ids.is_empty()
    };
    let cases = Case::all().into_iter().chain(published(12_000));
    for (number, case) in cases.filter(|case| paths(case) && case.setup.graphql.documents.is_empty()).enumerate() {
        let mut tree = load::load(&case.name, &case.bytes).unwrap().tree;
        identify(&mut tree["paths"], &mut 0);
        // A path that is another one by reference is not to be found under its new name.
        let is_still = number % 3 == 0 || tree.to_string().contains("#/paths/");
        let mut other = if is_still { tree.clone() } else { moved(&tree) };
        if is_still || number % 3 == 1 {
            with_charset(&mut other["paths"]);
        }
        let api = |tree: &Value, names: &Names| {
            let bytes = tree.to_string();
            let contract = driftless_codegen::Contract { name: "platform", bytes: bytes.as_bytes() };
            driftless_codegen::api(&[contract], &case.setup, names)
                .unwrap_or_else(|report| panic!("{}: {report}", case.name))
        };
        let (before, after) = if number % 2 == 0 { (&tree, &other) } else { (&other, &tree) };
        let (before, names) = api(before, &Names::default());
        let (after, _) = api(after, &names);
        let lost: Vec<String> = index_of(&before).difference(&index_of(&after)).cloned().collect();
        assert!(lost.is_empty(), "{}: gone or renamed: {lost:#?}", case.name);
    }
}

#[test]
fn documents_with_the_same_paths_keep_their_names_apart() {
    let contract = br#"{"openapi": "3.0.4", "paths": {"/orders": {"get": {"tags": ["Orders"], "responses": {}}}}}"#;
    let contracts = ["one", "two"].map(|name| driftless_codegen::Contract { name, bytes: contract });
    let first = driftless_codegen::generate(&contracts, &Default::default(), &Names::default()).unwrap();
    assert_eq!(first.names.operations.len(), 2, "{:?}", first.names);
    let again = driftless_codegen::generate(&contracts, &Default::default(), &first.names).unwrap();
    assert!(first == again);
}

/// A contract with one operation, and one more that is as it is said.
fn contract(operation: &Value, other: &Value) -> Value {
    json!({
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"post": operation}, "/b": {"get": other}},
    })
}

/// Entries of the lock are kept against the contract, and dropped if their line is removed.
#[test]
fn what_the_lock_keeps_goes_with_its_line() {
    let done = json!({"204": {"description": "Done"}});
    let schema = |ty: &str| json!({"schema": {"type": ty}});
    let version = json!([{"name": "api-version", "in": "query", "required": true, "schema": {"type": "string"}}]);
    let get = json!({"tags": ["One"], "responses": done});
    let plain = json!({"tags": ["One"], "responses": done});
    let asks = json!({"tags": ["One"], "parameters": version, "responses": done});
    let xml = json!({"application/xml": schema("string")});
    let both = json!({"application/xml": schema("string"), "application/json": schema("integer")});
    let with = |content: &Value, required: Option<bool>| {
        let mut body = json!({"content": content});
        if let Some(required) = required {
            body["required"] = json!(required);
        }
        json!({"tags": ["One"], "requestBody": body, "responses": done})
    };
    let other_tag = json!({"tags": ["Two"], "responses": done});
    // Before, after, and the method with the lock and without it.
    let cases = [
        (
            "another media type",
            contract(&with(&xml, None), &get),
            contract(&with(&both, None), &get),
            "body: &str",
            "body: i64",
        ),
        ("a body", contract(&plain, &get), contract(&with(&both, None), &get), "(self) ->", "body: i64"),
        ("a required body", contract(&plain, &get), contract(&with(&both, Some(true)), &get), "body: i64", "body: i64"),
        (
            "another tag",
            contract(&plain, &get),
            contract(&other_tag, &get),
            "families::one::One::",
            "families::two::Two::",
        ),
        ("the client's version", contract(&asks, &asks), contract(&asks, &get), "(self) ->", "api_version: &str"),
        ("a version in each call", contract(&asks, &get), contract(&asks, &asks), "api_version: &str", "(self) ->"),
    ];
    for (what, before, after, kept, anew) in cases {
        let case = Case { name: what.to_owned(), bytes: Vec::new(), setup: Setup::default() };
        let names = generate(&case, &before, &Names::default()).names;
        for (names, expected) in [(&names, kept), (&Names::default(), anew)] {
            let output = generate(&case, &after, names);
            let index = output.api.index();
            let line = index.lines().find(|line| line.contains("::create_a fn ")).unwrap_or_default();
            assert!(line.contains(expected), "{what}: {line:?} lacks {expected:?}");
            // Once more, with the names of this run: nothing moves.
            let again = generate(&case, &after, &output.names);
            assert_eq!((again.api.index(), &again.names), (index, &output.names), "{what}");
        }
    }
}

/// A name in `[rename]` takes effect in the same run, even if another object had or wants it.
#[test]
fn a_chosen_name_is_given_at_once() {
    let item = |name: &str| {
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        json!({"200": {"description": "One", "content": {"application/json": {"schema": schema}}}})
    };
    let contract = |paths: Value, schemas: &[&str]| {
        let shape =
            |name: &&str| ((*name).to_owned(), json!({"type": "object", "properties": {*name: {"type": "string"}}}));
        let schemas: serde_json::Map<String, Value> = schemas.iter().map(shape).collect();
        json!({"openapi": "3.0.4", "info": {}, "paths": paths, "components": {"schemas": schemas}})
    };
    let one = |name: &str| contract(json!({"/a": {"get": {"responses": item(name)}}}), &[name]);
    let two = json!({"/a": {"get": {"responses": item("thing")}}, "/b": {"get": {"responses": item("Gadget")}}});
    let inline = |path: &str| {
        let body = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let responses = json!({"200": {"description": "One", "content": {"application/json": {"schema": body}}}});
        contract(json!({path: {"get": {"operationId": format!("read{}", &path[1..]), "responses": responses}}}), &[])
    };
    let place = "platform#/paths/~1b/get/responses/200/content/application~1json/schema";
    let gone = contract(json!({"/a": {"get": {"operationId": "one", "responses": {}}}}), &[]);
    let read = |id: &str| json!({"get": {"operationId": id, "responses": {}}});
    let several = contract(json!({"/b": read("one"), "/c": read("other")}), &[]);
    for (what, before, after, key, name, holds) in [
        (
            "a schema",
            one("Thing"),
            one("Gadget"),
            "platform#/components/schemas/Gadget",
            "Thing",
            "types::Thing::gadget ",
        ),
        (
            "two schemas",
            one("Thing"),
            contract(two, &["thing", "Gadget"]),
            "platform#/components/schemas/Gadget",
            "Thing",
            "types::Thing::gadget ",
        ),
        ("an inline type", inline("/a"), inline("/b"), place, "ReadaResponse", "types::ReadaResponse::a "),
        ("an operation", gone, several, "GET /c", "one", "::one fn "),
    ] {
        let mut case = Case { name: what.to_owned(), bytes: Vec::new(), setup: Setup::default() };
        let names = generate(&case, &before, &Names::default()).names;
        case.setup.config.rename.insert(key.to_owned(), name.to_owned());
        let output = generate(&case, &after, &names);
        let (index, unused) = (output.api.index(), &output.unused);
        assert!(unused.is_empty() && index.contains(holds), "{what}: {unused:?}\n{names:#?}\n{index}");
        let given = output.names.types.get(key).or_else(|| output.names.operations.get(key)).unwrap();
        assert_eq!(given.rsplit('.').next(), Some(name), "{what}");
        assert_eq!(generate(&case, &after, &output.names).names, output.names, "{what}");
    }
}

/// The owner that a name is unique in, by the kind of its line.
fn owner<'k>(kind: &str, key: &'k str) -> &'k str {
    match kind {
        "operation" | "type" => "",
        _ => key.rsplit_once('.').map_or(key, |(owner, _)| owner),
    }
}

/// A contract with names of every kind, and the names that it was given.
fn all_kinds() -> (Case, Value, Names) {
    let contract = json!({
        "openapi": "3.0.4",
        "paths": {
            "/items/{id}/stock": {"get": operation("Stock", "page")},
            "/items/{id}/reviews": {"get": operation("Review", "size"), "post": operation("Stock", "page")},
        },
        "components": {"schemas": {
            "Stock": {"type": "object", "properties": {"count": {"type": "integer"}, "place": {"type": "string"}}},
            "Review": {"type": "object", "properties": {"kind": {"type": "string", "enum": ["good", "bad"]}}},
        }}
    });
    let case = Case { name: "doubles".to_owned(), bytes: contract.to_string().into_bytes(), setup: Setup::default() };
    let mut first = generate(&case, &contract, &Names::default()).names;
    // Names that can be derived are not pinned until somebody gives another one.
    for wire in ["count", "place"] {
        first.members.insert(format!("platform#/components/schemas/Stock.{wire}"), format!("the_{wire}"));
    }
    (case, contract, first)
}

/// The names of a kind.
fn of_kind<'n>(kind: &str, names: &'n mut Names) -> &'n mut BTreeMap<String, String> {
    match kind {
        "operation" => &mut names.operations,
        "type" => &mut names.types,
        "member" => &mut names.members,
        _ => &mut names.headers,
    }
}

const KINDS: [&str; 4] = ["header", "member", "operation", "type"];

/// Each pair of keys of one owner, by kind.
fn pairs(names: &Names) -> Vec<(&'static str, String, String)> {
    let mut names = names.clone();
    let mut pairs = Vec::new();
    for kind in KINDS {
        let keys: Vec<String> = of_kind(kind, &mut names).keys().cloned().collect();
        for (index, one) in keys.iter().enumerate() {
            let others = keys[index + 1..].iter().filter(|other| owner(kind, other) == owner(kind, one));
            pairs.extend(others.map(|other| (kind, one.clone(), other.clone())));
        }
        assert!(pairs.iter().any(|(other, ..)| *other == kind), "{kind}");
    }
    pairs
}

/// Fails unless each of the two places is named, and nothing else.
fn refused(case: &Case, contract: &Value, names: &Names, places: [String; 2]) {
    let report = case.with(contract.to_string().as_bytes(), names).expect_err(&format!("{places:?}"));
    let named: Vec<Option<&str>> = report.problems().iter().map(|problem| problem.pointer.as_deref()).collect();
    assert_eq!(named.len(), 2, "{report}");
    assert!(places.iter().all(|place| named.contains(&Some(place))), "{places:?}: {report}");
}

/// Another style renames the operations once; then an addition moves no name.
#[test]
fn the_style_changes_names_and_keeps_the_new_ones() {
    let list = json!({"tags": ["Library"], "responses": {"200": {"description": "", "content": {"application/json": {
        "schema": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}}}}}});
    let contract = json!({"openapi": "3.0.4", "paths": {
        "/api/library/list": {"get": list.clone()},
        "/api/library/{id}": {"delete": list.clone()},
    }});
    let mut grown = contract.clone();
    // The newcomer comes first in the contract, and wants a name that is given.
    grown["paths"]["/api/library"] = json!({"get": list.clone(), "post": list});
    let mut case = Case { name: "style".to_owned(), bytes: Vec::new(), setup: Setup::default() };
    let first = generate(&case, &contract, &Names::default());
    assert_eq!(first.names.operations["GET /api/library/list"], "library.list_library_list");
    case.setup.config =
        toml::from_str("[style]\nversion = 2\n[rename]\n'DELETE /api/library/{id}' = 'forget'").unwrap();
    let second = generate(&case, &contract, &first.names);
    assert_eq!(second.names.operations["GET /api/library/list"], "library.list");
    assert_eq!(second.names.operations["DELETE /api/library/{id}"], "library.forget");
    assert_eq!(second.names.styles["operations"], "2");
    assert_eq!(second.names.types, first.names.types);
    let third = generate(&case, &grown, &second.names);
    kept("style", &second.names.operations, &third.names.operations);
    assert_ne!(third.names.operations["GET /api/library"], "library.list");
    // Back again, as an unchanged client would have been.
    case.setup = Setup::default();
    assert_eq!(generate(&case, &contract, &second.names).names, first.names);
}

/// Each pair of lines of one owner gets one name, for every kind of line: either both lines are named, or one thing is gone.
#[test]
fn no_two_things_have_one_pinned_name() {
    let (case, contract, first) = all_kinds();
    for (kind, one, other) in pairs(&first) {
        let mut names = first.clone();
        let map = of_kind(kind, &mut names);
        let name = map[&one].clone();
        map.insert(other.clone(), name);
        refused(&case, &contract, &names, [&one, &other].map(|key| format!("{kind} {key}")));
    }
    // A line for a removed object blocks no name.
    let mut stale = first.clone();
    stale.operations.insert("GET /gone".to_owned(), first.operations["GET /items/{id}/stock"].clone());
    stale.types.insert("platform#/components/schemas/Gone".to_owned(), "Stock".to_owned());
    assert_eq!(generate(&case, &contract, &stale).names.operations, first.operations);
}

/// `[rename]` chooses a name that another thing has, or chooses one for two: both places are named. Names that are exchanged are
/// two names, and count at once.
#[test]
fn no_two_things_have_one_chosen_name() {
    let (case, contract, first) = all_kinds();
    let place = |key: &str| format!("/rename/{}", key.replace('~', "~0").replace('/', "~1"));
    for (kind, one, other) in pairs(&first) {
        let wish = |key: &str| {
            let name = of_kind(kind, &mut first.clone())[key].clone();
            let plain = name.split(' ').next().unwrap().rsplit('.').next().unwrap();
            plain.to_owned()
        };
        let renamed = |renames: [Option<&str>; 2]| {
            let mut case = Case { name: case.name.clone(), bytes: Vec::new(), setup: Setup::default() };
            let both = [&one, &other].into_iter().zip(renames);
            case.setup.config.rename.extend(both.filter_map(|(key, name)| Some((key.clone(), name?.to_owned()))));
            case
        };
        let (its, chosen) = (wish(&one), if kind == "type" { "Chosen" } else { "chosen" });
        // One branch chose the name, the other has it in its lock; before and after the run that wrote the chosen name.
        let mut written = first.clone();
        let line = of_kind(kind, &mut written)[&one].clone();
        of_kind(kind, &mut written).insert(other.clone(), line);
        for names in [&first, &written] {
            refused(&renamed([None, Some(&its)]), &contract, names, [format!("{kind} {one}"), place(&other)]);
        }
        for names in [&Names::default(), &first] {
            refused(&renamed([Some(chosen), Some(chosen)]), &contract, names, [place(&one), place(&other)]);
        }
        let output = generate(&renamed([Some(&wish(&other)), Some(&its)]), &contract, &first);
        assert!(output.unused.is_empty(), "{kind} {one} {other}: {:?}", output.unused);
    }
}

fn operation(schema: &str, query: &str) -> Value {
    let parameter = |place: &str, name: &str| json!({"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}});
    json!({
        "tags": ["items"],
        "parameters": [parameter("path", "id"), parameter("query", query), parameter("query", "Filter[a]"), parameter("query", "filter-a")],
        "responses": {"200": {
            "description": "OK",
            "headers": {"X-One": {"schema": {"type": "string"}}, "X-Other": {"schema": {"type": "integer"}}},
            "content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}}
        }}
    })
}

/// Schemas that hold each other in circles, and so much that some members stand behind boxes.
fn holding_each_other(random: &mut Random) -> Value {
    let count = 2 + random.below(8);
    let mut contract = json!({"openapi": "3.0.4", "info": {"title": "T", "version": "1"}, "paths": {}});
    for index in 0..count {
        let mut properties = serde_json::Map::new();
        for text in 0..random.below(60) {
            properties.insert(format!("text{text}"), json!({"type": "string"}));
        }
        for other in 0..random.below(5) {
            let target = format!("#/components/schemas/S{}", random.below(count));
            properties.insert(format!("other{other}"), json!({"$ref": target}));
        }
        contract["components"]["schemas"][format!("S{index}")] = json!({"type": "object", "properties": properties});
        answer(&mut contract, &format!("S{index}"));
    }
    contract
}

fn answer(contract: &mut Value, schema: &str) {
    let content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}});
    contract["paths"][format!("/{schema}")] = json!({"get": {"responses": {"200": {"content": content}}}});
}

#[test]
fn no_addition_puts_a_published_member_behind_a_box_or_takes_it_out() {
    let case = Case { name: "boxes".to_owned(), bytes: Vec::new(), setup: Setup::default() };
    let (mut boxed, mut random) = (0, Random::new(3));
    for seed in 0..10 {
        let mut contract = holding_each_other(&mut random);
        let mut latest = generate(&case, &contract, &Names::default());
        for step in 0..3 {
            let schemas = contract["components"]["schemas"].as_object_mut().unwrap();
            let names: Vec<String> = schemas.keys().cloned().collect();
            let mut other = || json!({"$ref": format!("#/components/schemas/{}", names[random.below(names.len())])});
            let newcomer = json!({"type": "object", "properties": {"a": other(), "b": other()}});
            for schema in schemas.values_mut() {
                let leaf = json!({"$ref": "#/components/schemas/Leaf"});
                schema["properties"][format!("a{step}")] = if step == 1 { leaf } else { json!({"type": "string"}) };
            }
            schemas.insert(format!("A{step}"), newcomer);
            schemas.insert("Leaf".to_owned(), json!({"type": "object", "properties": {"a": {"type": "string"}}}));
            answer(&mut contract, &format!("A{step}"));
            let grown = generate(&case, &contract, &latest.names);
            let lines: BTreeSet<String> = grown.api.index().lines().map(str::to_owned).collect();
            let before = latest.api.index();
            let fields: Vec<&str> = before.lines().filter(|line| line.contains(" field ")).collect();
            boxed += fields.iter().filter(|line| line.contains("Box<")).count();
            let lost: Vec<_> = fields.into_iter().filter(|line| !lines.contains(*line)).collect();
            assert!(lost.is_empty(), "{seed}, {step}: {lost:#?}");
            latest = grown;
        }
    }
    assert!(boxed > 100, "{boxed}");
}
