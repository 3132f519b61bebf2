//! Sentences about an output, on standard error.

use std::io;

use driftless_runtime::Value;

use super::field::{self, Field};
use super::text::one_line;

/// Fields that a warning lists.
const LISTED: usize = 40;

/// Rows whose fields a warning can list.
const ROWS_LISTED: usize = 20;

/// The longest line.
const LONGEST: usize = 2000;

/// Writes a line. Nothing is left to do if nobody reads standard error.
pub(super) fn write(err: &mut dyn io::Write, text: &str) {
    let text = one_line(text);
    let end = text.char_indices().nth(LONGEST).map(|(at, _)| at);
    let (text, more) = end.map_or((&*text, ""), |end| (text.get(..end).unwrap_or_default(), "…"));
    let _ = writeln!(err, "{text}{more}");
}

/// Writes a warning.
pub(super) fn warn(err: &mut dyn io::Write, text: &str) {
    write(err, &format!("warning: {text}"));
}

/// The fields that no row has.
#[derive(Debug)]
pub(super) struct Missing<'a> {
    missing: Vec<&'a Field>,
    /// The fields of the first rows.
    existing: Vec<String>,
    rows: usize,
}

impl<'a> Missing<'a> {
    pub(super) fn new(fields: &'a [Field]) -> Self {
        Self { missing: fields.iter().collect(), existing: Vec::new(), rows: 0 }
    }

    /// Takes note of the fields of a row.
    pub(super) fn see(&mut self, row: &Value) {
        if self.missing.is_empty() {
            return;
        }
        self.rows += 1;
        self.missing.retain(|field| field.get(row).is_none());
        if self.rows <= ROWS_LISTED && self.existing.len() < LISTED && !self.missing.is_empty() {
            for (name, _) in field::parts(row, LISTED) {
                if !name.is_empty() && !self.existing.contains(&name) && self.existing.len() < LISTED {
                    self.existing.push(name);
                }
            }
        }
    }

    /// A warning about them.
    pub(super) fn warning(&self) -> Option<String> {
        if self.missing.is_empty() || self.rows == 0 {
            return None;
        }
        let missing = self.missing.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
        let more = if self.existing.len() == LISTED { ", …" } else { "" };
        Some(match self.existing.is_empty() {
            true => format!("no result has {missing}: the results have no fields"),
            false => format!("no result has {missing}; the fields are {}{more}", self.existing.join(", ")),
        })
    }
}
