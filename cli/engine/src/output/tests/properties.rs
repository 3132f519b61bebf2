//! Properties that hold for any answer.

use driftless_runtime::{Decimal, Value};
use unicode_width::UnicodeWidthStr as _;

use super::generated::{Source, in_more_rounds, with_seeds};
use super::judges::{assert_yaml, records};
use super::{FORMATS, json, print, printer, stream, terminal};
use crate::output::{Format, text};
use crate::terminal::Terminal;

fn one_or_many(source: &mut Source) -> Value {
    if source.below(2) == 0 { Value::Array(source.rows()) } else { source.value(4) }
}

#[test]
fn json_is_the_value_with_its_digits_and_its_order() {
    with_seeds(1500, |source| {
        let value = one_or_many(source);
        for format in [Format::Json, Format::Ndjson] {
            let (out, err) = print(&printer(format, None, Terminal::FILE), &value);
            let is_rows = format == Format::Ndjson && crate::output::envelope::Envelope::open(&value).is_some();
            if !is_rows {
                assert_eq!(json(&out), value);
                assert_eq!(json(&out).to_string(), value.to_string());
            }
            assert!(!out.contains(|letter| crate::terminal::is_active(letter) && letter != '\n'), "{out:?}");
            assert_eq!(err, "");
        }
    });
}

#[test]
fn json_has_the_lines_of_serde_json() {
    with_seeds(500, |source| {
        let value: Value = (0..3).map(|_| source.object(2)).collect();
        let Ok(model) = serde_json::from_str::<serde_json::Value>(&value.to_string()) else { return };
        // The model writes other digits, and other escapes.
        if value == model {
            let (out, _) = print(&printer(Format::Json, None, Terminal::FILE), &value);
            let lines = |text: &str| text.lines().map(|line| line.len() - line.trim_start().len()).collect::<Vec<_>>();
            assert_eq!(lines(&out), lines(&serde_json::to_string_pretty(&value).unwrap()));
        }
    });
}

#[test]
fn ndjson_has_one_row_a_line() {
    with_seeds(500, |source| {
        let rows = source.rows();
        let (out, _) = stream(&printer(Format::Ndjson, None, Terminal::FILE), &rows);
        assert_eq!(out.lines().map(json).collect::<Vec<_>>(), rows);
    });
}

#[test]
fn yaml_is_the_value_with_its_types_and_digits() {
    with_seeds(1500, |source| {
        let value = one_or_many(source);
        let (out, _) = print(&printer(Format::Yaml, None, Terminal::FILE), &value);
        assert_yaml(&out, &value);
    });
}

#[test]
fn texts_stay_texts_in_yaml() {
    with_seeds(2000, |source| {
        let text = Value::String(source.text());
        for value in [
            text.clone(),
            Value::from([("k", text.clone())].into_iter().collect::<driftless_runtime::Object>()),
            [[text]].into(),
        ] {
            let (out, _) = print(&printer(Format::Yaml, None, Terminal::FILE), &value);
            assert_yaml(&out, &value);
        }
    });
}

#[test]
fn streamed_rows_are_the_list() {
    with_seeds(500, |source| {
        let rows = source.rows();
        for format in [Format::Table, Format::Json, Format::Ndjson, Format::Yaml] {
            for terminal in [Terminal::FILE, terminal(60)] {
                let printer = printer(format, None, terminal);
                assert_eq!(stream(&printer, &rows), print(&printer, &Value::Array(rows.clone())));
            }
        }
    });
}

/// The cell of a value, as a spreadsheet shows it.
fn expected_cell(value: Option<&Value>) -> String {
    const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => {
            let escaped: String = text
                .replace("\r\n", "\u{e000}")
                .chars()
                .map(|c| {
                    if c.is_control() && c != '\n' && c != '\t' {
                        c.escape_unicode().to_string()
                    } else {
                        c.to_string()
                    }
                })
                .collect();
            let sign = if text.starts_with(FORMULA) && Decimal::new(text.as_str()).is_none() { "'" } else { "" };
            format!("{sign}{}", escaped.replace('\u{e000}', "\r\n"))
        }
        Some(scalar @ (Value::Bool(_) | Value::Number(_))) => scalar.to_string(),
        Some(other) => format!("JSON {other}"),
    }
}

