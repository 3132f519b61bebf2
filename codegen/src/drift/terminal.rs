//! The report for a terminal: lines whose parts have roles, so that a terminal can colour them.

use std::fmt::{self, Display, Formatter};

use super::action::Action;
use super::finding::Drift;
use super::inline::{self, Inline};
use super::report::{Heading, ITEMS, SECTIONS, UNEXPLAINED, WHO, rust};
use super::rows::Row;
use super::rule::Wire;
use super::tasks;

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

    /// Words with code between backticks, and strong ones between double asterisks.
    fn words(mut self, text: &str) -> Self {
        for (kind, part) in inline::parts(text) {
            let role = match kind {
                Inline::Plain => Role::Plain,
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

impl Drift {
    /// The report for a terminal: `most` findings at most of each section.
    #[must_use]
    pub fn lines(&self, heading: &Heading<'_>, most: usize) -> Vec<Line> {
        let mut lines = vec![Line::new(0, 0).with(Role::Strong, self.verdict())];
        lines.extend(self.advice(heading).iter().map(|sentence| Line::new(0, 0).words(sentence)));
        self.screened(&mut lines, most);
        let all = self.rows();
        for (wire, heading) in SECTIONS {
            let rows: Vec<&Row<'_>> = all.iter().filter(|row| row.client == wire).collect();
            if rows.is_empty() {
                continue;
            }
            let heading = format!("{heading} ({})", rows.len());
            lines.extend([Line::default(), Line::new(0, 0).with(Role::Section(wire), heading)]);
            rows.iter().take(most).for_each(|printed| row(&mut lines, printed));
            if rows.len() > most {
                let more = format!("… and {} more; --format markdown and --format html have all", rows.len() - most);
                lines.push(Line::new(INDENT, INDENT).with(Role::Quiet, more));
            }
        }
        let besides = self.besides(most);
        if !besides.is_empty() {
            let heading = format!("{UNEXPLAINED} ({})", self.unexplained.as_ref().map_or(0, Vec::len));
            lines.extend([Line::default(), Line::new(0, 0).with(Role::Strong, heading)]);
            lines.extend(besides.iter().map(|sentence| Line::new(INDENT, INDENT).words(sentence)));
        }
        lines.push(Line::default());
        lines.extend(self.rest().iter().map(|sentence| Line::new(0, 0).with(Role::Quiet, sentence)));
        let places = self.not_judged.iter().take(most);
        lines.extend(places.map(|place| Line::new(INDENT, INDENT).with(Role::Plain, &place.pointer)));
        lines
    }
}

impl Drift {
    /// The first screen: who has to act.
    fn screened(&self, lines: &mut Vec<Line>, most: usize) {
        let tasks = self.tasks();
        if tasks.is_empty() || most == 0 {
            return;
        }
        lines.extend([Line::default(), Line::new(0, 0).with(Role::Strong, WHO)]);
        let (printed, more) = tasks::split(&tasks);
        let mut last = None;
        for task in printed {
            let role = if task.action == Action::CheckCalls { Role::Silent } else { Role::Strong };
            if last.replace(task.action) != Some(task.action) {
                lines.push(Line::new(INDENT, HANG).with(role, task.action.says()));
            }
            lines.push(Line::new(2 * INDENT, HANG).with(Role::Quiet, task.who()));
            lines.extend(task.says().iter().map(|sentence| Line::new(HANG, HANG + 2).words(sentence)));
        }
        if !more.is_empty() {
            let more = format!("… and {} more; --format markdown and --format html have all", more.len());
            lines.push(Line::new(INDENT, INDENT).with(Role::Quiet, more));
        }
    }
}

/// Columns before the number of a row.
const INDENT: usize = 2;

/// Columns before the text of a row.
const HANG: usize = 7;

fn row(lines: &mut Vec<Line>, row: &Row<'_>) {
    let below = || Line::new(HANG, HANG + 2);
    lines.push(
        Line::new(INDENT, HANG)
            .with(Role::Section(row.client), format!("{:<4}", row.number))
            .with(Role::Plain, " ")
            .with(Role::Strong, &row.subject)
            .with(Role::Plain, " ")
            .words(&row.change)
            .with(Role::Quiet, row.reach()),
    );
    lines.extend(row.noticed().iter().map(|sentence| below().words(sentence)));
    let items = rust(row, ITEMS);
    let (items, silent) = items.split_at(items.len() - usize::from(row.is_untold()));
    lines.extend(items.iter().map(|item| below().words(item)));
    lines.extend(silent.iter().map(|sentence| below().with(Role::Silent, sentence)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_strong_words_are_parts_and_plain_text_keeps_the_backticks() {
        let line = Line::new(2, 4).words("goes from `a` to **b**, see `c\u{1b}[2J`");
        let roles: Vec<Role> = line.spans.iter().map(|span| span.role).collect();
        assert_eq!(roles, [Role::Plain, Role::Code, Role::Plain, Role::Strong, Role::Plain, Role::Code]);
        assert_eq!(line.to_string(), "  goes from `a` to b, see `c\\u{1b}[2J`");
    }
}
