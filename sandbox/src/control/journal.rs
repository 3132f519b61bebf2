//! The journal of requests over HTTP.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::taken::{ControlAnswer, ControlRefusal, Count, INT64, Number, Sent, Whole};
use super::{done, send};
use crate::contract::Contract;
use crate::contract::operation::Operation;
use crate::fault::check_path;
use crate::publication::Publication;
use crate::requests::{Expected, Log, RequestFilter};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Verify {
    method: Option<String>,
    path: Option<String>,
    template: Option<String>,
    status: Option<Whole<u16, 100, 599>>,
    after: Option<Whole<u64, 0, INT64>>,
    headers: BTreeMap<String, String>,
    /// Text or JSON that the body contains.
    body: Option<Value>,
    times: Option<Count<usize>>,
    at_least: Option<Count<usize>>,
    at_most: Option<Count<usize>>,
}

impl Verify {
    /// Builds the filter, or refuses one that no request of the journal can ever match. `places` is the prefix of its members in
    /// error messages.
    fn filter(&self, contract: &Contract, places: &str) -> Result<RequestFilter, ControlRefusal> {
        let wrong = |member: &str, message: String| ControlRefusal::at(format!("{places}{member}"), message);
        let mut filter = RequestFilter::new().after(self.after.map(|after| after.0).unwrap_or_default());
        if let Some(method) = &self.method {
            if !method.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte)) || method.is_empty() {
                let capital = method.to_ascii_uppercase();
                return Err(wrong("method", format!("write a method in capital letters, such as {capital:?}")));
            }
            filter = filter.method(method);
        }
        if let Some(path) = &self.path {
            check_path(path).map_err(|error| wrong("path", error.to_string()))?;
            filter = filter.path(path);
        }
        if let Some(template) = &self.template {
            self.check_template(template, contract).map_err(|message| wrong("template", message))?;
            filter = filter.template(template);
        }
        if let Some(status) = self.status {
            filter = filter.status(status.0);
        }
        for (name, value) in &self.headers {
            if HeaderName::from_bytes(name.as_bytes()).is_err() || HeaderValue::from_str(value).is_err() {
                return Err(wrong(&format!("headers.{name}"), "no header has this name or this value".to_owned()));
            }
            filter = filter.header(name, value);
        }
        Ok(match &self.body {
            Some(Value::String(text)) => filter.text(text),
            Some(value) => filter.json(value.clone()),
            None => filter,
        })
    }

    /// Checks that a template is one of the contract's. Requests without an operation are recorded with their path.
    fn check_template(&self, template: &str, contract: &Contract) -> Result<(), String> {
        let of_path: Vec<&Operation> =
            contract.operations.iter().filter(|candidate| candidate.path == template).collect();
        match (of_path.as_slice(), &self.method) {
            ([_, ..], Some(method)) if !of_path.iter().any(|operation| operation.method.as_str() == method) => {
                Err(format!("the contract has no operation {method} {template}; write another method, or a path"))
            }
            ([_, ..], _) => Ok(()),
            ([], _) if template.contains(['{', '}']) => {
                Err(format!("the contract has no operation with the path {template:?}; write it as in the contract"))
            }
            ([], _) => check_path(template).map_err(|error| error.to_string()),
        }
    }

    fn expected(&self) -> Result<Expected, ControlRefusal> {
        let [times, least, most] = [self.times, self.at_least, self.at_most].map(|count| count.map(|count| count.0));
        match (times, least, most) {
            (Some(times), None, None) => Ok(Expected::exactly(times)),
            (None, None, None) => Ok(Expected::at_least(1)),
            (None, least, None) => Ok(Expected::at_least(least.unwrap_or_default())),
            (None, least, Some(most)) if least.unwrap_or_default() <= most => {
                Ok(Expected::between(least.unwrap_or_default(), most))
            }
            (None, _, Some(most)) => Err(ControlRefusal::at("$.atLeast", format!("write {most} (atMost) or less"))),
            (Some(_), ..) => Err(ControlRefusal::at("$.times", "write times alone, or atLeast and atMost")),
        }
    }
}

/// The query parameters of a list: a filter, and the maximum number of requests, newest first.
fn asked(query: &str) -> Result<(Verify, usize), ControlRefusal> {
    let mut asked = Verify::default();
    let mut limit = usize::MAX;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match name.as_ref() {
            "method" => asked.method = Some(value.to_ascii_uppercase()),
            "path" => asked.path = Some(value.into_owned()),
            "template" => asked.template = Some(value.into_owned()),
            "status" => asked.status = Some(Whole(Whole::<_, 100, 599>::read("status", &value)?)),
            "after" => asked.after = Some(Whole(Whole::<_, 0, INT64>::read("after", &value)?)),
            "limit" => limit = Count::read("limit", &value)?,
            _ => {
                return Err(ControlRefusal::unknown(
                    &name,
                    &["method", "path", "template", "status", "after", "limit"],
                ));
            }
        }
    }
    Ok((asked, limit))
}

pub(super) async fn list(
    State(log): State<Arc<Log>>,
    State(publication): State<Publication>,
    RawQuery(query): RawQuery,
) -> ControlAnswer {
    let (asked, limit) = asked(query.as_deref().unwrap_or_default())?;
    let matching = log.matching(&asked.filter(publication.contract(), "")?);
    let newest = matching.iter().skip(matching.len().saturating_sub(limit));
    Ok(send(StatusCode::OK, &json!({ "requests": newest.collect::<Vec<_>>(), "counts": log.counts() })))
}

pub(super) async fn get(
    State(log): State<Arc<Log>>,
    State(publication): State<Publication>,
    Whole(number): Number,
) -> ControlAnswer {
    let record = log.last().into_iter().find(|record| record.number == number);
    let record = record.ok_or_else(|| ControlRefusal::missing("request"))?;
    let mut document = json!(record.whole());
    let recorded_for = publication
        .contract()
        .operations
        .iter()
        .find(|operation| operation.path == record.template && operation.method.as_str() == record.method);
    // The operation of the request, even if a fault answered it.
    document["operation"] = recorded_for.map_or(Value::Null, |operation| {
        json!({
            "method": record.method,
            "path": operation.path,
            "summary": operation.summary,
            "provenance": operation.provenance,
        })
    });
    Ok(send(StatusCode::OK, &document))
}

pub(super) async fn clear(State(log): State<Arc<Log>>) -> Response {
    log.clear();
    done()
}

/// Answers 200 if the count is as expected, and 409 otherwise, so that a shell can tell them apart.
pub(super) async fn verify(
    State(log): State<Arc<Log>>,
    State(publication): State<Publication>,
    Sent(wanted): Sent<Verify>,
) -> ControlAnswer {
    let result = log.verify(&wanted.filter(publication.contract(), "$.")?, wanted.expected()?);
    if result.is_satisfied {
        return Ok(send(StatusCode::OK, &json!({ "count": result.count, "isComplete": result.is_complete })));
    }
    let complete = if result.is_complete { "" } else { " The journal has forgotten older requests." };
    let detail = format!("{} requests of the journal match.{complete}", result.count);
    Err(ControlRefusal::whole(StatusCode::CONFLICT, &detail))
}