#[test]
fn csv_has_the_cells_of_the_rows() {
    with_seeds(1500, |source| {
        let rows: Vec<Value> = (0..1 + source.below(5)).map(|_| source.object(2)).collect();
        let (out, _) = print(&printer(Format::Csv, None, Terminal::FILE), &Value::Array(rows.clone()));
        let read = records(&out);
        let mut library = csv::ReaderBuilder::new().has_headers(false).from_reader(out.as_bytes());
        let by_library: Vec<Vec<String>> =
            library.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
        assert_eq!(read, by_library);
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in rows.iter().flat_map(|row| row.as_object().unwrap().iter()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() {
            return;
        }
        assert_eq!(read.len(), rows.len() + 1);
        assert_eq!(read[0], names.iter().map(|name| expected_cell(Some(&(*name).into()))).collect::<Vec<_>>());
        for (record, row) in read[1..].iter().zip(&rows) {
            assert_eq!(record.len(), names.len());
            for (cell, name) in record.iter().zip(&names) {
                let expected = expected_cell(row.get(name));
                match expected.strip_prefix("JSON ") {
                    Some(nested) if row.get(name).is_some_and(|value| value.as_str().is_none()) => {
                        assert_eq!(json(cell), json(nested));
                    }
                    _ => assert_eq!(*cell, expected),
                }
            }
        }
    });
}

#[test]
fn no_table_is_wider_than_its_terminal() {
    with_seeds(700, |source| {
        let value = one_or_many(source);
        let width = 6 + source.below(100);
        for fields in [None, Some("id,name,owner,tags,state"), Some("name")] {
            if value.as_array().is_none() && !value.is_object() && fields.is_none() {
                continue;
            }
            let (out, _) = print(&printer(Format::Table, fields, terminal(width)), &value);
            for line in out.lines() {
                assert!(line.width() <= width, "{} of {width}: {line:?}\n{out}", line.width());
                assert_eq!(line.trim_end_matches(' '), line);
            }
        }
    });
}

#[test]
fn no_control_character_reaches_a_terminal() {
    with_seeds(300, |source| {
        let value = one_or_many(source);
        for format in FORMATS {
            for fields in [None, Some("id,\"\u{1b}[31m\",\"\u{202e}\"")] {
                for terminal in [terminal(70), Terminal::FILE] {
                    let (out, err) = print(&printer(format, fields, terminal), &value);
                    let is_file = !terminal.is_terminal && format == Format::Csv;
                    let out = if format == Format::Csv { out.replace("\r\n", "\n") } else { out };
                    for character in out.chars().chain(err.chars()) {
                        let stays = character == '\n'
                            // A scalar is printed as it is, and CSV has its tabs.
                            || (character == '\t' && (format == Format::Csv || !(value.as_array().is_some() || value.is_object())))
                            || (is_file && !character.is_control());
                        assert!(
                            stays || !crate::terminal::is_active(character),
                            "{format:?} {character:?}: {out}{err}"
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn every_cell_begins_below_its_heading() {
    with_seeds(1000, |source| {
        let rows: Value = (0..1 + source.below(5))
            .map(|_| {
                let members = ["a", "b", "c"].map(|name| (name, format!("x{}", source.text())));
                Value::Object(members.into_iter().collect())
            })
            .collect();
        let (out, _) = print(&printer(Format::Table, Some("a,b,c"), terminal(50)), &rows);
        let heading = out.lines().next().unwrap();
        let starts = ["A", "B", "C"].map(|name| heading.find(name).unwrap());
        for line in out.lines().skip(1) {
            for start in starts {
                let before = line.char_indices().map(|(at, _)| at).find(|at| line[..*at].width() == start);
                let before = before.unwrap_or_else(|| panic!("no character begins at {start} of {line:?}\n{out}"));
                assert!(
                    line[before..].starts_with('x') || line[before..].starts_with("…"),
                    "{start} of {line:?}\n{out}"
                );
                assert!(start == 0 || line[..before].ends_with("  "), "{out}");
            }
        }
    });
}

#[test]
fn a_cut_text_is_a_beginning_of_the_text() {
    with_seeds(3000, |source| {
        let text = text::one_line(&source.text()).into_owned();
        let columns = 1 + source.below(20);
        let cut = text::cut(&text, columns);
        assert!(cut.width() <= columns, "{cut:?}");
        match cut.strip_suffix('…').filter(|_| *cut != *text) {
            Some(head) => assert!(text.starts_with(head)),
            None => assert_eq!(cut, text),
        }
    });
}

#[test]
fn wrapped_lines_have_the_whole_text() {
    with_seeds(3000, |source| {
        let text = source.text();
        let lines = text::wrap(&text, 4 + source.below(30), usize::MAX);
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(letters(&lines.concat()), letters(&text::lines(&text)));
    });
}

#[test]
#[ignore = "longer: .ci/run --all runs it"]
fn all_of_them_hold_in_more_rounds() {
    in_more_rounds(&[
        json_is_the_value_with_its_digits_and_its_order,
        json_has_the_lines_of_serde_json,
        ndjson_has_one_row_a_line,
        yaml_is_the_value_with_its_types_and_digits,
        texts_stay_texts_in_yaml,
        streamed_rows_are_the_list,
        csv_has_the_cells_of_the_rows,
        no_table_is_wider_than_its_terminal,
        no_control_character_reaches_a_terminal,
        every_cell_begins_below_its_heading,
        a_cut_text_is_a_beginning_of_the_text,
        wrapped_lines_have_the_whole_text,
    ]);
}
