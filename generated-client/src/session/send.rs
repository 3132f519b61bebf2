//! Sends a request: deadline, credential, attempts, status.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU16, Ordering},
    },
    time::{Duration, Instant},
};

use http::{HeaderMap, HeaderValue, StatusCode, header};
use tracing::{Instrument as _, Span, field::Empty};

use super::{
    Options, Session, body, broken, content,
    middleware::{Incoming, Next, Outgoing},
    refused::refused,
    retry,
};
use crate::{
    ByteStream,
    auth::{Generation, Held},
    error::{Error, Kind},
    wire::{Body, Method, PROBLEM, Prepared, Raw},
};

/// About a century: a deadline that nobody waits for.
const FAR: Duration = Duration::from_secs(3_000_000_000);

/// How far a call got.
struct Progress {
    /// Whether the service may have seen any of it.
    sent: AtomicBool,
    /// The status of the last response, 0 without one.
    status: AtomicU16,
    request_id: Option<HeaderValue>,
}

impl Progress {
    fn tell(&self, error: Error, method: Method) -> Error {
        let sent = self.sent.load(Ordering::Relaxed);
        let status = StatusCode::from_u16(self.status.load(Ordering::Relaxed)).ok();
        let error = if error.is_timeout() && status.is_some() { error.with_status_of(status) } else { error };
        let id = self.request_id.as_ref().and_then(|id| id.to_str().ok());
        error.sent(sent, !method.is_safe()).with_request_id(id)
    }
}

/// Sends a request, and returns its response when the status is a success.
pub(crate) async fn send(session: &Session, prepared: &Prepared, options: &Options) -> Result<Raw, Error> {
    let span = tracing::info_span!(
        "platform.call",
        operation = prepared.operation,
        family = prepared.family,
        method = prepared.method.as_str(),
        status = Empty,
        attempts = Empty,
        // What OpenTelemetry calls the span, and how it ended.
        otel.name = prepared.operation,
        otel.kind = "client",
        otel.status_code = Empty,
    );
    let progress = Progress {
        sent: AtomicBool::new(false),
        status: AtomicU16::new(0),
        request_id: request_id(session, prepared, options),
    };
    run(session, prepared, options, &span, &progress).instrument(span.clone()).await.map_err(|error| {
        span.record("otel.status_code", "ERROR");
        progress.tell(error, prepared.method).at(prepared.operation)
    })
}

/// The identifier that the caller set, else a new one, the same for all attempts.
fn request_id(session: &Session, prepared: &Prepared, options: &Options) -> Option<HeaderValue> {
    let name = session.request_id.as_ref()?;
    let set = options.headers.get(name).or_else(|| prepared.headers.get(name));
    set.cloned().or_else(|| HeaderValue::try_from(retry::unique()).ok())
}

async fn run(
    session: &Session,
    prepared: &Prepared,
    options: &Options,
    span: &Span,
    progress: &Progress,
) -> Result<Raw, Error> {
    let now = Instant::now();
    let time = options.deadline.unwrap_or(session.deadline);
    // A deadline beyond what the clock can say is one that never comes.
    let deadline = now.checked_add(time).or_else(|| now.checked_add(FAR)).unwrap_or(now);
    let attempts = attempts(session, prepared, options, span, progress, deadline);
    match tokio::time::timeout_at(deadline.into(), attempts).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::new(Kind::Timeout, format!("no answer within {} s", time.as_secs_f64()))
            .hint("set a longer deadline")),
    }
}

async fn attempts(
    session: &Session,
    prepared: &Prepared,
    options: &Options,
    span: &Span,
    progress: &Progress,
    deadline: Instant,
) -> Result<Raw, Error> {
    let method = prepared.method;
    let policy = retry::Policy {
        repeatable: method.is_safe()
            || options.idempotent
            || (session.retry_writes && matches!(method, Method::Put | Method::Delete)),
        when_asked: session.retry_when_asked || options.retry_when_asked,
    };
    let replayable = content::is_replayable(&prepared.body);
    let retries = |attempt| session.retry && !options.no_retry && replayable && attempt < retry::ATTEMPTS;
    let fits = |pause| Instant::now().checked_add(pause).is_some_and(|end| end < deadline);
    let (mut rejected, mut attempt, mut failures) = (None, 0, 0);
    loop {
        attempt += 1;
        span.record("attempts", attempt);
        let error = match token(session, deadline, rejected).await {
            Err(error) => error,
            Ok(held) => {
                let error = match exchange(session, prepared, options, span, progress, held.as_deref(), policy).await {
                    Ok(raw) => {
                        if attempt == 1 {
                            session.budget.earn();
                        }
                        return Ok(raw);
                    }
                    Err(error) => error,
                };
                if error.is_unauthorized()
                    && rejected.is_none()
                    && replayable
                    && let Some(held) = &held
                {
                    rejected = Some(held.generation);
                    match renewed(session, deadline, held).await {
                        Ok(true) => continue,
                        Ok(false) => {}
                        Err(cause) => {
                            let pause = retry::pause(attempt - 1, &cause);
                            // The issuer is in trouble that passes, and the service did not take the request.
                            if cause.is_retryable() && retries(attempt) && fits(pause) {
                                tokio::time::sleep(pause).await;
                                continue;
                            }
                            return Err(error.and(&format!("no other token could be had: {cause}")).cause(cause));
                        }
                    }
                }
                error
            }
        };
        failures += u32::from(error.status() == Some(StatusCode::INTERNAL_SERVER_ERROR));
        let pause = retry::pause(attempt - 1, &error);
        // Waiting for the issuer costs the service nothing.
        let paid = || error.is_token() || session.budget.take();
        if !(retries(attempt) && fits(pause) && policy.allows(&error, failures) && paid()) {
            return Err(error);
        }
        tracing::debug!(code = error.code(), status = error.status().map(|status| status.as_u16()), "trying again");
        tokio::time::sleep(pause).await;
    }
}

