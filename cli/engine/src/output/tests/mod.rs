//! Tests of all formats: properties of generated values, and cases with one input and one expected file.

mod cases;
mod fields;
mod generated;
mod judges;
mod limits;
mod properties;
mod screen;

use driftless_runtime::Value;

use super::{Format, Printer, Streams};
use crate::failure::Failure;
use crate::terminal::Terminal;

const FORMATS: [Format; 5] = [Format::Table, Format::Json, Format::Ndjson, Format::Yaml, Format::Csv];

/// A terminal without colours.
fn terminal(width: usize) -> Terminal {
    Terminal { is_terminal: true, width, height: 24, colours: false }
}

/// The texts of both streams.
fn print(printer: &Printer, value: &Value) -> (String, String) {
    written(|streams| printer.value(value, streams))
}

/// The texts of both streams, if the rows come one by one.
fn stream(printer: &Printer, rows: &[Value]) -> (String, String) {
    written(|streams| {
        let mut writer = printer.rows(streams);
        rows.iter().try_for_each(|row| writer.row(row))?;
        writer.end()
    })
}

fn written(write: impl FnOnce(Streams<'_>) -> Result<(), Failure>) -> (String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    write(Streams { out: &mut out, err: &mut err }).unwrap();
    (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn printer(format: Format, fields: Option<&str>, terminal: Terminal) -> Printer {
    Printer::new(Some(format), fields, terminal, true).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_terminal_gets_a_table_and_a_pipe_json() {
    for (asked, terminal, expected) in [
        (None, terminal(80), Format::Table),
        (None, Terminal::FILE, Format::Json),
        (Some(Format::Csv), terminal(80), Format::Csv),
        (Some(Format::Table), Terminal::FILE, Format::Table),
    ] {
        assert_eq!(Printer::new(asked, None, terminal, true).unwrap().format, expected);
    }
}
