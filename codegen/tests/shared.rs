//! Schemas that are equal become one type in style 2, and stay one.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use driftless_codegen::drift::Sides;
use driftless_codegen::{Contract, NameStyle, Names, Output, Setup, StyleVersion, drift};
use serde_json::{Map, Value, json};

use crate::common::{Case, random::Random};

fn case(version: StyleVersion) -> Case {
    let mut setup = Setup::default();
    setup.config.style = NameStyle { version };
    Case { name: "shared".to_owned(), bytes: Vec::new(), setup }
}

/// The items and the names of the client.
pub(crate) fn outline(contract: &Value, names: &Names) -> Output {
    let outline = case(StyleVersion::Two).outline(contract.to_string().as_bytes(), names);
    outline.unwrap_or_else(|report| panic!("{report}\n{contract}"))
}

pub(crate) fn generate(contract: &Value, names: &Names) -> Output {
    let case = case(StyleVersion::Two);
    case.with(contract.to_string().as_bytes(), names).unwrap_or_else(|report| panic!("{report}\n{contract}"))
}

pub(crate) fn in_style_one(contract: &Value) -> Output {
    case(StyleVersion::One).with(contract.to_string().as_bytes(), &Names::default()).unwrap()
}

pub(crate) fn lines(output: &Output) -> BTreeSet<String> {
    output.api.items.iter().map(driftless_codegen::Item::line).collect()
}

/// A contract whose schemas are all sent and returned by one operation each, by name.
pub(crate) fn contract(schemas: &Value) -> Value {
    let schemas: BTreeMap<&String, &Value> = schemas.as_object().unwrap().iter().collect();
    let mut paths = Map::new();
    for name in schemas.keys() {
        let content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}});
        let operation = json!({
            "operationId": format!("exchange_{name}"),
            "requestBody": {"required": true, "content": content},
            "responses": {"200": {"description": "", "content": content}},
        });
        paths.insert(format!("/{name}"), json!({"post": operation}));
    }
    json!({"openapi": "3.0.4", "paths": paths, "components": {"schemas": schemas}})
}

pub(crate) fn object(members: &Value) -> Value {
    json!({"type": "object", "properties": members})
}

fn ages() -> Value {
    json!({"type": "integer", "enum": [0, 1, 2]})
}

fn books() -> Value {
    contract(&json!({
        "Series": object(&json!({"ageRating": ages(), "title": {"type": "string"}})),
        "Reader": object(&json!({"ageRating": {"type": "integer", "enum": [2, 0, 1]}, "name": {"type": "string"}})),
        "Limit": object(&json!({"ageRating": {
            "type": "integer", "enum": [0, 1, 2], "x-enum-varnames": ["Everyone", "Teen", "Adult"],
        }})),
        "BookTag": object(&json!({"text": {"type": "string"}, "next": {"$ref": "#/components/schemas/BookTag"}})),
        "PageTag": object(&json!({"text": {"type": "string"}, "next": {"$ref": "#/components/schemas/PageTag"}})),
        "Named": object(&json!({"id": {"type": "string"}, "name": {"type": "string"}})),
        "Owner": object(&json!({"id": {"type": "string"}, "name": {"type": "string"}})),
    }))
}

#[test]
fn equal_schemas_are_one_type_and_its_other_names_are_aliases() {
    let output = generate(&books(), &Names::default());
    let lines = lines(&output);
    for line in [
        "types::AgeRating enum Clone Copy Debug PartialEq Eq Hash",
        // The names of one list of values are those of all.
        "types::AgeRating::Everyone variant",
        "types::Series::age_rating field Option<types::AgeRating>",
        "types::Reader::age_rating field Option<types::AgeRating>",
        "types::Limit::age_rating field Option<types::AgeRating>",
        // Two recursive types that differ in their names alone.
        "types::Tag struct Clone Debug Default PartialEq",
        "types::Tag::next field Option<Box<types::Tag>>",
        "types::BookTag type types::Tag",
        "types::PageTag type types::Tag",
        // Equal by accident: the contract calls one an owner.
        "types::Named struct Clone Debug Default PartialEq",
        "types::Owner struct Clone Debug Default PartialEq",
    ] {
        assert!(lines.contains(line), "{line}\n{}", output.api.index());
    }
    let again = generate(&books(), &output.names);
    assert_eq!(again.names, output.names);
    assert_eq!(again.files, output.files);
    assert_eq!(again.ledger, output.ledger);
}

