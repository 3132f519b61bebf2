//! The report as a page: one file, which asks nobody for anything.

use super::difference::{self, Mark};
use super::finding::{Finding, Site};
use super::inline::{self, Inline};
use super::report::{Blocks, DriftReport, Section, first};
use super::rows::Row;
use super::sides::{Sides, When};
use super::tasks::{Call, Job, Task};
use crate::text::line;

/// Everything before the content. Colours follow the system; the page fits a phone; nothing is loaded.
const HEAD: &str = include_str!("page/head.html");
/// The end of a page with rows: the script of the filter. Without scripts, the page shows everything.
const FOOT: &str = include_str!("page/foot.html");
/// The end of any other page.
const END: &str = "</main>\n</body>\n</html>\n";
const FILTER: &str =
    "<form role=\"search\"><label>Filter <input type=\"search\" id=\"filter\" autocomplete=\"off\"></label>";
/// The switch between causes and operations, which the script shows.
const GROUPING: &str = "<fieldset id=\"grouping\" hidden><legend>Grouped by</legend>\
    <label><input type=\"radio\" name=\"group\" value=\"cause\" checked> cause</label>\
    <label><input type=\"radio\" name=\"group\" value=\"operation\"> operation</label></fieldset>\
    <output id=\"shown\"></output></form>\n";
/// The element into which the script puts the rows of each operation.
const BY_OPERATION: &str = "<section id=\"by-operation\" aria-labelledby=\"hoperation\" hidden><h2 id=\"hoperation\">Operations</h2></section>\n";

impl DriftReport<'_> {
    /// One self-contained HTML page.
    #[must_use]
    pub fn html(&self) -> String {
        let title = escape(self.title);
        let boxes = each(&self.sections, |Section { id, heading, content }| match content {
            Blocks::Rows(_, rows) => {
                let count = rows.len();
                format!("<label><input type=\"checkbox\" value=\"{id}\" checked> {heading} ({count})</label>")
            }
            _ => String::new(),
        });
        let own = |fits: fn(&Blocks<'_>) -> bool| -> String {
            self.sections.iter().filter(|section| fits(&section.content)).map(|section| self.section(section)).collect()
        };
        let head = format!(
            "{}<h1>{title}</h1>\n<p class=\"verdict {}\">{}</p>\n{}{}",
            HEAD.replace("{title}", &title),
            self.client.as_str(),
            marked(&self.verdict),
            each(&self.advice, |sentence| format!("<p>{}</p>\n", marked(sentence))),
            own(|content| matches!(content, Blocks::Work(..))),
        );
        let lists = own(|content| matches!(content, Blocks::List(..) | Blocks::Paste(_)));
        match own(|content| matches!(content, Blocks::Rows(..))) {
            none if none.is_empty() => format!("{head}{lists}{END}"),
            rows => format!("{head}{FILTER}{boxes}{GROUPING}{rows}{BY_OPERATION}{lists}{FOOT}"),
        }
    }

    fn section(&self, Section { id, heading, content }: &Section<'_>) -> String {
        let heading = marked(heading);
        let (class, content) = match content {
            Blocks::Work(open, folded) => ("", work(open) + &fold(folded.len(), "", &work(folded))),
            Blocks::Rows(_, rows) => (" class=\"of-rows\"", each(rows, |row| self.row(row, "finding"))),
            Blocks::List(sentence, items) => {
                let sentence = each(sentence.as_slice(), |sentence| format!("<p>{}</p>", marked(sentence)));
                let items = each(items, |item| format!("<li>{}</li>", marked(item)));
                ("", if items.is_empty() { sentence } else { format!("{sentence}<ul>{items}</ul>") })
            }
            Blocks::Paste(lines) => ("", format!("<pre>{}</pre>", each(lines, |line| format!("- {}\n", escape(line))))),
        };
        format!(
            "<section{class} id=\"{id}\" aria-labelledby=\"h{id}\"><h2 id=\"h{id}\">{heading}</h2>{content}</section>\n"
        )
    }

    /// A row, and within it the findings that it puts together.
    fn row(&self, row: &Row<'_>, class: &str) -> String {
        let Row { number, subject, change, client, findings, .. } = row;
        let subject = if row.is_counted { escape(subject) } else { code(subject) };
        let mut facts = each(&row.noticed(), |sentence| format!("<dt>Who notices</dt><dd>{}</dd>", marked(sentence)));
        let items = each(&row.in_rust(usize::MAX), |item| format!("<div>{}</div>", marked(item)));
        if !items.is_empty() {
            facts += &format!("<dt>In Rust</dt><dd>{items}</dd>");
        }
        let (parts, mut below) = (row.parts(), String::new());
        if let (Some((_, one)), true) = (findings.first(), parts.is_empty()) {
            let (rule, print) = (code(one.rule.id()), code(&one.fingerprint));
            facts += &format!("<dt>Rule</dt><dd>{rule}, fingerprint {print}</dd>");
            below += &difference(one);
            let operations: String = one.operations.iter().map(|name| format!("<li>{}</li>", code(name))).collect();
            if !operations.is_empty() {
                below += &format!("<p>Operations</p><ul class=\"operations\">{operations}</ul>");
            }
        }
        if let Some(link) = self.link(row) {
            let (address, text) = (escape(&link.address), escape(&link.text));
            facts += &format!("<dt>Place</dt><dd><a href=\"{address}\">{text}</a></dd>");
        }
        format!(
            "<details class=\"{class} {}\" id=\"{number}\"><summary><b>{number}</b> {subject} {}<small>{}</small></summary>\n\
             <dl>{facts}</dl>{below}{}</details>\n",
            client.as_str(),
            marked(change),
            escape(&row.reach()),
            each(&parts, |part| self.row(part, "part")),
        )
    }
}

