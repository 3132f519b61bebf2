//! Which requests of the journal are meant, and how many of them are expected.

use serde_json::Value;

use super::record::RequestRecord;

/// Takes requests that have everything that it asks for.
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
    /// A filter that takes every request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only requests with this method.
    #[must_use]
    pub fn method(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    /// Only requests whose path begins so.
    #[must_use]
    pub fn path(self, path: &str) -> Self {
        Self { path: Some(path.to_owned()), ..self }
    }

    /// Only requests for this path template of the contract.
    #[must_use]
    pub fn template(self, template: &str) -> Self {
        Self { template: Some(template.to_owned()), ..self }
    }

    /// Only requests that were answered with this status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Only requests with a higher number.
    #[must_use]
    pub fn after(self, number: u64) -> Self {
        Self { after: number, ..self }
    }

    /// Only requests with this header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// Only requests whose JSON body holds this: the members of an object that are given, and everything else as it is.
    #[must_use]
    pub fn json(self, value: Value) -> Self {
        Self { json: Some(value), ..self }
    }

    /// Only requests whose body holds this text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..self }
    }

    /// A body is compared as far as it is kept: its first 16 KiB.
    pub(super) fn takes(&self, record: &RequestRecord) -> bool {
        let head = self.method.as_ref().is_none_or(|method| *method == record.method)
            && self.path.as_ref().is_none_or(|path| record.path.starts_with(path))
            && self.template.as_ref().is_none_or(|template| *template == record.template)
            && self.status.is_none_or(|status| status == record.status)
            && record.number > self.after;
        let headers = record.request.headers();
        let has = |(name, value): &(String, String)| headers.get_all(name).iter().any(|found| found == value.as_str());
        if !head || !self.headers.iter().all(has) {
            return false;
        }
        if self.json.is_none() && self.text.is_none() {
            return true;
        }
        let body = record.request.body();
        let json = || serde_json::from_slice::<Value>(&body.bytes).ok();
        self.json.as_ref().is_none_or(|wanted| json().is_some_and(|found| holds(&found, wanted)))
            && self.text.as_ref().is_none_or(|text| String::from_utf8_lossy(&body.bytes).contains(text))
    }
}

fn holds(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| found.get(name).is_some_and(|found| holds(found, wanted)))
        }
        _ => found == wanted,
    }
}

/// How many requests are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    least: usize,
    most: usize,
}

impl Expected {
    /// So many, no more and no fewer.
    pub fn exactly(count: usize) -> Self {
        Self { least: count, most: count }
    }

    /// So many or more.
    pub fn at_least(count: usize) -> Self {
        Self { least: count, most: usize::MAX }
    }

    /// From so many to so many.
    pub fn between(least: usize, most: usize) -> Self {
        Self { least, most }
    }

    pub(super) fn is_met_by(self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }
}

/// What [`Requests::verify`](crate::Requests::verify) found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many requests of the journal fit.
    pub count: usize,
    /// Whether that is as expected.
    pub is_satisfied: bool,
    /// Whether the journal still holds every request since it was cleared.
    pub is_complete: bool,
}
