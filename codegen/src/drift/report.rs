//! The report as a tree, which is built once: Markdown, the page and the lines of a terminal are forms of it. Its sentences have texts of
//! the contract between backticks (`inline`); each form escapes them itself.

use super::action::Action;
use super::finding::Drift;
use super::item_change::{ItemChange, once};
use super::rows::Row;
use super::rule::Wire;
use super::tasks::{self, Task};

/// The subject of a report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heading<'a> {
    /// The contract and its revisions.
    pub what: &'a str,
    /// The version of the client, which the next one is derived from.
    pub version: Option<&'a str>,
    /// The line of each finding, in their order, where its reader has the file; may be empty.
    pub links: &'a [Option<Link>],
}

/// A line of a file that the reader of a report has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its address.
    pub address: String,
    /// Its name for people.
    pub text: String,
}

/// A report from top to bottom.
#[derive(Clone, Debug)]
pub struct DriftReport<'r> {
    pub(super) title: &'r str,
    pub(super) links: &'r [Option<Link>],
    /// The worst effect of all that it lists.
    pub(super) client: Wire,
    pub(super) verdict: String,
    pub(super) advice: Vec<String>,
    pub(super) sections: Vec<Section<'r>>,
}

#[derive(Clone, Debug)]
pub(super) struct Section<'r> {
    pub(super) id: String,
    pub(super) heading: String,
    pub(super) content: Blocks<'r>,
}

#[derive(Clone, Debug)]
pub(super) enum Blocks<'r> {
    /// Work for people: the part that stands open, and the part that is folded.
    Work(Vec<Task>, Vec<Task>),
    /// The causes with this effect.
    Rows(Wire, Vec<Row<'r>>),
    /// A sentence and a list.
    List(Option<String>, Vec<String>),
    /// Lines that are to be pasted into another file.
    Paste(Vec<String>),
}

/// The sections of rows, from the worst to the least.
const SECTIONS: [(Wire, &str, &str); 4] = [
    (Wire::Break, "B", "Breaks programs that run today"),
    (Wire::Risk, "R", "May break"),
    (Wire::Safe, "A", "Breaks nothing"),
    (Wire::None, "N", "Does not concern running programs"),
];

/// Rust items that a row names on paper and on a terminal.
pub(super) const ITEMS: usize = 3;

impl Drift {
    /// The report, which `heading` describes.
    #[must_use]
    pub fn report<'r>(&'r self, heading: &Heading<'r>) -> DriftReport<'r> {
        let (open, folded) = tasks::split(self.tasks());
        let all = self.rows();
        let rows = |wire| Blocks::Rows(wire, all.iter().filter(|row| row.client == wire).cloned().collect());
        let items = once(self.unexplained.iter().flatten().collect()).into_iter().map(ItemChange::says).collect();
        let places = self.not_judged.iter().map(|place| {
            let side = if place.added { "after" } else { "before" };
            format!("`{}` ({side})", place.pointer.replace('`', "'"))
        });
        let section =
            |id: &str, heading: &str, content| Section { id: id.to_owned(), heading: heading.to_owned(), content };
        let mut sections = vec![section("people", "Action required", Blocks::Work(open, folded))];
        sections.extend(SECTIONS.map(|(wire, id, heading)| section(id, heading, rows(wire))));
        sections.push(section("items", "Rust items that changed besides", Blocks::List(None, items)));
        sections.push(section("rest", "Not judged", Blocks::List(Some(self.rest()), places.collect())));
        sections.push(section("changelog", "For CHANGELOG.md", Blocks::Paste(self.changelog())));
        sections.retain(|section| match &section.content {
            Blocks::Work(open, _) => !open.is_empty(),
            Blocks::Rows(_, rows) => !rows.is_empty(),
            Blocks::List(sentence, items) => sentence.is_some() || !items.is_empty(),
            Blocks::Paste(lines) => !lines.is_empty(),
        });
        DriftReport {
            title: heading.what,
            links: heading.links,
            client: self.client(),
            verdict: self.verdict(),
            advice: self.advice(heading),
            sections,
        }
    }
}

impl<'r> DriftReport<'r> {
    /// A report of lists, each with its heading and a sentence. Texts of others stand between backticks.
    #[must_use]
    pub fn of_lists(
        title: &'r str,
        client: Wire,
        verdict: String,
        lists: impl Iterator<Item = (String, String, Vec<String>)>,
    ) -> Self {
        let sections = lists.enumerate().map(|(index, (heading, sentence, items))| Section {
            id: format!("list{index}"),
            heading,
            content: Blocks::List(Some(sentence), items),
        });
        Self { title, links: &[], client, verdict, advice: Vec::new(), sections: sections.collect() }
    }

    /// The line that a row is about.
    pub(super) fn link(&self, row: &Row<'_>) -> Option<&Link> {
        self.links.get(row.findings.first()?.0)?.as_ref()
    }
}

/// The first ones, and how many more there are.
pub(super) fn first(all: &[String], most: usize) -> Vec<String> {
    let more = all.len().saturating_sub(most);
    all.iter().take(most).cloned().chain((more > 0).then(|| format!("and {more} more"))).collect()
}

impl Row<'_> {
    /// The Rust items: `most` of them in words, how many more there are, and the part of the compiler.
    pub(super) fn in_rust(&self, most: usize) -> Vec<String> {
        let items: Vec<String> = self.items().into_iter().map(ItemChange::says).collect();
        let mut lines = first(&items, most);
        let none = if lines.is_empty() { "no item: " } else { "" };
        if self.is_untold() {
            lines.push(format!("{none}the compiler does not tell"));
        } else if self.is_silent() && self.action() == Some(Action::Rebuild) {
            lines.push(format!("{none}the new client needs no edit"));
        } else if self.is_told_elsewhere() {
            lines.push("no item of its own: other changes lead to its calls".to_owned());
        }
        lines
    }
}
