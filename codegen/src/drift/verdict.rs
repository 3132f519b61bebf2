//! The sentences of a report about the change as a whole.

use super::action::Action;
use super::finding::{Drift, Finding};
use super::item_change::Source;
use super::report::Heading;
use super::rows::Row;
use super::rule::Wire;

/// Rows that the verdict names.
const NAMED: usize = 10;

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
                    self.compiled(&[])
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
        let compiled = self.compiled(&rows);
        format!("{causes}: {breaks} {verb} programs that run today, {risks} may, {rest} {does} not.{others}{compiled}")
    }

    /// The effect on the next compile; empty if no items were compared.
    fn compiled(&self, rows: &[Row<'_>]) -> String {
        let Some(unexplained) = &self.unexplained else { return String::new() };
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
            let (named, more) = numbers.split_at(numbers.len().min(NAMED));
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

    /// The differences that are not findings, in numbers.
    pub(super) fn rest(&self) -> String {
        format!(
            "Documentation: {} changed. The same in another way: {}. Changed, and no rule speaks of it: {}.",
            count(self.documentation, "place"),
            count(self.spelling, "place"),
            count(self.not_judged.len(), "place")
        )
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
