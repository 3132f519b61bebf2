//! Matching requests with faults.

use http::Method;

use super::{Fault, FaultError};
use crate::operations::Operations;
use crate::requests::RequestFilter;

/// A fault, and the requests that it applies to: all of them, unless the rule is narrowed.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultRule {
    pub(crate) fault: Fault,
    pub(crate) filter: RequestFilter,
    pub(crate) times: Option<u32>,
    pub(crate) probability: f64,
}

impl FaultRule {
    /// Creates a rule for every request.
    pub fn new(fault: Fault) -> Self {
        Self { fault, filter: RequestFilter::new(), times: None, probability: 1.0 }
    }

    /// Limits the rule to requests that a filter takes, or to paths with a prefix.
    #[must_use]
    pub fn matching(self, filter: impl Into<RequestFilter>) -> Self {
        Self { filter: filter.into(), ..self }
    }

    /// Limits the rule to a number of requests.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        Self { times: Some(times), ..self }
    }

    /// Sets the probability that the fault applies to a matching request: above 0, and 1 for each of them.
    #[must_use]
    pub fn probability(self, probability: f64) -> Self {
        Self { probability, ..self }
    }

    /// Returns whether the rule can apply to a request: a CORS preflight is matched only by rules that name `OPTIONS`.
    pub(super) fn meets(&self, is_preflight: bool) -> bool {
        !is_preflight || self.filter.names_method(Method::OPTIONS.as_str())
    }

    /// Refuses rules that can never match a request, or whose fault has no effect.
    pub(super) fn check(&self, known: &dyn Operations) -> Result<(), FaultError> {
        let refuse = |(member, message): (String, String)| FaultError::in_member(format!("match.{member}"), message);
        self.filter.check(known).map_err(refuse)?;
        if let Some(member) = self.filter.criterion_of_answer() {
            let wrong = "a fault decides the answer, and applies before the request has a number; leave it out";
            return Err(refuse((member.to_owned(), wrong.to_owned())));
        }
        if self.times == Some(0) {
            let wrong = "a fault for 0 requests never applies; leave out times, or give 1 or more";
            return Err(FaultError::in_member("times", wrong));
        }
        if !(self.probability > 0.0 && self.probability <= 1.0) {
            return Err(FaultError::in_member("probability", "the probability has to be above 0 and not above 1"));
        }
        if self.fault == Fault::default() {
            return Err(FaultError::in_member(
                "fault",
                "the fault is empty; give it at least one part, such as status=503",
            ));
        }
        self.fault.check_for(known)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::Outcome;
    use super::*;
    use crate::operations::OperationFacts;

    #[derive(Debug)]
    struct Pets {
        has_outcomes: bool,
    }

    impl Operations for Pets {
        fn template(&self, _method: &Method, _path: &str) -> Option<String> {
            None
        }

        fn methods(&self, template: &str) -> Vec<String> {
            if template == "/pets/{petId}" { vec!["GET".to_owned()] } else { Vec::new() }
        }

        fn facts(&self, _method: &str, _template: &str) -> Option<OperationFacts> {
            None
        }

        fn has_outcomes(&self) -> bool {
            self.has_outcomes
        }
    }

    fn rule() -> FaultRule {
        FaultRule::new("status=503".parse().unwrap())
    }

    fn matching(filter: RequestFilter) -> FaultRule {
        rule().matching(filter)
    }

    #[test]
    fn what_can_never_apply_is_refused_with_the_reason() {
        let known = Pets { has_outcomes: true };
        for (wrong, reason) in [
            (matching(RequestFilter::new().method("get")), "such as \"GET\""),
            (matching("/pets/{petId}".into()), "template"),
            (matching("api".into()), "slash"),
            (matching("/api?x=1".into()), "query"),
            (matching("/a b".into()), "percent-encoded"),
            (matching("/sandbox/clock".into()), "controls"),
            (matching(RequestFilter::new().template("/{x}")), "write it as in the contract"),
            (matching(RequestFilter::new().operation("GET /nowhere")), "no operation"),
            (matching(RequestFilter::new().header("a b", "c")), "no header"),
            (matching(RequestFilter::new().pointer("name", 1.into())), "slash"),
            (matching(RequestFilter::new().status(200)), "decides the answer"),
            (matching(RequestFilter::new().after(1)), "decides the answer"),
            (rule().times(0), "times"),
            (rule().probability(0.0), "probability"),
            (rule().probability(1.5), "probability"),
            (rule().probability(f64::NAN), "probability"),
            (FaultRule::new(Fault::default()), "empty"),
            (FaultRule::new(Fault { late_status: Some(500), ..rule().fault }), "one of status and late-status"),
            (FaultRule::new(Fault { outcome: Some(Outcome::Failure), ..rule().fault }), "begins no work"),
            (FaultRule::new(Fault { truncate: Some(1), stall: Some(1), ..Fault::default() }), "truncate and stall"),
            (FaultRule::new(Fault { status: Some(204), body: Some("a".to_owned()), ..Fault::default() }), "no body"),
            (FaultRule::new(Fault { media_type: Some("text/plain".to_owned()), ..rule().fault }), "media type"),
        ] {
            let error = wrong.check(&known).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let all = RequestFilter::new().method("GET").path("/api/%7Bx").header("a", "b").pointer("", 1.into());
        for right in [
            rule(),
            matching(RequestFilter::new().operation("GET /pets/{petId}")),
            matching(all).times(1).probability(0.01),
            matching("/sandboxes".into()),
        ] {
            right.check(&known).unwrap();
        }
    }
    /// Catches a check that lets a sandbox without outcomes take a fault that has no effect there.
    #[test]
    fn outcomes_are_refused_by_a_sandbox_whose_work_has_none() {
        let rule = FaultRule::new("outcome=failure".parse().unwrap());
        assert_eq!(rule.check(&Pets { has_outcomes: true }), Ok(()));
        let error = rule.check(&Pets { has_outcomes: false }).unwrap_err();
        assert!(error.to_string().contains("leave outcome out"), "{error}");
    }
}
