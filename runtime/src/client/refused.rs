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
    auth::CachedToken,
    error::{Error, scrub},
    protocol::{Prepared, Security},
    transport::{ERROR_LIMIT, body, retry_after},
};

/// The credentials of the call.
pub(super) struct SentCredentials<'a> {
    pub(super) ways: &'a [Way<'a>],
    pub(super) tokens: &'a [Arc<CachedToken>],
    pub(super) prepared: &'a Prepared,
}

pub(super) async fn refused(
    session: &Session,
    response: &mut reqwest::Response,
    sent: &SentCredentials<'_>,
    idle: Duration,
) -> Error {
    let status = response.status();
    let secrets = identity::secrets_of(sent.ways, sent.tokens);
    let wait = retry_after(response.headers(), SystemTime::now());
    let headers = scrubbed(response.headers().clone(), &secrets);
    let challenge =
        headers.get(header::WWW_AUTHENTICATE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let body = body::excerpt(response, ERROR_LIMIT, idle).await;
    let kind = headers.get(header::CONTENT_TYPE);
    let body = scrub_all(kind, body, &secrets);
    let reason = status.canonical_reason().unwrap_or("a status without a name");
    let mut message = format!("{} {reason}", status.as_u16());
    let hint = match status.as_u16() {
        300..=399 if status.as_u16() != 304 => "redirects are not followed: check the base address".to_owned(),
        400 => "the service rejects the request as malformed: correct the members that it names".to_owned(),
        401 => {
            if let Some(challenge) = challenge {
                message += &format!(" [{challenge}]");
            }
            unauthorized(session, sent)
        }
        403 => "the caller may not do this: check its roles".to_owned(),
        404 => "missing, or not visible to this caller".to_owned(),
        409 | 412 => "read the resource again, then decide".to_owned(),
        429 => "too many requests: call again later".to_owned(),
        500..=599 => "the service failed: call again later".to_owned(),
        _ => String::new(),
    };
    let error = Error::status_code(status, kind, body, message, hint);
    error.with_headers(headers).with_retry_after(wait)
}

/// The headers without the caller's secrets that the server repeats.
fn scrubbed(mut headers: HeaderMap, secrets: &[SecretString]) -> HeaderMap {
    for value in headers.values_mut() {
        let clean = scrub_all(None, Bytes::copy_from_slice(value.as_bytes()), secrets);
        // After blanking out, it is still a valid header value.
        *value = HeaderValue::from_maybe_shared(clean).unwrap_or_else(|_| HeaderValue::from_static(""));
    }
    headers
}

fn scrub_all(kind: Option<&HeaderValue>, text: Bytes, secrets: &[SecretString]) -> Bytes {
    secrets.iter().fold(text, |text, secret| scrub(kind, text, Some(secret)))
}

fn unauthorized(session: &Session, sent: &SentCredentials<'_>) -> String {
    let pairs = sent.ways.iter().zip(sent.tokens);
    let names: Vec<String> = pairs
        .map(|(Way { place, cache }, token)| {
            let age = token.received.instant.elapsed().as_secs();
            let credential = cache.credential();
            let message =
                if *place == RequestPlace::Token { crate::auth::token_of(credential) } else { credential.describe() };
            format!("{message}, obtained {age} s ago,")
        })
        .collect();
    match (names.as_slice(), sent.prepared.security) {
        ([], Security::None) => {
            "the contract declares that it needs no token: correct the contract, or regenerate".to_owned()
        }
        ([], Security::Any(_)) if !identity::missing_schemes(sent.prepared).is_empty() => {
            let wanted = identity::missing_schemes(sent.prepared).join("`, `");
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
