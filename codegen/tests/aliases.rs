//! Names of one type of which one becomes a type of its own, or the other way round: the report of drift has one breaking change.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::drift::{Drift, ItemChange, Sides, Source};
use driftless_codegen::{Contract, Names, Output, drift};
use serde_json::{Value, json};

use crate::common::random::Random;
use crate::shared::{contract, object, outline};

fn compared(contracts: [&Value; 2], clients: [&Output; 2]) -> Drift {
    let texts = contracts.map(ToString::to_string);
    let [old, new] = texts.each_ref().map(|text| [Contract { name: "platform", bytes: text.as_bytes() }]);
    let mut drift = drift::compare(Sides { before: &old, after: &new }, "2026-01-01").unwrap();
    drift.with_items(Sides { before: &clients[0].api, after: &clients[1].api });
    let unexplained: Vec<String> = drift.unexplained.iter().flatten().map(ItemChange::says).collect();
    assert_eq!(unexplained, Vec::<String>::new(), "{:#?}", drift.findings);
    drift
}

fn tag(text: &str) -> Value {
    object(&json!({"text": {"type": text}, "color": {"type": "string"}, "size": {"type": "integer"}}))
}

#[test]
fn a_name_that_becomes_a_type_of_its_own_is_one_change() {
    let schemas = |page: &str| json!({"BookTag": tag("string"), "PageTag": tag(page), "Page": object(&json!({"tag": {"$ref": "#/components/schemas/PageTag"}}))});
    let (old, new) = (contract(&schemas("string")), contract(&schemas("integer")));
    let first = outline(&old, &Names::default());
    let second = outline(&new, &first.names);
    let drift = compared([&old, &new], [&first, &second]);
    let sentences: Vec<String> =
        drift.findings.iter().flat_map(|finding| &finding.items).map(ItemChange::says).collect();
    let expected = "`types::PageTag` was another name of `types::Tag`, and is a type of its own now, with 3 members";
    assert_eq!(sentences.iter().filter(|text| *text == expected).count(), 1, "{sentences:#?}");
    assert!(
        sentences.iter().all(|text| !text.contains("types::PageTag::")),
        "members go with their type: {sentences:#?}"
    );
    assert!(drift.findings.iter().filter(|finding| !finding.items.is_empty()).count() == 1, "{:#?}", drift.findings);
    assert_eq!(drift.source(), Source::Major);
    // The other way round, with the names of neither client pinned.
    let (first, second) = (outline(&old, &Names::default()), outline(&new, &Names::default()));
    let drift = compared([&new, &old], [&second, &first]);
    let sentences: Vec<String> =
        drift.findings.iter().flat_map(|finding| &finding.items).map(ItemChange::says).collect();
    let expected = "`types::PageTag` was a type of its own, and is another name of `types::Tag` now, with 3 members";
    assert_eq!(sentences.iter().filter(|text| *text == expected).count(), 1, "{sentences:#?}");
    assert_eq!(drift.source(), Source::Major);
}

/// The types of a client's methods and fields, with each name of a type replaced by the type that it stands for.
fn resolved(output: &Output) -> BTreeMap<(String, &'static str), String> {
    let items = || output.api.items.iter();
    let names: BTreeMap<&str, &str> =
        items().filter(|item| item.kind == "type").map(|item| (item.path.as_str(), item.signature.as_str())).collect();
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    let resolve = |signature: &str| -> String {
        let mut text = String::new();
        let mut rest = signature;
        while let Some(letter) = rest.chars().next() {
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()).max(letter.len_utf8());
            let (word, behind) = rest.split_at(end);
            text.push_str(names.get(word).unwrap_or(&word));
            rest = behind;
        }
        text
    };
    let uses = items().filter(|item| item.kind == "fn" && item.path.starts_with("families::") || item.kind == "field");
    uses.map(|item| ((item.path.clone(), item.kind), resolve(&item.signature))).collect()
}

/// Groups of equal schemas, of which one or two change: each change of an item belongs to the finding about its group, and a call or
/// a field breaks exactly if it has another type.
#[test]
fn each_break_of_shared_types_belongs_to_its_cause() {
    const FRUITS: [&str; 3] = ["Apple", "Pear", "Plum"];
    const COLORS: [&str; 3] = ["Red", "Green", "Blue"];
    let mut random = Random(5);
    for round in 0..24 {
        let mut schemas = serde_json::Map::new();
        for (number, fruit) in FRUITS.into_iter().enumerate() {
            // The members tell the groups apart.
            let members = json!({
                "name": {"type": "string"}, format!("weight{number}"): {"type": "number"},
                format!("kind{number}"): {"type": "string", "enum": ["a", "b", fruit]},
            });
            for color in COLORS {
                schemas.insert(format!("{color}{fruit}"), object(&members));
            }
            // The contract may have given one of them the name of the type.
            if random.below(2) == 0 {
                schemas.insert(fruit.to_owned(), object(&members));
            }
            let part = json!({"$ref": format!("#/components/schemas/{}{fruit}", COLORS[random.below(3)])});
            schemas.insert(
                format!("{fruit}Basket"),
                object(&json!({"item": part, "all": {"type": "array", "items": part}})),
            );
        }
        let mut changed = schemas.clone();
        let mut groups = BTreeSet::new();
        for _ in 0..=random.below(2) {
            let fruit = FRUITS[random.below(3)];
            groups.insert(fruit);
            let named = [format!("{}{fruit}", COLORS[random.below(3)]), fruit.to_owned()];
            let name = named.iter().rev().find(|name| random.below(2) == 0 && changed.contains_key(*name));
            let members = changed[name.unwrap_or(&named[0])]["properties"].as_object_mut().unwrap();
            match random.below(3) {
                0 => drop(members.insert("name".to_owned(), json!({"type": "integer"}))),
                1 => drop(members.shift_remove("name")),
                _ => drop(members.insert("name".to_owned(), json!({"type": "array", "items": {"type": "string"}}))),
            }
        }
        let [old, new] = [schemas, changed].map(|schemas| contract(&Value::Object(schemas)));
        let first = outline(&old, &Names::default());
        let second = outline(&new, &first.names);
        let drift = compared([&old, &new], [&first, &second]);
        let case = format!("{round}: {groups:?}");
        let mut major = BTreeSet::new();
        for finding in drift.findings.iter().filter(|finding| !finding.items.is_empty()) {
            let about = format!("{} {:?}", finding.subject, finding.operations);
            for change in &finding.items {
                let path = change.path().to_lowercase();
                let group = FRUITS.iter().find(|fruit| path.contains(&fruit.to_lowercase()));
                let group = group.unwrap_or_else(|| panic!("{case}: {}", change.says()));
                assert!(groups.contains(group) && about.contains(group), "{case}: {} in {about}", change.says());
                if change.source == Source::Major {
                    major.insert((change.path().to_owned(), change.kind()));
                }
            }
        }
        let (before, after) = (resolved(&first), resolved(&second));
        for (item, signature) in &before {
            let owner = (item.0.rsplit_once("::").unwrap().0.to_owned(), "struct");
            let is_told = major.contains(item) || major.contains(&owner) || major.contains(&(owner.0.clone(), "type"));
            let is_same = after.get(item) == Some(signature);
            assert!(is_same || is_told, "{case}: {item:?} breaks in silence: {signature} → {:?}", after.get(item));
            assert!(!is_same || !major.contains(item), "{case}: {item:?} is said to break: {signature}");
        }
    }
}
