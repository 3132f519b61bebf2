//! The way of a request: route, security, media types, checks, action, answer.

use bytes::Bytes;
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE, HOST, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, StatusCode};

use tokio::sync::watch;

use super::media::choose;
use super::problem::{Problem, problem, status_for_violations};
use super::reply::Reply;
use super::route::{Candidate, Routed, Router};
use super::security::Security;
use super::success::reply;
use crate::act::{Call, Engine, ListPart, Preconditions};
use crate::contract::{Operation, Status};
use crate::infer::success;
use crate::request::{Read, Refusal, RequestParts, check};

/// Answers requests that no contract declares, such as those of GraphQL. It sends requests of the contracts to do so.
pub(crate) trait Front: std::fmt::Debug + Send + Sync {
    fn answer(&self, service: &Service, request: &Received) -> Option<Reply>;

    /// Returns whether it answers requests to a path.
    fn takes(&self, path: &str) -> bool;

    /// The requests that it answers, and how, a line each.
    fn explained(&self, parts: &[ServedContract]) -> String;
}

/// The contracts that are being served.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) parts: Vec<ServedContract>,
    pub(crate) front: Option<Box<dyn Front>>,
    pub(crate) origin: String,
    pub(crate) security: Security,
    /// The control interface is served below `/sandbox`; otherwise the contracts have paths there.
    pub(crate) has_control_interface: bool,
    /// Notified when the control interface has changed the state.
    pub(crate) touched: watch::Sender<()>,
}

/// One contract of a service.
#[derive(Debug)]
pub(crate) struct ServedContract {
    pub(crate) engine: Engine,
    pub(crate) router: Router,
}

/// A request with its body.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The part of a list that a front asks for.
    pub(crate) part: Option<ListPart>,
}

/// A candidate whose request was checked.
struct Checked<'s> {
    candidate: Candidate,
    operation: &'s Operation,
    read: Result<Read, Refusal>,
}

impl Service {
    pub(crate) fn answer(&self, request: &Received) -> Reply {
        if let Some(reply) = self.front.as_ref().and_then(|front| front.answer(self, request)) {
            return reply;
        }
        let method = &request.method;
        match self.routed(method, &request.path) {
            (Some(part), Routed::Operations(candidates)) => self.answer_by(part, request, candidates),
            (_, Routed::OtherMethods(methods)) => {
                let allow: Vec<&str> = methods.iter().map(Method::as_str).collect();
                let mut reply = match *method {
                    Method::OPTIONS => Reply { status: 204, ..Reply::default() },
                    _ => refuse(None, 405, "the contract has no such method for this path"),
                };
                reply.headers.push((ALLOW.to_string(), allow.join(", ")));
                reply
            }
            _ => refuse(None, 404, NO_PATH),
        }
    }

    /// Returns whether an operation, or the front, answers a request.
    pub(super) fn takes(&self, method: &Method, path: &str) -> bool {
        self.front.as_ref().is_some_and(|front| front.takes(path))
            || matches!(self.routed(method, path).1, Routed::Operations(_))
    }

    /// The operations for a request. A HEAD without an operation of its own is a GET; the server sends no body.
    pub(super) fn routed(&self, method: &Method, path: &str) -> (Option<&ServedContract>, Routed) {
        match self.route(method, path) {
            (_, Routed::OtherMethods(methods)) if *method == Method::HEAD && methods.contains(&Method::GET) => {
                self.route(&Method::GET, path)
            }
            routed => routed,
        }
    }

    /// The contract with the most specific template: the one with the longest base path, and then the one with the most literals.
    fn route(&self, method: &Method, path: &str) -> (Option<&ServedContract>, Routed) {
        let mut others = Vec::new();
        let mut best: Option<(&ServedContract, Vec<Candidate>)> = None;
        let rank = |candidates: &[Candidate]| {
            candidates.first().map(|candidate| (candidate.base.len(), candidate.specificity.clone()))
        };
        for part in &self.parts {
            match part.router.route(method, path) {
                Routed::Operations(candidates)
                    if best.as_ref().is_none_or(|(_, best)| rank(best) < rank(&candidates)) =>
                {
                    best = Some((part, candidates));
                }
                Routed::OtherMethods(methods) => others.extend(methods),
                _ => {}
            }
        }
        match best {
            Some((part, candidates)) => (Some(part), Routed::Operations(candidates)),
            None if others.is_empty() => (None, Routed::Unknown),
            None => {
                others.sort_by(|one, other| one.as_str().cmp(other.as_str()));
                others.dedup();
                (None, Routed::OtherMethods(others))
            }
        }
    }

    fn answer_by(&self, part: &ServedContract, request: &Received, candidates: Vec<Candidate>) -> Reply {
        let Some(checked) = part.checked(request, candidates) else { return refuse(None, 404, NO_PATH) };
        let operation = checked.operation;
        let refuse = |status, detail: &str| refuse(Some((&part.engine, operation)), status, detail);
        let refused = self.security.refuse(&part.engine.contract, operation, &request.headers, &request.query);
        if let Some(refused) = refused {
            let mut reply = refuse(refused.status, &refused.detail);
            reply.headers.push((WWW_AUTHENTICATE.to_string(), refused.challenge));
            return reply;
        }
        let text = |name| request.headers.get(name).and_then(|value| value.to_str().ok());
        let (media_type, accept) = (text(CONTENT_TYPE).unwrap_or_default(), text(ACCEPT));
        if has(operation, 406)
            && let Some((_, response)) = success(operation, &[200, 201])
            && choose(&response.content, accept).is_err()
        {
            return refuse(406, "the contract declares no response of an accepted media type");
        }
        let read = match checked.read {
            Ok(read) => read,
            Err(Refusal::Unsupported { media_type, allowed }) => {
                let allowed = allowed.join(", ");
                let detail = match media_type.as_str() {
                    "" => format!("the header Content-Type is missing; the contract declares {allowed}"),
                    other => format!("the contract declares no body of the media type {other:?}, but {allowed}"),
                };
                return refuse(415, &detail);
            }
            Err(Refusal::Invalid(violations)) => {
                let status = status_for_violations(operation);
                let reasons: Vec<String> = violations
                    .iter()
                    .take(5)
                    .map(|violation| format!("{}: {}", violation.pointer, violation.message))
                    .collect();
                let detail = format!("the request is not valid by the contract: {}", reasons.join("; "));
                return problem(Some((&part.engine, operation)), &Problem { status, detail, violations });
            }
        };
        let Some(planned) = part.engine.plan.operations.get(checked.candidate.operation) else {
            return refuse(404, NO_PATH);
        };
        let place = checked.candidate.place.as_str();
        // Links of an answer have the name by which the client has reached the sandbox.
        let origin = text(HOST).map_or_else(|| self.origin.clone(), |host| format!("http://{host}"));
        let preconditions = Preconditions::read(&request.headers);
        let call = Call {
            base: &checked.candidate.base,
            path: &checked.candidate.path,
            origin: &origin,
            read: &read,
            operation,
            planned,
            media_type,
            place,
            preconditions: &preconditions,
            part: request.part.as_ref(),
        };
        reply(&part.engine, &call, accept)
    }
}

impl ServedContract {
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

const NO_PATH: &str = "the contract has no such path";

/// A refusal, by the declaration of an operation if there is one.
pub(crate) fn refuse(declared: Option<(&Engine, &Operation)>, status: u16, detail: &str) -> Reply {
    problem(declared, &Problem { status, detail: detail.to_owned(), violations: Vec::new() })
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
