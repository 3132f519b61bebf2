//! The rows of a list, one after the other.

use driftless_runtime::Value;

use super::column::{self, Column};
use super::json::{self, JsonForm};
use super::separated::Header;
use super::table::Layout;
use super::{Format, Printer, Streams, notes, written, yaml};
use crate::failure::Failure;

/// Rows of a table that are collected before they are printed.
const BLOCK: usize = 1000;

/// Writes the rows of a list as they come. The output is complete after [`end`](Self::end); if an error comes before it,
/// JSON stays without its closing bracket, so a program that reads it cannot take a part for the whole.
#[derive(Debug)]
pub(crate) struct RowWriter<'a, 's> {
    printer: &'a Printer,
    streams: Streams<'s>,
    fields: notes::Missing<'a>,
    form: RowForm,
    rows: usize,
}

#[derive(Debug)]
enum RowForm {
    Json,
    Ndjson,
    Yaml,
    Csv(Option<Header>),
    Table { block: Vec<Value>, layout: Option<Layout> },
}

impl<'a, 's> RowWriter<'a, 's> {
    pub(super) fn new(printer: &'a Printer, streams: Streams<'s>) -> Self {
        let form = match printer.format {
            Format::Json => RowForm::Json,
            Format::Ndjson => RowForm::Ndjson,
            Format::Yaml => RowForm::Yaml,
            Format::Csv => RowForm::Csv(None),
            Format::Table => RowForm::Table { block: Vec::new(), layout: None },
        };
        Self { printer, streams, fields: notes::Missing::new(&printer.fields), form, rows: 0 }
    }

    /// Chooses the columns of CSV from all rows of a list, instead of from the first.
    pub(super) fn prepare(&mut self, rows: &[Value]) -> Result<(), Failure> {
        if matches!(self.form, RowForm::Csv(None)) && !rows.is_empty() {
            self.begin_csv(rows)?;
        }
        Ok(())
    }

    /// Writes a row.
    pub(crate) fn row(&mut self, row: &Value) -> Result<(), Failure> {
        self.fields.see(row);
        self.rows += 1;
        let is_first = self.rows == 1;
        let mut line = String::new();
        match &mut self.form {
            RowForm::Json => {
                line.push_str(if is_first { "[\n  " } else { ",\n  " });
                let form = JsonForm { pretty: true, colours: self.printer.terminal.colours };
                json::write(&mut line, &self.printer.picked(row), form, 1);
            }
            RowForm::Ndjson => {
                let form = JsonForm { pretty: false, colours: self.printer.terminal.colours };
                json::write(&mut line, &self.printer.picked(row), form, 0);
                line.push('\n');
            }
            RowForm::Yaml => {
                line.push_str("- ");
                yaml::write(&mut line, &self.printer.picked(row), 2);
            }
            RowForm::Csv(None) => {
                self.begin_csv(std::slice::from_ref(row))?;
                return self.csv_row(row);
            }
            RowForm::Csv(Some(_)) => return self.csv_row(row),
            RowForm::Table { block, .. } => {
                block.push(row.clone());
                return if block.len() == BLOCK { self.print_block() } else { Ok(()) };
            }
        }
        self.write(line.as_bytes())
    }

    /// Writes the rest, and the warnings.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        let is_empty = self.rows == 0;
        match &self.form {
            RowForm::Json => self.write(if is_empty { b"[]\n" } else { b"\n]\n" })?,
            RowForm::Yaml if is_empty => self.write(b"[]\n")?,
            RowForm::Csv(None) if !self.printer.fields.is_empty() => self.begin_csv(&[])?,
            RowForm::Csv(Some(header)) => {
                if let Some(warning) = header.warning() {
                    notes::warn(self.streams.err, &warning);
                }
            }
            RowForm::Table { .. } if is_empty => notes::write(self.streams.err, "No results."),
            RowForm::Table { .. } => self.print_block()?,
            _ => {}
        }
        written(self.streams.out.flush())?;
        if let Some(warning) = self.fields.warning() {
            notes::warn(self.streams.err, &warning);
        }
        Ok(())
    }

    /// Prints the rows so far, for example before an error. The columns stay.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.print_block()?;
        written(self.streams.out.flush())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        written(self.streams.out.write_all(bytes))
    }

    fn begin_csv(&mut self, rows: &[Value]) -> Result<(), Failure> {
        let are_asked = !self.printer.fields.is_empty();
        let (columns, left_out) = match are_asked {
            true => (self.printer.asked(), 0),
            false => Column::all(rows),
        };
        if left_out > 0 {
            let most = column::MOST;
            let warning = format!("the rows have more than {most} members; choose the columns with --fields");
            notes::warn(self.streams.err, &warning);
        }
        let header = Header::new(columns, self.printer.terminal.is_terminal);
        self.write(&header.line())?;
        self.form = RowForm::Csv(Some(header));
        Ok(())
    }

    fn csv_row(&mut self, row: &Value) -> Result<(), Failure> {
        if let RowForm::Csv(Some(header)) = &mut self.form {
            let line = header.row(row);
            self.write(&line)?;
        }
        Ok(())
    }

    fn print_block(&mut self) -> Result<(), Failure> {
        let RowForm::Table { block, layout } = &mut self.form else { return Ok(()) };
        if block.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        let layout = match layout {
            Some(layout) => {
                layout.grow(block);
                layout
            }
            None => {
                let are_asked = !self.printer.fields.is_empty();
                let columns = if are_asked { self.printer.asked() } else { Column::for_people(block) };
                let new = Layout::new(columns, block, are_asked, self.printer.terminal);
                if !new.left_out.is_empty() {
                    let names = new.left_out.join(", ");
                    notes::warn(self.streams.err, &format!("the terminal is too narrow for {names}"));
                }
                text.push_str(&new.headings());
                layout.insert(new)
            }
        };
        for row in block.drain(..) {
            text.push_str(&layout.row(&row));
        }
        self.write(text.as_bytes())
    }
}
