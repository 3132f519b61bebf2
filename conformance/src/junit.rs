//! The verdicts as JUnit XML, which pipelines show as tests.

use std::borrow::Cow;

use crate::report::{Report, Row};

/// One suite for each contract, one test for each case.
#[must_use]
pub fn document(reports: &[Report]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for report in reports {
        let errors = usize::from(report.failed.is_some());
        let unheard = report.unheard.len();
        let failures = report.rows.iter().filter(|row| report.is_failure(row)).count();
        let skipped = report.rows.iter().filter(|row| skip(report, row).is_some()).count();
        let (failed, left_out) = if report.is_strict { (unheard, 0) } else { (0, unheard) };
        let (failures, skipped) = (failures + failed, skipped + left_out);
        text.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">\n",
            xml(&report.contract),
            report.rows.len() + errors + unheard
        ));
        if let Some(failed) = &report.failed {
            text.push_str(&format!(
                "    <testcase name=\"contract\" classname=\"{}\"><error>{}</error></testcase>\n",
                xml(&report.contract),
                xml(failed)
            ));
        }
        for (document, reason) in &report.unheard {
            let tag = if report.is_strict { "failure" } else { "skipped" };
            text.push_str(&format!(
                "    <testcase name=\"another judge\" classname=\"{}\"><{tag} message=\"not all compared: {}\"/></testcase>\n",
                xml(document),
                xml(reason)
            ));
        }
        report.rows.iter().for_each(|row| text.push_str(&case(report, row)));
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn case(report: &Report, row: &Row) -> String {
    let head = format!("    <testcase name=\"{}\" classname=\"{}\"", xml(&row.case), xml(&row.operation));
    if report.is_failure(row) {
        return format!(
            "{head}>\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
            xml(row.rule),
            xml(&row.sentence()),
            xml(&report.lines(row))
        );
    }
    match skip(report, row) {
        Some(reason) => format!("{head}><skipped message=\"{}\"/></testcase>\n", xml(&reason)),
        None => format!("{head}/>\n"),
    }
}

/// The reason why a case is neither passed nor failed.
fn skip(report: &Report, row: &Row) -> Option<String> {
    let is_skipped = row.class != "right" && !report.is_failure(row);
    let class = row.accepted.as_ref().map_or_else(|| row.class.to_owned(), |reason| format!("accepted: {reason}"));
    is_skipped.then(|| format!("{class}: {}", row.sentence()))
}

/// Text and values of attributes. Characters that XML 1.0 does not allow are replaced, and no text is a command of a build log (`##vso[`).
fn xml(text: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| matches!(c, ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..) && !"<>&\"'".contains(c);
    if text.chars().all(is_plain) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // A reader turns them into spaces in an attribute, unless they are written as references.
            '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", u32::from(c))),
            '#' if escaped.ends_with('#') => escaped.push_str("&#35;"),
            c if is_plain(c) => escaped.push(c),
            _ => escaped.push('\u{fffd}'),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(class: &'static str, text: &str) -> Row {
        Row {
            case: text.to_owned(),
            operation: text.to_owned(),
            class,
            place: text.to_owned(),
            rule: "Style Values",
            expected: text.to_owned(),
            actual: text.to_owned(),
            call: vec![text.to_owned()],
            ..Row::default()
        }
    }

    #[test]
    fn each_case_is_read_back_whatever_its_text() {
        // Each at the limits of XML and of UTF-16, and every 127th of the others.
        let limits = [0..=0x3ff, 0xd7f0..=0xd7ff, 0xe000..=0xe00f, 0xfdc0..=0x1_0010, 0x10_fff0..=0x10_ffff];
        let all = limits.into_iter().flatten().chain((0..=0x10_ffff).step_by(127));
        let all: String = all.filter_map(char::from_u32).collect();
        for text in [
            "##vso[task.complete]###",
            "GET /a \"b\" <c> & 'd'",
            "]]>",
            "<!--",
            "a\n\tb\r",
            "\u{0}\u{1b}[31m\u{fffe}\u{ffff}",
            &all,
        ] {
            let mut rows: Vec<Row> = ["right", "fault", "contradiction", "limit"].map(|class| row(class, text)).into();
            rows.push(Row { accepted: Some(text.to_owned()), ..row("fault", text) });
            rows.push(Row { rule: "progenitor", ..row("disputed", text) });
            let failed = Some(text.to_owned());
            let unheard = vec![(text.to_owned(), text.to_owned())];
            let report = Report { contract: text.to_owned(), rows, failed, unheard, ..Report::default() };
            let strict = Report { is_strict: true, ..report.clone() };
            assert!(report.fails() && strict.fails());
            let document = document(&[report, strict]);
            assert!(!document.contains("##"), "{document}");
            let read = roxmltree::Document::parse(&document).unwrap();
            let suites: Vec<_> = read.root_element().children().filter(|node| node.is_element()).collect();
            assert_eq!(suites.len(), 2);
            for (suite, (failures, skipped)) in suites.into_iter().zip([(1, 5), (3, 3)]) {
                let count = |name: &str| suite.attribute(name).unwrap().parse::<usize>().unwrap();
                let tags = |name: &str| suite.descendants().filter(|node| node.has_tag_name(name)).count();
                assert_eq!(["tests", "failures", "errors", "skipped"].map(count), [8, failures, 1, skipped]);
                assert_eq!(["testcase", "failure", "error", "skipped"].map(tags), [8, failures, 1, skipped]);
                let allowed: String = text.chars().map(|c| if xml_char(c) { c } else { '\u{fffd}' }).collect();
                let named = suite.children().filter(|node| node.has_tag_name("testcase")).skip(2);
                assert!(named.into_iter().all(|case| case.attribute("name") == Some(&allowed)));
                let mut failures =
                    suite.descendants().filter(|node| node.has_tag_name("failure") && node.has_attribute("type"));
                let failure = failures.next().unwrap();
                assert_eq!(failure.attribute("type"), Some("Style Values"));
                assert!(failure.text().unwrap().contains("expected"));
            }
        }
    }

    /// `Char` of XML 1.0, section 2.2.
    fn xml_char(c: char) -> bool {
        matches!(u32::from(c), 0x9 | 0xa | 0xd | 0x20..=0xd7ff | 0xe000..=0xfffd | 0x1_0000..=0x10_ffff)
    }
}
