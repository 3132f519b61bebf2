//! The error of a response with an error status.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use secrecy::SecretString;

use super::Session;
use crate::{
    auth::Held,
    error::{Error, scrub},
    transport::{ERROR_LIMIT, body, retry_after},
};

pub(super) async fn refused(
    session: &Session,
    response: &mut reqwest::Response,
    held: Option<&Held>,
    idle: Duration,
) -> Error {
    let status = response.status();
    let secret = held.map(|held| &held.secret);
    let wait = retry_after(response.headers(), SystemTime::now());
    let headers = scrubbed(response.headers().clone(), secret);
    let challenge =
        headers.get(header::WWW_AUTHENTICATE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let body = scrub(body::excerpt(response, ERROR_LIMIT, idle).await, secret);
    let reason = status.canonical_reason().unwrap_or("a status without a name");
    let mut what = format!("{} {reason}", status.as_u16());
    let hint = match status.as_u16() {
        300..=399 if status.as_u16() != 304 => "redirects are not followed: check the base address".to_owned(),
        400 => "the service finds the request malformed: correct what it names".to_owned(),
        401 => {
            if let Some(challenge) = challenge {
                what += &format!(" [{challenge}]");
            }
            unauthorized(session, held)
        }
        403 => "the caller may not do this: check its roles".to_owned(),
        404 => "missing, or not visible to this caller".to_owned(),
        409 | 412 => "read the resource again, then decide".to_owned(),
        429 => "too many requests: call again later".to_owned(),
        500..=599 => "the service failed: call again later".to_owned(),
        _ => String::new(),
    };
    Error::status_code(status, body, what, hint).with_headers(headers).with_retry_after(wait)
}

/// The headers without a token that the server repeats in them.
fn scrubbed(mut headers: HeaderMap, secret: Option<&SecretString>) -> HeaderMap {
    for value in headers.values_mut() {
        let clean = scrub(Bytes::copy_from_slice(value.as_bytes()), secret);
        // What is blanked out stays what a header can hold.
        *value = HeaderValue::from_maybe_shared(clean).unwrap_or_else(|_| HeaderValue::from_static(""));
    }
    headers
}

fn unauthorized(session: &Session, held: Option<&Held>) -> String {
    match (&session.credential, held) {
        (Some(cache), Some(held)) => format!(
            "the token of {}, had {} s ago, is not accepted: check the credential, and its issuer",
            cache.credential().describe(),
            held.received.instant.elapsed().as_secs()
        ),
        _ => "the client has no credential: give one to the builder".to_owned(),
    }
}
