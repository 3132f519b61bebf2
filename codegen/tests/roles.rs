//! Schemas that are equal in form become one type if their role is the same: the role of inline objects with few members, and of errors.

use std::collections::BTreeSet;

use driftless_codegen::{Names, Output};
use serde_json::{Map, Value, json};

use crate::shared::{contract, in_style_one, lines, object, outline};

/// A contract with an operation for each object, by path: `(path, sent, returned)`.
fn exchanges(all: &[(&str, Option<Value>, Option<Value>)]) -> Value {
    let content = |schema: &Value| json!({"application/json": {"schema": schema}});
    let mut paths = Map::new();
    let mut all: Vec<_> = all.iter().collect();
    all.sort_by_key(|(path, ..)| *path);
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
        ("h", Some(content()), None),
    ];
    let contract = exchanges(&all);
    let output = outline(&contract, &Names::default());
    let structs = structs(&output);
    // One that only comes back has the name of its place, and so has that of the one place which has it in both directions.
    let expected = ["ContentRequest", "D", "Label", "NameAndRank", "PostCResponse"];
    assert_eq!(structs, expected.map(str::to_owned).into());
    // Another one gets the type, and what programs have stays.
    let more: Vec<_> = all.into_iter().chain([("f", Some(label()), None), ("g", Some(pair()), None)]).collect();
    let after = outline(&exchanges(&more), &output.names);
    assert!(lines(&after).is_superset(&lines(&output)), "{}", after.api.index());
    assert_eq!(self::structs(&after).len(), 6, "{:?}", self::structs(&after));
    assert_eq!(outline(&exchanges(&more), &after.names).names, after.names);
}

/// A client that has a type for each of them keeps them: `specs/names.lock` names no shared type.
#[test]
fn types_that_programs_have_stay_although_they_are_equal() {
    let apart =
        |size: &str| json!({"type": "object", "properties": {"label": {"type": "string"}, "size": {"type": size}}});
    let contract = exchanges(&[("a", Some(apart("string")), None), ("b", Some(apart("integer")), None)]);
    let before = outline(&contract, &Names::default());
    let contract = exchanges(&[("a", Some(apart("string")), None), ("b", Some(apart("string")), None)]);
    let after = outline(&contract, &before.names);
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
    let before = outline(&contract, &Names::default());
    assert_eq!(structs(&before), BTreeSet::from(["Tree".to_owned()]));
    contract["components"]["schemas"]["House"] = three();
    contract["paths"]["/three"] = contract["paths"]["/one"].clone();
    contract["paths"]["/three"]["post"]["responses"]["200"]["content"]["application/json"]["schema"] =
        json!({"$ref": "#/components/schemas/House"});
    let after = outline(&contract, &before.names);
    assert!(lines(&after).is_superset(&lines(&before)), "{}", after.api.index());
    assert_eq!(outline(&contract, &after.names).names, after.names);
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
    let before = outline(&all(""), &Names::default());
    assert_eq!(structs(&before), BTreeSet::from(["Label".to_owned()]));
    for changed in ["a", "b", "c", "d"] {
        let after = outline(&all(changed), &before.names);
        let others: Vec<String> = lines(&before).difference(&lines(&after)).cloned().collect();
        assert!(others.iter().all(|line| line.contains(&format!("families::{changed}::"))), "{changed}: {others:?}");
        assert_eq!(structs(&after).len(), 2, "{changed}: {:?}", structs(&after));
        assert_eq!(outline(&all(changed), &after.names).names, after.names, "{changed}");
    }
}

/// Errors with the same members share a type. Another schema with these members keeps its own.
#[test]
fn errors_of_one_form_are_one_type() {
    let schemas =
        ["MissingRoleException", "BusyException", "Remark"].map(|name| (name.to_owned(), texts(&["message"])));
    let output = outline(&contract(&Value::Object(schemas.into_iter().collect())), &Names::default());
    let lines = lines(&output);
    for line in ["types::MissingRoleException type types::Exception", "types::BusyException type types::Exception"] {
        assert!(lines.contains(line), "{line}\n{}", output.api.index());
    }
    assert_eq!(structs(&output), BTreeSet::from(["Exception".to_owned(), "Remark".to_owned()]));
}

