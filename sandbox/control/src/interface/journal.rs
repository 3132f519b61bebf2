//! The journal of requests over HTTP.

use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use serde_path_to_error::Error;

use super::taken::{ControlAnswer, ControlRefusal, Count, INT64, Number, Sent, Whole};
use super::{Control, done, send};
use crate::operations::Operations;
use crate::requests::{Expected, RequestFilter};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Verify {
    #[serde(default)]
    r#match: RequestFilter,
    times: Option<Count<usize>>,
    at_least: Option<Count<usize>>,
    at_most: Option<Count<usize>>,
}

/// Refuses a filter that no request of the journal can ever match. `places` is the prefix of its criteria in the refusal.
fn checked(filter: RequestFilter, known: &dyn Operations, places: &str) -> Result<RequestFilter, ControlRefusal> {
    let refuse = |(member, message): (String, String)| ControlRefusal::at(format!("{places}{member}"), message);
    filter.check(known).map_err(refuse).map(|()| filter)
}

impl Verify {
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

/// The query parameters of a list: the criteria of a filter, and the maximum number of requests, newest first. Criteria that are not
/// text are JSON.
fn asked(query: &str, known: &dyn Operations) -> Result<(RequestFilter, usize), ControlRefusal> {
    let mut criteria = Map::new();
    let mut limit = usize::MAX;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let value = match name.as_ref() {
            "limit" => {
                limit = Count::read("limit", &value)?;
                continue;
            }
            "status" => Whole::<u16, 100, 599>::read("status", &value)?.into(),
            "after" => Whole::<u64, 0, INT64>::read("after", &value)?.into(),
            "headers" | "pointers" => serde_json::from_str(&value).unwrap_or_default(),
            "body" => serde_json::from_str(&value).unwrap_or_else(|_| Value::from(value.as_ref())),
            name if RequestFilter::NAMES.contains(&name) => Value::from(value.as_ref()),
            _ => return Err(ControlRefusal::unknown(&name, &[&RequestFilter::NAMES[..], &["limit"]].concat())),
        };
        criteria.insert(name.into_owned(), value);
    }
    let filter =
        serde_path_to_error::deserialize(Value::Object(criteria)).map_err(|error: Error<serde_json::Error>| {
            ControlRefusal::at(
                error.path().to_string(),
                "write a JSON object, such as {\"accept\":\"application/json\"}",
            )
        })?;
    Ok((checked(filter, known, "")?, limit))
}

pub(super) async fn list(State(control): State<Control>, RawQuery(query): RawQuery) -> ControlAnswer {
    let (filter, limit) = asked(query.as_deref().unwrap_or_default(), control.log.known())?;
    let matching = control.log.matching(&filter);
    let newest = matching.iter().skip(matching.len().saturating_sub(limit));
    Ok(send(StatusCode::OK, &json!({ "requests": newest.collect::<Vec<_>>(), "counts": control.log.counts() })))
}

pub(super) async fn get(State(control): State<Control>, Whole(number): Number) -> ControlAnswer {
    let record = control.log.last().into_iter().find(|record| record.number == number);
    let record = record.ok_or_else(|| ControlRefusal::missing("request"))?;
    let mut document = json!(record.whole());
    // The operation of the request, even if a fault answered it.
    let facts = control.log.known().facts(&record.method, &record.template);
    document["operation"] = facts.map_or(Value::Null, |facts| {
        json!({
            "method": record.method,
            "path": record.template,
            "summary": facts.summary,
            "provenance": facts.provenance,
        })
    });
    Ok(send(StatusCode::OK, &document))
}

pub(super) async fn clear(State(control): State<Control>) -> Response {
    control.log.clear();
    done()
}

/// Answers 200 if the count is as expected, and 409 otherwise, so that a shell can tell them apart.
pub(super) async fn verify(State(control): State<Control>, Sent(wanted): Sent<Verify>) -> ControlAnswer {
    let expected = wanted.expected()?;
    let result = control.log.verify(&checked(wanted.r#match, control.log.known(), "$.match.")?, expected);
    if result.is_satisfied {
        return Ok(send(StatusCode::OK, &json!({ "count": result.count, "isComplete": result.is_complete })));
    }
    let complete = if result.is_complete { "" } else { " The journal has forgotten older requests." };
    let detail = format!("{} requests of the journal match.{complete}", result.count);
    let members = json!({ "count": result.count, "isComplete": result.is_complete, "nearMisses": result.near_misses });
    Err(ControlRefusal::with(StatusCode::CONFLICT, &detail, members))
}
