//! The report as a page: one file, which asks nobody for anything.

use std::fmt::Write as _;

use super::finding::{Drift, Finding, Site};
use super::report::{Heading, SECTIONS, UNEXPLAINED, rust};
use super::rows::Row;
use crate::text::line;

/// Everything before the content. Colours follow the system; the page fits a phone; nothing is loaded.
const HEAD: &str = include_str!("page/head.html");
/// The filter, and the end of the page. Without scripts, the page shows everything.
const FOOT: &str = include_str!("page/foot.html");

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
            let _ = writeln!(page, "<p>{}</p>", marked(&sentence.replace("**", "")));
        }
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
        page.push_str("<output id=\"shown\"></output></form>\n");
        for (wire, heading) in SECTIONS {
            let (mut own, letter) = (rows.iter().filter(|row| row.client == wire).peekable(), wire.letter());
            if own.peek().is_none() {
                continue;
            }
            let _ = write!(
                page,
                "<section id=\"{letter}\" aria-labelledby=\"h{letter}\"><h2 id=\"h{letter}\">{heading}</h2>"
            );
            own.for_each(|row| finding(&mut page, row, "finding"));
            page.push_str("</section>\n");
        }
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
    if let Some((_, Finding { before, after, operations, .. })) = alone {
        page.push_str("<div class=\"sides\">");
        for (name, site) in [("Before", before), ("After", after)] {
            let _ = write!(page, "<figure><figcaption>{name}</figcaption>{}</figure>", side(site.as_ref()));
        }
        page.push_str("</div>");
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

fn side(site: Option<&Site>) -> String {
    match site {
        Some(site) => format!(
            "<pre>{}</pre><code class=\"place\">{}#{}</code>",
            escape(&site.value),
            escape(&site.document),
            escape(&site.pointer)
        ),
        None => "<p>not there</p>".to_owned(),
    }
}

/// A text with what stands between backticks as code.
fn marked(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) })
        .collect()
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
