//! The verdict on one case.

use driftless::approvals::{Acceptable, fingerprint};
use driftless_codegen::CatalogOperation;
use driftless_sandbox::conformance::{Case, Fault, Judge, Recorded, Verdict};
use serde::Serialize;
use serde_json::Value;

use super::{AnswerKind, opinions, shortened};
use crate::second::Opinion;

/// One case.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Method, path and name of the case.
    pub case: String,
    /// The method of Rust: `family.name`.
    pub operation: String,
    /// `right`, `fault`, `mismatch`, `disputed`, `contradiction` or `limit`.
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
    /// The document of the contract.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub document: String,
    /// JSON pointer of the part of the document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The name of a fault in `specs/accepted-faults.toml`: it stays the same as long as document, case, place and rule do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// The reason for which the fault was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// Arguments, request and result, for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub call: Vec<String>,
    /// The kind of the sandbox's answer, if the operation was called against one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerKind>,
    /// The opinion of progenitor's client, once for the same arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progenitor: Option<Opinion>,
}

impl Row {
    pub(crate) fn new(operation: &CatalogOperation, case: String, verdict: Verdict) -> Self {
        let name = format!("{}.{}", operation.family, operation.name);
        let (document, pointer) = (operation.document.clone(), operation.pointer.clone());
        Self { document, pointer, ..Self::of_part(case, name, verdict) }.named()
    }

    /// Gives a fault its name. It contains the document: two of them can have the same operation.
    pub(crate) fn named(mut self) -> Self {
        if self.class == "fault" {
            self.fingerprint = fingerprint(&["fault", &self.document, &self.case, &self.place, self.rule]);
        }
        self
    }

    /// A row of an operation or a type of the client, without its document and its name.
    pub(crate) fn of_part(case: String, operation: String, verdict: Verdict) -> Self {
        let row = Self { case, operation, ..Self::default() };
        match verdict {
            Verdict::Right => Self { class: "right", ..row },
            Verdict::Fault(fault) => row.at_fault("fault", fault),
            Verdict::Mismatch(fault) => row.at_fault("mismatch", fault),
            Verdict::Contradiction(expected) => Self { class: "contradiction", expected, ..row },
            Verdict::Limit(expected) => Self { class: "limit", expected, ..row },
        }
    }

    fn at_fault(self, class: &'static str, Fault { place, rule, expected, actual }: Fault) -> Self {
        Self { class, place, rule, expected, actual, ..self }
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

    /// Adds the call to a row that is not right, and the part of the contract.
    pub(crate) fn with_call(
        mut self,
        judge: &Judge,
        case: &Case,
        recorded: Option<&Recorded>,
        outcome: &Value,
    ) -> Self {
        if self.class == "right" {
            return self;
        }
        self.pointer = judge.pointer(case, &self.place).unwrap_or(self.pointer);
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

    /// A right row whose request Prism refuses is disputed.
    pub(crate) fn disputed(self, refusal: Option<String>) -> Self {
        match refusal {
            Some(expected) if self.class == "right" => Self { class: "disputed", rule: "prism", expected, ..self },
            _ => self,
        }
    }

    /// Returns whether the row makes the command fail.
    #[must_use]
    pub fn is_open_fault(&self) -> bool {
        self.is_fault() && self.accepted.is_none()
    }

    /// Returns whether the client, or the service, does not do what the contract says.
    pub(super) fn is_fault(&self) -> bool {
        ["fault", "mismatch"].contains(&self.class)
    }

    /// The fault as somebody accepts it.
    pub(super) fn acceptable(&self) -> Acceptable {
        let what = format!("{}: {}", self.case, self.place);
        Acceptable { fingerprint: self.fingerprint.clone(), rule: self.rule.to_owned(), what }
    }

    /// The verdict in one line: place, expected and actual bytes, or the reason.
    pub(crate) fn sentence(&self) -> String {
        match self.class {
            "fault" | "mismatch" => {
                shortened(&format!("{}: expected {}, got {}", self.place, self.expected, self.actual))
            }
            "disputed" if self.rule == "progenitor" => {
                shortened(&format!("{}: progenitor sends {}, the client {}", self.place, self.expected, self.actual))
            }
            "disputed" => shortened(&format!("Prism: {}", self.expected)),
            _ => shortened(&self.expected),
        }
    }
}
