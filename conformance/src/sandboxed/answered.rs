//! The answer of a sandbox, by the judge's verdict on it and by what the client has read.

use driftless_codegen::line;
use driftless_sandbox::conformance::{Call, Declared, Fault, Observed, Relayed, Verdict};
use serde_json::Value;

use crate::report::AnswerKind;

/// The characters of a body that a report quotes.
const QUOTED: usize = 200;

/// The kind of an answer, and the verdict on client and sandbox. `read` has the error of a client that did not read it.
pub(super) fn answered(
    declared: Declared<'_>,
    call: &Call,
    is_removed: bool,
    reply: &Relayed,
    verdict: Verdict,
    read: Result<(), String>,
) -> (AnswerKind, Verdict) {
    let is_declared = declared.describes(reply.status);
    let is_problem = reply.status >= 400;
    let why = || {
        let made_up = match call.made_up.as_slice() {
            _ if is_removed => "; an earlier call removed the item".to_owned(),
            [] => String::new(),
            names => format!("; no answer named an item for {}", names.join(", ")),
        };
        format!("status {}{made_up}: {}", reply.status, quoted(reply))
    };
    let limit = |kind, what: &str| (kind, Verdict::Limit(format!("{what}: {}", why())));
    let undeclared = "an undeclared status, read as an error";
    match (verdict, read) {
        // The item does not exist, and the contract has no status for that.
        (Verdict::Mismatch(_), Ok(()))
            if !is_declared && reply.status == 404 && (is_removed || !call.made_up.is_empty()) =>
        {
            limit(AnswerKind::Undeclared, undeclared)
        }
        // A contract that says nothing of a body does not forbid the reason of an error.
        (Verdict::Mismatch(fault), Ok(()))
            if is_problem && fault.place == "body" && !declared.has_body(reply.status) =>
        {
            limit(AnswerKind::Problem, "a declared error")
        }
        (Verdict::Mismatch(_), Ok(())) if !declared.has_success() && !is_declared && !is_problem => {
            limit(AnswerKind::Undeclared, "the contract declares no success, and the client reads")
        }
        (Verdict::Mismatch(fault), read) => {
            let reads = if read.is_ok() { "the client reads it" } else { "the client does not read it" };
            let kind = match (is_declared, &read) {
                (_, Err(_)) => AnswerKind::Unread,
                (false, Ok(())) => AnswerKind::Undeclared,
                (true, Ok(())) => AnswerKind::Wrong,
            };
            let actual = format!("{}; {reads}; {}", fault.actual, why());
            (kind, Verdict::Mismatch(Fault { actual, ..fault }))
        }
        // The client can be right to refuse it, since nobody knows that it fits.
        (Verdict::Limit(reason), Err(actual)) if !is_problem => {
            let reason = format!("{reason}; the client does not read it: {}", line(&actual));
            limit(AnswerKind::Unjudged, &reason)
        }
        (_, Err(actual)) => (AnswerKind::Unread, Verdict::Fault(unread(reply, &actual))),
        (_, Ok(())) if !is_declared => limit(AnswerKind::Undeclared, undeclared),
        (_, Ok(())) if is_problem => limit(AnswerKind::Problem, "a declared error"),
        (Verdict::Limit(reason), Ok(())) => limit(AnswerKind::Unjudged, &reason),
        (_, Ok(())) => (AnswerKind::Success, Verdict::Right),
    }
}

/// The beginning of the body, as one line.
fn quoted(reply: &Relayed) -> String {
    let body: String = String::from_utf8_lossy(&reply.body).chars().take(QUOTED).collect();
    line(&body).into_owned()
}

fn unread(reply: &Relayed, actual: &str) -> Fault {
    Fault {
        place: "answer".to_owned(),
        rule: "Responses Object",
        expected: format!("a result: the answer of status {} fits the contract: {}", reply.status, quoted(reply)),
        actual: line(actual).into_owned(),
    }
}

