//! Whatever is wrong with a contract: no panic, and either a client or a problem with a code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Case, Random, published};
use platform_codegen::{Names, load};
use serde_json::{Value, json};

fn pointers(tree: &Value, pointer: &str, found: &mut Vec<String>) {
    found.push(pointer.to_owned());
    match tree {
        Value::Object(members) => {
            for (key, value) in members {
                pointers(value, &format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Does one thing to a tree that nobody would do on purpose.
fn damage(tree: &mut Value, places: &[String], random: &mut Random) {
    let odd = [
        json!(null),
        json!([]),
        json!({}),
        json!(""),
        json!(0),
        json!(-1.5),
        json!(1e300),
        json!(true),
        json!("null"),
        json!([null]),
        json!([[]]),
        json!({"": {}}),
        json!({"$ref": "#"}),
        json!({"$ref": "nowhere.json"}),
        json!({"type": "object", "allOf": [], "oneOf": [], "anyOf": [], "enum": []}),
        json!({"type": "array"}),
        json!({"enum": ["", " ", "-", "Unknown", "unknown"]}),
        json!({"discriminator": {"propertyName": "x", "mapping": {"": "#/components/schemas/A"}}}),
    ];
    let place = &places[random.below(places.len())];
    match random.below(4) {
        // A reference to any place, the place itself and what holds it among them.
        0 => {
            let target = format!("#{}", places[random.below(places.len())]);
            if let Some(node) = tree.pointer_mut(place) {
                *node = json!({ "$ref": target });
            }
        }
        // The node of another place.
        1 => {
            let other = tree.pointer(&places[random.below(places.len())]).cloned().unwrap_or_default();
            if let Some(node) = tree.pointer_mut(place) {
                *node = other;
            }
        }
        // Other keys for the same members.
        2 => {
            if let Some(Value::Object(members)) = tree.pointer_mut(place) {
                let keys =
                    ["", "get", "schema", "$ref", "type", "x-y", "{id}", "/a/{b}/{b}", "200", "a\"\\\n", "Ⅷ", "self"];
                let renamed = std::mem::take(members).into_iter().map(|(key, value)| match random.below(3) {
                    0 => (keys[random.below(keys.len())].to_owned(), value),
                    _ => (key, value),
                });
                *members = renamed.collect();
            }
        }
        _ => {
            if let Some(node) = tree.pointer_mut(place) {
                *node = odd[random.below(odd.len())].clone();
            }
        }
    }
}

fn check(case: &Case, rounds: u64) {
    let whole = load::load(&case.name, &case.bytes).unwrap().tree;
    let mut places = Vec::new();
    pointers(&whole, "", &mut places);
    for seed in 1..=rounds {
        let mut random = Random::new(seed);
        let mut tree = whole.clone();
        for _ in 0..=random.below(6) {
            damage(&mut tree, &places, &mut random);
        }
        let bytes = serde_json::to_vec(&tree).unwrap();
        match case.with(&bytes, &Names::default()) {
            Ok(output) => {
                // The pins of a damaged contract are as good as any.
                let again = case.with(&bytes, &output.names).unwrap_or_else(|report| panic!("{report}"));
                assert!(again == output, "{}, seed {seed}: its own pins change the output\n{tree}", case.name);
            }
            Err(report) => {
                for problem in report.problems() {
                    let expected = problem.code.starts_with("contract/") || problem.code.starts_with("correction/");
                    assert!(expected && !problem.hint.is_empty(), "{}, seed {seed}: {problem}\n{tree}", case.name);
                }
            }
        }
    }
}

#[test]
fn damaged_cases_give_a_client_or_a_code() {
    Case::all().iter().for_each(|case| check(case, 3));
}

#[test]
fn damaged_published_contracts_give_a_client_or_a_code() {
    published(12_000).iter().for_each(|case| check(case, 2));
}
