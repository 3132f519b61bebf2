//! Sends a request: deadline, credential, attempts, status.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use http::{HeaderMap, header};
use tracing::{Instrument as _, Span, field::Empty};

use super::{ERROR_LIMIT, Options, Session, body, broken, content, retry};
use crate::{
    ByteStream,
    auth::{Generation, Held},
    error::{Error, Kind, scrub},
    wire::{Body, Method, Prepared, Raw},
};

/// About a century: a deadline that nobody waits for.
const FAR: Duration = Duration::from_secs(3_000_000_000);

/// Sends a request, and returns its response when the status is a success.
pub(crate) async fn send(session: &Session, prepared: &Prepared, options: &Options) -> Result<Raw, Error> {
    let span = tracing::info_span!(
        "platform.call",
        operation = prepared.operation,
        family = prepared.family,
        method = prepared.method.as_str(),
        status = Empty,
        attempts = Empty,
    );
    run(session, prepared, options, &span).instrument(span.clone()).await.map_err(|error| error.at(prepared.operation))
}

async fn run(session: &Session, prepared: &Prepared, options: &Options, span: &Span) -> Result<Raw, Error> {
    let now = Instant::now();
    let time = options.deadline.unwrap_or(session.deadline);
    // A deadline beyond what the clock can say is one that never comes.
    let deadline = now.checked_add(time).or_else(|| now.checked_add(FAR)).unwrap_or(now);
    let attempts = attempts(session, prepared, options, span, deadline);
    match tokio::time::timeout_at(deadline.into(), attempts).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::new(Kind::Timeout, format!("no answer within {} s", time.as_secs_f64()))
            .hint("set a longer deadline; a call that changes something may have taken effect")),
    }
}

async fn attempts(
    session: &Session,
    prepared: &Prepared,
    options: &Options,
    span: &Span,
    deadline: Instant,
) -> Result<Raw, Error> {
    let repeatable = prepared.method.is_safe() || options.idempotent;
    let mut rejected = None;
    let mut attempt = 0;
    loop {
        let held = token(session, deadline, rejected).await?;
        attempt += 1;
        span.record("attempts", attempt);
        let error = match exchange(session, prepared, options, span, held.as_deref()).await {
            Ok(raw) => return Ok(raw),
            Err(error) => error,
        };
        let replayable = content::is_replayable(&prepared.body);
        if error.is_unauthorized()
            && rejected.is_none()
            && replayable
            && let Some(held) = &held
            && let Some(fresh) = renewed(session, deadline, held).await
        {
            tracing::debug!("the token was refused: trying once more with a new one");
            rejected = Some(fresh);
            continue;
        }
        let again = session.retry && !options.no_retry && replayable && attempt < retry::ATTEMPTS;
        let pause = retry::pause(attempt - 1, &error);
        let fits = Instant::now().checked_add(pause).is_some_and(|end| end < deadline);
        if !(again && fits && retry::may_retry(&error, repeatable)) {
            return Err(error);
        }
        tracing::debug!(code = error.code(), status = error.status().map(|status| status.as_u16()), "trying again");
        tokio::time::sleep(pause).await;
    }
}

async fn token(session: &Session, deadline: Instant, rejected: Option<Generation>) -> Result<Option<Arc<Held>>, Error> {
    match &session.credential {
        Some(cache) => cache.token(&session.transport, deadline, rejected).await.map(Some),
        None => Ok(None),
    }
}

/// Replaces a token that was refused. `None` when there is no other: then the refusal stands. Otherwise the generation that
/// was refused.
async fn renewed(session: &Session, deadline: Instant, refused: &Held) -> Option<Generation> {
    let cache = session.credential.as_ref()?;
    let fresh = cache.token(&session.transport, deadline, Some(refused.generation)).await.ok()?;
    (fresh.header != refused.header).then_some(refused.generation)
}

async fn exchange(
    session: &Session,
    prepared: &Prepared,
    options: &Options,
    span: &Span,
    held: Option<&Held>,
) -> Result<Raw, Error> {
    let method = reqwest::Method::from_bytes(prepared.method.as_str().as_bytes())
        .map_err(|_| Error::new(Kind::Request, "the method is no HTTP method"))?;
    let mut headers = prepared.headers.clone();
    headers.extend(options.headers.clone());
    let content = content::body(&prepared.body, &mut headers).await?;
    // Last, so that no header of the call replaces it.
    headers.remove(header::AUTHORIZATION);
    if let Some(held) = held {
        headers.insert(header::AUTHORIZATION, held.header.clone());
    }
    let mut request = session.transport.client(&prepared.url)?.request(method, prepared.url.clone()).headers(headers);
    match content {
        Some(content) => request = request.body(content),
        // RFC 9110 §8.6: servers may answer 411 to these methods without a length.
        None if matches!(prepared.method, Method::Post | Method::Put | Method::Patch) => {
            request = request.header(header::CONTENT_LENGTH, 0);
        }
        None => {}
    }
    let mut response = request.send().await.map_err(|cause| broken(&cause.without_url()))?;
    let status = response.status();
    span.record("status", status.as_u16());
    if !status.is_success() {
        return Err(refused(session, &mut response, held).await);
    }
    let headers = response.headers().clone();
    let body = if prepared.stream && !is_json_beside_stream(prepared, &headers) {
        Body::Live(ByteStream::live(prepared.operation, response.into(), session.idle))
    } else {
        Body::Whole(body::read(&mut response, session.body_limit).await.map_err(|error| error.with_status(status))?)
    };
    Ok(Raw { operation: prepared.operation, status, headers, body })
}

/// Whether an operation that streams answers with the JSON that it also has. That is decoded, so it is read whole.
fn is_json_beside_stream(prepared: &Prepared, headers: &HeaderMap) -> bool {
    let text = |headers: &HeaderMap, name| -> String {
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
    };
    let accept = text(&prepared.headers, header::ACCEPT);
    accept.contains(',') && accept.contains("json") && text(headers, header::CONTENT_TYPE).contains("json")
}

/// The error of a status that is no success.
async fn refused(session: &Session, response: &mut reqwest::Response, held: Option<&Held>) -> Error {
    let status = response.status();
    let secret = held.map(|held| &held.secret);
    let wait = retry::retry_after(response.headers(), SystemTime::now());
    let challenge = response
        .headers()
        .get(header::WWW_AUTHENTICATE)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let body = scrub(body::excerpt(response, ERROR_LIMIT).await, secret);
    let reason = status.canonical_reason().unwrap_or("a status without a name");
    let mut what = format!("{} {reason}", status.as_u16());
    let hint = match status.as_u16() {
        300..=399 if status.as_u16() != 304 => "redirects are not followed: check the base address".to_owned(),
        400 => "the service finds the request malformed: correct what it names".to_owned(),
        401 => {
            if let Some(challenge) = challenge {
                let challenge = scrub(challenge.into(), secret);
                what += &format!(" [{}]", String::from_utf8_lossy(&challenge));
            }
            match &session.credential {
                Some(cache) => format!("{} is not accepted: check it, and its issuer", cache.credential().describe()),
                None => "the client has no credential: give one to the builder".to_owned(),
            }
        }
        403 => "the caller may not do this: check its roles".to_owned(),
        404 => "missing, or not visible to this caller".to_owned(),
        409 | 412 => "read the resource again, then decide".to_owned(),
        429 => "too many requests: call again later".to_owned(),
        500..=599 => "the service failed: call again later".to_owned(),
        _ => String::new(),
    };
    Error::status_code(status, body, what, hint).with_retry_after(wait)
}
