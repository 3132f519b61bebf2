//! Formats of an answer, in a pipe.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::support::answers;

/// A list with texts that some formats have to escape.
fn list() -> Value {
    json!([
        { "id": 9_007_199_254_740_993_u64, "name": "=1+1", "owner": { "name": "Ada" }, "note": "a,b\n\"c\"" },
        { "id": 2, "name": "x\u{1b}[31m", "owner": null, "note": "" },
    ])
}

#[tokio::test]
async fn every_format_has_all_values_and_no_escape_for_a_terminal() {
    let service = answers(|_| (200, "application/json", list().to_string())).await;
    let shell = service.shell();
    let json = shell.line("projects list").await;
    assert_eq!(json.err, "");
    assert_eq!(json.json(), list());
    let mut texts = Vec::new();
    for format in ["json", "ndjson", "yaml", "csv", "table"] {
        let run = shell.run(&["projects", "list", "-o", format]).await;
        assert_eq!(run.err, "", "{format}");
        let text = run.success();
        assert!(!text.contains('\u{1b}'), "{format}: {text}");
        assert!(text.contains("9007199254740993"), "{format}: {text}");
        texts.push(text);
    }
    let lines: Vec<Value> = texts[1].lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Value::Array(lines), list());
    assert_eq!(serde_yaml::from_str::<Value>(&texts[2]).unwrap(), list());
    let mut csv = csv::Reader::from_reader(texts[3].as_bytes());
    assert_eq!(csv.headers().unwrap(), vec!["id", "name", "owner", "note"]);
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!((&rows[0][1], &rows[0][2], &rows[0][3]), ("'=1+1", r#"{"name":"Ada"}"#, "a,b\n\"c\""));
    assert!(shell.line("projects list -o xml").await.failure(2).contains("ndjson"));
}

#[tokio::test]
async fn fields_choose_members_and_their_order() {
    let service = answers(|_| (200, "application/json", list().to_string())).await;
    let shell = service.shell();
    let csv = shell.line("projects list -o csv --fields owner.name,id").await.success();
    assert_eq!(csv.lines().collect::<Vec<_>>(), ["owner.name,id", "Ada,9007199254740993", ",2"]);
    let run = shell.line("projects list --fields colour").await;
    assert!(run.err.starts_with("warning: no result has colour; the fields are id, name"), "{run:?}");
    assert_eq!(run.code, Some(0));
    assert!(!shell.line("projects list --fields [").await.failure(2).is_empty());
}

#[tokio::test]
async fn the_answer_is_written_to_a_file_as_it_is() {
    let service = answers(|_| (200, "application/json", "[ 1.50 ]".to_owned())).await;
    let shell = service.shell();
    assert_eq!(shell.line("projects list --output answer.json").await.success(), "");
    assert_eq!(std::fs::read_to_string(shell.path("answer.json")).unwrap(), "[ 1.50 ]");
    assert!(shell.line("projects list --output no/answer.json").await.failure(2).contains("cannot be written"));
}

#[tokio::test]
async fn a_closed_pipe_ends_the_program_without_an_error() {
    // More than a pipe holds.
    let rows: Vec<Value> = (0..20_000).map(|id| json!({ "id": id, "name": "a name of some length" })).collect();
    let text = Value::Array(rows).to_string();
    let service = answers(move |_| (200, "application/json", text.clone())).await;
    let shell = service.shell();
    for format in ["json", "ndjson", "yaml", "csv", "table"] {
        let mut child = shell.spawn(shell.command(&["projects", "list", "-o", format]).stdin(Stdio::null()));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next_line().await.unwrap().is_some());
        drop(lines);
        let run = crate::support::ended(child.wait_with_output()).await;
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{format}");
    }
}
