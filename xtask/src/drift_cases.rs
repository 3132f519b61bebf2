//! `cargo xtask drift-cases`: compares the findings with the expectations of other tools' own tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use driftless_codegen::drift::{self, Drift, Wire};
use driftless_codegen::{Contract, line};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::console::result;
use crate::failure::Failure;
use crate::flags::DriftCases;

/// The date of all cases: dates far ahead or far back stay so.
const TODAY: &str = "2024-06-01";

/// Cases in which the findings differ on purpose, and the text of the specification that says so.
const OTHERWISE: [(&str, &str); 6] = [
    (
        "oasdiff/TestListOfTypesUncoveredPaths-136",
        "the list of types is that of the body, `response-body-list-of-types-narrowed`: the body is no property of another schema (OpenAPI 3.0.3, 4.7.14, Media Type Object)",
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

#[derive(Debug, Default, Serialize)]
struct Score {
    cases: usize,
    right: usize,
    /// Cases that are judged differently on purpose, each with the reason.
    otherwise: BTreeMap<String, &'static str>,
    misses: Vec<Miss>,
}

#[derive(Debug, Serialize)]
struct Miss {
    id: String,
    missing: BTreeSet<String>,
    unexpected: BTreeSet<String>,
    reason: String,
}

pub(crate) fn run(flags: &DriftCases) -> Result<ExitCode, Failure> {
    let levels = levels(&flags.folder)?;
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for (number, text) in read(&flags.folder, "cases.jsonl")?.lines().enumerate() {
        let case: Case = serde_json::from_str(text).map_err(|error| {
            let message = format!("cases.jsonl, line {}: {error}", number + 1);
            Failure::configuration("drift/case", message, "mend the line")
        })?;
        let score = scores.entry(case.suite().to_owned()).or_default();
        score.cases += 1;
        match judge(&flags.folder, &case, &levels)? {
            None => score.right += 1,
            Some(miss) => match OTHERWISE.iter().find(|(id, _)| *id == miss.id) {
                Some((id, reason)) => drop(score.otherwise.insert((*id).to_owned(), *reason)),
                None => score.misses.push(miss),
            },
        }
    }
    for (suite, score) in &scores {
        result(&format!("{suite}: {} of {} right", score.right, score.cases));
        for (id, reason) in &score.otherwise {
            result(&format!("  {}: judged otherwise: {reason}", line(id)));
        }
        for miss in &score.misses {
            let list = |set: &BTreeSet<String>| set.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let Miss { id, missing, unexpected, reason } = miss;
            result(&format!(
                "  {}: missing [{}], unexpected [{}]; {reason}",
                line(id),
                list(missing),
                list(unexpected)
            ));
        }
    }
    if let Some(path) = &flags.json {
        let text = serde_json::to_string_pretty(&scores).unwrap_or_default();
        fs::write(path, text).map_err(|error| Failure::file("write", path, &error))?;
    }
    let is_right = scores.values().all(|score| score.misses.is_empty());
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(folder: &Path, name: &str) -> Result<String, Failure> {
    let path = folder.join(name);
    fs::read_to_string(&path).map_err(|error| {
        let message = format!("{} cannot be read: {error}", line(&path.to_string_lossy()));
        Failure::configuration("drift/cases", message, "name the folder that holds cases.jsonl")
    })
}

/// The severity of each rule of oasdiff.
fn levels(folder: &Path) -> Result<BTreeMap<String, u8>, Failure> {
    let text = read(folder, "oasdiff-rules.tsv")?;
    let row = |row: &str| {
        let mut cells = row.split('\t');
        Some((cells.next()?.to_owned(), loudness(cells.next()?)))
    };
    Ok(text.lines().skip(1).filter_map(row).collect())
}

fn loudness(level: &str) -> u8 {
    match level {
        "ERR" => 3,
        "WARN" => 2,
        _ => 1,
    }
}

fn judge(folder: &Path, case: &Case, levels: &BTreeMap<String, u8>) -> Result<Option<Miss>, Failure> {
    let bytes = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|error| Failure::file("read", &path, &error))
    };
    let (before, after) = (bytes(&case.base)?, bytes(&case.revision)?);
    let [before, after] = [&before, &after].map(|bytes| [Contract { name: "contract", bytes }]);
    let miss = |missing, unexpected, reason: String| Some(Miss { id: case.id.clone(), missing, unexpected, reason });
    let drift = match drift::compare(&before, &after, TODAY) {
        Ok(drift) => drift,
        Err(report) => return Ok(miss(case.expected.clone(), BTreeSet::new(), line(&report.to_string()).into_owned())),
    };
    if case.suite() == "oasdiff" {
        let (missing, unexpected) = by_rules(case, &drift, levels);
        let reported: Vec<String> =
            drift.findings.iter().map(|finding| format!("{} {}", finding.rule.id(), finding.subject)).collect();
        let right = missing.is_empty() && unexpected.is_empty();
        return Ok(if right { None } else { miss(missing, unexpected, format!("found: {}", reported.join(", "))) });
    }
    // Other tools judge for any client of the contract.
    let breaks = drift.contract() >= Wire::Risk;
    let (right, wanted) = match case.verdict.as_str() {
        "equal" => (drift.findings.is_empty(), "no finding"),
        "compatible" => (!breaks, "nothing that breaks"),
        "incompatible" => (breaks, "something that breaks"),
        _ if case.verdict.is_empty() && case.expected.is_empty() => (!breaks, "nothing that breaks"),
        _ => (!drift.findings.is_empty(), "a finding"),
    };
    let verdict = format!("wanted: {wanted}; the verdict is {}", drift.contract().as_str());
    Ok(if right { None } else { miss(BTreeSet::new(), BTreeSet::new(), verdict) })
}

/// The missing and the surplus findings, in the rules of oasdiff.
fn by_rules(case: &Case, drift: &Drift, levels: &BTreeMap<String, u8>) -> (BTreeSet<String>, BTreeSet<String>) {
    let rules = case.scope.as_array();
    let in_scope = |alias: &String| {
        rules.is_none_or(|rules| rules.iter().any(|rule| rule == alias)) || case.expected.contains(alias)
    };
    let threshold = loudness(&case.threshold);
    let loud = |alias: &String| levels.get(alias).is_some_and(|level| *level >= threshold);
    let aliases = drift.findings.iter().flat_map(|finding| finding.aliases.iter());
    let aliases: BTreeSet<String> = aliases.filter(|alias| loud(alias) && in_scope(alias)).cloned().collect();
    let missing = case.expected.difference(&aliases).cloned().collect();
    let unexpected = if case.exact {
        aliases.difference(&case.expected).cloned().collect()
    } else {
        aliases.intersection(&case.absent).cloned().collect()
    };
    (missing, unexpected)
}