/// A client of style 1 keeps each name of a type, as an alias.
#[test]
fn the_names_of_an_existing_client_stay() {
    let first = in_style_one(&books());
    let second = generate(&books(), &first.names);
    let named = |output: &Output| -> BTreeSet<String> {
        let is_type = |kind: &str| matches!(kind, "struct" | "enum" | "type");
        output.api.items.iter().filter(|item| is_type(item.kind)).map(|item| item.path.clone()).collect()
    };
    assert!(named(&second).is_superset(&named(&first)), "{:?}", named(&first).difference(&named(&second)));
    assert!(lines(&second).iter().any(|line| line.starts_with("types::SeriesAgeRating type ")));
    assert_eq!(generate(&books(), &second.names).names, second.names);
    let back = case(StyleVersion::One).with(books().to_string().as_bytes(), &second.names).unwrap();
    assert_eq!(back.names, first.names);
}

/// Additions to one of several equal schemas, one after the other: no item of the client before changes.
#[test]
fn a_shared_type_grows_with_each_of_its_schemas() {
    let mut contract = books();
    let mut before = generate(&contract, &Names::default());
    let added = |place: &str, value: Value| (place.to_owned(), value);
    let text = || json!({"type": "string"});
    for (place, value) in [
        added("/components/schemas/BookTag/properties/color", text()),
        added("/components/schemas/PageTag/properties/size", json!({"type": "integer"})),
        // Now both have it.
        added("/components/schemas/PageTag/properties/color", text()),
        added("/components/schemas/BookTag/properties/kind", json!({"type": "string", "enum": ["a", "b"]})),
        added("/components/schemas/Series/properties/ageRating/enum/3", json!(3)),
        added("/components/schemas/Reader/properties/ageRating/enum/3", json!(4)),
        added("/components/schemas/Other", object(&json!({"ageRating": ages()}))),
        added("/components/schemas/PageTag/properties/kind", json!({"type": "string", "enum": ["a", "b"]})),
        // Two types that programs have become equal, and stay two.
        added("/components/schemas/Owner/properties/text", text()),
        added("/components/schemas/Named/properties/text", text()),
    ] {
        let (parent, last) = place.rsplit_once('/').unwrap();
        match contract.pointer_mut(parent).unwrap() {
            Value::Array(list) => list.push(value),
            other => other[last] = value,
        }
        let after = generate(&contract, &before.names);
        let lost: Vec<_> = lines(&before).difference(&lines(&after)).cloned().collect();
        assert!(lost.is_empty(), "{place}: {lost:?}");
        assert_eq!(generate(&contract, &after.names).files, after.files, "{place}");
        before = after;
    }
    assert_eq!(
        lines(&before).iter().filter(|line| line.starts_with("types::Tag::size field")).collect::<Vec<_>>(),
        ["types::Tag::size field Option<i64>"]
    );
    assert!(lines(&before).contains("types::AgeRating::Value4 variant"));
}

#[test]
fn schemas_that_contradict_each_other_become_two_types() {
    let mut contract = books();
    let first = generate(&contract, &Names::default());
    contract["components"]["schemas"]["PageTag"]["properties"]["text"] = json!({"type": "integer"});
    let second = generate(&contract, &first.names);
    let lines = lines(&second);
    assert!(lines.contains("types::Tag::text field Option<String>"), "{}", second.api.index());
    assert!(lines.iter().any(|line| line.starts_with("types::PageTag::text field Option<i")), "{}", second.api.index());
    assert!(lines.contains("types::BookTag type types::Tag"));
    assert_eq!(generate(&contract, &second.names).files, second.files);
    // The drift report explains each item that is another one.
    let [old, new] = [books(), contract].map(|contract| contract.to_string());
    let [old, new] = [&old, &new].map(|text| [Contract { name: "platform", bytes: text.as_bytes() }]);
    let mut drift = drift::compare(Sides { before: &old, after: &new }, "2026-01-01").unwrap();
    drift.with_items(Sides { before: &first.api, after: &second.api });
    let unexplained: Vec<String> = drift.unexplained.iter().flatten().map(drift::ItemChange::says).collect();
    assert_eq!(unexplained, Vec::<String>::new(), "{:#?}", drift.findings);
}

