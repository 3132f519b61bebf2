//! Templates of bodies, and values at the shell.

use driftless_runtime::Value;
use serde_json::{Value as Schema, json};

use super::{Shape, template};
use crate::table::Table;

const BEGINNING: &str = "client {\"version\":1,\"variables\":\"SAMPLE_\"}\n";

fn table(types: &[(String, Schema)]) -> Table {
    let lines: String = types.iter().map(|(name, schema)| format!("type {name} {schema}\n")).collect();
    Table::new(format!("{BEGINNING}{lines}").leak()).unwrap()
}

fn reference(name: &str) -> Schema {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// All values in a value.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.iter().map(|(_, value)| count(value)).sum::<usize>(),
        _ => 1,
    }
}

#[test]
fn a_mark_of_clap_in_the_text_of_a_contract_begins_no_line() {
    let help = clap::Command::new("x").about(crate::terminal::for_help("reads /items/{n}/parts")).render_help();
    assert!(help.to_string().starts_with("reads /items/{\u{2060}n}/parts\n"), "{help}");
}

#[test]
fn a_template_of_types_within_types_ends() {
    let level = |level: usize| {
        let members: serde_json::Map<String, Schema> =
            (0..40).map(|index| (format!("m{index}"), reference(&format!("T{}", level + 1)))).collect();
        (format!("T{level}"), json!({ "type": "object", "properties": members }))
    };
    // 40 members to the power of 7.
    let table = table(&(0..7).map(level).collect::<Vec<_>>());
    let size = count(&template(table, &reference("T0")));
    assert!(size > 40 && size < 1_000_000, "{size}");
}

#[test]
fn a_template_has_ten_thousand_members() {
    let properties: serde_json::Map<String, Schema> =
        (0..10_000).map(|index| (format!("m{index}"), json!({ "type": "string", "format": "date" }))).collect();
    let table = table(&[("Wide".to_owned(), json!({ "type": "object", "properties": properties }))]);
    assert_eq!(count(&template(table, &reference("Wide"))), 10_001);
}

#[test]
fn null_is_null_where_a_format_does_not_have_the_word() {
    let table = table(&[]);
    let value = |schema: Schema, word: &str| Shape::from_schema(table, &schema).value(&[word.to_owned()]).unwrap();
    let uuid = json!({ "type": ["string", "null"], "format": "uuid" });
    assert_eq!(value(uuid.clone(), "null"), Value::Null);
    assert_eq!(value(uuid, "x"), Value::String("x".to_owned()));
    assert_eq!(value(json!({ "type": ["string", "null"] }), "null"), Value::String("null".to_owned()));
}
