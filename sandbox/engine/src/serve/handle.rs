//! The way of a request: route, security, media types, checks, action, answer.

use bytes::Bytes;
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, StatusCode};

use super::media::choose;
use super::problem::{Problem, problem, status_for_violations};
use super::reply::Reply;
use super::route::{Candidate, Routed, Router};
use super::security::challenge;
use super::success::reply;
use crate::act::{Call, Engine};
use crate::contract::{Operation, Status};
use crate::infer::success;
use crate::request::{Read, Refusal, RequestParts, check};

/// A contract that is being served.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) engine: Engine,
    pub(crate) router: Router,
    pub(crate) origin: String,
    pub(crate) checks_credentials: bool,
}

/// A request with its body.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A candidate whose request was checked.
struct Checked<'s> {
    candidate: Candidate,
    operation: &'s Operation,
    read: Result<Read, Refusal>,
}

impl Service {
    /// The answer to a request that has no operation.
    pub(crate) fn refuse(&self, status: u16, detail: &str) -> Reply {
        self.refuse_for(None, status, detail)
    }

    fn refuse_for(&self, operation: Option<&Operation>, status: u16, detail: &str) -> Reply {
        problem(&self.engine, operation, &Problem { status, detail: detail.to_owned(), violations: Vec::new() })
    }

    pub(crate) fn answer(&self, request: &Received) -> Reply {
        let refuse = |operation, status, detail: &str| self.refuse_for(operation, status, detail);
        // A HEAD without an operation of its own is a GET; the server sends no body.
        let method = &request.method;
        let routed = match self.router.route(method, &request.path) {
            Routed::OtherMethods(methods) if *method == Method::HEAD && methods.contains(&Method::GET) => {
                self.router.route(&Method::GET, &request.path)
            }
            routed => routed,
        };
        let candidates = match routed {
            Routed::Operations(candidates) => candidates,
            Routed::OtherMethods(methods) => {
                let allow: Vec<&str> = methods.iter().map(Method::as_str).collect();
                let mut reply = match *method {
                    Method::OPTIONS => Reply { status: 204, ..Reply::default() },
                    _ => refuse(None, 405, "the contract has no such method for this path"),
                };
                reply.headers.push((ALLOW.to_string(), allow.join(", ")));
                return reply;
            }
            Routed::Unknown => return refuse(None, 404, "the contract has no such path"),
        };
        let Some(checked) = self.checked(request, candidates) else {
            return refuse(None, 404, "the contract has no such path");
        };
        let operation = checked.operation;
        if self.checks_credentials
            && let Some(challenge) = challenge(&self.engine.contract, operation, &request.headers, &request.query)
        {
            let detail = format!(
                "the request has no credentials of the declared kind: send {}, with any value",
                challenge.credentials
            );
            let mut reply = refuse(Some(operation), 401, &detail);
            reply.headers.push((WWW_AUTHENTICATE.to_string(), challenge.header.to_owned()));
            return reply;
        }
        let text = |name| request.headers.get(name).and_then(|value| value.to_str().ok());
        let (media_type, accept) = (text(CONTENT_TYPE).unwrap_or_default(), text(ACCEPT));
        if has(operation, 406)
            && let Some((_, response)) = success(operation, &[200, 201])
            && choose(&response.content, accept).is_err()
        {
            return refuse(Some(operation), 406, "the contract declares no response of an accepted media type");
        }
        let read = match checked.read {
            Ok(read) => read,
            Err(Refusal::Unsupported { media_type, allowed }) => {
                let allowed = allowed.join(", ");
                let detail = match media_type.as_str() {
                    "" => format!("the header Content-Type is missing; the contract declares {allowed}"),
                    other => format!("the contract declares no body of the media type {other:?}, but {allowed}"),
                };
                return refuse(Some(operation), 415, &detail);
            }
            Err(Refusal::Invalid(violations)) => {
                let status = status_for_violations(operation);
                let reasons: Vec<String> = violations
                    .iter()
                    .take(5)
                    .map(|violation| format!("{}: {}", violation.pointer, violation.message))
                    .collect();
                let detail = format!("the request is not valid by the contract: {}", reasons.join("; "));
                return problem(&self.engine, Some(operation), &Problem { status, detail, violations });
            }
        };
        let Some(planned) = self.engine.plan.operations.get(checked.candidate.operation) else {
            return refuse(None, 404, "the contract has no such path");
        };
        let place = checked.candidate.place.as_str();
        let call = Call {
            base: &checked.candidate.base,
            path: &checked.candidate.path,
            origin: &self.origin,
            read: &read,
            operation,
            planned,
            media_type,
            place,
        };
        reply(&self.engine, &call, accept)
    }

    /// The first candidate that the request is valid for; else the first one.
    fn checked(&self, request: &Received, mut candidates: Vec<Candidate>) -> Option<Checked<'_>> {
        let operation = |candidate: &Candidate| self.engine.contract.operations.get(candidate.operation);
        // Templates that differ in a fragment or a query: the request can name it in its query or in a header.
        if candidates.len() > 1 {
            let names = |candidate: &Candidate| {
                let template = operation(candidate).map_or("", |operation| operation.template.as_str());
                template.split_once(['#', '?']).is_some_and(|(_, name)| is_named(request, name))
            };
            candidates.sort_by_key(|candidate| !names(candidate));
        }
        let mut first = None;
        for candidate in candidates.into_iter().take(64) {
            let Some(operation) = operation(&candidate) else { continue };
            let parts = RequestParts {
                path: &candidate.path,
                query: &request.query,
                headers: &request.headers,
                body: &request.body,
            };
            let read = check(operation, &self.engine.schemas, &parts);
            let is_valid = read.is_ok();
            let checked = Checked { read, operation, candidate };
            if is_valid {
                return Some(checked);
            }
            first.get_or_insert(checked);
        }
        first
    }
}

fn is_named(request: &Received, name: &str) -> bool {
    let mut query = form_urlencoded::parse(request.query.as_bytes());
    let in_query = query.any(|(key, value)| value == name || name == format!("{key}={value}"));
    let ends = |value: &http::HeaderValue| {
        value.to_str().is_ok_and(|value| value == name || value.ends_with(&format!(".{name}")))
    };
    in_query || request.headers.values().any(ends)
}

fn has(operation: &Operation, code: u16) -> bool {
    operation.responses.iter().any(|response| response.status == Status::Exact(code))
}

/// The status of a reply, which the contract may have made up.
pub(crate) fn status(reply: &Reply) -> StatusCode {
    StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK)
}
