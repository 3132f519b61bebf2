//! Sends a request: deadline, credential, attempts, status.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{HeaderMap, HeaderValue, StatusCode, header};
use tracing::Instrument as _;
use url::Url;

use super::{
    Options, Session, content,
    identity::{self, RequestPlace, Way},
    middleware::{Facts, Framing, Incoming, Next, Outgoing},
    network::merged,
    progress::Progress,
    refused::{SentCredentials, refused},
    retry::{Attempts, Repeats, RetryDecision, RetryPolicy},
    trace,
};
use crate::{
    auth::{CachedToken, Generation, Rejected},
    clock::{self, Covered, Until},
    error::{Error, Kind},
    protocol::{Body, Method, PROBLEM, Prepared, Raw},
    telemetry::{InFlight, Sent},
    transport::{ByteStream, Flow, address, body, notice_closed, silent},
};

/// A call in progress.
struct Sending<'a> {
    session: &'a Session,
    prepared: &'a Prepared,
    options: &'a Options,
    /// The number of attempts.
    attempts: AtomicU32,
    request_id: Option<HeaderValue>,
    progress: &'a Progress,
    policy: RetryPolicy,
    repeats: Repeats,
    /// The longest silence of the service.
    idle: Duration,
    /// A silence ends the current wait before the deadline does.
    is_covered: AtomicBool,
    /// The credentials of the call.
    ways: Vec<Way<'a>>,
}

/// The reason that an attempt has no response.
enum Failed {
    With(Error),
    /// The token was refused, and another one is available: the call is sent again at once.
    Refreshed,
    /// The token was refused, and no other could be obtained for this cause.
    NotRefreshed(Error, Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::With(error)
    }
}

/// Sends a request, and returns its response if the status is a success.
pub(crate) async fn send(session: &Session, prepared: &Prepared, options: &Options) -> Result<Raw, Error> {
    send_tracked(session, prepared, options, &Progress::default()).await
}

/// The same, for a caller that needs the progress of the call when it is dropped.
pub(crate) async fn send_tracked(
    session: &Session,
    prepared: &Prepared,
    options: &Options,
    progress: &Progress,
) -> Result<Raw, Error> {
    let span = trace::begin(session, prepared);
    let method = prepared.method;
    let sending = Sending {
        session,
        prepared,
        options,
        attempts: AtomicU32::new(0),
        request_id: request_id(session, prepared, options),
        progress,
        policy: options.retries.unwrap_or(session.retries),
        repeats: Repeats {
            repeatable: (method.is_safe() && !options.begins)
                || options.idempotent
                || (session.retry_writes && matches!(method, Method::Put | Method::Delete)),
            when_asked: session.retry_when_asked || options.retry_when_asked,
            replayable: content::is_replayable(&prepared.body),
        },
        idle: options.idle.unwrap_or(session.idle),
        is_covered: AtomicBool::new(false),
        ways: identity::ways(session, prepared),
    };
    let outcome = sending.run().instrument(span.clone()).await;
    let retries = sending.attempts.load(Relaxed).saturating_sub(1);
    trace::end(&span, prepared, progress.status(), retries, outcome.as_ref().err());
    outcome.map_err(|error| {
        let changes = options.begins || !method.is_safe();
        let id = sending.request_id.as_ref().and_then(|id| id.to_str().ok());
        progress.add_to(error, changes).with_request_id(id).at(prepared.operation)
    })
}

/// The caller's identifier, else a new one; the same for all attempts.
fn request_id(session: &Session, prepared: &Prepared, options: &Options) -> Option<HeaderValue> {
    let name = session.request_id.as_ref()?;
    let set = options.headers.get(name).or_else(|| prepared.headers.get(name));
    set.cloned().or_else(|| HeaderValue::try_from(clock::unique()).ok())
}

