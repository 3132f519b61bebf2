//! Long, binary and hostile answers, and parts of them.

use serde_json::{Value, json};

use super::client::Session;
use crate::mcp::ToolForm;
use crate::mcp::operations::ToolBody;
use crate::mcp::parts::{Block, Parts};

/// The cursor in the last block of a part.
fn cursor(note: &str) -> Option<String> {
    Some(note.split_once("cursor \"")?.1.split_once('"')?.0.to_owned())
}

#[tokio::test]
async fn a_long_list_comes_in_parts_without_another_call() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    let mut texts = session.texts("projects_list_projects", json!({"count": 2000})).await;
    let first: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(first["total"], 2000);
    let mut ids: Vec<Value> =
        first["projects"].as_array().unwrap().iter().map(|project| project["id"].clone()).collect();
    assert!(
        ids.len() > 10 && texts[1].starts_with("Items 0 to ") && texts[1].contains("of /projects, of 2000."),
        "{}",
        texts[1]
    );
    while let Some(cursor) = cursor(&texts[1]) {
        texts = session.texts("answer_part", json!({"cursor": cursor})).await;
        assert!(texts[0].len() <= 32 << 10);
        let part: Vec<Value> = serde_json::from_str(&texts[0]).unwrap();
        ids.extend(part.iter().map(|project| project["id"].clone()));
    }
    assert!(texts[1].ends_with("This is the last part."));
    let expected: Vec<Value> = (0..2000).map(|number| json!(format!("00000000-0000-0000-0000-{number:012}"))).collect();
    assert_eq!(ids, expected);
    assert_eq!(session.sent().len(), 1);
    let gone = session.error("answer_part", json!({"cursor": "1.2000"})).await;
    assert!(gone.starts_with("/cursor names no part"), "{gone}");
}

#[tokio::test]
async fn a_long_text_is_cut_between_characters() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    let mut texts = session.texts("exports_log", json!({})).await;
    let mut all = texts[0].clone();
    while let Some(cursor) = cursor(&texts[1]) {
        texts = session.texts("answer_part", json!({"cursor": cursor})).await;
        all.push_str(&texts[0]);
    }
    assert_eq!(all, "zeile ä\n".repeat(10_000));
}

#[tokio::test]
async fn bytes_are_a_resource_if_they_are_few() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    let reply = session.call("exports_download", json!({"size": 3})).await;
    assert_eq!(reply["content"][0]["resource"]["blob"], "Gxsb");
    assert_eq!(reply["content"][0]["resource"]["mimeType"], "application/zip");
    let texts = session.texts("exports_download", json!({"size": 1_000_000})).await;
    assert_eq!(texts, ["1000000 bytes of application/zip: too many to show them here."]);
}

#[tokio::test]
async fn json_of_the_service_stays_as_it_is() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    let texts = session.texts("projects_get_project", json!({"id": "2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42"})).await;
    let project: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(project["name"], "\u{1b}]0;title\u{7} \u{202e}evil");
}

fn text(block: &Block) -> &str {
    match block {
        Block::Text(text) => text,
        Block::Blob { .. } => "",
    }
}

#[test]
fn an_item_that_is_longer_than_a_part_is_cut_by_itself() {
    let parts = Parts::default();
    let value = json!(["a", "b".repeat(5_000), "c"]);
    let first = parts.first(ToolBody::Json(value), 1_000);
    assert_eq!(text(&first[0]), r#"["a"]"#);
    let second = parts.next(&cursor(text(&first[1])).unwrap(), 1_000).unwrap();
    assert!(text(&second[0]).starts_with("\"bbb") && text(&second[0]).len() == 1_000);
    let rest_of_item = cursor(text(&second[1])).unwrap();
    let after = cursor(text(&second[2])).unwrap();
    assert_ne!(rest_of_item, after);
    assert!(text(&parts.next(&rest_of_item, 1_000).unwrap()[0]).starts_with("bbb"));
    assert_eq!(text(&parts.next(&after, 1_000).unwrap()[0]), r#"["c"]"#);
}

#[test]
fn a_long_object_without_a_list_is_cut_as_text() {
    let parts = Parts::default();
    let value = json!({"a": {"b": "x".repeat(3_000)}});
    let mut blocks = parts.first(ToolBody::Json(value.clone()), 1_000);
    let mut all = text(&blocks[0]).to_owned();
    while let Some(cursor) = cursor(text(&blocks[1])) {
        blocks = parts.next(&cursor, 1_000).unwrap();
        all.push_str(text(&blocks[0]));
    }
    assert_eq!(serde_json::from_str::<Value>(&all).unwrap(), value);
}

#[test]
fn old_answers_are_dropped() {
    let parts = Parts::default();
    let long = || ToolBody::Text { media_type: "text/plain".to_owned(), text: "x".repeat(2_000) };
    let first = cursor(text(&parts.first(long(), 1_000)[1])).unwrap();
    assert!(parts.next(&first, 1_000).is_some());
    for _ in 0..16 {
        parts.first(long(), 1_000);
    }
    assert!(parts.next(&first, 1_000).is_none());
    for wrong in ["", ".", "1", "17.", "17.x", "17.99999999", "17.-1", "99.0"] {
        assert!(parts.next(wrong, 1_000).is_none(), "{wrong}");
    }
}
