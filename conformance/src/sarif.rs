//! The verdicts as SARIF: faults and contradictions at their lines of the contracts.

use std::collections::{BTreeMap, BTreeSet};

use driftless::place::{FileLine, Text};
use driftless::sarif;
use driftless_codegen::line;
use serde_json::{Value, json};

use crate::report::{Report, Row};

/// The files of a contract's documents: path relative to the workspace, and bytes.
pub type DocumentFiles = BTreeMap<String, (String, Vec<u8>)>;

/// The verdicts of all contracts as a SARIF log, each with the files of its documents.
#[must_use]
pub fn log(reports: &[(Report, DocumentFiles)]) -> Value {
    let rows = reports.iter().flat_map(|(report, _)| &report.rows);
    let rules: Vec<&str> =
        rows.map(rule).filter(|rule| !rule.is_empty()).collect::<BTreeSet<_>>().into_iter().collect();
    let (mut results, mut notifications) = (Vec::new(), Vec::new());
    for (report, files) in reports {
        let mut texts: BTreeMap<&str, (&str, Text<'_>)> =
            files.iter().map(|(name, (path, bytes))| (name.as_str(), (path.as_str(), Text::new(bytes)))).collect();
        for row in report.rows.iter().filter(|row| !rule(row).is_empty()) {
            let place = texts.get_mut(row.document.as_str()).map(|(path, text)| text.place(path, &row.pointer));
            results.push(result(report, row, rules.iter().position(|one| *one == rule(row)), place.as_ref()));
        }
        let limits = report.count("limit");
        let limits = (limits > 0).then(|| ("note", format!("{}: {limits} cases are not judged", report.contract)));
        let failed = report.failed.as_ref().map(|failed| ("error", format!("{}: {failed}", report.contract)));
        let level = if report.is_strict { "error" } else { "note" };
        let unheard =
            report.unheard.iter().map(|(name, reason)| (level, format!("{name}: not all compared: {reason}")));
        for (level, text) in failed.into_iter().chain(limits).chain(unheard) {
            notifications.push(json!({ "level": level, "message": { "text": line(&text) } }));
        }
    }
    let rules = rules.iter().map(|rule| json!({ "id": rule, "shortDescription": { "text": described(rule) } }));
    let mut log = sarif::log("cargo driftless conformance", rules.collect(), notifications, results);
    let is_whole = reports.iter().all(|(report, _)| report.failed.is_none());
    log["runs"][0]["invocations"][0]["executionSuccessful"] = json!(is_whole);
    log
}

/// The identifier of the rule of a row, or an empty text for a row that is left out of the log.
fn rule(row: &Row) -> &str {
    match row.class {
        "right" | "limit" => "",
        "fault" => row.rule,
        class => class,
    }
}

fn described(rule: &str) -> String {
    match rule {
        "contradiction" => "No client can do what the contract says.".to_owned(),
        "disputed" => "Another judge refuses a request that is right.".to_owned(),
        "mismatch" => "The service does not do what the contract says.".to_owned(),
        section => format!("The client does not do what the specification says in the section {section}."),
    }
}

fn result(report: &Report, row: &Row, index: Option<usize>, place: Option<&FileLine>) -> Value {
    let level = if report.is_failure(row) || row.accepted.is_some() { "error" } else { "warning" };
    let text = format!("{} ({}): {}", row.case, row.operation, row.sentence());
    let mut location =
        json!({ "logicalLocations": [{ "fullyQualifiedName": line(&format!("{} {}", report.contract, row.case)) }] });
    if let Some(place) = place {
        location["physicalLocation"] = sarif::location(place);
    }
    let mut result = json!({
        "ruleId": rule(row),
        "ruleIndex": index,
        "level": level,
        "message": { "text": line(&text) },
        "locations": [location],
    });
    if !row.fingerprint.is_empty() {
        result["partialFingerprints"] = json!({ "conformance/v1": row.fingerprint });
    }
    if let Some(reason) = &row.accepted {
        result["suppressions"] = sarif::accepted(reason);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRACT: &str =
        "{\n  \"paths\": {\n    \"/a\": {\n      \"get\": {\"parameters\": [{\"name\": \"q\"}]}\n    }\n  }\n}\n";

    #[test]
    fn each_row_that_somebody_has_to_read_is_a_result_at_its_place() {
        let row = |class, pointer: &str, document: &str| Row {
            case: "GET /a everything".to_owned(),
            operation: "a.get".to_owned(),
            class,
            rule: if class == "fault" { "Style Values" } else { "" },
            place: "query q\n##vso[".to_owned(),
            pointer: pointer.to_owned(),
            document: document.to_owned(),
            ..Row::default()
        };
        let table = [
            (row("right", "/paths/~1a/get", "service"), None),
            (row("limit", "/paths/~1a/get", "service"), None),
            (row("fault", "/paths/~1a/get/parameters/0", "service"), Some(("Style Values", "error", Some((4, 30))))),
            // The nearest part around one that the file does not have.
            (row("fault", "/paths/~1a/get/responses/200", "service"), Some(("Style Values", "error", Some((4, 14))))),
            (
                Row {
                    accepted: Some("agreed".to_owned()),
                    fingerprint: "0123456789ab".to_owned(),
                    ..row("fault", "/paths", "service")
                },
                Some(("Style Values", "error", Some((2, 12)))),
            ),
            (row("contradiction", "/paths/~1a", "service"), Some(("contradiction", "warning", Some((3, 11))))),
            (row("disputed", "/paths", "service"), Some(("disputed", "error", Some((2, 12))))),
            (row("fault", "/paths/~1a", "another"), Some(("Style Values", "error", None))),
        ];
        let files = DocumentFiles::from([("service".to_owned(), ("specs/a b.json".to_owned(), CONTRACT.into()))]);
        let rows = table.iter().map(|(row, _)| row.clone()).collect();
        let failed = Some("it cannot be read".to_owned());
        let log =
            log(&[(Report { contract: "c".to_owned(), rows, failed, is_strict: true, ..Report::default() }, files)]);
        // `driftless/tests/sarif.sh` holds it against the schema.
        if let Some(path) = std::env::var_os("PLATFORM_SARIF") {
            std::fs::write(path, log.to_string()).unwrap();
        }
        let run = &log["runs"][0];
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 3);
        let levels = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap().iter();
        assert_eq!(levels.map(|one| &one["level"]).collect::<Vec<_>>(), ["error", "note"]);
        let expected: Vec<_> = table.iter().filter_map(|(_, expected)| *expected).collect();
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), expected.len());
        for (result, (rule, level, position)) in results.iter().zip(expected) {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], rule);
            assert_eq!((&result["ruleId"], &result["level"]), (&json!(rule), &json!(level)));
            assert!(!result["message"]["text"].as_str().unwrap().contains(['\n', '\r']));
            let physical = &result["locations"][0]["physicalLocation"];
            let region = position.map(|(line, column)| json!({ "startLine": line, "startColumn": column }));
            assert_eq!(physical["region"], region.unwrap_or_default());
            assert!(physical.is_null() || physical["artifactLocation"]["uri"] == "specs/a%20b.json");
        }
    }
}