/// Returns whether the client has read an answer: its value, or an error with its status from 400 on, and with its problem, if it is one.
pub(super) fn read(observed: Observed<'_>, outcome: &Value) -> Result<(), String> {
    let status = outcome.get("status").and_then(Value::as_u64);
    let is_problem = observed.media_type.to_ascii_lowercase().starts_with("application/problem+json");
    let has_problem = outcome.get("problem").and_then(Value::as_bool) == Some(true);
    let is_read = match observed.status {
        400.. => status == Some(u64::from(observed.status)) && (has_problem || !is_problem),
        // A redirection is a result, or an error: the client decides by its configuration.
        300..400 => outcome.get("read").is_some() || status == Some(u64::from(observed.status)),
        _ => outcome.get("read").is_some(),
    };
    let error = outcome.get("error").and_then(Value::as_str).unwrap_or("a result");
    if is_read { Ok(()) } else { Err(error.to_owned()) }
}

#[cfg(test)]
mod tests {
    use driftless_sandbox::conformance::{Judge, Offer};
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_read_as_a_value_or_as_an_error_of_its_status() {
        let problem = "application/problem+json; charset=utf-8";
        for (status, media_type, outcome, is_read) in [
            (200, "", json!({ "read": null }), true),
            (200, "", json!({ "error": "x", "status": 200 }), false),
            (302, "", json!({ "error": "x", "status": 302 }), true),
            (404, "", json!({ "error": "x", "status": 404 }), true),
            (404, "", json!({ "error": "x", "status": null }), false),
            (404, "", json!({ "read": 1 }), false),
            (404, problem, json!({ "error": "x", "status": 404, "problem": true }), true),
            (404, problem, json!({ "error": "x", "status": 404, "problem": false }), false),
        ] {
            let observed = Observed { status, media_type, body: b"" };
            assert_eq!(read(observed, &outcome).is_ok(), is_read, "{status} {media_type} {outcome}");
        }
    }

    #[test]
    fn an_answer_that_nobody_judges_is_no_success() {
        let contract = json!({ "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": { "/a": { "get": { "responses": {
            "200": { "description": "", "content": { "application/xml": {}, "application/json": {} } },
            "500": { "description": "", "content": { "application/xml": {} } },
        } } }, "/b": { "get": { "responses": { "302": { "description": "" } } } } } });
        let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
        let kind = |path: &str, status, media_type: &str, body: &str, read: Result<(), String>| {
            let pointer = format!("/paths/~1{path}/get");
            let offer = Offer { method: "GET".to_owned(), pointer, ..Offer::default() };
            let (media_type, body) = (media_type.to_owned(), body.as_bytes().to_vec());
            let reply = Relayed { status, media_type, body, ..Relayed::default() };
            let verdict = judge.observe(&offer, reply.observed(), true);
            let (kind, verdict) = answered(judge.declared(&offer), &Call::default(), false, &reply, verdict, read);
            let class = match verdict {
                Verdict::Right => "right",
                Verdict::Limit(_) => "limit",
                Verdict::Mismatch(_) => "mismatch",
                _ => "fault",
            };
            (kind, class)
        };
        let (xml, json, failed) = ("application/xml", "application/json", || Err("decode: no".to_owned()));
        assert_eq!(kind("a", 200, json, "{}", Ok(())), (AnswerKind::Success, "right"));
        assert_eq!(kind("a", 200, json, "{}", failed()), (AnswerKind::Unread, "fault"));
        assert_eq!(kind("a", 200, xml, "<a/>", Ok(())), (AnswerKind::Unjudged, "limit"));
        assert_eq!(kind("a", 200, xml, "<a/>", failed()), (AnswerKind::Unjudged, "limit"));
        assert_eq!(kind("a", 500, xml, "<a/>", Ok(())), (AnswerKind::Problem, "limit"));
        assert_eq!(kind("a", 401, json, "{}", Ok(())), (AnswerKind::Undeclared, "limit"));
        // A redirection that is declared is judged, and another status is not one of the contract.
        assert_eq!(kind("b", 302, "", "", Ok(())), (AnswerKind::Success, "right"));
        assert_eq!(kind("b", 302, "text/html", "<p>", Ok(())), (AnswerKind::Wrong, "mismatch"));
        assert_eq!(kind("b", 200, "text/html", "<p>", Ok(())), (AnswerKind::Undeclared, "limit"));
    }
}
