//! Links from the rows of a report to the lines of the pinned contracts.

use std::collections::HashMap;

use driftless_codegen::drift::Drift;

use super::lines::{FileLine, uri};

/// The rows in their order, and within each those that it puts together, each with its number in the report.
fn numbered<'a>(drift: &Drift, places: &'a [Option<FileLine>]) -> Vec<(String, &'a FileLine)> {
    let rows = drift.rows().into_iter().flat_map(|row| {
        let parts = row.parts();
        std::iter::once(row).chain(parts)
    });
    let placed = rows.filter_map(|row| {
        let (index, _) = row.findings.first()?;
        Some((row.number.clone(), places.get(*index)?.as_ref()?))
    });
    placed.collect()
}

/// A link from the report: relative to where it lies, with the line as git hosts have it.
fn target(base: &str, file_line: &FileLine) -> String {
    let line = file_line.line.map_or_else(String::new, |line| format!("#L{line}"));
    format!("{base}{}{line}", uri(&file_line.file))
}

/// Makes the number of each row of a table a link. No text of a contract begins a line.
pub(crate) fn markdown(text: &str, drift: &Drift, places: &[Option<FileLine>], base: &str) -> String {
    let rows: HashMap<String, &FileLine> = numbered(drift, places).into_iter().collect();
    let linked = text.split_inclusive('\n').map(|line| {
        let row = line.strip_prefix("| ").and_then(|rest| rest.split_once(" | "));
        match row.and_then(|(number, rest)| Some((number, rest, *rows.get(number)?))) {
            Some((number, rest, file_line)) => format!("| [{number}]({}) | {rest}", target(base, file_line)),
            None => line.to_owned(),
        }
    });
    linked.collect()
}

/// Adds the place to each finding of the page, which has them in the order of their numbers. No text of a contract writes an
/// element.
pub(crate) fn html(text: &str, drift: &Drift, places: &[Option<FileLine>], base: &str) -> String {
    let (mut linked, mut rest) = (String::with_capacity(text.len()), text);
    for (number, file_line) in numbered(drift, places) {
        let Some(head) = rest.find(&format!("id=\"{number}\"><summary>")) else { continue };
        let Some(end) = rest.get(head..).and_then(|rest| rest.find("</dl>")).map(|end| head + end) else { continue };
        let (before, behind) = rest.split_at(end);
        let line = file_line.line.map_or_else(String::new, |line| format!(":{line}"));
        linked.push_str(before);
        linked.push_str(&format!(
            "<dt>Place</dt><dd><a href=\"{}\">{}{line}</a></dd>",
            escaped(&target(base, file_line)),
            escaped(&file_line.file)
        ));
        rest = behind;
    }
    linked + rest
}

/// A text of an attribute or an element.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