/// The shared name outlives the schema that it came from.
#[test]
fn the_name_of_a_shared_type_outlives_its_first_schema() {
    let contract = books();
    let first = generate(&contract, &Names::default());
    for gone in ["BookTag", "PageTag", "Limit", "Series"] {
        let mut less = contract.clone();
        less["components"]["schemas"].as_object_mut().unwrap().remove(gone);
        less["paths"].as_object_mut().unwrap().remove(&format!("/{gone}"));
        let second = generate(&less, &first.names);
        for name in
            ["types::Tag struct", "types::AgeRating enum", "types::Reader::age_rating field Option<types::AgeRating>"]
        {
            assert!(lines(&second).iter().any(|line| line.starts_with(name)), "{gone}: {name}\n{}", second.api.index());
        }
        assert_eq!(generate(&less, &second.names).names, second.names);
    }
}

/// The extension of AutoRest names an enumeration and its values; a client of style 1 keeps the names that it has.
#[test]
fn extensions_name_enumerations_and_their_values() {
    let kind = json!({"type": "integer", "enum": [1, 2], "x-ms-enum": {"name": "record-kind", "values": [
        {"value": 2, "name": "Second", "description": "The second."}, {"value": 1, "name": "First"},
    ]}});
    let contract = contract(&json!({
        "Zone": object(&json!({"kind": kind, "size": {"type": "integer", "enum": [1, 2, 3], "x-speakeasy-enums": ["Small", "Middle", "Large"]}})),
        "Other": object(&json!({"its": kind, "size": {"type": "string"}})),
    }));
    let output = generate(&contract, &Names::default());
    for line in [
        "types::RecordKind::First variant",
        "types::RecordKind::Second variant",
        "types::Other::its field Option<types::RecordKind>",
        "types::ZoneSize::Middle variant",
    ] {
        assert!(lines(&output).contains(line), "{line}\n{}", output.api.index());
    }
    let first = in_style_one(&contract);
    let second = generate(&contract, &first.names);
    assert!(lines(&second).contains("types::ZoneSize::Value2 variant"), "{}", second.api.index());
    assert_eq!(generate(&contract, &second.names).names, second.names);
}

/// Equality as the contract defines it: two schemas are equal if no difference is found on any way from them, by the definition of
/// a greatest fixed point, without classes or hashes.
fn equal<'v>(root: &'v Value, one: &'v Value, other: &'v Value, assumed: &mut HashSet<(usize, usize)>) -> bool {
    let target = |schema: &'v Value| match schema["$ref"].as_str() {
        Some(name) => root.pointer(&name[1..]).unwrap(),
        None => schema,
    };
    let may_be_null = |schema: &'v Value| {
        [schema, target(schema)].into_iter().any(|schema| schema["nullable"].as_bool().unwrap_or_default())
    };
    if may_be_null(one) != may_be_null(other) {
        return false;
    }
    let (one, other) = (target(one), target(other));
    if !assumed.insert((std::ptr::from_ref(one) as usize, std::ptr::from_ref(other) as usize)) {
        return true;
    }
    let flag = |schema: &Value, name: &str| schema[name].as_bool().unwrap_or_default();
    let set = |schema: &Value, name: &str| -> BTreeSet<String> {
        schema[name].as_array().into_iter().flatten().map(ToString::to_string).collect()
    };
    let (empty, none) = (Map::new(), Value::Null);
    let members = |schema: &'v Value| schema["properties"].as_object();
    let (ours, theirs) = (members(one).unwrap_or(&empty), members(other).unwrap_or(&empty));
    let same_keys = ours.keys().collect::<BTreeSet<_>>() == theirs.keys().collect::<BTreeSet<_>>();
    let parts = |schema: &'v Value, name: &str| schema.get(name).filter(|part| part.is_object());
    let both = |name: &str, assumed: &mut HashSet<(usize, usize)>| match (parts(one, name), parts(other, name)) {
        (Some(one), Some(other)) => equal(root, one, other, assumed),
        (one, other) => one.is_none() && other.is_none(),
    };
    same_keys
        && ["type", "format"].iter().all(|name| one.get(name).unwrap_or(&none) == other.get(name).unwrap_or(&none))
        && ["readOnly", "writeOnly"].iter().all(|name| flag(one, name) == flag(other, name))
        && ["enum", "required"].iter().all(|name| set(one, name) == set(other, name))
        && both("items", assumed)
        && both("additionalProperties", assumed)
        && ours.iter().all(|(name, schema)| theirs.get(name).is_some_and(|other| equal(root, schema, other, assumed)))
}

