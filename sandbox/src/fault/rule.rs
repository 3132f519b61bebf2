//! Matching requests with faults.

use http::Method;

use super::{Fault, FaultError};

/// The methods of requests that a sandbox can answer.
const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// A fault, and the requests that it applies to: all of them, unless the rule is narrowed.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultRule {
    pub(crate) fault: Fault,
    pub(crate) method: Option<String>,
    pub(crate) path: String,
    pub(crate) times: Option<u32>,
    pub(crate) probability: f64,
}

impl FaultRule {
    /// Creates a rule for every request.
    pub fn new(fault: Fault) -> Self {
        Self { fault, method: None, path: String::new(), times: None, probability: 1.0 }
    }

    /// Limits the rule to a method, in capital letters.
    #[must_use]
    pub fn method(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    /// Limits the rule to paths with this prefix.
    #[must_use]
    pub fn path(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
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

    /// Returns whether the rule applies to a request. A CORS preflight is matched only by rules that name `OPTIONS`.
    pub(super) fn fits(&self, method: &Method, path: &str, is_preflight: bool) -> bool {
        let fits = self.method.as_ref().map_or(!is_preflight, |wanted| wanted == method.as_str());
        fits && path.starts_with(&self.path)
    }

    /// Refuses rules that can never match a request, or whose fault has no effect.
    pub(super) fn check(&self) -> Result<(), FaultError> {
        if let Some(method) = &self.method
            && !METHODS.iter().any(|known| known == method.as_str())
        {
            let capital = method.to_ascii_uppercase();
            let known = METHODS.iter().any(|known| known == capital.as_str());
            let hint = if known { format!("write {capital}") } else { "write GET, POST or another one".to_owned() };
            return Err(FaultError::in_member("method", format!("no request has the method {method:?}; {hint}")));
        }
        check_path(&self.path)?;
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
        self.fault.check()
    }
}

/// Refuses a path prefix that no recorded request can have.
pub(crate) fn check_path(path: &str) -> Result<(), FaultError> {
    let refuse = |reason: &str| {
        Err(FaultError::in_member("path", format!("no request has a path that begins with {path:?}: {reason}")))
    };
    if path.is_empty() {
        return Ok(());
    }
    if !path.starts_with('/') {
        return refuse("a path begins with a slash");
    }
    if path.contains(['{', '}']) {
        return refuse("this is a template; write the beginning of a real path, up to the first parameter");
    }
    if path.contains(['?', '#']) {
        return refuse("a path has no query and no fragment");
    }
    if path.contains(|letter: char| !letter.is_ascii_graphic()) {
        return refuse("a path is percent-encoded");
    }
    if path == "/sandbox" || path.starts_with("/sandbox/") {
        return refuse("faults do not apply to what controls the sandbox, and it is not recorded");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::workflow::Outcome;

    fn rule() -> FaultRule {
        FaultRule::new("status=503".parse().unwrap())
    }

    #[test]
    fn what_can_never_apply_is_refused_with_the_reason() {
        for (wrong, reason) in [
            (rule().method("get"), "write GET"),
            (rule().method("FETCH"), "write GET, POST"),
            (rule().path("/api/projects/v1/projects/{project_id}"), "template"),
            (rule().path("api"), "slash"),
            (rule().path("/api?x=1"), "query"),
            (rule().path("/a b"), "percent-encoded"),
            (rule().path("/sandbox/clock"), "controls"),
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
            let error = wrong.check().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        for right in
            [rule(), rule().method("GET").path("/api/%7Bx").times(1).probability(0.01), rule().path("/sandboxes")]
        {
            right.check().unwrap();
        }
    }
}
