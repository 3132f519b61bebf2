//! The report as Markdown, for a pull request, and the sentences of every form of the report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::action::Action;
use super::finding::{Drift, Finding};
use super::item_change::{Source, once};
use super::rows::Row;
use super::rule::Wire;
use super::tasks::{self, Task};

/// A section folds beyond so many rows.
const ROWS: usize = 40;

/// Headings of the sections, from the worst to the least.
pub(super) const SECTIONS: [(Wire, &str); 4] = [
    (Wire::Break, "Breaks programs that run today"),
    (Wire::Risk, "May break"),
    (Wire::Safe, "Breaks nothing"),
    (Wire::None, "Does not concern running programs"),
];

/// Rust items that a row names.
pub(super) const ITEMS: usize = 3;

/// The subject of a report.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The contract and its revisions.
    pub what: &'a str,
    /// The version of the client, which the next one is derived from.
    pub version: Option<&'a str>,
}

impl Drift {
    /// One sentence: the number of causes, and their effect.
    #[must_use]
    pub fn verdict(&self) -> String {
        let items = self.unexplained.as_ref().map_or(0, Vec::len);
        if self.findings.is_empty() {
            return match items {
                0 => "Nothing changed that a program could notice.".to_owned(),
                items => format!(
                    "Nothing changed for programs that run today. {} of Rust changed.{}",
                    count(items, "item"),
                    self.compiled()
                ),
            };
        }
        let rows = self.rows();
        let [breaks, risks] =
            [Wire::Break, Wire::Risk].map(|wire| rows.iter().filter(|row| row.client == wire).count());
        let rest = rows.len() - breaks - risks;
        let verb = if breaks == 1 { "breaks" } else { "break" };
        let does = if rest == 1 { "does" } else { "do" };
        let places = match self.findings.len() {
            same if same == rows.len() => String::new(),
            places => format!(" at {places} places"),
        };
        let causes = format!("{}{places}", count(rows.len(), "cause"));
        let others = rows.iter().filter(|row| row.costs_others_more()).count();
        let others = match others {
            0 => String::new(),
            1 => " 1 costs other clients of the contract more.".to_owned(),
            several => format!(" {several} cost other clients of the contract more."),
        };
        let compiled = self.compiled();
        format!("{causes}: {breaks} {verb} programs that run today, {risks} may, {rest} {does} not.{others}{compiled}")
    }

    /// The effect on the next compile; empty if no items were compared.
    fn compiled(&self) -> String {
        let Some(unexplained) = &self.unexplained else { return String::new() };
        let rows = self.rows();
        let major = rows.iter().filter(|row| row.source() == Source::Major).count();
        let alone = unexplained.iter().filter(|change| change.source == Source::Major).count();
        let mut text = match major + alone {
            0 => " None breaks the next compile".to_owned(),
            1 => " 1 breaks the next compile".to_owned(),
            several => format!(" {several} break the next compile"),
        };
        let numbers = |fits: fn(&Row<'_>) -> bool| -> Vec<&str> {
            rows.iter().filter(|row| fits(row)).map(|row| row.number.as_str()).collect()
        };
        let rebuilt = numbers(|row| row.client >= Wire::Risk && row.action() == Some(Action::Rebuild));
        let silent = numbers(|row| row.is_untold());
        for (numbers, one, several) in [
            (rebuilt, "needs the new client and no edit", "need the new client and no edit"),
            (silent, "breaks silently", "break silently"),
        ] {
            let verb = if numbers.len() == 1 { one } else { several };
            let (named, more) = numbers.split_at(numbers.len().min(ROWS / 4));
            let more = if more.is_empty() { "" } else { ", …" };
            if !named.is_empty() {
                text.push_str(&format!("; {} {verb} ({}{more})", numbers.len(), named.join(", ")));
            }
        }
        text + "."
    }

