//! Rows in aligned columns.

use driftless_runtime::Value;

use super::column::Column;
use super::field;
use super::text::{cut, heading, one_line, pad, width, wrap};
use crate::terminal::Terminal;

/// Spaces between two columns.
const GAP: usize = 2;

/// A column is chosen if this much of it fits. It gets the room that is left in the end.
const USUAL: usize = 20;

/// The same for identifiers, which are copied from a table: a UUID has 36 characters.
const IDENTIFIER: usize = 40;

/// A column that was asked for has at least this width.
const LEAST: usize = 6;

/// Longer cells do not move the columns of a table in a file.
const WIDEST_IN_FILE: usize = 200;

/// Lines of the terminal that a value of an object takes at most.
const LINES_OF_A_VALUE: usize = 20;

/// The columns of a table, with their widths.
#[derive(Debug)]
pub(super) struct Layout {
    columns: Vec<Placed>,
    terminal: Terminal,
    /// Columns that were asked for, and for which the terminal has no room.
    pub(super) left_out: Vec<String>,
}

#[derive(Debug)]
struct Placed {
    column: Column,
    heading: String,
    /// The width of the longest cell.
    natural: usize,
    /// The width that is enough for people.
    usual: usize,
    width: usize,
    /// Numbers stand at the right.
    is_right: bool,
}

impl Layout {
    /// Places the columns for these rows. Those that were asked for are all shown, as far as there is room; of others, only
    /// those that are not cut much.
    pub(super) fn new(columns: Vec<Column>, rows: &[Value], are_asked: bool, terminal: Terminal) -> Self {
        let columns = columns.into_iter().map(|column| Placed::new(column, rows)).collect();
        let mut layout = Self { columns, terminal, left_out: Vec::new() };
        if terminal.is_terminal && are_asked {
            let kept = fitting(&layout.columns, terminal.width);
            layout.left_out = layout.columns.drain(kept..).map(|place| place.column.name().to_owned()).collect();
        } else if terminal.is_terminal {
            choose(&mut layout.columns, terminal.width);
        }
        layout.fit();
        layout
    }

    /// Makes room for the cells of more rows. The columns stay.
    pub(super) fn grow(&mut self, rows: &[Value]) {
        for place in &mut self.columns {
            place.natural = widest(&place.column, rows).max(place.natural);
        }
        self.fit();
    }

    /// Sets the widths.
    fn fit(&mut self) {
        if !self.terminal.is_terminal {
            self.columns.iter_mut().for_each(|place| place.width = place.natural.min(WIDEST_IN_FILE));
            return;
        }
        let room = self.terminal.width;
        self.columns.iter_mut().for_each(|place| place.width = place.natural.min(place.usual));
        while total(&self.columns) > room {
            let widest = self.columns.iter_mut().max_by_key(|place| place.width);
            let Some(widest) = widest.filter(|place| place.width > 1) else { break };
            widest.width -= 1;
        }
        for _ in total(&self.columns)..room {
            let cut = self.columns.iter_mut().filter(|place| place.width < place.natural);
            let Some(narrowest) = cut.min_by_key(|place| place.width) else { break };
            narrowest.width += 1;
        }
    }

    /// The line of headings.
    pub(super) fn headings(&self) -> String {
        let style = console::Style::new().bold().force_styling(true);
        self.line(|place| {
            let cell = self.cell(&place.heading, place);
            // The style ends before the spaces.
            match self.terminal.colours {
                true => (width(&cell), style.apply_to(cell).to_string()),
                false => (width(&cell), cell),
            }
        })
    }

    /// The line of a row.
    pub(super) fn row(&self, row: &Value) -> String {
        self.line(|place| {
            let cell = self.cell(&cell(place.column.get(row)), place);
            (width(&cell), cell)
        })
    }

    fn cell(&self, text: &str, place: &Placed) -> String {
        if self.terminal.is_terminal { cut(text, place.width).into_owned() } else { text.to_owned() }
    }

