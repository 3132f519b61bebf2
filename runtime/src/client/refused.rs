//! The error of a response with an error status.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use secrecy::SecretString;

use super::{
    Session,
    identity::{self, RequestPlace, Way},
};
use crate::{
    auth::Held,
    error::{Error, scrub},
    protocol::{Prepared, Security},
    transport::{ERROR_LIMIT, body, retry_after},
};

/// What the call showed of who makes it.
pub(super) struct Shown<'a> {
    pub(super) ways: &'a [Way<'a>],
    pub(super) held: &'a [Arc<Held>],
    pub(super) prepared: &'a Prepared,
}

pub(super) async fn refused(
    session: &Session,
    response: &mut reqwest::Response,
    shown: &Shown<'_>,
    idle: Duration,
) -> Error {
    let status = response.status();
    let secrets = identity::hidden(shown.ways, shown.held);
    let wait = retry_after(response.headers(), SystemTime::now());
    let headers = scrubbed(response.headers().clone(), &secrets);
    let challenge =
        headers.get(header::WWW_AUTHENTICATE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let body = body::excerpt(response, ERROR_LIMIT, idle).await;
    let kind = headers.get(header::CONTENT_TYPE);
    let body = scrub_all(kind, body, &secrets);
    let reason = status.canonical_reason().unwrap_or("a status without a name");
    let mut what = format!("{} {reason}", status.as_u16());
    let hint = match status.as_u16() {
        300..=399 if status.as_u16() != 304 => "redirects are not followed: check the base address".to_owned(),
        400 => "the service rejects the request as malformed: correct what it names".to_owned(),
        401 => {
            if let Some(challenge) = challenge {
                what += &format!(" [{challenge}]");
            }
            unauthorized(session, shown)
        }
        403 => "the caller may not do this: check its roles".to_owned(),
        404 => "missing, or not visible to this caller".to_owned(),
        409 | 412 => "read the resource again, then decide".to_owned(),
        429 => "too many requests: call again later".to_owned(),
        500..=599 => "the service failed: call again later".to_owned(),
        _ => String::new(),
    };
    let error = Error::status_code(status, kind, body, what, hint);
    error.with_headers(headers).with_retry_after(wait)
}

/// The headers without what the server repeats of the caller's secrets.
fn scrubbed(mut headers: HeaderMap, secrets: &[SecretString]) -> HeaderMap {
    for value in headers.values_mut() {
        let clean = scrub_all(None, Bytes::copy_from_slice(value.as_bytes()), secrets);
        // What is blanked out stays what a header can hold.
        *value = HeaderValue::from_maybe_shared(clean).unwrap_or_else(|_| HeaderValue::from_static(""));
    }
    headers
}

fn scrub_all(kind: Option<&HeaderValue>, text: Bytes, secrets: &[SecretString]) -> Bytes {
    secrets.iter().fold(text, |text, secret| scrub(kind, text, Some(secret)))
}

fn unauthorized(session: &Session, shown: &Shown<'_>) -> String {
    let pairs = shown.ways.iter().zip(shown.held);
    let names: Vec<String> = pairs
        .map(|(Way { place, cache }, held)| {
            let age = held.received.instant.elapsed().as_secs();
            let credential = cache.credential();
            let what =
                if *place == RequestPlace::Token { crate::auth::token_of(credential) } else { credential.describe() };
            format!("{what}, obtained {age} s ago,")
        })
        .collect();
    match (names.as_slice(), shown.prepared.security) {
        ([], Security::None) => {
            "the contract says that it wants no token: correct the contract, or regenerate".to_owned()
        }
        ([], Security::Any(_)) if !identity::wanted(shown.prepared).is_empty() => {
            let wanted = identity::wanted(shown.prepared).join("`, `");
            format!(
                "no credential was sent, and the contract requires `{wanted}`: give it to the builder with `api_key` or `basic`, or set its variables"
            )
        }
        ([], _) if session.credential.is_none() => "the client has no credential: give one to the builder".to_owned(),
        ([], _) => "the credential is not for this address: check the base address".to_owned(),
        ([_, _, ..], _) => format!("{} were not accepted: check them", names.join(" and ")),
        _ => format!("{} was not accepted: check the credential, and its issuer", names.join(" and ")),
    }
}
