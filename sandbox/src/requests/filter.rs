//! Filters for requests of the journal, and expected counts.

use serde_json::Value;

use super::record::RequestRecord;

/// A filter that takes requests with all of its criteria.
///
/// ```
/// # async fn example() -> Result<(), platform_sandbox::Error> {
/// use platform_sandbox::{Expected, RequestFilter};
///
/// let sandbox = platform_sandbox::start().await?;
/// let created = RequestFilter::new().method("POST").path("/api/projects/v1/projects").json(serde_json::json!({ "name": "a" }));
/// assert!(sandbox.requests().verify(&created, Expected::exactly(0)).is_satisfied);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct RequestFilter {
    method: Option<String>,
    path: Option<String>,
    template: Option<String>,
    status: Option<u16>,
    after: u64,
    headers: Vec<(String, String)>,
    json: Option<Value>,
    text: Option<String>,
}

impl RequestFilter {
    /// Creates a filter that takes every request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the filter to a method.
    #[must_use]
    pub fn method(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    /// Limits the filter to paths with this prefix.
    #[must_use]
    pub fn path(self, path: &str) -> Self {
        Self { path: Some(path.to_owned()), ..self }
    }

    /// Limits the filter to a path template of the contract.
    #[must_use]
    pub fn template(self, template: &str) -> Self {
        Self { template: Some(template.to_owned()), ..self }
    }

    /// Limits the filter to a status of the answer.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Limits the filter to requests with a higher number.
    #[must_use]
    pub fn after(self, number: u64) -> Self {
        Self { after: number, ..self }
    }

    /// Limits the filter to requests with this header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// Limits the filter to JSON bodies that contain this value: objects may have further members, all other values are compared
    /// exactly.
    #[must_use]
    pub fn json(self, value: Value) -> Self {
        Self { json: Some(value), ..self }
    }

    /// Limits the filter to bodies that contain this text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..self }
    }

    /// Only the recorded part of a body is compared: its first 16 KiB.
    pub(super) fn takes(&self, record: &RequestRecord) -> bool {
        let head = self.method.as_ref().is_none_or(|method| *method == record.method)
            && self.path.as_ref().is_none_or(|path| record.path.starts_with(path))
            && self.template.as_ref().is_none_or(|template| *template == record.template)
            && self.status.is_none_or(|status| status == record.status)
            && record.number > self.after;
        let headers = record.request.headers();
        let has =
            |(name, value): &(String, String)| headers.get_all(name).iter().any(|actual| actual == value.as_str());
        if !head || !self.headers.iter().all(has) {
            return false;
        }
        if self.json.is_none() && self.text.is_none() {
            return true;
        }
        let body = record.request.body();
        let json = || serde_json::from_slice::<Value>(&body.bytes).ok();
        self.json.as_ref().is_none_or(|wanted| json().is_some_and(|actual| holds(&actual, wanted)))
            && self.text.as_ref().is_none_or(|text| String::from_utf8_lossy(&body.bytes).contains(text))
    }
}

fn holds(actual: &Value, wanted: &Value) -> bool {
    match (actual, wanted) {
        (Value::Object(actual), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| actual.get(name).is_some_and(|actual| holds(actual, wanted)))
        }
        _ => actual == wanted,
    }
}

/// The expected number of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    least: usize,
    most: usize,
}

impl Expected {
    /// Expects exactly this number.
    pub fn exactly(count: usize) -> Self {
        Self { least: count, most: count }
    }

    /// Expects this number or more.
    pub fn at_least(count: usize) -> Self {
        Self { least: count, most: usize::MAX }
    }

    /// Expects a number from `least` to `most`.
    pub fn between(least: usize, most: usize) -> Self {
        Self { least, most }
    }

    pub(super) fn is_met_by(self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }
}

/// The result of [`Requests::verify`](crate::Requests::verify).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The number of matching requests in the journal.
    pub count: usize,
    /// `true` if the count is as expected.
    pub is_satisfied: bool,
    /// `true` if the journal still holds every request since it was cleared.
    pub is_complete: bool,
}
