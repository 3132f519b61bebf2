//! The report as a page: one file, which asks nobody for anything.

use std::fmt::Write as _;

use super::difference::{self, Mark};
use super::finding::{Drift, Finding, Site};
use super::inline::{self, Inline};
use super::report::{Heading, SECTIONS, UNEXPLAINED, WHO, rust};
use super::rows::Row;
use super::sides::Sides;
use super::tasks::{self, Call, Job, Task};
use crate::text::line;

/// Everything before the content. Colours follow the system; the page fits a phone; nothing is loaded.
const HEAD: &str = include_str!("page/head.html");
/// The filter, and the end of the page. Without scripts, the page shows everything.
const FOOT: &str = include_str!("page/foot.html");
/// The switch between causes and operations, which the script shows.
const GROUPING: &str = "<fieldset id=\"grouping\" hidden><legend>Grouped by</legend>\
    <label><input type=\"radio\" name=\"group\" value=\"cause\" checked> cause</label>\
    <label><input type=\"radio\" name=\"group\" value=\"operation\"> operation</label></fieldset>\
    <output id=\"shown\"></output></form>\n";
/// The element into which the script puts the rows of each operation.
const BY_OPERATION: &str = "<section id=\"by-operation\" aria-labelledby=\"hoperation\" hidden><h2 id=\"hoperation\">Operations</h2></section>\n";

/// A page of its own around HTML, without scripts, in the colours of the report.
#[must_use]
pub fn page(title: &str, content: &str) -> String {
    format!("{}{content}</main>\n</body>\n</html>\n", HEAD.replace("{title}", &escape(title)))
}

impl Drift {
    /// The report as one self-contained HTML page.
    #[must_use]
    pub fn html(&self, heading: &Heading<'_>) -> String {
        let what = heading.what;
        let mut page = HEAD.replace("{title}", &escape(what));
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n",
            escape(what),
            self.client().as_str(),
            escape(&self.verdict())
        );
        for sentence in self.advice(heading) {
            let _ = writeln!(page, "<p>{}</p>", marked(&sentence));
        }
        self.screen_page(&mut page);
        page.push_str(
            "<form role=\"search\"><label>Filter <input type=\"search\" id=\"filter\" autocomplete=\"off\"></label>",
        );
        let rows = self.rows();
        for (wire, heading) in SECTIONS {
            let (count, letter) = (rows.iter().filter(|row| row.client == wire).count(), wire.letter());
            if count > 0 {
                let _ = write!(
                    page,
                    "<label><input type=\"checkbox\" value=\"{letter}\" checked> {heading} ({count})</label>"
                );
            }
        }
        page.push_str(GROUPING);
        for (wire, heading) in SECTIONS {
            let (mut own, letter) = (rows.iter().filter(|row| row.client == wire).peekable(), wire.letter());
            if own.peek().is_none() {
                continue;
            }
            let _ = write!(
                page,
                "<section class=\"of-rows\" id=\"{letter}\" aria-labelledby=\"h{letter}\"><h2 id=\"h{letter}\">{heading}</h2>"
            );
            own.for_each(|row| finding(&mut page, row, "finding"));
            page.push_str("</section>\n");
        }
        page.push_str(BY_OPERATION);
        let besides = self.besides(usize::MAX);
        if !besides.is_empty() {
            let _ = write!(
                page,
                "<section id=\"items\" aria-labelledby=\"hitems\"><h2 id=\"hitems\">{UNEXPLAINED}</h2><ul>"
            );
            for sentence in besides {
                let _ = write!(page, "<li>{}</li>", marked(&sentence));
            }
            page.push_str("</ul></section>\n");
        }
        page.push_str("<section id=\"rest\" aria-labelledby=\"hrest\"><h2 id=\"hrest\">Not told above</h2><ul>");
        for sentence in self.rest() {
            let _ = write!(page, "<li>{}</li>", escape(&sentence));
        }
        for place in &self.not_judged {
            let side = if place.added { "after" } else { "before" };
            let _ = write!(page, "<li><code>{}</code> ({side})</li>", escape(&place.pointer));
        }
        page.push_str("</ul></section>\n");
        let changelog = self.changelog();
        if !changelog.is_empty() {
            page.push_str(
                "<section id=\"changelog\" aria-labelledby=\"hlog\"><h2 id=\"hlog\">For CHANGELOG.md</h2><pre>",
            );
            for line in changelog {
                let _ = writeln!(page, "- {}", escape(&line));
            }
            page.push_str("</pre></section>\n");
        }
        page + FOOT
    }
}

impl Drift {
    /// The first screen: who has to act.
    fn screen_page(&self, page: &mut String) {
        let tasks = self.tasks();
        if tasks.is_empty() {
            return;
        }
        let _ = write!(page, "<section id=\"people\" aria-labelledby=\"hpeople\"><h2 id=\"hpeople\">{WHO}</h2>");
        let (printed, more) = tasks::split(&tasks);
        work(page, &printed);
        if !more.is_empty() {
            let _ = write!(page, "<details class=\"more\"><summary>{} more</summary>", more.len());
            work(page, &more);
            page.push_str("</details>");
        }
        page.push_str("</section>\n");
    }
}

/// The work, and below it the people who do it.
fn work(page: &mut String, tasks: &[&Task]) {
    for tasks in tasks.chunk_by(|one, other| one.action == other.action) {
        let Some(action) = tasks.first().map(|task| task.action) else { continue };
        let _ = write!(page, "<div class=\"task {}\"><h3>{}</h3>", action.kind(), action.says());
        tasks.iter().for_each(|one| task(page, one));
        page.push_str("</div>\n");
    }
}

