//! The report as Markdown, for a pull request.

use std::collections::BTreeMap;

use super::inline::{self, Inline};
use super::report::{Blocks, DriftReport, ITEMS, Section, first};
use super::rows::Row;
use super::tasks::Task;
use crate::text::line;

/// A section folds beyond so many rows, and a list ends.
const ROWS: usize = 40;

impl DriftReport<'_> {
    /// For a pull request.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# Contract drift: {}\n\n**{}**\n", plain(self.title), words(&self.verdict));
        self.advice.iter().for_each(|sentence| text += &format!("{}\n", words(sentence)));
        for Section { heading, content, .. } in &self.sections {
            let heading = words(heading);
            text += &match content {
                Blocks::Work(open, folded) => {
                    let more = format!("{} more", folded.len());
                    let more = if folded.is_empty() { String::new() } else { fold(&more, &work(folded)) };
                    format!("\n## {heading}\n\n{}{more}", work(open))
                }
                Blocks::Rows(_, rows) => format!("\n## {heading} ({})\n\n{}", rows.len(), self.rows(rows)),
                Blocks::List(sentence, items) => {
                    let sentence: String = sentence.iter().map(|sentence| words(sentence) + "\n").collect();
                    format!("\n## {heading}\n\n{sentence}{}", list(&first(items, ROWS)))
                }
                Blocks::Paste(lines) => fold(&heading, &list(lines)),
            };
        }
        text
    }

    fn rows(&self, rows: &[Row<'_>]) -> String {
        let (open, more) = rows.split_at(rows.len().min(ROWS));
        let mut text = self.table(open, false);
        for row in rows {
            let parts = row.parts();
            if !parts.is_empty() {
                text += &fold(&format!("{}: all {}", row.number, parts.len()), &self.table(&parts, true));
            }
        }
        let mut folded: BTreeMap<String, Vec<Row<'_>>> = BTreeMap::new();
        for row in more {
            folded.entry(family(row)).or_default().push(row.clone());
        }
        for (family, rows) in folded {
            text += &fold(&format!("{} more{family}", rows.len()), &self.table(&rows, false));
        }
        text
    }

    /// A row says who notices its parts.
    fn table(&self, rows: &[Row<'_>], is_of_parts: bool) -> String {
        let has_items = rows.iter().any(|row| row.has_items);
        let is_left_out = [false, false, is_of_parts, !has_items];
        let cells = rows.iter().map(|row| {
            let number = match self.link(row) {
                Some(link) => format!("[{}]({})", row.number, link.address),
                None => row.number.clone(),
            };
            let cell = |sentences: Vec<String>, none: &str| match sentences.is_empty() {
                true => none.to_owned(),
                false => words(&sentences.join("; ")),
            };
            [number, words(&row.says()), cell(row.noticed(), "nobody"), cell(row.in_rust(ITEMS), "nothing")]
        });
        table(["", "what", "who notices, how", "in Rust"], cells, is_left_out)
    }
}

fn work(tasks: &[Task]) -> String {
    let cells = tasks
        .iter()
        .map(|task| [plain(&task.who()), format!("**{}**", task.action.says()), words(&task.says().join("; "))]);
    table(["route families", "what to do", "where"], cells, [false; 3])
}

fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = [String; N]>, is_left_out: [bool; N]) -> String {
    let line = |cells: [String; N]| {
        let cells = cells.into_iter().zip(is_left_out).filter(|(_, is_left_out)| !is_left_out);
        cells.map(|(cell, _)| if cell.is_empty() { "| ".to_owned() } else { format!("| {cell} ") }).collect::<String>()
            + "|\n"
    };
    let ruler = "|---".repeat(is_left_out.iter().filter(|is_left_out| !**is_left_out).count());
    format!("{}{ruler}|\n{}", line(heads.map(str::to_owned)), rows.map(line).collect::<String>())
}

fn list(items: &[String]) -> String {
    items.iter().map(|item| format!("- {}\n", words(item))).collect()
}

fn fold(summary: &str, content: &str) -> String {
    format!("\n<details><summary>{summary}</summary>\n\n{content}\n</details>\n")
}

/// The common family of a folded part of a section, behind its number of rows.
fn family(row: &Row<'_>) -> String {
    let families = row.families();
    let mut families = families.iter();
    match (families.next(), families.next()) {
        (None, _) => String::new(),
        // Family names are identifiers.
        (Some(one), None) => format!(", {one}"),
        (Some(_), Some(_)) => ", several families".to_owned(),
    }
}

/// A sentence in a line or a cell. In code, nothing but the bar ends a cell.
fn words(text: &str) -> String {
    let print = |(kind, part): (Inline, &str)| match kind {
        Inline::Plain => plain(part),
        Inline::Code => format!("`{}`", line(part).replace('|', "\\|")),
        Inline::Strong => format!("**{}**", plain(part)),
    };
    inline::parts(text).map(print).collect()
}

/// Words that are no markup.
fn plain(text: &str) -> String {
    let escaped = |char: char| if "\\`*<[|&".contains(char) { format!("\\{char}") } else { char.to_string() };
    line(text).chars().map(escaped).collect()
}