/// No error is another name of one that is about something else, neither in a new client nor in one that has some of them.
#[test]
fn an_error_is_no_other_name_of_another_one() {
    let contract = |errors: &[&str], error: &[&str]| {
        let all = errors.iter().map(|name| (*name, texts(&["message"]))).chain([("Error", texts(error))]);
        contract(&Value::Object(all.map(|(name, schema)| (name.to_owned(), schema)).collect()))
    };
    let aliases = |output: &Output| -> BTreeSet<String> {
        let targets = lines(output).into_iter().filter_map(|line| Some(line.split_once(" type types::")?.1.to_owned()));
        targets.collect()
    };
    for (error, shared) in [(&["message"], "Error"), (&["code"], "Error2")] {
        let fresh = outline(&contract(&["FoundError", "NotFoundError"], error), &Names::default());
        assert_eq!(aliases(&fresh), BTreeSet::from([shared.to_owned()]), "{}", fresh.api.index());
        let fresh = contract(&["FoundError", "NotFoundError", "AError", "ZError"], error);
        assert_eq!(aliases(&outline(&fresh, &Names::default())), BTreeSet::from([shared.to_owned()]));
    }
    // Nor in a client that had style 1: its names stay.
    let errors = contract(&["FoundError", "NotFoundError"], &["code"]);
    let second = outline(&errors, &in_style_one(&errors).names);
    assert_eq!(aliases(&second), BTreeSet::from(["Error2".to_owned()]), "{}", second.api.index());
    assert_eq!(outline(&errors, &second.names).names, second.names);
    let before = outline(&contract(&["BillingError"], &["code"]), &Names::default());
    for newcomer in ["AError", "ZError"] {
        let more = contract(&["BillingError", newcomer], &["code"]);
        let after = outline(&more, &before.names);
        assert_eq!((aliases(&after).len(), structs(&after).len()), (0, 3), "{}", after.api.index());
        assert_eq!(outline(&more, &after.names).names, after.names);
        // Another one gets the type of those that are one.
        let first = outline(&contract(&["MError", "NError"], &["code"]), &Names::default());
        let after = outline(&contract(&["MError", "NError", newcomer], &["code"]), &first.names);
        assert_eq!((aliases(&after), structs(&after)), (BTreeSet::from(["Error2".to_owned()]), structs(&first)));
    }
}

/// The names of the types at a path of a contract of [`exchanges`].
fn schema_of(output: &Output, path: &str) -> BTreeSet<String> {
    let keys = output.names.shared.iter().chain(&output.names.types);
    keys.filter(|(key, _)| key.contains(&format!("~1{path}/"))).map(|(_, name)| name.clone()).collect()
}

/// A type that is sent and returned is neither a request nor a response, whichever of its operations is the first.
#[test]
fn a_type_of_both_directions_is_called_after_none() {
    let data =
        json!({"type": "object", "required": ["data"], "properties": {"data": {"$ref": "#/components/schemas/Order"}}});
    for schema in [data, texts(&["a", "b", "c"])] {
        for (sent, returned) in [("a", "b"), ("b", "a")] {
            let mut contract = exchanges(&[(sent, Some(schema.clone()), None), (returned, None, Some(schema.clone()))]);
            contract["components"] = json!({"schemas": {"Order": texts(&["id"])}});
            let output = outline(&contract, &Names::default());
            let name = schema_of(&output, sent);
            assert_eq!((name.len(), &name), (1, &schema_of(&output, returned)), "{sent}");
            assert!(name.iter().all(|name| !name.ends_with("Request") && !name.ends_with("Response")), "{name:?}");
            assert_eq!(outline(&contract, &output.names).names, output.names);
        }
    }
}

/// The type of small inline objects does not depend on the other objects that are equal, nor on which of them is the first.
#[test]
fn small_inline_objects_are_one_type_in_any_order() {
    let data = || texts(&["data"]);
    let holder = || json!({"$ref": "#/components/schemas/Holder"});
    let all = |more: &[(&str, Option<Value>, Option<Value>)]| {
        let two = [("b", None, Some(data())), ("c", None, Some(data()))];
        let mut contract = exchanges(&[&two, more].concat());
        contract["components"] = json!({"schemas": {"Holder": object(&json!({"inside": data()}))}});
        contract
    };
    let before = outline(&all(&[]), &Names::default());
    assert_eq!(schema_of(&before, "b"), schema_of(&before, "c"));
    for place in ["a", "z"] {
        // One that is sent and returned has a type of its own, and so has one that is only sent.
        for other in [(place, Some(holder()), Some(holder())), (place, Some(data()), None)] {
            for newcomer in ["aa", "y"] {
                for names in [&Names::default(), &before.names] {
                    let contract = all(&[other.clone(), (newcomer, None, Some(data()))]);
                    let output = outline(&contract, names);
                    for path in ["b", "c", newcomer] {
                        assert_eq!(schema_of(&output, path), BTreeSet::from(["DataResponse".to_owned()]), "{place}");
                    }
                    assert_ne!(schema_of(&output, place), schema_of(&output, "b"));
                    assert_eq!(outline(&contract, &output.names).names, output.names);
                }
            }
        }
    }
}