/// The work, and below it the people who do it.
fn work(tasks: &[Task]) -> String {
    let actions = tasks.chunk_by(|one, other| one.action == other.action).filter_map(|tasks| {
        let action = tasks.first()?.action;
        Some(format!("<div class=\"task {}\"><h3>{}</h3>{}</div>\n", action.kind(), action.says(), each(tasks, task)))
    });
    actions.collect()
}

/// Causes of a task that stand open, and changes of each.
const CAUSES: usize = 4;
/// Bytes of a change that stand on one line.
const LONG: usize = 90;

fn task(task: &Task) -> String {
    let who = if task.families.is_empty() { "all".to_owned() } else { escape(&task.families.join(", ")) };
    let (printed, more) = task.jobs.split_at(if task.jobs.len() > CAUSES + 1 { CAUSES } else { task.jobs.len() });
    let more = fold(more.len(), " causes", &format!("<ul>{}</ul>", each(more, job)));
    format!("<article><h4>{who}</h4><ul>{}</ul>{more}</article>\n", each(printed, job))
}

fn job(job: &Job) -> String {
    let row = match job.row.as_str() {
        "" => String::new(),
        row => format!("<a href=\"#{row}\">{row}</a> "),
    };
    let changes = each(&first(&job.changes, CAUSES), |change| {
        // An entry as long as a line continues on the next one with its new form.
        let text = marked(change);
        let text = if change.len() > LONG { text.replacen(" → ", "<br>→ ", 1) } else { text };
        format!("<div>{text}</div>")
    });
    // A change that is no change of a call: the calls that meet it.
    let is_said = |call: &Call| job.changes.contains(&call.says());
    let calls: Vec<String> = job.calls.iter().filter(|call| !is_said(call)).map(Call::name).collect();
    let more = match job.operations.saturating_sub(calls.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let calls =
        if calls.is_empty() { String::new() } else { format!("<small>in {}{more}</small>", marked(&calls.join(", "))) };
    format!("<li>{row}{changes}{calls}</li>")
}

/// The contract before and after, line by line. A part that is in no contract, such as a GraphQL schema, is two short texts.
fn difference(finding: &Finding) -> String {
    let sites = Sides { before: finding.before.as_ref(), after: finding.after.as_ref() };
    let parts = &finding.places.parts;
    let mut lines = difference::lines(parts);
    if parts.before.is_none() && parts.after.is_none() {
        let mark = Sides { before: Mark::Gone, after: Mark::New };
        lines.extend(sites.into_iter().filter_map(|(side, site)| Some((mark[side], site?.value.clone()))));
    }
    let lines: String = each(&lines, |(mark, line)| {
        let (class, sign) = match mark {
            Mark::Same => ("same", ' '),
            Mark::Gone => ("gone", '-'),
            Mark::New => ("new", '+'),
            Mark::Left => ("left", ' '),
        };
        format!("<span class=\"{class}\">{sign} {}</span>\n", escape(line))
    });
    let lines = if lines.is_empty() { lines } else { format!("<pre class=\"diff\">{lines}</pre>") };
    let places = sites.map(|site| site.map(|Site { document, pointer, .. }| code(&format!("{document}#{pointer}"))));
    let is_moved = places.before != places.after;
    let label = Sides { before: "before: ", after: "after: " };
    let places =
        places.into_iter().filter(|(side, _)| is_moved || *side == When::Before).filter_map(|(side, place)| {
            Some(format!("<p class=\"place\">{}{}</p>", if is_moved { label[side] } else { "" }, place?))
        });
    lines + &places.collect::<String>()
}

fn each<T>(all: &[T], print: impl FnMut(&T) -> String) -> String {
    all.iter().map(print).collect()
}

/// Blocks that stands closed, if there is some.
fn fold(number: usize, what: &str, content: &str) -> String {
    match number {
        0 => String::new(),
        number => format!("<details class=\"more\"><summary>{number} more{what}</summary>{content}</details>"),
    }
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// A sentence whose code is code. The page sets nothing in bold within a sentence.
fn marked(text: &str) -> String {
    let print = |(kind, part): (Inline, &str)| match kind {
        Inline::Code => code(part),
        Inline::Plain | Inline::Strong => escape(part),
    };
    inline::parts(text).map(print).collect()
}

/// A text of a contract as content of an element.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in line(text).chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            char => escaped.push(char),
        }
    }
    escaped
}
