//! The verdicts of a run, for people and for programs.

mod opinions;

use driftless_codegen::{CatalogOperation, line};
use driftless_sandbox::conformance::{Case, Recorded, Verdict};
use serde::Serialize;
use serde_json::Value;

use crate::second::Opinion;

/// The verdicts on one contract.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The contract.
    pub contract: String,
    /// The seed of all values.
    pub seed: u64,
    /// One for each case.
    pub rows: Vec<Row>,
    /// The contracts without a second judge, and the reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unheard: Vec<(String, String)>,
}

/// One case.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Method, path and name of the case.
    pub case: String,
    /// The method of Rust: `family.name`.
    pub operation: String,
    /// `right`, `fault`, `disputed`, `contradiction` or `limit`.
    pub class: &'static str,
    /// The part of the request or of the answer that is at fault.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The section of the specification.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub rule: &'static str,
    /// The bytes or values that the rule asks for; the reason of a contradiction or a limit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub expected: String,
    /// The bytes or values of the client.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actual: String,
    /// Arguments, request and result, for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub call: Vec<String>,
    /// The opinion of progenitor's client, once for the same arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progenitor: Option<Opinion>,
}

/// The longest line of a report.
const LONGEST: usize = 400;

impl Row {
    pub(crate) fn new(operation: &CatalogOperation, case: String, verdict: Verdict) -> Self {
        let row = Self { case, operation: format!("{}.{}", operation.family, operation.name), ..Self::default() };
        match verdict {
            Verdict::Right => Self { class: "right", ..row },
            Verdict::Fault(fault) => Self {
                class: "fault",
                place: fault.place,
                rule: fault.rule,
                expected: fault.expected,
                actual: fault.actual,
                ..row
            },
            Verdict::Contradiction(expected) => Self { class: "contradiction", expected, ..row },
            Verdict::Limit(expected) => Self { class: "limit", expected, ..row },
        }
    }

    /// Adds the opinion of the second judge. A right request that it would not send is disputed.
    pub(crate) fn with_opinion(mut self, opinion: Option<Opinion>) -> Self {
        if let (Some(Opinion::Other { place, theirs, ours }), "right") = (&opinion, self.class) {
            (self.class, self.rule) = ("disputed", "progenitor");
            (self.place, self.expected, self.actual) = (place.clone(), theirs.clone(), ours.clone());
        }
        self.progenitor = opinion;
        self
    }

    /// Adds the call to a row that is not right.
    pub(crate) fn with_call(mut self, case: &Case, recorded: Option<&Recorded>, outcome: &Value) -> Self {
        if self.class == "right" {
            return self;
        }
        let arguments = case.arguments.iter();
        let mut call: Vec<String> = arguments
            .map(|argument| format!("argument  {} {} = {}", argument.place, argument.name, argument.value))
            .collect();
        call.extend(case.body.as_ref().map(|body| format!("argument  body = {body}")));
        if let Some(recorded) = recorded {
            call.push(format!("request   {} {}", recorded.method, recorded.target));
            call.extend(recorded.headers.iter().map(|(name, value)| format!("request   {name}: {value}")));
            if !recorded.body.is_empty() {
                call.push(format!("request   {}", String::from_utf8_lossy(&recorded.body)));
            }
        }
        call.extend(self.progenitor.as_ref().map(|opinion| format!("progenitor {}", opinions::sentence(opinion))));
        call.push(format!("answer    {} {}", case.answer.status, case.answer.value));
        call.push(format!("result    {outcome}"));
        self.call = call.iter().map(|text| shortened(text)).collect();
        self
    }
}

/// One line of bounded length, with nothing in it that a terminal obeys.
fn shortened(text: &str) -> String {
    let text = line(text);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

impl Report {
    pub(crate) fn new(contract: &str, seed: u64) -> Self {
        Self { contract: contract.to_owned(), seed, ..Self::default() }
    }

    /// The number of cases of a class.
    #[must_use]
    pub fn count(&self, class: &str) -> usize {
        self.rows.iter().filter(|row| row.class == class).count()
    }

    /// A screen for each fault and each disputed case, then the counts. `all` also names the cases that were not judged.
    #[must_use]
    pub fn text(&self, all: bool) -> String {
        let mut text = String::new();
        for row in self.rows.iter().filter(|row| row.class == "fault") {
            text.push_str(&format!(
                "fault: {}\n  {} of {}: {}\n  expected  {}\n  actual    {}\n",
                shortened(&row.case),
                shortened(&row.place),
                row.operation,
                row.rule,
                shortened(&row.expected),
                shortened(&row.actual)
            ));
            row.call.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
            text.push_str(&format!("  repeat    --seed {} --case {:?}\n\n", self.seed, row.case));
        }
        for row in self.rows.iter().filter(|row| all && ["limit", "contradiction"].contains(&row.class)) {
            text.push_str(&format!("{}: {}: {}\n", row.class, shortened(&row.case), shortened(&row.expected)));
        }
        text.push_str(&opinions::text(self, all));
        let mut operations: Vec<&str> = self.rows.iter().map(|row| row.operation.as_str()).collect();
        operations.dedup();
        text + &format!(
            "{}: {} operations, {} cases: {} right, {} faults, {} contradictions, {} not judged (seed {})",
            line(&self.contract),
            operations.len(),
            self.rows.len(),
            self.count("right"),
            self.count("fault"),
            self.count("contradiction"),
            self.count("limit"),
            self.seed
        )
    }
}