/// Graphs of components with few shapes, so that many are equal, and each ends in the same word.
fn graph(random: &mut Random) -> Value {
    let count = 2 + random.below(4);
    let reference =
        |random: &mut Random| json!({"$ref": format!("#/components/schemas/N{}Thing", random.below(count))});
    let mut schemas = Map::new();
    for index in 0..count {
        let mut members = Map::new();
        for name in ["a", "b", "c"].into_iter().take(1 + random.below(3)) {
            let member = match random.below(8) {
                0 => json!({"type": "string"}),
                1 => json!({"type": "integer", "format": "int64"}),
                2 => json!({"type": "array", "items": reference(random)}),
                3 => json!({"type": "object", "additionalProperties": reference(random)}),
                4 => json!({"type": "string", "enum": ["x", "y"]}),
                _ => reference(random),
            };
            members.insert(name.to_owned(), member);
        }
        let mut schema = json!({"type": "object", "properties": members, "description": format!("Number {index}.")});
        if random.below(2) == 0 {
            schema["required"] = json!(["a"]);
        }
        schemas.insert(format!("N{index}Thing"), schema);
    }
    // Some have a twin, which names the twins of others; some twins differ in one attribute.
    for index in 0..count {
        let text = schemas[&format!("N{index}Thing")].to_string();
        let mut twin: Value = serde_json::from_str(&text.replace("schemas/N", "schemas/C")).unwrap();
        match random.below(30) {
            0 => twin["properties"]["a"]["nullable"] = json!(true),
            1 => twin["properties"]["a"] = json!({"type": "string", "readOnly": true}),
            2 => twin["properties"]["a"] = json!({"type": "string", "writeOnly": true}),
            3 => twin["properties"]["a"] = json!({"type": "string", "format": "uuid"}),
            4 => twin["required"] = json!([]),
            5 => twin["additionalProperties"] = json!({"type": "string"}),
            6 => twin["properties"]["a"] = json!({"type": "string", "enum": ["y", "x"]}),
            7 => twin["properties"]["a"] = json!({"type": "string", "enum": ["x", "z"]}),
            8 => twin["properties"]["z"] = json!({"type": "string"}),
            _ => twin["title"] = json!("Another"),
        }
        schemas.insert(format!("C{index}Thing"), twin);
    }
    contract(&Value::Object(schemas))
}

/// In responses, a member that may be null is present like one that may be left out.
#[test]
fn schemas_that_only_responses_make_equal_stay_one_type() {
    let members = |nullable: bool| {
        let text = json!({"type": "string", "nullable": nullable});
        json!({"type": "object", "properties": {"code": text, "name": text, "word": text}})
    };
    let names = ["CountryThing", "PlaceThing"];
    let path = |name: &str| {
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        let answer = json!({"200": {"description": "", "content": {"application/json": {"schema": schema}}}});
        (format!("/{name}"), json!({"get": {"tags": ["Shop"], "responses": answer}}))
    };
    let paths: Map<String, Value> = names.into_iter().map(path).collect();
    let schemas = json!({"CountryThing": members(true), "PlaceThing": members(false)});
    let contract = json!({"openapi": "3.0.4", "paths": paths, "components": {"schemas": schemas}});
    let first = generate(&contract, &Names::default());
    assert_eq!(first.names.shared.len(), 1, "{:?}", first.names.shared);
    let second = generate(&contract, &first.names);
    assert_eq!(lines(&first), lines(&second));
    assert_eq!(first.names, second.names);
}

