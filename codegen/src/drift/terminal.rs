//! The report for a terminal: lines whose parts have roles, so that a terminal can colour them.

use std::fmt::{self, Display, Formatter};

use super::action::Action;
use super::inline::{self, Inline};
use super::report::{Blocks, DriftReport, ITEMS, Section, first};
use super::rows::Row;
use super::rule::Wire;
use super::tasks::Task;

/// A line of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Columns that stay empty before the first part.
    pub indent: usize,
    /// Columns that stay empty before the part that does not fit into the first line.
    pub hang: usize,
    /// The parts, from left to right, with the spaces between them.
    pub spans: Vec<Span>,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The role of the part.
    pub role: Role,
    /// May hold texts of the contract, but neither a line break nor a control character.
    pub text: String,
}

/// The role of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Words.
    Plain,
    /// The parts to read first: the verdict, the next version, the subject of a row.
    Strong,
    /// Belongs to a section: its heading, the numbers of its rows.
    Section(Wire),
    /// A name or a value of the contract or of Rust. Without colours it stands between backticks.
    Code,
    /// The reach of a cause, or the number of omitted parts.
    Quiet,
    /// The compiler does not tell.
    Silent,
}

impl Line {
    fn new(indent: usize, hang: usize) -> Self {
        Self { indent, hang, spans: Vec::new() }
    }

    fn with(mut self, role: Role, text: impl AsRef<str>) -> Self {
        let text = crate::line(text.as_ref()).into_owned();
        if !text.is_empty() {
            self.spans.push(Span { role, text });
        }
        self
    }

    /// Words with code between backticks, and strong ones between double asterisks; the others have a role.
    fn words(mut self, plain: Role, text: &str) -> Self {
        for (kind, part) in inline::parts(text) {
            let role = match kind {
                Inline::Plain => plain,
                Inline::Code => Role::Code,
                Inline::Strong => Role::Strong,
            };
            self = self.with(role, part);
        }
        self
    }
}

/// Without colours.
impl Display for Line {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:indent$}", "", indent = self.indent)?;
        for Span { role, text } in &self.spans {
            match role {
                Role::Code => write!(formatter, "`{text}`")?,
                _ => formatter.write_str(text)?,
            }
        }
        Ok(())
    }
}

impl DriftReport<'_> {
    /// For a terminal: `most` findings at most of each section.
    #[must_use]
    pub fn lines(&self, most: usize) -> Vec<Line> {
        let mut lines = vec![Line::new(0, 0).with(Role::Strong, &self.verdict)];
        lines.extend(self.advice.iter().map(|sentence| Line::new(0, 0).words(Role::Plain, sentence)));
        for Section { heading, content, .. } in &self.sections {
            let (mut below, mut role, mut count) = (Vec::new(), Role::Strong, String::new());
            match content {
                Blocks::Work(open, folded) => {
                    open.chunk_by(|one, other| one.action == other.action).for_each(|tasks| work(&mut below, tasks));
                    more(&mut below, folded.len());
                }
                Blocks::Rows(wire, rows) => {
                    (role, count) = (Role::Section(*wire), format!(" ({})", rows.len()));
                    rows.iter().take(most).for_each(|printed| row(&mut below, printed));
                    more(&mut below, rows.len().saturating_sub(most));
                }
                Blocks::List(sentence, items) => {
                    below.extend(sentence.iter().map(|sentence| Line::new(0, 0).words(Role::Quiet, sentence)));
                    let items = first(items, most);
                    below.extend(items.iter().map(|item| Line::new(INDENT, INDENT).words(Role::Plain, item)));
                }
                Blocks::Paste(_) => continue,
            }
            lines.extend([Line::default(), Line::new(0, 0).words(role, &format!("{heading}{count}"))]);
            lines.append(&mut below);
        }
        lines
    }
}

/// Columns before the number of a row.
const INDENT: usize = 2;

/// Columns before the text of a row.
const HANG: usize = 7;

fn more(lines: &mut Vec<Line>, number: usize) {
    if number > 0 {
        let text = format!("… and {number} more; --format markdown and --format html have all");
        lines.push(Line::new(INDENT, INDENT).with(Role::Quiet, text));
    }
}

/// Work of one kind.
fn work(lines: &mut Vec<Line>, tasks: &[Task]) {
    let Some(action) = tasks.first().map(|task| task.action) else { return };
    let role = if action == Action::CheckCalls { Role::Silent } else { Role::Strong };
    lines.push(Line::new(INDENT, HANG).with(role, action.says()));
    for task in tasks {
        lines.push(Line::new(2 * INDENT, HANG).with(Role::Quiet, task.who()));
        lines.extend(task.says().iter().map(|sentence| Line::new(HANG, HANG + 2).words(Role::Plain, sentence)));
    }
}

fn row(lines: &mut Vec<Line>, row: &Row<'_>) {
    let below = || Line::new(HANG, HANG + 2);
    lines.push(
        Line::new(INDENT, HANG)
            .with(Role::Section(row.client), format!("{:<4}", row.number))
            .with(Role::Plain, " ")
            .with(Role::Strong, &row.subject)
            .with(Role::Plain, " ")
            .words(Role::Plain, &row.change)
            .with(Role::Quiet, row.reach()),
    );
    lines.extend(row.noticed().iter().map(|sentence| below().words(Role::Plain, sentence)));
    let items = row.in_rust(ITEMS);
    let (items, silent) = items.split_at(items.len() - usize::from(row.is_untold()));
    lines.extend(items.iter().map(|item| below().words(Role::Plain, item)));
    lines.extend(silent.iter().map(|sentence| below().with(Role::Silent, sentence)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_strong_words_are_parts_and_plain_text_keeps_the_backticks() {
        let line = Line::new(2, 4).words(Role::Plain, "goes from `a` to **b**, see `c\u{1b}[2J`");
        let roles: Vec<Role> = line.spans.iter().map(|span| span.role).collect();
        assert_eq!(roles, [Role::Plain, Role::Code, Role::Plain, Role::Strong, Role::Plain, Role::Code]);
        assert_eq!(line.to_string(), "  goes from `a` to b, see `c\\u{1b}[2J`");
    }
}
