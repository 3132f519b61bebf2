use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::{Catalog, CatalogInput, Contract, Names, Setup, catalog, generate};
use serde_json::Value;

use super::common::Case;

/// The lines of a table by their beginning: kind and names.
fn lines(table: &str) -> BTreeMap<&str, Value> {
    let mut lines = BTreeMap::new();
    for line in table.lines() {
        let (names, json) = line.split_at(line.find(['{', '[']).or_else(|| line.rfind(' ').map(|at| at + 1)).unwrap());
        let value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(lines.insert(names.trim_end(), value).is_none(), "two lines begin with {names}");
    }
    lines
}

/// The names that schemas refer to.
fn references<'v>(value: &'v Value, names: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(path)) = members.get("$ref") {
                names.insert(path.strip_prefix("#/$defs/").unwrap_or_else(|| panic!("{path}")));
            }
            members.values().for_each(|member| references(member, names));
        }
        Value::Array(elements) => elements.iter().for_each(|element| references(element, names)),
        _ => {}
    }
}

/// The style of the runtime for a style of OpenAPI 3.0.4, "Style Values", and its `explode`.
fn style(input: &CatalogInput) -> &'static str {
    let explodes = input.explode.unwrap_or(input.style == "form");
    match (input.style, explodes) {
        ("form", true) => "Form",
        ("form", false) => "FormUnexploded",
        ("simple", true) => "SimpleExploded",
        ("simple", false) => "Simple",
        ("label", true) => "LabelExploded",
        ("label", false) => "Label",
        ("matrix", true) => "MatrixExploded",
        ("matrix", false) => "Matrix",
        ("spaceDelimited", false) => "Space",
        ("pipeDelimited", false) => "Pipe",
        ("tabDelimited", false) => "Tab",
        ("spaceDelimited" | "pipeDelimited" | "tabDelimited", true) => "Form",
        ("deepObject", _) => "Deep",
        ("json", _) => "Json",
        (other, _) => panic!("{other}"),
    }
}

fn same(name: &str, table: &BTreeMap<&str, Value>, catalog: &Catalog) {
    let operations = table.keys().filter(|line| line.starts_with("operation ")).count();
    assert_eq!(operations, catalog.operations.len(), "{name}");
    for operation in &catalog.operations {
        let line = &table[&*format!("operation {} {}", operation.family, operation.name)];
        assert_eq!(
            (&line["method"], &line["path"]),
            (&operation.method.clone().into(), &operation.path.clone().into())
        );
        assert_eq!(line["provenance"].as_str().unwrap_or_default(), operation.provenance, "{name}: {line}");
        assert_eq!(line["binding"].as_str(), operation.binding.as_deref(), "{name}: {line}");
        assert_eq!(line.get("paging").is_some(), operation.items.is_some(), "{name}: {line}");
        assert_eq!(line["result"]["form"], operation.form, "{name}: {line}");
        let parameters = line["parameters"].as_array().cloned().unwrap_or_default();
        assert_eq!(parameters.len(), operation.inputs.len(), "{name}: {line}");
        for (parameter, input) in parameters.iter().zip(&operation.inputs) {
            let facts = ["name", "wire", "in", "style"].map(|key| parameter[key].as_str().unwrap_or_default());
            assert_eq!(facts, [&input.name, &input.wire, input.place, style(input)], "{name}: {line}");
            assert_eq!(parameter["required"].as_bool().unwrap_or_default(), input.required, "{name}: {line}");
        }
        match &operation.body {
            Some(body) => {
                assert_eq!(line["body"]["form"], body.form, "{name}: {line}");
                assert_eq!(line["body"]["media_type"], body.media_type.as_str(), "{name}: {line}");
                assert_eq!(line["body"]["required"].as_bool().unwrap_or_default(), body.required, "{name}: {line}");
            }
            None => assert!(line.get("body").is_none(), "{name}: {line}"),
        }
    }
}

/// The table says the same as the catalog, which other code writes, and each type that it refers to has a line.
#[test]
fn the_table_of_each_case_has_its_operations_and_types() {
    let mut styles = BTreeSet::new();
    for case in Case::all() {
        let contract = [Contract { name: "platform", bytes: &case.bytes }];
        let Ok(output) = case.generate() else { continue };
        let text = output.table.as_deref().expect("the setup asks for it");
        let table = lines(text);
        same(&case.name, &table, &catalog(&contract, &case.setup, &Names::default()).unwrap());
        let mut names = BTreeSet::new();
        table.values().for_each(|value| references(value, &mut names));
        for name in names {
            assert!(table.contains_key(&*format!("type {name}")), "{}: no type {name}", case.name);
        }
        for parameter in table.values().flat_map(|line| line["parameters"].as_array().into_iter().flatten()) {
            styles.insert(parameter["style"].as_str().unwrap_or_default().to_owned());
        }
        assert!(text.lines().all(|line| !line.contains(['\r', '\u{1b}'])), "{}", case.name);
    }
    assert!(styles.len() >= 9, "the cases have few styles: {styles:?}");
}

/// Nobody who has no program pays for the table.
#[test]
fn the_table_is_written_if_the_setup_asks_for_it() {
    let case = Case::all().swap_remove(0);
    let contract = [Contract { name: "platform", bytes: &case.bytes }];
    let setup = Setup { table: false, ..case.setup };
    assert_eq!(generate(&contract, &setup, &Names::default()).unwrap().table, None);
}