    /// The places to look at, and the version that the changes ask for.
    pub(super) fn advice(&self, heading: &Heading<'_>) -> Vec<String> {
        let mut advice = self.published.clone();
        let felt: Vec<&Finding> = self.findings.iter().filter(|finding| finding.client >= Wire::Risk).collect();
        if !felt.is_empty() && felt.iter().all(|finding| finding.assumed) {
            let who = "consumers with the default features do not have these operations";
            advice.push(format!("All that breaks lies behind the feature `assumed`: {who}."));
        }
        if let Some(release) =
            heading.version.and_then(|version| self.release(version)).filter(|release| release.next != release.current)
        {
            let default = if release.default_features == release.next {
                String::new()
            } else {
                format!(" ({} where only the default features count)", release.default_features)
            };
            advice.push(format!("Version: {} → **{}**{default}.", release.current, release.next));
        }
        advice
    }

    /// The report for a pull request.
    #[must_use]
    pub fn markdown(&self, heading: &Heading<'_>) -> String {
        let mut text = format!("# Contract drift: {}\n\n**{}**\n", cell(heading.what), self.verdict());
        for sentence in self.advice(heading) {
            let _ = writeln!(text, "{sentence}");
        }
        let rust = self.unexplained.is_some();
        self.screen(&mut text);
        let all = self.rows();
        for (wire, heading) in SECTIONS {
            let rows: Vec<&Row<'_>> = all.iter().filter(|row| row.client == wire).collect();
            if rows.is_empty() {
                continue;
            }
            // Writing to a string does not fail.
            let _ = write!(text, "\n## {heading} ({})\n\n", rows.len());
            let (printed, more) = rows.split_at(rows.len().min(ROWS));
            table(&mut text, printed.iter().copied(), rust);
            for row in &rows {
                let parts = row.parts();
                if !parts.is_empty() {
                    let _ = write!(text, "\n<details><summary>{}: all {}</summary>\n\n", row.number, parts.len());
                    list(&mut text, &parts, rust);
                    text.push_str("\n</details>\n");
                }
            }
            let mut folded: BTreeMap<String, Vec<&Row<'_>>> = BTreeMap::new();
            for row in more {
                folded.entry(family(row)).or_default().push(row);
            }
            for (family, rows) in folded {
                let _ = write!(text, "\n<details><summary>{} more{family}</summary>\n\n", rows.len());
                table(&mut text, rows.into_iter(), rust);
                text.push_str("\n</details>\n");
            }
        }
        let besides = self.besides(ROWS);
        if !besides.is_empty() {
            let _ = write!(text, "\n## {UNEXPLAINED}\n\n");
        }
        for sentence in besides {
            let _ = writeln!(text, "- {}", cell(&sentence));
        }
        text.push_str("\n## Not judged\n\n");
        let _ = writeln!(text, "{}", self.rest().join(" "));
        for place in self.not_judged.iter().take(ROWS) {
            let side = if place.added { "after" } else { "before" };
            let _ = writeln!(text, "- `{}` ({side})", cell(&place.pointer.replace('`', "'")));
        }
        if self.not_judged.len() > ROWS {
            let _ = writeln!(text, "- … and {} more", self.not_judged.len() - ROWS);
        }
        let changelog = self.changelog();
        if !changelog.is_empty() {
            text.push_str("\n<details><summary>For CHANGELOG.md</summary>\n\n");
            for line in changelog {
                let _ = writeln!(text, "- {}", crate::line(&line));
            }
            text.push_str("\n</details>\n");
        }
        text
    }

    /// The first screen: who has to act.
    fn screen(&self, text: &mut String) {
        let tasks = self.tasks();
        if tasks.is_empty() {
            return;
        }
        let _ = write!(text, "\n## {WHO}\n\n");
        let (printed, more) = tasks::split(&tasks);
        work(text, &printed);
        if !more.is_empty() {
            let _ = write!(text, "\n<details><summary>{} more</summary>\n\n", more.len());
            work(text, &more);
            text.push_str("\n</details>\n");
        }
    }