impl Sending<'_> {
    async fn run(&self) -> Result<Raw, Error> {
        let time = self.options.deadline.unwrap_or(self.session.deadline);
        let deadline = Until::after(time);
        // Boxed to keep the callers' futures small and their types shallow: each of them is moved a few times.
        match deadline.limit_uncovered(&self.is_covered, Box::pin(self.attempts(deadline)).as_mut()).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Error::with(Kind::Timeout, format!("no answer within {}", clock::seconds(time)))
                .hint("set a longer deadline")),
        }
    }

    /// Sends the call until it succeeds or may not be retried.
    async fn attempts(&self, deadline: Until) -> Result<Raw, Error> {
        let Self { session, policy, repeats, .. } = *self;
        let mut attempts = Attempts { policy, repeats, budget: &session.budget, deadline, count: 0, failures: 0 };
        let mut refused = None;
        loop {
            attempts.count += 1;
            self.attempts.store(attempts.count, Relaxed);
            let (error, next) = match self.attempt(deadline, &mut refused, attempts.count).await {
                Ok(raw) => {
                    if attempts.count == 1 {
                        session.budget.earn();
                    }
                    return Ok(raw);
                }
                Err(Failed::Refreshed) => continue,
                Err(Failed::With(error)) => {
                    let next = attempts.after(&error);
                    (error, next)
                }
                Err(Failed::NotRefreshed(refusal, cause)) => {
                    let next = attempts.after_refusal(&cause);
                    (refusal.and(&format!("no other token could be obtained: {cause}")).cause(cause), next)
                }
            };
            match next {
                RetryDecision::Continue(pause) => {
                    tracing::debug!("error.type" = trace::error_type(&error), "trying again");
                    clock::sleep(pause).await;
                }
                RetryDecision::Permanent => return Err(error),
                RetryDecision::Exhausted(limit) => {
                    tracing::debug!("error.type" = trace::error_type(&error), limit, "not trying again");
                    return Err(error);
                }
            }
        }
    }

    /// Sends one attempt. A token that the service refuses is refreshed once per call: `refused` has the generations of
    /// such tokens.
    async fn attempt(
        &self,
        deadline: Until,
        refused: &mut Option<Vec<Generation>>,
        number: u32,
    ) -> Result<Raw, Failed> {
        let tokens = self.tokens(deadline, refused.as_deref()).await?;
        let time = self.policy.attempt_timeout;
        let outcome = {
            let exchange = pin!(self.exchange(&tokens, number, deadline));
            clock::limit(time, exchange).await
        };
        let error = match outcome {
            Ok(Ok(raw)) => return Ok(raw),
            Ok(Err(error)) => error,
            Err(_) => {
                Error::with(Kind::Timeout, format!("no whole answer to an attempt within {}", clock::seconds(time)))
                    .hint("call again, or set a longer `attempt_timeout`")
            }
        };
        if !error.is_unauthorized() || refused.is_some() || !self.repeats.replayable || tokens.is_empty() {
            return Err(error.into());
        }
        *refused = Some(tokens.iter().map(|token| token.generation).collect());
        match self.refreshed(deadline, &tokens).await {
            Ok(true) => Err(Failed::Refreshed),
            Ok(false) => Err(error.into()),
            Err(cause) => Err(Failed::NotRefreshed(error, cause)),
        }
    }

    /// Returns the tokens and keys for the request, of later generations than those that were rejected.
    async fn tokens(&self, deadline: Until, rejected: Option<&[Generation]>) -> Result<Vec<Arc<CachedToken>>, Error> {
        let mut tokens = Vec::with_capacity(self.ways.len());
        for (index, Way { place, cache }) in self.ways.iter().enumerate() {
            let rejected =
                rejected.and_then(|rejected| rejected.get(index)).map(|generation| self.rejected(*generation));
            let token = cache.token(&self.session.transport, deadline, rejected).await?;
            if *place == RequestPlace::Token {
                self.session.preflight(Some(&token))?;
            }
            tokens.push(token);
        }
        Ok(tokens)
    }

    /// Refreshes the refused credentials. Returns `false` if there is no other: then the refusal stands.
    async fn refreshed(&self, deadline: Until, refused: &[Arc<CachedToken>]) -> Result<bool, Error> {
        let mut is_new = false;
        for (Way { cache, .. }, refused) in self.ways.iter().zip(refused) {
            let rejected = Some(self.rejected(refused.generation));
            let fresh = cache.token(&self.session.transport, deadline, rejected).await?;
            is_new |= fresh.header != refused.header;
        }
        Ok(is_new)
    }

    fn rejected(&self, generation: Generation) -> Rejected {
        Rejected { generation, operation: self.prepared.operation }
    }

    async fn exchange(&self, tokens: &[Arc<CachedToken>], attempt: u32, deadline: Until) -> Result<Raw, Error> {
        let Self { session, prepared, options, .. } = self;
        let _pass = match &session.gate {
            Some(gate) => gate.acquire().await.ok(),
            None => None,
        };
        let is_own = address::is_same_origin(&session.base, &prepared.url);
        let own = is_own.then_some(&session.headers);
        let mut headers = merged([own, Some(&prepared.headers), Some(&options.headers)], self.ways.len());
        if let (Some(name), Some(id)) = (&session.request_id, &self.request_id) {
            headers.insert(name, id.clone());
        }
        let content = content::body(&prepared.body, &mut headers).await?;
        let mut response = if session.middleware.is_empty() {
            self.head(headers, content, tokens, deadline).await?
        } else {
            let length = content.as_ref().map_or(Some(0), |body| http_body::Body::size_hint(body).exact());
            let (url, template) = (prepared.url.to_string(), prepared.template);
            let facts = Facts { url, template, attempt, length };
            let outgoing = Outgoing::new(prepared.operation, prepared.method, headers, facts);
            let framing = Framing::from_headers(&outgoing.headers);
            let exchange = Box::new(move |outgoing: Outgoing| {
                Box::pin(async move {
                    framing.check(&outgoing.headers)?;
                    self.head(outgoing.headers, content, tokens, deadline).await.map(Incoming)
                }) as _
            });
            Next { rest: &session.middleware, exchange }.run(outgoing).await?.0
        };
        let status = response.status();
        if status != StatusCode::UNAUTHORIZED && !status.is_server_error() {
            tokens.iter().for_each(|token| token.accept());
        }
        let is_redirect = prepared.redirects.contains(&status.as_u16());
        if !status.is_success() && !is_redirect {
            let credentials = SentCredentials { ways: &self.ways, tokens, prepared };
            let error = refused(session, &mut response, &credentials, self.idle).await;
            let id = session.request_id.as_ref().and_then(|name| response.headers().get(name)?.to_str().ok());
            return Err(error.with_request_id(id));
        }
        let headers = std::mem::take(response.headers_mut());
        let url = is_redirect.then(|| Box::new(prepared.url.clone()));
        let live = options.stream.unwrap_or_else(|| prepared.stream && !is_json_beside_stream(prepared, &headers));
        let flow = Flow::new(self.idle, options.least.unwrap_or(session.least));
        let body = if live {
            let kind = headers.get(header::CONTENT_TYPE).cloned();
            Body::Live(ByteStream::live(prepared.operation, kind, response.into(), flow, session.body_limit))
        } else {
            let read = body::read(&mut response, session.body_limit, flow).await;
            Body::Whole(read.map_err(|error| error.with_status(status))?)
        };
        Ok(Raw { operation: prepared.operation, status, headers, body, url })
    }

    /// Sends one attempt, and waits for the head of its response.
    async fn head(
        &self,
        mut headers: HeaderMap,
        content: Option<reqwest::Body>,
        tokens: &[Arc<CachedToken>],
        deadline: Until,
    ) -> Result<reqwest::Response, Error> {
        let Self { prepared, progress, .. } = self;
        let method = reqwest::Method::from_bytes(prepared.method.as_str().as_bytes())
            .map_err(|_| Error::with(Kind::Request, "the method is not an HTTP method"))?;
        // Last, so that no header of the call replaces it.
        headers.remove(header::AUTHORIZATION);
        let mut url = prepared.url.clone();
        for (way, token) in self.ways.iter().zip(tokens) {
            way.add_to(token, &mut headers, &mut url)?;
        }
        let before = progress.begin();
        let in_flight = InFlight::new(Sent {
            method: prepared.method.as_str(),
            template: prepared.template,
            host: prepared.url.host_str().unwrap_or_default(),
            port: prepared.url.port_or_known_default().unwrap_or_default(),
        });
        match self.execute(method, url, headers, content, deadline).await {
            Ok(response) => {
                let status = response.status();
                progress.answered(&before, status);
                let failed = trace::failed(status).then(|| status.as_str());
                in_flight.end(Some(status.as_u16()), failed);
                Ok(response)
            }
            Err(error) => {
                in_flight.end(None, Some(error.code()));
                if error.is_connect() || error.is_local() {
                    progress.unsent(&before);
                }
                Err(error)
            }
        }
    }

    async fn execute(
        &self,
        method: reqwest::Method,
        url: Url,
        mut headers: HeaderMap,
        content: Option<reqwest::Body>,
        deadline: Until,
    ) -> Result<reqwest::Response, Error> {
        let Self { session, prepared, .. } = self;
        if let Some(double) = &session.double {
            return double.answer(prepared, headers, content).await;
        }
        // RFC 9110 §8.6: servers may answer 411 to these methods without a length. The connection sends none for an
        // empty body either.
        let needs_length = match &content {
            None => matches!(prepared.method, Method::Post | Method::Put | Method::Patch),
            Some(body) => http_body::Body::size_hint(body).exact() == Some(0),
        };
        if needs_length {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let mut request = reqwest::Request::new(method, url);
        *request.headers_mut() = headers;
        *request.body_mut() = content;
        let client = session.transport.client(&prepared.url)?;
        let sending = async {
            notice_closed().await;
            client.execute(request).await
        };
        // A call that may be retried need not wait for the whole deadline. The pauses before it are within this limit: a
        // timer that is set after them, and ends before the others, wakes a runtime of one thread by a system call.
        let answer = if self.repeats.repeatable {
            let silence = Until::after(self.idle);
            let _covered = Covered::set(&self.is_covered, silence < deadline);
            silence.limit(pin!(sending)).await.map_err(|_| silent(self.idle))?
        } else {
            sending.await
        };
        answer.map_err(|cause| session.transport.broken(cause))
    }
}

/// Returns whether the response of a streaming operation is its JSON alternative, which is decoded and therefore read
/// whole.
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