/// Alternatives of one kind have one place in the contract; each has names of its own for its values and members.
#[test]
fn alternatives_of_one_kind_keep_their_names() {
    let values = |values: Value| json!({"type": "string", "enum": values});
    let object = |name: &str, other: &str| json!({"type": "object", "required": [name], "properties": {name: {"type": "string"}, other: {"type": "integer"}}});
    let contract = contract(&json!({"NumberThing": {"type": "object", "properties": {
        "used": {"anyOf": [{"type": "number"}, values(json!(["NaN"])), values(json!(["Infinity"])), values(json!(["-Infinity"])),
            values(json!(["Infinity", "-Infinity", "NaN"]))]},
        "part": {"anyOf": [object("a-b", "a_b"), object("a_b", "a.b"), object("a.b", "a-b")]},
    }}}));
    let first = generate(&contract, &Names::default());
    let second = generate(&contract, &first.names);
    assert_eq!(first.files, second.files);
    assert_eq!(first.names, second.names);
}

/// Components become one type exactly if the judge finds no difference. A form that leaves out one attribute (the presence, a name, a
/// part, the type) makes one of two that differ; one that adds documentation or a name of a schema keeps two that are equal.
#[test]
fn components_of_one_role_are_one_type_exactly_if_they_are_equal() {
    let mut random = Random(28);
    let (mut one, mut two) = (0, 0);
    for _ in 0..60 {
        let contract = graph(&mut random);
        let output = generate(&contract, &Names::default());
        let schemas = contract["components"]["schemas"].as_object().unwrap();
        let shared: BTreeMap<&String, String> = schemas
            .keys()
            .map(|name| {
                let key = format!("platform#/components/schemas/{name}");
                let own = output.names.types.get(&key);
                (name, output.names.shared.get(&key).or(own).cloned().unwrap())
            })
            .collect();
        for (name, schema) in schemas {
            for (other, second) in schemas.iter().filter(|(other, _)| name < *other) {
                let is_equal = equal(&contract, schema, second, &mut HashSet::new());
                assert_eq!(shared[name] == shared[other], is_equal, "{name} and {other} of {contract:#}");
                if is_equal { one += 1 } else { two += 1 }
            }
        }
    }
    assert!(one > 100 && two > 100, "{one} and {two}");
}

/// A program can leave out the features of all families but one: a type names no type of another family.
#[test]
fn a_shared_type_is_compiled_with_each_type_that_names_it() {
    let tree = json!({"type": "object", "required": ["sha"], "properties": {"sha": {"type": "string"}, "url": {"type": "string"}}});
    let answer = |name: &str, schema: Value| {
        let content = json!({"application/json": {"schema": schema}});
        let get = json!({"tags": [name], "operationId": format!("get_{name}"), "responses": {"200": {"description": "", "content": content}}});
        (format!("/{name}"), json!({"get": get}))
    };
    let commit = || json!({"$ref": "#/components/schemas/Commit"});
    let paths: Map<String, Value> = [
        answer("commits", commit()),
        answer("repositories", object(&json!({"last": commit()}))),
        answer("trees", json!({"$ref": "#/components/schemas/Tree"})),
    ]
    .into_iter()
    .collect();
    let schemas = json!({"Commit": object(&json!({"message": {"type": "string"}, "tree": tree})), "Tree": tree});
    let output =
        generate(&json!({"openapi": "3.0.4", "paths": paths, "components": {"schemas": schemas}}), &Names::default());
    let files = output.files.iter().filter_map(|(path, text)| Some((path.strip_prefix("types/")?, text)));
    let files: BTreeMap<&str, &String> = files.filter(|(file, _)| *file != "mod.rs").collect();
    let defined = |file: &str, name: &str| {
        let text = files.get(file).map_or("", |text| text.as_str());
        ["struct", "enum", "type"].iter().any(|kind| {
            text.lines().any(|line| {
                line.strip_prefix(&format!("pub {kind} {name}"))
                    .is_some_and(|rest| rest.starts_with([' ', ';', '<', '(']))
            })
        })
    };
    assert!(defined("shared_.rs", "Commit"));
    for (file, text) in &files {
        for named in text.split("super::").skip(1) {
            let name: String = named.chars().take_while(char::is_ascii_alphanumeric).collect();
            assert!(defined(file, &name) || defined("shared_.rs", &name), "{file} names {name}:\n{text}");
        }
    }
}
