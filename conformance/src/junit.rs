//! The verdicts as JUnit XML, which pipelines show as tests.

use std::borrow::Cow;

use crate::report::{Report, Row};

/// One suite for each contract, one test for each case.
#[must_use]
pub fn document(reports: &[Report]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for report in reports {
        let errors = usize::from(report.failed.is_some());
        let failures = report.rows.iter().filter(|row| row.is_open_fault()).count();
        let skipped = report.rows.iter().filter(|row| skip(row).is_some()).count();
        text.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">\n",
            xml(&report.contract),
            report.rows.len() + errors
        ));
        if let Some(failed) = &report.failed {
            text.push_str(&format!(
                "    <testcase name=\"contract\" classname=\"{}\"><error>{}</error></testcase>\n",
                xml(&report.contract),
                xml(failed)
            ));
        }
        report.rows.iter().for_each(|row| text.push_str(&case(report, row)));
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn case(report: &Report, row: &Row) -> String {
    let head = format!("    <testcase name=\"{}\" classname=\"{}\"", xml(&row.case), xml(&row.operation));
    if row.is_open_fault() {
        return format!(
            "{head}>\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
            xml(row.rule),
            xml(&row.sentence()),
            xml(&report.lines(row))
        );
    }
    match skip(row) {
        Some(reason) => format!("{head}><skipped message=\"{}\"/></testcase>\n", xml(&reason)),
        None => format!("{head}/>\n"),
    }
}

/// The reason why a case is neither passed nor failed.
fn skip(row: &Row) -> Option<String> {
    let is_skipped = row.class != "right" && !row.is_open_fault();
    let class = row.accepted.as_ref().map_or_else(|| row.class.to_owned(), |reason| format!("accepted: {reason}"));
    is_skipped.then(|| format!("{class}: {}", row.sentence()))
}

/// Text and values of attributes. Characters that XML 1.0 does not allow are replaced.
fn xml(text: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| matches!(c, ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..) && !"<>&\"'".contains(c);
    if text.chars().all(is_plain) {
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
        let all: String = (0..=0x10_ffff).step_by(7).filter_map(char::from_u32).collect();
        for text in ["GET /a \"b\" <c> & 'd'", "]]>", "<!--", "a\n\tb\r", "\u{0}\u{1b}[31m\u{fffe}\u{ffff}", &all] {
            let mut rows: Vec<Row> = ["right", "fault", "contradiction", "limit"].map(|class| row(class, text)).into();
            rows.push(Row { accepted: Some(text.to_owned()), ..row("fault", text) });
            let failed = Some(text.to_owned());
            let report = Report { contract: text.to_owned(), rows, failed, ..Report::default() };
            let document = document(&[report.clone(), report]);
            let read = roxmltree::Document::parse(&document).unwrap();
            let suites: Vec<_> = read.root_element().children().filter(|node| node.is_element()).collect();
            assert_eq!(suites.len(), 2);
            for suite in suites {
                let count = |name: &str| suite.attribute(name).unwrap().parse::<usize>().unwrap();
                let tags = |name: &str| suite.descendants().filter(|node| node.has_tag_name(name)).count();
                assert_eq!(["tests", "failures", "errors", "skipped"].map(count), [6, 1, 1, 3]);
                assert_eq!(["testcase", "failure", "error", "skipped"].map(tags), [6, 1, 1, 3]);
                let allowed: String = text.chars().map(|c| if xml_char(c) { c } else { '\u{fffd}' }).collect();
                let named = suite.children().filter(|node| node.has_tag_name("testcase")).skip(1);
                assert!(named.into_iter().all(|case| case.attribute("name") == Some(&allowed)));
                let failure = suite.descendants().find(|node| node.has_tag_name("failure")).unwrap();
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