async fn token(session: &Session, deadline: Instant, rejected: Option<Generation>) -> Result<Option<Arc<Held>>, Error> {
    let Some(cache) = &session.credential else { return Ok(None) };
    let held = cache.token(&session.transport, deadline, rejected).await?;
    session.preflight(Some(&held))?;
    Ok(Some(held))
}

/// Replaces a token that was refused. `false` when there is no other: then the refusal stands.
async fn renewed(session: &Session, deadline: Instant, refused: &Held) -> Result<bool, Error> {
    let Some(cache) = &session.credential else { return Ok(false) };
    let fresh = cache.token(&session.transport, deadline, Some(refused.generation)).await?;
    Ok(fresh.header != refused.header)
}

async fn exchange(
    session: &Session,
    prepared: &Prepared,
    options: &Options,
    span: &Span,
    progress: &Progress,
    held: Option<&Held>,
    policy: retry::Policy,
) -> Result<Raw, Error> {
    let _pass = match &session.gate {
        Some(gate) => gate.acquire().await.ok(),
        None => None,
    };
    let mut headers = prepared.headers.clone();
    if !options.headers.is_empty() {
        headers.extend(options.headers.clone());
    }
    if let (Some(name), Some(id)) = (&session.request_id, &progress.request_id) {
        headers.insert(name, id.clone());
    }
    let content = content::body(&prepared.body, &mut headers).await?;
    let mut response = if session.middleware.is_empty() {
        head(session, prepared, headers, content, held, progress, policy).await?
    } else {
        let outgoing = Outgoing::new(prepared.operation, prepared.method, headers);
        let exchange = Box::new(move |outgoing: Outgoing| {
            let sent = head(session, prepared, outgoing.headers, content, held, progress, policy);
            Box::pin(async { sent.await.map(Incoming) }) as _
        });
        Next { rest: &session.middleware, exchange }.run(outgoing).await?.0
    };
    let status = response.status();
    span.record("status", status.as_u16());
    if !status.is_success() {
        let error = refused(session, &mut response, held).await;
        let id = session.request_id.as_ref().and_then(|name| response.headers().get(name)?.to_str().ok());
        return Err(error.with_request_id(id));
    }
    let headers = std::mem::take(response.headers_mut());
    let body = if prepared.stream && !is_json_beside_stream(prepared, &headers) {
        Body::Live(ByteStream::live(prepared.operation, response.into(), session.idle))
    } else {
        let read = body::read(&mut response, session.body_limit, session.idle).await;
        Body::Whole(read.map_err(|error| error.with_status(status))?)
    };
    Ok(Raw { operation: prepared.operation, status, headers, body })
}

/// Sends one attempt, and waits for the head of its response.
async fn head(
    session: &Session,
    prepared: &Prepared,
    mut headers: HeaderMap,
    content: Option<reqwest::Body>,
    held: Option<&Held>,
    progress: &Progress,
    policy: retry::Policy,
) -> Result<reqwest::Response, Error> {
    let method = reqwest::Method::from_bytes(prepared.method.as_str().as_bytes())
        .map_err(|_| Error::new(Kind::Request, "the method is no HTTP method"))?;
    // Last, so that no header of the call replaces it.
    headers.remove(header::AUTHORIZATION);
    if let Some(held) = held {
        headers.insert(header::AUTHORIZATION, held.header.clone());
    }
    #[cfg(feature = "testing")]
    if let Some(fake) = &session.fake {
        return fake.take(prepared, headers);
    }
    // RFC 9110 §8.6: servers may answer 411 to these methods without a length.
    if content.is_none() && matches!(prepared.method, Method::Post | Method::Put | Method::Patch) {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    let mut request = reqwest::Request::new(method, prepared.url.clone());
    *request.headers_mut() = headers;
    *request.body_mut() = content;
    let sending = session.transport.client(&prepared.url)?.execute(request);
    let before = progress.sent.swap(true, Ordering::Relaxed);
    progress.status.store(0, Ordering::Relaxed);
    // What may be sent again need not wait for the whole deadline.
    let answer = if policy.repeatable {
        tokio::time::timeout(session.idle, sending).await.map_err(|_| body::silent(session.idle))?
    } else {
        sending.await
    };
    let response = answer.map_err(|cause| {
        let error = broken(&cause.without_url());
        if error.is_connect() {
            progress.sent.store(before, Ordering::Relaxed);
        }
        error
    })?;
    progress.status.store(response.status().as_u16(), Ordering::Relaxed);
    Ok(response)
}

/// Whether an operation that streams answers with the JSON that it also has. That is decoded, so it is read whole.
fn is_json_beside_stream(prepared: &Prepared, headers: &HeaderMap) -> bool {
    let text = |headers: &HeaderMap, name| -> String {
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
    };
    let accept = text(&prepared.headers, header::ACCEPT);
    let mut ranges = accept.split(',').filter(|range| !range.contains(PROBLEM));
    accept.contains(',')
        && ranges.any(|range| range.contains("json"))
        && text(headers, header::CONTENT_TYPE).contains("json")
}