/// An equal object gets the type that programs know, whatever the name of that is.
#[test]
fn an_inline_object_gets_the_shared_type_that_it_is_equal_to() {
    let label = || texts(&["label"]);
    let sized = || texts(&["label", "size"]);
    let reference = |name: &str| Some(json!({"$ref": format!("#/components/schemas/{name}")}));
    let with = |schemas: Value, all: &[(&str, Option<Value>, Option<Value>)]| {
        let mut contract = exchanges(all);
        contract["components"] = json!({"schemas": schemas});
        contract
    };
    let holders = || json!({"Ink": object(&json!({"red": label()})), "Pen": object(&json!({"thick": label()}))});
    let two = || vec![("k", Some(label()), None), ("m", Some(label()), None)];
    let bodies = || vec![("k", reference("Ink"), None), ("m", reference("Pen"), None)];
    let taken = || json!({"Label": texts(&["other"])});
    let with_taken = |mut all: Vec<_>| {
        all.push(("taken", reference("Label"), None));
        with(taken(), &all)
    };
    let grown = |mut all: Vec<_>| {
        all[0] = ("k", Some(sized()), None);
        with(json!({}), &all)
    };
    let returned = |mut all: Vec<_>| {
        all.push(("n", None, reference("Ink")));
        with(holders(), &all)
    };
    // A component has the name of its members; the type gained a member; one of its schemas is returned now.
    let plain = |all: Vec<_>| with(json!({}), &all);
    for newcomer in ["a", "z"] {
        let more = |mut all: Vec<(&'static str, _, _)>, schema: Value| {
            all.push((newcomer, Some(schema), None));
            all
        };
        for (first, second, third) in [
            (with_taken(two()), with_taken(two()), with_taken(more(two(), label()))),
            (plain(two()), grown(two()), grown(more(two(), sized()))),
            (with(holders(), &bodies()), returned(bodies()), returned(more(bodies(), label()))),
        ] {
            let before = outline(&second, &outline(&first, &Names::default()).names);
            let after = outline(&third, &before.names);
            assert_eq!(structs(&after), structs(&before), "{third}");
            assert!(lines(&after).is_superset(&lines(&before)), "{}", after.api.index());
            assert_eq!(outline(&third, &after.names).names, after.names);
        }
    }
}

/// A schema keeps the name that the contract gave it when it grows apart from others that have its type.
#[test]
fn a_name_of_the_contract_stays_with_its_schema() {
    let tags = |id: &str, more: &[&str]| {
        let names = ["Tag", "CreateTag", "TagDto"].iter().chain(more);
        let mut schemas: Map<String, Value> =
            names.map(|name| ((*name).to_owned(), texts(&["id", "text", "color"]))).collect();
        schemas["Tag"]["properties"]["id"] = json!({"type": id});
        contract(&Value::Object(schemas))
    };
    let before = outline(&tags("string", &[]), &Names::default());
    assert_eq!(structs(&before), BTreeSet::from(["Tag".to_owned()]));
    for more in [&[][..], &["ATag"], &["ZTag"]] {
        let changed = tags("integer", more);
        let after = outline(&changed, &before.names);
        let lines = lines(&after);
        assert!(lines.contains("types::Tag::id field Option<i64>"), "{}", after.api.index());
        assert!(lines.contains("types::TagDto::id field Option<String>"), "{}", after.api.index());
        assert!(lines.contains("types::CreateTag type types::TagDto"), "{}", after.api.index());
        assert_eq!(structs(&after).len(), 2, "{}", after.api.index());
        assert_eq!(outline(&changed, &after.names).names, after.names);
    }
}
