//! The findings against the expectations of other tools' own tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{Change, Wire, compare, folder, levels, names};

/// The date of all cases: dates far ahead or far back stay so.
const TODAY: &str = "2024-06-01";

/// Cases in which the findings differ on purpose, and the text of the specification that says so.
const OTHERWISE: [(&str, &str); 8] = [
    (
        "oasdiff/TestResponseBodyExclusiveMinDecreased-126",
        "`minimum` beside it is the stronger bound, before and after, and is reported: an instance has to meet both (JSON Schema Validation 2020-12, 6.2.4 and 6.2.5)",
    ),
    (
        "oasdiff/TestResponsePropertyExclusiveMinDecreased-127",
        "`minimum` beside it is the stronger bound, before and after, and is reported: an instance has to meet both (JSON Schema Validation 2020-12, 6.2.4 and 6.2.5)",
    ),
    (
        "oasdiff/TestListOfTypesUncoveredPaths-136",
        "the list of types is that of the body, `response-body-list-of-types-narrowed`: the body itself is not a property of another schema (OpenAPI 3.0.3, 4.7.14, Media Type Object)",
    ),
    (
        "openapitools-diff/responseMinLengthIncreased-10",
        "each text of 10 characters has 5: who reads the old answers reads the new ones (JSON Schema Validation 2020-12, 6.3.2)",
    ),
    (
        "openapitools-diff/responseMinLengthDecreasedButCompatible-11",
        "a text of 3 characters does not meet the old answers, whose texts have 5: readers that check the limit refuse it (JSON Schema Validation 2020-12, 6.3.2)",
    ),
    (
        "openapitools-diff/addPropertyHandlingTest-1",
        "an optional member of an answer is gone: each new answer meets the old contract, and readers may miss it, of which oasdiff warns, too (`response-optional-property-removed`)",
    ),
    (
        "openapitools-diff/operationIdChangedInCompatibleWithFlagSet-17",
        "an operationId is in no request and no answer; the case sets a flag that counts it (OpenAPI 3.0.3, 4.7.10, Operation Object)",
    ),
    (
        "openapitools-diff/responseWriteOnlyRequiredDecreased-21",
        "a member that is write-only is required in requests only: without the word, answers have a member more (OpenAPI 3.0.3, 4.7.24, Schema Object, `writeOnly`)",
    ),
];

/// A line of `cases.jsonl`.
#[derive(Debug, Deserialize)]
struct Case {
    /// The suite, a slash, and a name.
    id: String,
    base: String,
    revision: String,
    /// `"all"`, or the rules under test.
    #[serde(default)]
    scope: Value,
    #[serde(default)]
    threshold: String,
    #[serde(default)]
    expected: BTreeSet<String>,
    #[serde(default)]
    absent: BTreeSet<String>,
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    verdict: String,
}

impl Case {
    fn suite(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }
}

/// The findings meet the expectations of other tools' tests, except for the cases with a reason in the specification.
#[test]
fn other_tools_expect_the_same() {
    let Some(folder) = folder() else { return };
    let levels = levels(&folder);
    let levels = levels.iter().map(|(rule, level)| (rule.as_str(), loudness(level))).collect();
    let text = fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str::<Case>(line).unwrap());
    let misses: BTreeMap<String, String> =
        cases.filter_map(|case| Some((case.id.clone(), miss(&folder, &case, &levels)?))).collect();
    let otherwise = OTHERWISE.map(|(id, _)| id.to_owned());
    assert!(misses.keys().eq(BTreeSet::from(otherwise).iter()), "{misses:#?}");
}

fn loudness(level: &str) -> u8 {
    match level {
        "ERR" => 3,
        "WARN" => 2,
        _ => 1,
    }
}

/// The difference between a case and the findings.
fn miss(folder: &Path, case: &Case, levels: &BTreeMap<&str, u8>) -> Option<String> {
    let [before, after] = [&case.base, &case.revision].map(|name| fs::read(folder.join(name)).unwrap());
    let (drift, changes) = compare(&before, &after, TODAY);
    if case.suite() == "oasdiff" {
        let (missing, unexpected) = by_rules(case, &changes, levels);
        let findings: Vec<String> =
            drift.findings.iter().map(|finding| format!("{} {}", finding.rule.id(), finding.subject)).collect();
        return (missing.len() + unexpected.len() > 0)
            .then(|| format!("missing {missing:?}, unexpected {unexpected:?}, of {findings:?}"));
    }
    // Other tools judge for any client of the contract.
    let breaks = drift.contract() >= Wire::Risk;
    let (is_right, wanted) = match case.verdict.as_str() {
        "equal" => (drift.findings.is_empty(), "no finding"),
        "compatible" => (!breaks, "nothing that breaks"),
        "incompatible" => (breaks, "something that breaks"),
        _ if case.verdict.is_empty() && case.expected.is_empty() => (!breaks, "nothing that breaks"),
        _ => (!drift.findings.is_empty(), "a finding"),
    };
    (!is_right).then(|| format!("wanted: {wanted}; the verdict is {}", drift.contract().as_str()))
}

/// The missing and the surplus findings, in the rules of oasdiff.
fn by_rules(case: &Case, changes: &[Change], levels: &BTreeMap<&str, u8>) -> (Vec<String>, Vec<String>) {
    let rules = case.scope.as_array();
    let in_scope =
        |name: &String| rules.is_none_or(|rules| rules.iter().any(|rule| rule == name)) || case.expected.contains(name);
    let threshold = loudness(&case.threshold);
    let is_loud = |name: &String| levels.get(name.as_str()).is_some_and(|level| *level >= threshold);
    let names: BTreeSet<String> =
        changes.iter().flat_map(names::names).filter(|name| is_loud(name) && in_scope(name)).collect();
    let unexpected: Vec<String> = match case.exact {
        true => names.difference(&case.expected).cloned().collect(),
        false => names.intersection(&case.absent).cloned().collect(),
    };
    (case.expected.difference(&names).cloned().collect(), unexpected)
}