    /// Joins the cells of a line, which come with their widths.
    fn line(&self, cell: impl Fn(&Placed) -> (usize, String)) -> String {
        let mut line = String::new();
        let mut spaces = 0;
        for place in &self.columns {
            let (width, cell) = cell(place);
            let missing = place.width.saturating_sub(width);
            let (before, after) = if place.is_right { (missing, 0) } else { (0, missing) };
            if !cell.is_empty() {
                line.extend(std::iter::repeat_n(' ', spaces + before));
                line.push_str(&cell);
                spaces = 0;
            } else {
                spaces += before;
            }
            spaces += after + GAP;
        }
        line.truncate(line.trim_end_matches(' ').len());
        line.push('\n');
        line
    }
}

impl Placed {
    fn new(column: Column, rows: &[Value]) -> Self {
        let heading = heading(column.name());
        let natural = widest(&column, rows).max(width(&heading));
        let usual = if heading == "ID" { IDENTIFIER } else { USUAL };
        let values = rows.iter().filter_map(|row| column.get(row));
        let mut values = values.filter(|value| !value.is_null()).peekable();
        let is_right = values.peek().is_some() && values.all(|value| value.as_number().is_some());
        Self { heading, natural, usual, width: natural, is_right, column }
    }
}

/// The width of the longest cell.
fn widest(column: &Column, rows: &[Value]) -> usize {
    rows.iter().map(|row| width(&cell(column.get(row)))).max().unwrap_or(0)
}

/// The text of a cell, in one line.
pub(super) fn cell(value: Option<&Value>) -> String {
    let text = match value {
        None => String::new(),
        Some(Value::Array(items)) if items.iter().all(field::is_scalar) => {
            items.iter().map(field::text).collect::<Vec<_>>().join(", ")
        }
        Some(value) => field::text(value),
    };
    one_line(&text).into_owned()
}

fn total(columns: &[Placed]) -> usize {
    columns.iter().map(|place| place.width + GAP).sum::<usize>().saturating_sub(GAP)
}

/// Keeps the columns that fit, and at least the first. A long identifier is cut if nothing fits beside it.
fn choose(columns: &mut Vec<Placed>, room: usize) {
    let choice = |longest: usize| {
        let mut used = 0;
        let mut chosen = Vec::with_capacity(columns.len());
        for (index, place) in columns.iter().enumerate() {
            let width = place.natural.min(place.usual).min(longest);
            let needed = if index == 0 { width } else { used + GAP + width };
            let fits = index == 0 || needed <= room;
            chosen.push(fits);
            used = if fits { needed } else { used };
        }
        chosen
    };
    let mut chosen = choice(room);
    if chosen.iter().filter(|fits| **fits).count() < 2 {
        chosen = choice(room.saturating_sub(GAP) / 2);
    }
    let mut chosen = chosen.into_iter();
    columns.retain(|_| chosen.next().unwrap_or(false));
}

/// The number of columns that fit, from the first on, if all are as narrow as possible.
fn fitting(columns: &[Placed], room: usize) -> usize {
    let mut used = 0;
    let fitting = columns.iter().take_while(|place| {
        used += place.natural.min(LEAST);
        let fits = used <= room;
        used += GAP;
        fits
    });
    fitting.count().max(1)
}

/// Lines of names and values: the name, and the value beside it.
pub(super) fn pairs(values: &[(String, String)], terminal: Terminal) -> String {
    let names = values.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    if !terminal.is_terminal {
        let names = names.min(WIDEST_IN_FILE);
        return values.iter().map(|(name, value)| beside(&pad(name, names), &one_line(value))).collect();
    }
    let names = names.min(USUAL).min(terminal.width.saturating_sub(GAP) / 2);
    let columns = terminal.width.saturating_sub(names + GAP).max(1);
    let style = console::Style::new().bold().force_styling(terminal.colours);
    let mut out = String::new();
    for (name, value) in values {
        let mut before = style.apply_to(pad(&cut(name, names), names)).to_string();
        for line in wrap(value, columns, LINES_OF_A_VALUE) {
            out.push_str(&beside(&before, &line));
            before = " ".repeat(names);
        }
    }
    out
}

fn beside(name: &str, value: &str) -> String {
    let line = format!("{name}{}{value}", " ".repeat(GAP));
    format!("{}\n", line.trim_end())
}
