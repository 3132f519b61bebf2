//! The journal of requests over HTTP.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{missing, read, refuse, send};
use crate::problem;
use crate::publication::Publication;
use crate::requests::{Expected, Log, RequestFilter};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Verify {
    method: Option<String>,
    path: Option<String>,
    template: Option<String>,
    status: Option<u16>,
    after: Option<u64>,
    headers: BTreeMap<String, String>,
    /// Text that the body holds, or JSON that it holds.
    body: Option<Value>,
    times: Option<usize>,
    at_least: Option<usize>,
    at_most: Option<usize>,
}

impl Verify {
    fn filter(&self) -> RequestFilter {
        let mut filter = RequestFilter::new().after(self.after.unwrap_or_default());
        if let Some(method) = &self.method {
            filter = filter.method(method);
        }
        if let Some(path) = &self.path {
            filter = filter.path(path);
        }
        if let Some(template) = &self.template {
            filter = filter.template(template);
        }
        if let Some(status) = self.status {
            filter = filter.status(status);
        }
        for (name, value) in &self.headers {
            filter = filter.header(name, value);
        }
        match &self.body {
            Some(Value::String(text)) => filter.text(text),
            Some(value) => filter.json(value.clone()),
            None => filter,
        }
    }

    fn expected(&self) -> Result<Expected, String> {
        match (self.times, self.at_least, self.at_most) {
            (Some(times), None, None) => Ok(Expected::exactly(times)),
            (None, None, None) => Ok(Expected::at_least(1)),
            (None, least, None) => Ok(Expected::at_least(least.unwrap_or_default())),
            (None, least, Some(most)) if least.unwrap_or_default() <= most => {
                Ok(Expected::between(least.unwrap_or_default(), most))
            }
            (None, _, Some(_)) => Err("atLeast is above atMost".to_owned()),
            (Some(_), ..) => Err("give times alone, or atLeast and atMost".to_owned()),
        }
    }
}

/// The query parameters of a list: a filter, and how many of the newest are wanted.
fn asked(query: &str) -> Result<(Verify, usize), String> {
    let mut asked = Verify::default();
    let mut limit = usize::MAX;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let number = || value.parse::<u64>().map_err(|_no_number| format!("{name} has to be a whole number"));
        match name.as_ref() {
            "method" => asked.method = Some(value.to_ascii_uppercase()),
            "path" => asked.path = Some(value.into_owned()),
            "template" => asked.template = Some(value.into_owned()),
            "status" => asked.status = Some(u16::try_from(number()?).map_err(|_large| "status is too large")?),
            "after" => asked.after = Some(number()?),
            "limit" => limit = usize::try_from(number()?).unwrap_or(usize::MAX),
            _ => {
                return Err(format!(
                    "the parameter {} is unknown; use method, path, template, status, after or limit",
                    name.escape_debug()
                ));
            }
        }
    }
    Ok((asked, limit))
}

pub(super) async fn list(State(log): State<Arc<Log>>, RawQuery(query): RawQuery) -> Response {
    match asked(query.as_deref().unwrap_or_default()) {
        Ok((asked, limit)) => {
            let found = log.matching(&asked.filter());
            let newest = found.iter().skip(found.len().saturating_sub(limit));
            send(StatusCode::OK, &json!({ "requests": newest.collect::<Vec<_>>(), "counts": log.counts() }))
        }
        Err(message) => refuse(&message),
    }
}

pub(super) async fn get(
    State(log): State<Arc<Log>>,
    State(publication): State<Publication>,
    Path(number): Path<u64>,
) -> Response {
    let Some(record) = log.last().into_iter().find(|record| record.number == number) else {
        return missing("request");
    };
    let mut shown = json!(record.whole());
    let found = publication
        .contract()
        .operations
        .iter()
        .find(|operation| operation.path == record.template && operation.method.as_str() == record.method);
    // What the request was for; a fault may have answered in its place.
    shown["operation"] = found.map_or(Value::Null, |operation| {
        json!({
            "method": record.method,
            "path": operation.path,
            "summary": operation.summary,
            "provenance": operation.provenance,
        })
    });
    send(StatusCode::OK, &shown)
}

pub(super) async fn clear(State(log): State<Arc<Log>>) -> Response {
    log.clear();
    StatusCode::NO_CONTENT.into_response()
}

/// 200 when as many requests fit as are expected, else 409, so that a shell sees it.
pub(super) async fn verify(State(log): State<Arc<Log>>, body: Bytes) -> Response {
    let asked = read(&body).and_then(|wanted: Verify| wanted.expected().map(|expected| (wanted.filter(), expected)));
    match asked.map(|(filter, expected)| log.verify(&filter, expected)) {
        Ok(found) if found.is_satisfied => {
            send(StatusCode::OK, &json!({ "count": found.count, "isComplete": found.is_complete }))
        }
        Ok(found) => {
            let complete = if found.is_complete { "" } else { " The journal has forgotten older requests." };
            let detail = format!("{} requests of the journal fit.{complete}", found.count);
            problem::response(StatusCode::CONFLICT, &detail)
        }
        Err(message) => refuse(&message),
    }
}