    /// The Rust items that no finding speaks of: `most` of them in words, and how many more there are.
    pub(super) fn besides(&self, most: usize) -> Vec<String> {
        let items = once(self.unexplained.iter().flatten().collect());
        let mut lines: Vec<String> = items.iter().take(most).map(|change| change.says()).collect();
        match items.len().saturating_sub(most) {
            0 => {}
            more => lines.push(format!("and {more} more")),
        }
        lines
    }

    pub(super) fn rest(&self) -> [String; 3] {
        [
            format!("Documentation: {} changed.", count(self.documentation, "place")),
            format!("The same in another way: {}.", count(self.spelling, "place")),
            format!("Changed, and no rule speaks of it: {}.", count(self.not_judged.len(), "place")),
        ]
    }
}

/// Heading of the first screen.
pub(super) const WHO: &str = "Who has to act";

fn work(text: &mut String, tasks: &[&Task]) {
    text.push_str("| route families | what to do | where |\n|---|---|---|\n");
    for task in tasks {
        let _ = writeln!(
            text,
            "| {} | **{}** | {} |",
            cell(&task.who()),
            task.action.says(),
            cell(&task.says().join("; "))
        );
    }
}

/// Heading of the items that no finding speaks of.
pub(super) const UNEXPLAINED: &str = "Rust items that changed besides";

/// The Rust items of a row: `most` of them in words, and how many more there are.
pub(super) fn rust(row: &Row<'_>, most: usize) -> Vec<String> {
    let items = row.items();
    let mut lines: Vec<String> = items.iter().take(most).map(|change| change.says()).collect();
    match items.len().saturating_sub(most) {
        0 => {}
        more => lines.push(format!("and {more} more")),
    }
    let none = if lines.is_empty() { "no item: " } else { "" };
    if row.is_untold() {
        lines.push(format!("{none}the compiler does not tell"));
    } else if row.is_silent() && row.action() == Some(Action::Rebuild) {
        lines.push(format!("{none}the new client needs no edit"));
    } else if row.is_told_elsewhere() {
        lines.push("no item of its own: other changes lead to its calls".to_owned());
    }
    lines
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

fn table<'r>(text: &mut String, rows: impl Iterator<Item = &'r Row<'r>>, rust: bool) {
    text.push_str(if rust {
        "| | what | who notices, how | in Rust |\n|---|---|---|---|\n"
    } else {
        "| | what | who notices, how |\n|---|---|---|\n"
    });
    for row in rows {
        let noticed = row.noticed().join("; ");
        let noticed = if noticed.is_empty() { "nobody" } else { &noticed };
        let _ = writeln!(
            text,
            "| {} | {} | {noticed} |{}",
            row.number,
            cell(&row.says()),
            if rust { format!(" {} |", in_rust(row)) } else { String::new() },
        );
    }
}

/// The findings of a row, which says who notices them.
fn list(text: &mut String, parts: &[Row<'_>], rust: bool) {
    text.push_str(if rust { "| | what | in Rust |\n|---|---|---|\n" } else { "| | what |\n|---|---|\n" });
    for part in parts {
        let items = if rust { format!(" {} |", in_rust(part)) } else { String::new() };
        let _ = writeln!(text, "| {} | {} |{items}", part.number, cell(&part.says()));
    }
}

/// The cell of the Rust items.
fn in_rust(row: &Row<'_>) -> String {
    let lines: Vec<String> = rust(row, ITEMS).iter().map(|line| cell(line)).collect();
    match lines.is_empty() {
        true => "nothing".to_owned(),
        false => lines.join("; "),
    }
}

/// A text in a cell of a table. Between backticks nothing but the bar ends a cell.
fn cell(text: &str) -> String {
    crate::line(text).replace('|', "\\|")
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
