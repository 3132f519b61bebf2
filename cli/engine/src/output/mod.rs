//! The answers of a service on standard output: tables for people, and formats for programs.

mod column;
mod envelope;
mod field;
mod json;
mod notes;
mod rows;
mod screen;
mod separated;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod yaml;

use std::borrow::Cow;
use std::{fmt, io};

use driftless_runtime::{Object, Value};

pub(crate) use json::compact;
pub(crate) use rows::RowWriter;
pub(crate) use screen::Screen;

use crate::failure::{Exit, Failure};
use crate::terminal::Terminal;
use column::Column;
use envelope::Envelope;
use field::Field;
use json::JsonForm;
use screen::Pager;

/// The form of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns for people.
    Table,
    /// JSON, one member a line.
    Json,
    /// JSON, one result a line.
    Ndjson,
    /// YAML.
    Yaml,
    /// Comma-separated values with a line of names.
    Csv,
}

impl Format {
    /// The format that was asked for; else a table on a terminal, and JSON in a file or a pipe.
    pub(crate) fn chosen(asked: Option<Self>, terminal: &Terminal) -> Self {
        asked.unwrap_or(if terminal.is_terminal { Self::Table } else { Self::Json })
    }
}

/// Standard output and standard error of a command.
pub(crate) struct Streams<'a> {
    /// The results.
    pub(crate) out: &'a mut dyn io::Write,
    /// Warnings, and sentences for people.
    pub(crate) err: &'a mut dyn io::Write,
}

impl fmt::Debug for Streams<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streams").finish_non_exhaustive()
    }
}

/// The result of writing. If the reader has closed the pipe, as `head` does, the failure is that of
/// [`Failure::closed_pipe`]: the command succeeds, and sends no further requests.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::closed_pipe()),
        Err(error) => Err(Failure::new(Exit::Failed, format!("the answer cannot be written: {error}"), "")),
        Ok(()) => Ok(()),
    }
}

/// The value as JSON, one member a line.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = String::new();
    json::write(&mut text, value, JsonForm { pretty: true, colours: false }, 0);
    text
}

/// Prints answers in the format of a command.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    format: Format,
    /// Empty: all.
    fields: Vec<Field>,
    terminal: Terminal,
    pager: bool,
}

impl Printer {
    /// Creates a printer from the values of `--format` and `--fields`. Without a pager, long tables are printed as they are.
    pub(crate) fn new(
        asked: Option<Format>,
        fields: Option<&str>,
        terminal: Terminal,
        pager: bool,
    ) -> Result<Self, Failure> {
        let fields = fields.map(Field::read_all).transpose()?.unwrap_or_default();
        Ok(Self { format: Format::chosen(asked, &terminal), fields, terminal, pager })
    }

    /// Returns whether people read the output.
    #[cfg(feature = "operations")]
    pub(crate) fn is_table(&self) -> bool {
        self.format == Format::Table
    }

    /// Standard output. A long table goes to the pager.
    pub(crate) fn screen(&self) -> Screen {
        let is_paged = self.pager && self.format == Format::Table;
        Screen::stdout(&self.terminal, if is_paged { Pager::from_environment() } else { Pager::NONE })
    }

    /// Prints one answer on standard output.
    pub(crate) fn print(&self, value: &Value) -> Result<(), Failure> {
        let mut screen = self.screen();
        let printed = self.value(value, screen.streams());
        printed.and(screen.finish(&mut io::stderr()))
    }

    /// Prints one answer: a list, an object that wraps a list, another object, a scalar, or nothing.
    ///
    /// In a table, CSV and NDJSON, and if there are fields, the rows of a wrapped list are printed. After a table, the other
    /// scalars of the object, such as a total, follow on standard error.
    pub(crate) fn value(&self, value: &Value, streams: Streams<'_>) -> Result<(), Failure> {
        let is_whole = matches!(self.format, Format::Json | Format::Yaml) && self.fields.is_empty();
        match Envelope::open(value).filter(|_| !is_whole) {
            Some(envelope) => self.list(&envelope, streams),
            None => self.one(value, streams),
        }
    }

    /// Prints the rows of a list as they come.
    pub(crate) fn rows<'a, 's>(&'a self, streams: Streams<'s>) -> RowWriter<'a, 's> {
        RowWriter::new(self, streams)
    }

    fn list(&self, envelope: &Envelope<'_>, streams: Streams<'_>) -> Result<(), Failure> {
        let Streams { out, err } = streams;
        let mut writer = self.rows(Streams { out, err: &mut *err });
        writer.prepare(envelope.rows)?;
        envelope.rows.iter().try_for_each(|row| writer.row(row))?;
        writer.end()?;
        if self.format == Format::Table {
            envelope.notes().iter().for_each(|note| notes::write(err, note));
        }
        Ok(())
    }

    fn one(&self, value: &Value, streams: Streams<'_>) -> Result<(), Failure> {
        let Streams { out, err } = streams;
        let mut text = String::new();
        match self.format {
            Format::Csv => {
                let mut writer = self.rows(Streams { out, err });
                if !value.is_null() {
                    writer.row(value)?;
                }
                return writer.end();
            }
            Format::Table => match self.pairs(value) {
                _ if value.is_null() => notes::write(err, "No content."),
                Some(pairs) if pairs.is_empty() => notes::write(err, "No content."),
                Some(pairs) => text = table::pairs(&pairs, self.terminal),
                None => {
                    text = text::lines(&field::text(value)).into_owned();
                    text.push_str(if text.ends_with('\n') { "" } else { "\n" });
                }
            },
            Format::Yaml => yaml::write(&mut text, &self.picked(value), 0),
            Format::Json | Format::Ndjson => {
                let form = JsonForm { pretty: self.format == Format::Json, colours: self.terminal.colours };
                json::write(&mut text, &self.picked(value), form, 0);
                text.push('\n');
            }
        }
        written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
        let mut missing = notes::Missing::new(&self.fields);
        missing.see(value);
        if let Some(warning) = missing.warning().filter(|_| !value.is_null()) {
            notes::warn(err, &warning);
        }
        Ok(())
    }

    /// The names and texts of an object's parts; `None` if the value is a scalar.
    fn pairs(&self, value: &Value) -> Option<Vec<(String, String)>> {
        let line = |name: &str, value: Option<&Value>| {
            let text = match value {
                Some(Value::String(text)) => text.clone(),
                other => table::cell(other),
            };
            (text::one_line(name).into_owned(), text)
        };
        if !self.fields.is_empty() {
            return Some(self.fields.iter().map(|field| line(&field.name, field.get(value))).collect());
        }
        let members = value.is_object().then(|| field::parts(value, usize::MAX));
        Some(members?.iter().map(|(name, value)| line(name, Some(value))).collect())
    }

    /// The columns that were asked for.
    fn asked(&self) -> Vec<Column> {
        self.fields.iter().cloned().map(Column::Asked).collect()
    }

    /// The value, or an object of the fields that were asked for. Fields that it does not have are null.
    fn picked<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if self.fields.is_empty() || value.is_null() {
            return Cow::Borrowed(value);
        }
        let field = |field: &Field| (field.name.clone(), field.get(value).cloned().unwrap_or_default());
        Cow::Owned(Value::Object(self.fields.iter().map(field).collect::<Object>()))
    }
}
