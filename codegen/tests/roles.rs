//! Schemas that are equal in form become one type if their role is the same: the role of inline objects with few members, and of errors.

use std::collections::BTreeSet;

use driftless_codegen::{Names, Output};
use serde_json::{Map, Value, json};

use crate::shared::{contract, generate, lines, object};

/// A contract with an operation for each object: `(path, sent, returned)`.
fn exchanges(all: &[(&str, Option<Value>, Option<Value>)]) -> Value {
    let content = |schema: &Value| json!({"application/json": {"schema": schema}});
    let mut paths = Map::new();
    for (path, sent, returned) in all {
        let mut operation = json!({"responses": {"200": {"description": ""}}});
        if let Some(schema) = sent {
            operation["requestBody"] = json!({"required": true, "content": content(schema)});
        }
        if let Some(schema) = returned {
            operation["responses"]["200"]["content"] = content(schema);
        }
        paths.insert(format!("/{path}"), json!({"post": operation}));
    }
    json!({"openapi": "3.0.4", "paths": paths})
}

fn texts(names: &[&str]) -> Value {
    let members: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    object(&Value::Object(members))
}

fn structs(output: &Output) -> BTreeSet<String> {
    let structs = output.api.items.iter().filter(|item| item.kind == "struct" && item.path.starts_with("types::"));
    structs.map(|item| item.path.replace("types::", "")).collect()
}

/// Few members may be equal by accident: inline objects are one type if they go in one direction, and it is called after its members.
#[test]
fn inline_objects_with_few_members_are_called_after_them() {
    let label = || texts(&["label"]);
    let pair = || texts(&["name", "rank"]);
    let content = || texts(&["content"]);
    let all = [
        ("a", Some(label()), Some(pair())),
        ("b", Some(label()), Some(pair())),
        ("c", None, Some(label())),
        ("d", Some(content()), Some(content())),
        ("e", Some(content()), None),
    ];
    let contract = exchanges(&all);
    let output = generate(&contract, &Names::default());
    let structs = structs(&output);
    let expected = ["ContentRequest", "Label", "NameAndRank"];
    assert!(expected.iter().all(|name| structs.contains(*name)), "{structs:?}");
    // The one that comes back has a type of its own, whose name is that of its place.
    assert_eq!(structs.len(), 5, "{structs:?}");
    // Another one gets the type, and what programs have stays.
    let more: Vec<_> = all.into_iter().chain([("f", Some(label()), None), ("g", Some(pair()), None)]).collect();
    let after = generate(&exchanges(&more), &output.names);
    assert!(lines(&after).is_superset(&lines(&output)), "{}", after.api.index());
    assert_eq!(self::structs(&after).len(), 6, "{:?}", self::structs(&after));
    assert_eq!(generate(&exchanges(&more), &after.names).names, after.names);
}

/// A client that has a type for each of them keeps them: `specs/names.lock` names no shared type.
#[test]
fn types_that_programs_have_stay_although_they_are_equal() {
    let apart =
        |size: &str| json!({"type": "object", "properties": {"label": {"type": "string"}, "size": {"type": size}}});
    let contract = exchanges(&[("a", Some(apart("string")), None), ("b", Some(apart("integer")), None)]);
    let before = generate(&contract, &Names::default());
    let contract = exchanges(&[("a", Some(apart("string")), None), ("b", Some(apart("string")), None)]);
    let after = generate(&contract, &before.names);
    assert_eq!(structs(&after), structs(&before));
    assert!(after.names.shared.is_empty());
}

/// An inline object joined the only schema that was equal to it. It stays when a second one is equal.
#[test]
fn an_inline_object_stays_with_its_schema() {
    let three = || texts(&["a", "b", "c"]);
    let mut contract =
        exchanges(&[("one", None, Some(json!({"$ref": "#/components/schemas/Tree"}))), ("two", None, Some(three()))]);
    contract["components"] = json!({"schemas": {"Tree": three()}});
    let before = generate(&contract, &Names::default());
    assert_eq!(structs(&before), BTreeSet::from(["Tree".to_owned()]));
    contract["components"]["schemas"]["House"] = three();
    contract["paths"]["/three"] = contract["paths"]["/one"].clone();
    contract["paths"]["/three"]["post"]["responses"]["200"]["content"]["application/json"]["schema"] =
        json!({"$ref": "#/components/schemas/House"});
    let after = generate(&contract, &before.names);
    assert!(lines(&after).is_superset(&lines(&before)), "{}", after.api.index());
    assert_eq!(generate(&contract, &after.names).names, after.names);
}

/// One of several schemas becomes another type: the others keep theirs, whichever it is, and their calls do not change.
#[test]
fn a_shared_type_stays_with_most_of_its_schemas() {
    let all = |changed: &str| {
        let schema = |path: &str| match path == changed {
            true => json!({"type": "object", "properties": {"label": {"type": "integer"}}}),
            false => texts(&["label"]),
        };
        exchanges(&["a", "b", "c", "d"].map(|path| (path, Some(schema(path)), None)))
    };
    let before = generate(&all(""), &Names::default());
    assert_eq!(structs(&before), BTreeSet::from(["Label".to_owned()]));
    for changed in ["a", "b", "c", "d"] {
        let after = generate(&all(changed), &before.names);
        let others: Vec<String> = lines(&before).difference(&lines(&after)).cloned().collect();
        assert!(others.iter().all(|line| line.contains(&format!("families::{changed}::"))), "{changed}: {others:?}");
        assert_eq!(structs(&after).len(), 2, "{changed}: {:?}", structs(&after));
        assert_eq!(generate(&all(changed), &after.names).names, after.names, "{changed}");
    }
}

/// Errors of one form are one type, whatever they are about; a schema that is no error is another one.
#[test]
fn errors_of_one_form_are_one_type() {
    let schemas =
        ["MissingRoleException", "BusyException", "Remark"].map(|name| (name.to_owned(), texts(&["message"])));
    let output = generate(&contract(&Value::Object(schemas.into_iter().collect())), &Names::default());
    let lines = lines(&output);
    for line in ["types::MissingRoleException type types::Exception", "types::BusyException type types::Exception"] {
        assert!(lines.contains(line), "{line}\n{}", output.api.index());
    }
    assert_eq!(structs(&output), BTreeSet::from(["Exception".to_owned(), "Remark".to_owned()]));
}
