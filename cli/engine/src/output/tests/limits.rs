//! Answers of any size, and outputs that cannot be written.

use std::io::{self, Write};

use driftless_runtime::{Object, Value};

use super::{FORMATS, json, print, printer, stream, terminal};
use crate::Exit;
use crate::output::{Format, Streams};
use crate::terminal::Terminal;

/// Takes so many bytes, and fails then.
struct Broken(usize, io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.min(bytes.len()) {
            0 if !bytes.is_empty() => Err(self.1.into()),
            taken => {
                self.0 -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn rows() -> Vec<Value> {
    (0..30).map(|id| json(&format!(r#"{{"id":{id},"name":"x"}}"#))).collect()
}

#[test]
fn a_closed_pipe_is_told_apart_from_a_failure() {
    let rows = rows();
    for format in FORMATS {
        let printer = printer(format, None, Terminal::FILE);
        let whole = stream(&printer, &rows).0.len();
        for taken in 0..whole {
            let write = |kind| {
                let (mut out, mut err) = (Broken(taken, kind), Vec::new());
                let mut writer = printer.rows(Streams { out: &mut out, err: &mut err });
                rows.iter().try_for_each(|row| writer.row(row)).and_then(|()| writer.end())
            };
            let closed = write(io::ErrorKind::BrokenPipe);
            let closed = closed.unwrap_err();
            assert!(closed.exit == Exit::Done && closed.message.is_empty(), "{format:?} {taken}: {closed:?}");
            let failure = write(io::ErrorKind::StorageFull).unwrap_err();
            assert_eq!(failure.exit, Exit::Failed);
            assert!(failure.message.starts_with("the answer cannot be written: "), "{failure}");
        }
    }
}

#[test]
fn a_pipe_whose_reader_has_ended_is_closed() {
    let (reader, mut writer) = io::pipe().unwrap();
    drop(reader);
    let result = printer(Format::Json, None, Terminal::FILE)
        .value(&json("[1]"), Streams { out: &mut writer, err: &mut Vec::new() });
    assert_eq!(result.unwrap_err().exit, Exit::Done);
}

#[test]
fn json_without_an_end_is_not_json() {
    let printer = printer(Format::Json, None, Terminal::FILE);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut writer = printer.rows(Streams { out: &mut out, err: &mut err });
    writer.row(&Value::from(1)).unwrap();
    drop(writer);
    assert_eq!(out, b"[\n  1");
}

#[test]
fn rows_are_written_as_they_come() {
    for (format, expected) in [
        (Format::Csv, "id,name\n0,x\n"),
        (Format::Ndjson, "{\"id\":0,\"name\":\"x\"}\n"),
        (Format::Yaml, "- id: 0\n  name: x\n"),
    ] {
        let printer = printer(format, None, Terminal::FILE);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut writer = printer.rows(Streams { out: &mut out, err: &mut err });
        writer.row(&rows()[0]).unwrap();
        drop(writer);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn a_long_table_is_printed_in_blocks_with_the_same_columns() {
    let rows: Vec<Value> =
        (0..2500).map(|id| json(&format!(r#"{{"id":{id},"name":"{}"}}"#, "x".repeat(id % 9)))).collect();
    let printer = printer(Format::Table, None, terminal(40));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut writer = printer.rows(Streams { out: &mut out, err: &mut err });
    rows[..1000].iter().for_each(|row| writer.row(row).unwrap());
    drop(writer);
    assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1001, "a block is printed when it is full");
    let (text, _) = stream(&printer, &rows);
    assert!(text.as_bytes().starts_with(&out));
    assert_eq!(text.lines().count(), 2501);
    assert_eq!(text.matches("NAME").count(), 1);
    let line = |row: usize| text.lines().nth(row + 1).unwrap();
    assert_eq!((line(1), line(999)), ("  1  x", "999"));
    assert_eq!(line(1000), "1000  x", "a column grows if there is room");
    let wide: Vec<Value> =
        (0..1001).map(|id| json(&format!(r#"{{"id":{id},"name":"{}"}}"#, "long ".repeat(id / 50)))).collect();
    let (text, _) = stream(&printer, &wide);
    assert!(text.lines().all(|line| line.len() <= 42 && !line.starts_with('…')), "{text}");
    assert!(text.lines().last().unwrap().starts_with("1000  long long"), "{text}");
}

#[test]
fn a_long_cell_does_not_move_the_columns_of_a_file() {
    let mut rows = rows();
    rows.push(json(&format!(r#"{{"id":"{}","name":"n"}}"#, "x".repeat(300_000))));
    rows.push(json(&format!(r#"{{"{}":1}}"#, "y".repeat(100_000))));
    let (out, _) = stream(&printer(Format::Table, None, Terminal::FILE), &rows);
    assert!(out.len() < 500_000, "{}", out.len());
    assert!(out.contains(&"x".repeat(300_000)), "nothing is cut in a file");
    let object: Object = (0..2000).map(|index| (format!("{index}{}", "z".repeat(1_000)), Value::from(1))).collect();
    let (out, _) = print(&printer(Format::Table, None, Terminal::FILE), &Value::Object(object));
    assert!(out.len() < 3_000_000, "{}", out.len());
}

#[test]
fn rows_without_a_common_member_do_not_make_a_square() {
    let rows: Vec<Value> =
        (0..3000).map(|index| [(format!("m{index}"), index)].into_iter().collect::<Object>().into()).collect();
    let (out, err) = print(&printer(Format::Csv, None, Terminal::FILE), &Value::Array(rows.clone()));
    assert_eq!(out.lines().next().unwrap().split(',').count(), 1000);
    assert!(err.contains("more than 1000 members"), "{err}");
    let (out, _) = print(&printer(Format::Table, None, terminal(80)), &Value::Array(rows));
    assert!(out.len() < 300_000, "{}", out.len());
}

#[test]
fn later_members_are_named_once() {
    let rows = [json(r#"{"a":1}"#), json(r#"{"a":1,"b":2,"c":3}"#), json(r#"{"b":4}"#)];
    let (out, err) = stream(&printer(Format::Csv, None, Terminal::FILE), &rows);
    assert_eq!(out, "a\n1\n1\n\"\"\n");
    assert_eq!(
        err,
        "warning: left out, because the first row does not have it: b, c; choose the columns with --fields\n"
    );
    let (out, err) = print(&printer(Format::Csv, None, Terminal::FILE), &Value::from(rows.to_vec()));
    assert_eq!((out.as_str(), err.as_str()), ("a,b,c\n1,,\n1,2,3\n,4,\n", ""));
}

#[test]
fn deep_names_are_not_repeated_for_each_part() {
    let leaves: Object = (0..5000).map(|index| (index.to_string(), Value::from(1))).collect();
    let value = json(&format!(r#"{{"{}":{}}}"#, "k".repeat(100_000), Value::Object(leaves)));
    let (out, _) = print(&printer(Format::Table, None, Terminal::FILE), &value);
    assert!(out.len() < 300_000, "{}", out.len());
}

#[test]
fn a_character_with_countless_marks_is_cut() {
    let text = format!("a{}b", "\u{301}".repeat(100_000));
    let value = Value::from(
        [[("name", text.clone()), ("id", "1".to_owned())].into_iter().collect::<Object>()].map(Value::Object),
    );
    let (out, _) = print(&printer(Format::Table, None, terminal(40)), &value);
    assert!(out.len() < 2_000, "{}", out.len());
    let (out, _) = print(&printer(Format::Table, None, terminal(40)), &value[0]);
    assert!(out.len() < 5_000, "{}", out.len());
}

#[test]
fn few_values_beside_the_rows_are_printed() {
    let mut envelope: Object =
        (0..5000).map(|index| (format!("total{index}"), Value::from("x".repeat(5000)))).collect();
    envelope.set("items", json(r#"[{"id":1}]"#));
    let (_, err) = print(&printer(Format::Table, None, terminal(40)), &Value::Object(envelope));
    assert_eq!(err.lines().count(), 10);
    assert!(err.len() < 30_000, "{}", err.len());
}
