//! The report as SARIF.

use std::collections::BTreeSet;

use driftless_codegen::drift::{Drift, Finding, Rule, Source, Wire};
use driftless_codegen::line;
use serde_json::{Value, json};

use super::accepted::Verdicts;
use crate::place::FileLine;
use crate::sarif;

/// The report as a SARIF log with one run.
pub(super) fn log(drift: &Drift, places: &[Option<FileLine>], verdicts: &Verdicts) -> Value {
    let rules: Vec<Rule> =
        drift.findings.iter().map(|finding| finding.rule).collect::<BTreeSet<_>>().into_iter().collect();
    let results = drift.findings.iter().zip(places).map(|(finding, file_line)| {
        let index = rules.iter().position(|rule| *rule == finding.rule);
        result(finding, index, file_line.as_ref(), verdicts.reason(finding))
    });
    let items = drift.unexplained.iter().flatten().map(|change| {
        let level = if change.source == Source::Major { "warning" } else { "note" };
        json!({ "level": level, "message": { "text": line(&change.says()) } })
    });
    let notifications: Vec<Value> = drift
        .not_judged
        .iter()
        .map(|part| {
            let text = format!("no rule speaks of what changed at {}#{}", part.document, part.pointer);
            json!({ "level": "warning", "message": { "text": line(&text) } })
        })
        .chain(items)
        .collect();
    let rules = rules.iter().map(|rule| described(*rule)).collect();
    sarif::log("cargo xtask drift", rules, notifications, results.collect())
}

fn described(rule: Rule) -> Value {
    let entry = rule.entry();
    let mut help = format!("in a request: {}", entry.request.as_str());
    for (who, symptom) in [("in a request", entry.sender), ("in a response", entry.reader)] {
        if !symptom.is_empty() {
            help.push_str(&format!("; {who}: {symptom}"));
        }
    }
    json!({ "id": entry.id, "shortDescription": { "text": entry.sentence() }, "help": { "text": help } })
}

fn result(finding: &Finding, index: Option<usize>, file_line: Option<&FileLine>, accepted: Option<&str>) -> Value {
    let level = match finding.client {
        Wire::Break => "error",
        Wire::Risk => "warning",
        Wire::Safe => "note",
        Wire::None => "none",
    };
    let noticed = finding.noticed().join("; ");
    let text = format!("{} {}{}{noticed}", finding.subject, finding.change, if noticed.is_empty() { "" } else { ": " });
    let mut result = json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": index,
        "level": level,
        "message": { "text": line(&text) },
        "partialFingerprints": { "drift/v1": finding.fingerprint },
    });
    if let Some(place) = file_line {
        result["locations"] = json!([{ "physicalLocation": sarif::location(place) }]);
    }
    if let Some(reason) = accepted {
        result["suppressions"] = sarif::accepted(reason);
    }
    result
}
