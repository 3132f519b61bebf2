//! The report as workflow commands of GitHub Actions: an annotation a row of the report, at the line of the contract.

use std::collections::BTreeSet;

use driftless_codegen::drift::{Drift, Source, Wire};
use driftless_codegen::line;

use super::accepted::Verdicts;
use crate::place::FileLine;

/// The annotations, the worst first: GitHub shows ten of each level for a step.
pub(super) fn commands(drift: &Drift, places: &[Option<FileLine>], verdicts: &Verdicts) -> String {
    let mut text = String::new();
    for row in drift.rows() {
        let reasons: BTreeSet<&str> = row.findings.iter().filter_map(|(_, finding)| verdicts.reason(finding)).collect();
        let is_accepted = row.findings.iter().all(|(_, finding)| verdicts.reason(finding).is_some());
        let level = match row.client {
            _ if is_accepted => "notice",
            Wire::Break => "error",
            Wire::Risk => "warning",
            Wire::Safe | Wire::None => "notice",
        };
        let mut message = format!("{} {}", row.subject, row.change);
        for sentence in row.noticed() {
            message.push_str(&format!("\n{sentence}"));
        }
        for reason in reasons {
            message.push_str(&format!("\naccepted: {reason}"));
        }
        let Some((index, finding)) = row.findings.first() else { continue };
        match row.findings.len() {
            1 => message.push_str(&format!("\nfingerprint {}", finding.fingerprint)),
            places => message.push_str(&format!("\n{places} fingerprints: --format json")),
        }
        let mut properties = Vec::new();
        if let Some(FileLine { file, line, .. }) = places.get(*index).and_then(Option::as_ref) {
            properties.push(format!("file={}", property(file)));
            properties.extend(line.map(|line| format!("line={line}")));
        }
        properties.push(format!("title={}", property(finding.rule.id())));
        text.push_str(&format!("::{level} {}::{}\n", properties.join(","), escaped(&message)));
    }
    for change in drift.unexplained.iter().flatten() {
        let level = if change.source == Source::Major { "warning" } else { "notice" };
        text.push_str(&format!("::{level} title=rust-item::{}\n", escaped(&change.says())));
    }
    for part in &drift.not_judged {
        text.push_str(&format!("::warning title=not-judged::{}\n", escaped(&part.pointer)));
    }
    text.push_str(&format!("::notice title=Contract drift::{}\n", escaped(&drift.verdict())));
    text
}

/// The text after the second `::`. Each line of it is one, and none begins a command: neither of GitHub's kinds (`::`, `##[`), nor
/// one of Azure DevOps (`##vso[`), which reads them anywhere in a line.
fn escaped(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(line).collect();
    let text = lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // Twice: the first one leaves pairs in longer runs.
    text.replace("##", "# #").replace("##", "# #")
}

/// The value of a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{escaped, property};

    #[test]
    fn nothing_ends_a_command_or_begins_one() {
        assert_eq!(escaped("50 % of\n::error::x"), "50 %25 of%0A::error::x");
        assert_eq!(property("a,line=1::b\r"), property("a,line=1::b\r").replace([',', ':', '\r', '\n'], ""));
        for text in ["##vso[task.complete result=Failed]", "x ##[error]y", "###vso[a]"] {
            assert!(!escaped(text).contains("##"), "{text}");
        }
        for text in ["\r::error::", "\u{1b}[31m", "\u{2028}::error::", "a\u{0}b"] {
            let one = escaped(text);
            assert!(one.chars().all(|c| !c.is_control()), "{one:?}");
        }
    }
}
