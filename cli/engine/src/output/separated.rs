//! Rows as CSV (RFC 4180), by the library `csv`.

use std::collections::{BTreeSet, HashSet};

use driftless_runtime::{Decimal, Value};

use super::column::Column;
use super::field;
use crate::terminal::is_active;

/// Unknown members that a warning names.
const NAMED: usize = 10;

/// The columns of CSV, which the first rows or `--fields` decide.
#[derive(Debug)]
pub(super) struct Header {
    columns: Vec<Column>,
    /// The members that have a column; `None` if no member can be missing.
    known: Option<HashSet<String>>,
    /// Members of later rows without a column.
    unknown: BTreeSet<String>,
    is_terminal: bool,
}

impl Header {
    pub(super) fn new(columns: Vec<Column>, is_terminal: bool) -> Self {
        let shows_all = columns.iter().any(|column| matches!(column, Column::Asked(_) | Column::Row { all: true }));
        let known = columns.iter().map(|column| column.name().to_owned()).collect();
        Self { columns, known: (!shows_all).then_some(known), unknown: BTreeSet::new(), is_terminal }
    }

    /// The line of names.
    pub(super) fn line(&self) -> Vec<u8> {
        record(self.columns.iter().map(|column| self.text(column.name())))
    }

    /// The line of a row.
    pub(super) fn row(&mut self, row: &Value) -> Vec<u8> {
        if let Some(known) = self.known.as_ref().filter(|_| self.unknown.len() <= NAMED) {
            let members = row.as_object().into_iter().flat_map(|members| members.iter());
            self.unknown.extend(members.filter(|(name, _)| !known.contains(*name)).map(|(name, _)| name.to_owned()));
        }
        record(self.columns.iter().map(|column| match column.get(row) {
            Some(Value::String(text)) => self.text(text),
            Some(value) => field::text(value),
            None => String::new(),
        }))
    }

    /// A warning about members that have no column.
    pub(super) fn warning(&self) -> Option<String> {
        let names: Vec<_> = self.unknown.iter().take(NAMED).map(String::as_str).collect();
        let more = if self.unknown.len() > NAMED { ", …" } else { "" };
        (!names.is_empty()).then(|| {
            format!(
                "left out, because the first row does not have it: {}{more}; choose the columns with --fields",
                names.join(", ")
            )
        })
    }

    /// A text that no spreadsheet takes for a formula, without control characters. CSV has no escape for them.
    fn text(&self, text: &str) -> String {
        const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
        let is_formula = text.starts_with(FORMULA) && Decimal::new(text).is_none();
        let mut out = String::with_capacity(text.len() + 1);
        if is_formula {
            out.push('\'');
        }
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let stays = match character {
                '\n' | '\t' => true,
                '\r' => characters.peek() == Some(&'\n'),
                other => !is_active(other) || !(self.is_terminal || other.is_control()),
            };
            if stays { out.push(character) } else { out.extend(character.escape_unicode()) }
        }
        out
    }
}

fn record(cells: impl Iterator<Item = String>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // A `Vec` takes all bytes, and a single record has no length to differ from.
    let _ = writer.write_record(cells.collect::<Vec<_>>());
    writer.into_inner().unwrap_or_default()
}
