//! The report as text: for a pull request, and for a terminal.

use std::fmt::Write as _;

use super::change::Direction;
use super::finding::{Drift, Finding};
use super::rule::Wire;

/// A section folds beyond so many rows.
const ROWS: usize = 40;

/// Headings of the sections, each with the letter of its rows, from the worst to the least.
pub(super) const SECTIONS: [(Wire, &str, &str); 4] = [
    (Wire::Break, "B", "Breaks programs that run today"),
    (Wire::Risk, "R", "May break"),
    (Wire::Safe, "A", "Breaks nothing"),
    (Wire::None, "N", "Does not concern running programs"),
];

impl Drift {
    /// One sentence: how many causes, and what they do.
    #[must_use]
    pub fn verdict(&self) -> String {
        if self.findings.is_empty() {
            return "Nothing changed that a program could notice.".to_owned();
        }
        let [breaks, risks] = [Wire::Break, Wire::Risk].map(|wire| self.count(wire));
        let rest = self.findings.len() - breaks - risks;
        let verb = if breaks == 1 { "breaks" } else { "break" };
        let does = if rest == 1 { "does" } else { "do" };
        let causes = count(self.findings.len(), "cause");
        format!("{causes}: {breaks} {verb} programs that run today, {risks} may, {rest} {does} not.")
    }

    /// The report for a pull request. `what` names the contract and its revisions.
    #[must_use]
    pub fn markdown(&self, what: &str) -> String {
        let mut text = format!("# Contract drift: {}\n\n**{}**\n", cell(what), self.verdict());
        for (wire, letter, heading) in SECTIONS {
            let findings: Vec<&Finding> = self.findings.iter().filter(|finding| finding.wire == wire).collect();
            if findings.is_empty() {
                continue;
            }
            // Writing to a string does not fail.
            let _ = write!(text, "\n## {heading} ({})\n\n", findings.len());
            table(&mut text, letter, &findings[..findings.len().min(ROWS)]);
            if findings.len() > ROWS {
                let _ = write!(text, "\n<details><summary>{} more</summary>\n\n", findings.len() - ROWS);
                table(&mut text, letter, &findings[ROWS..]);
                text.push_str("\n</details>\n");
            }
        }
        text.push_str("\n## Not judged\n\n");
        for sentence in self.rest() {
            let _ = writeln!(text, "- {sentence}");
        }
        for place in self.not_judged.iter().take(ROWS) {
            let side = if place.added { "after" } else { "before" };
            let _ = writeln!(text, "- `{}` ({side})", cell(&place.pointer.replace('`', "'")));
        }
        if self.not_judged.len() > ROWS {
            let _ = writeln!(text, "- … and {} more", self.not_judged.len() - ROWS);
        }
        text
    }

    /// The report for a terminal: `most` findings at most of each section.
    #[must_use]
    pub fn text(&self, most: usize) -> String {
        let mut text = format!("{}\n", self.verdict());
        for (wire, letter, heading) in SECTIONS {
            let findings: Vec<&Finding> = self.findings.iter().filter(|finding| finding.wire == wire).collect();
            if findings.is_empty() {
                continue;
            }
            let _ = write!(text, "\n{heading} ({})\n", findings.len());
            for (index, finding) in findings.iter().take(most).enumerate() {
                let Finding { subject, change, symptom, .. } = finding;
                let number = format!("{letter}{}", index + 1);
                let _ = writeln!(text, "  {number:<4} {subject} {change}{}", reach(finding));
                if !symptom.is_empty() {
                    let _ = writeln!(text, "       {symptom}");
                }
            }
            if findings.len() > most {
                let _ = writeln!(text, "  … and {} more", findings.len() - most);
            }
        }
        text.push('\n');
        for sentence in self.rest() {
            let _ = writeln!(text, "{sentence}");
        }
        for place in self.not_judged.iter().take(most) {
            let _ = writeln!(text, "  {}", crate::line(&place.pointer));
        }
        text
    }

    pub(super) fn rest(&self) -> [String; 3] {
        [
            format!("Documentation: {} changed.", count(self.documentation, "place")),
            format!("The same in another way: {}.", count(self.spelling, "place")),
            format!("Changed, and no rule speaks of it: {}.", count(self.not_judged.len(), "place")),
        ]
    }
}

fn table(text: &mut String, letter: &str, findings: &[&Finding]) {
    text.push_str("| | what | who notices, how |\n|---|---|---|\n");
    for (index, finding) in findings.iter().enumerate() {
        let Finding { subject, change, symptom, .. } = finding;
        let symptom = if symptom.is_empty() { "nobody" } else { symptom };
        let _ = writeln!(
            text,
            "| {letter}{} | {} {}{} | {symptom} |",
            index + 1,
            if is_count(subject) { subject.clone() } else { format!("`{}`", cell(subject)) },
            cell(change),
            reach(finding),
        );
    }
}

/// Who sends it, and how many operations it concerns.
pub(super) fn reach(finding: &Finding) -> String {
    let direction = match finding.direction {
        Direction::Request => "request",
        Direction::Response => "response",
        Direction::Both => "request and response",
    };
    let assumed = if finding.assumed { ", assumed" } else { "" };
    match finding.operations.len() {
        0 => String::new(),
        operations => format!(" ({direction}, {}{assumed})", count(operations, "operation")),
    }
}

/// Whether a subject is a number of operations, and no name.
fn is_count(subject: &str) -> bool {
    subject.strip_suffix(" operations").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A text in a cell of a table. Between backticks nothing but the bar ends a cell.
fn cell(text: &str) -> String {
    crate::line(text).replace('|', "\\|")
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