/// Causes of a task that stand open, and changes of each.
const CAUSES: usize = 4;
/// Bytes of a change that stand on one line.
const LONG: usize = 90;

fn task(page: &mut String, task: &Task) {
    let who = if task.families.is_empty() { "all".to_owned() } else { task.families.join(", ") };
    let _ = write!(page, "<article><h4>{}</h4><ul>", escape(&who));
    let (printed, more) = task.jobs.split_at(if task.jobs.len() > CAUSES + 1 { CAUSES } else { task.jobs.len() });
    printed.iter().for_each(|one| job(page, one));
    page.push_str("</ul>");
    if !more.is_empty() {
        let _ = write!(page, "<details class=\"more\"><summary>{} more causes</summary><ul>", more.len());
        more.iter().for_each(|one| job(page, one));
        page.push_str("</ul></details>");
    }
    page.push_str("</article>\n");
}

fn job(page: &mut String, job: &Job) {
    page.push_str("<li>");
    if !job.row.is_empty() {
        let _ = write!(page, "<a href=\"#{0}\">{0}</a> ", job.row);
    }
    let (printed, more) = job.changes.split_at(job.changes.len().min(CAUSES));
    for change in printed {
        // An entry as long as a line continues on the next one with its new form.
        let text = marked(change);
        let text = if change.len() > LONG { text.replacen(" → ", "<br>→ ", 1) } else { text };
        let _ = write!(page, "<div>{text}</div>");
    }
    if !more.is_empty() {
        let _ = write!(page, "<div>and {} more</div>", more.len());
    }
    // A change that is no change of a call: the calls that meet it.
    let is_said = |call: &Call| job.changes.contains(&call.says());
    let calls: Vec<String> = job.calls.iter().filter(|call| !is_said(call)).map(Call::name).collect();
    if !calls.is_empty() {
        let more = job.operations.saturating_sub(calls.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let _ = write!(page, "<small>in {}{more}</small>", marked(&calls.join(", ")));
    }
    page.push_str("</li>");
}

/// A row, and within it the findings that it puts together.
fn finding(page: &mut String, row: &Row<'_>, class: &str) {
    let Row { number, subject, change, client, findings, .. } = row;
    let wire = client.as_str();
    let subject = if row.is_counted { escape(subject) } else { format!("<code>{}</code>", escape(subject)) };
    let _ = write!(
        page,
        "<details class=\"{class} {wire}\" id=\"{number}\"><summary><b>{number}</b> {subject} {}<small>{}</small></summary>\n<dl>",
        marked(change),
        escape(&row.reach()),
    );
    for sentence in row.noticed() {
        let _ = write!(page, "<dt>Who notices</dt><dd>{}</dd>", escape(&sentence));
    }
    let items = rust(row, usize::MAX);
    if !items.is_empty() {
        page.push_str("<dt>In Rust</dt><dd>");
        for item in items {
            let _ = write!(page, "<div>{}</div>", marked(&item));
        }
        page.push_str("</dd>");
    }
    let parts = row.parts();
    let alone = findings.first().filter(|_| parts.is_empty());
    if let Some((_, Finding { rule, fingerprint, .. })) = alone {
        let _ =
            write!(page, "<dt>Rule</dt><dd><code>{}</code>, fingerprint <code>{fingerprint}</code></dd>", rule.id());
    }
    page.push_str("</dl>");
    if let Some((_, one)) = alone {
        difference(page, one);
        let operations = &one.operations;
        if !operations.is_empty() {
            page.push_str("<p>Operations</p><ul class=\"operations\">");
            for operation in operations {
                let _ = write!(page, "<li><code>{}</code></li>", escape(operation));
            }
            page.push_str("</ul>");
        }
    }
    parts.iter().for_each(|part| finding(page, part, "part"));
    page.push_str("</details>\n");
}

/// The contract before and after, line by line. A part that is in no contract, such as a GraphQL schema, is two short texts.
fn difference(page: &mut String, finding: &Finding) {
    let Sides { before, after } = &finding.places.parts;
    let mut text = String::new();
    if before.is_none() && after.is_none() {
        for (class, sign, site) in [("gone", '-', &finding.before), ("new", '+', &finding.after)] {
            if let Some(Site { value, .. }) = site {
                let _ = writeln!(text, "<span class=\"{class}\">{sign} {}</span>", escape(value));
            }
        }
    }
    for (mark, line) in difference::lines(before.as_ref(), after.as_ref()) {
        let (class, sign) = match mark {
            Mark::Same => ("same", ' '),
            Mark::Gone => ("gone", '-'),
            Mark::New => ("new", '+'),
            Mark::Left => ("left", ' '),
        };
        let _ = writeln!(text, "<span class=\"{class}\">{sign} {}</span>", escape(&line));
    }
    if !text.is_empty() {
        let _ = write!(page, "<pre class=\"diff\">{text}</pre>");
    }
    let place = |site: &Site| format!("{}#{}", site.document, site.pointer);
    let [before, after] = [&finding.before, &finding.after].map(|site| site.as_ref().map(place));
    let is_moved = before != after;
    for (side, place) in [("before", &before), ("after", &after)] {
        if let Some(place) = place.as_ref().filter(|_| is_moved || side == "before") {
            let side = if is_moved { format!("{side}: ") } else { String::new() };
            let _ = write!(page, "<p class=\"place\">{side}<code>{}</code></p>", escape(place));
        }
    }
}

/// A sentence whose code is code. The page sets nothing in bold within a sentence.
fn marked(text: &str) -> String {
    let print = |(kind, part): (Inline, &str)| match kind {
        Inline::Code => format!("<code>{}</code>", escape(part)),
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
