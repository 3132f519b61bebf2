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
                    let stages = ["contract/", "correction/", "operation/"];
                    let expected = stages.iter().any(|stage| problem.code.starts_with(stage));
                    assert!(expected && !problem.hint.is_empty(), "{}, seed {seed}: {problem}\n{tree}", case.name);
                }
            }
        }
    }
}

/// The words and signs of a GraphQL text.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut joins = false;
    for letter in text.chars() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        match words.last_mut().filter(|_| joins && is_word) {
            Some(word) => word.push(letter),
            None => words.push(letter.to_string()),
        }
        joins = is_word;
    }
    words
}

/// The text with a few of its words gone, doubled, or in each other's places.
fn garbled(text: &str, random: &mut Random) -> String {
    let mut words = words(text);
    for _ in 0..=random.below(4) {
        let (place, other) = (random.below(words.len().max(1)), random.below(words.len().max(1)));
        match (random.below(4), words.get(other).cloned()) {
            (0, Some(_)) => drop(words.remove(place)),
            (1, Some(word)) => words.insert(place, word),
            (2, Some(word)) => words[place] = word,
            (_, Some(_)) => words.swap(place, other),
            (_, None) => {}
        }
    }
    words.concat()
}

#[test]
fn damaged_documents_and_schemas_give_types_or_a_code() {
    let (mut fine, mut refused) = (0, 0);
    for mut case in Case::all().into_iter().filter(|case| !case.config.documents.is_empty()) {
        let (documents, schema) = (case.config.documents.clone(), case.config.schema.clone());
        for seed in 1..=150 {
            let mut random = Random::new(seed);
            let in_schema = random.below(2) == 0;
            case.config.schema = schema.as_ref().map(|text| match in_schema {
                true => garbled(text, &mut random),
                false => text.clone(),
            });
            if !in_schema {
                for (file, text) in &documents {
                    case.config.documents.insert(file.clone(), garbled(text, &mut random));
                }
            }
            match case.generate() {
                Ok(output) => {
                    fine += 1;
                    assert_eq!(Ok(output), case.generate(), "{}, seed {seed}", case.name);
                }
                Err(report) => {
                    refused += 1;
                    for problem in report.problems() {
                        let stages = ["document/", "operation/", "schema/"];
                        let expected = stages.iter().any(|stage| problem.code.starts_with(stage));
                        assert!(expected && !problem.hint.is_empty(), "{}, seed {seed}: {problem}", case.name);
                    }
                }
            }
            case.config.documents.clone_from(&documents);
        }
    }
    assert!(fine > 100 && refused > 100, "{fine} and {refused}");
}

#[test]
fn damaged_cases_give_a_client_or_a_code() {
    Case::all().iter().for_each(|case| check(case, 3));
}

#[test]
fn damaged_published_contracts_give_a_client_or_a_code() {
    published(12_000).iter().for_each(|case| check(case, 2));
}
