//! Code of the application around each attempt of a call.

use std::{fmt, pin::Pin};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::{Error, Method, error::Kind};

/// The future of [`Middleware::handle`].
pub type MiddlewareFuture<'a> = Pin<Box<dyn Future<Output = Result<Incoming, Error>> + Send + 'a>>;

/// Code around each attempt of each call: to add headers, to measure, to refuse, to answer from a cache.
///
/// It sees neither bodies nor the token, which is added later.
///
/// ```
/// use http::HeaderValue;
/// use driftless_runtime::{Middleware, MiddlewareFuture, Next, Outgoing, Client};
///
/// struct Tenant;
///
/// impl Middleware for Tenant {
///     fn handle<'a>(&'a self, mut request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
///         Box::pin(async move {
///             request.headers.insert("x-tenant", HeaderValue::from_static("blue"));
///             let answer = next.run(request).await?;
///             println!("{}", answer.status());
///             Ok(answer)
///         })
///     }
/// }
///
/// let builder = Client::builder("https://service.example").middleware(Tenant);
/// # let _ = builder;
/// ```
pub trait Middleware: Send + Sync + 'static {
    /// Handles one attempt: calls `next` to send it, answers itself with [`Incoming::new`], or returns an error. The
    /// error's kind decides about retries: see [`Error::new`].
    fn handle<'a>(&'a self, request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a>;
}

/// A request before an attempt, without its token and its body.
#[non_exhaustive]
pub struct Outgoing {
    /// The operation, by its Rust name.
    pub operation: &'static str,
    /// The method.
    pub method: Method,
    /// The headers. `Authorization` is replaced by the credential. `Content-Length`, `Transfer-Encoding`, `Host` and
    /// `Connection` belong to the connection: setting one is an error, and nothing is sent.
    pub headers: HeaderMap,
    pub(super) facts: Facts,
}

/// The parts of a request that a middleware cannot change.
#[derive(Clone)]
pub(super) struct Facts {
    pub(super) url: String,
    pub(super) template: &'static str,
    pub(super) attempt: u32,
    pub(super) length: Option<u64>,
}

impl Outgoing {
    pub(super) fn new(operation: &'static str, method: Method, headers: HeaderMap, facts: Facts) -> Self {
        Self { operation, method, headers, facts }
    }

    /// Returns the URL, with the values of its parameters.
    pub fn url(&self) -> &str {
        &self.facts.url
    }

    /// Returns the path template of the contract, without values: `/api/projects/v1/projects/{project_id}`. `None` if
    /// the contract has no such operation.
    pub fn path_template(&self) -> Option<&'static str> {
        Some(self.facts.template).filter(|template| !template.is_empty())
    }

    /// Returns the number of the attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.facts.attempt
    }

    /// Returns the length of the body in bytes: 0 without a body, `None` if it is not known in advance.
    pub fn body_length(&self) -> Option<u64> {
        self.facts.length
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("operation", &self.operation)
            .field("method", &self.method)
            .field("path_template", &self.path_template())
            .field("attempt", &self.attempt())
            .finish_non_exhaustive()
    }
}

/// The head of a response.
pub struct Incoming(pub(super) reqwest::Response);

impl Incoming {
    /// Creates a response that does not come from the service: from a cache, a recording, a test.
    ///
    /// ```
    /// use http::{HeaderMap, HeaderValue, StatusCode};
    /// use driftless_runtime::Incoming;
    ///
    /// let headers = HeaderMap::from_iter([(http::header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    /// let answer = Incoming::new(StatusCode::OK, headers, r#"{"name":"Atlas"}"#);
    /// assert!(answer.status().is_success());
    /// ```
    pub fn new(status: StatusCode, headers: HeaderMap, body: impl Into<bytes::Bytes>) -> Self {
        let mut response = http::Response::new(reqwest::Body::from(body.into()));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Self(response.into())
    }

    /// Returns the status, success or not.
    pub fn status(&self) -> StatusCode {
        self.0.status()
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming").field("status", &self.status()).finish_non_exhaustive()
    }
}

/// The headers that delimit a message and address it: with a wrong one, the connection's next request begins in the
/// middle of this one.
const FRAMING: [HeaderName; 4] = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::HOST, header::CONNECTION];

/// The values of these headers before the middleware.
pub(super) struct Framing([Vec<HeaderValue>; 4]);

impl Framing {
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        Self(FRAMING.map(|name| headers.get_all(name).iter().cloned().collect()))
    }

    /// Refuses headers if the middleware has changed one of them.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Error> {
        for (name, before) in FRAMING.iter().zip(&self.0) {
            if !headers.get_all(name).iter().eq(before) {
                let message = format!("a middleware sets the header `{name}`, which the connection sets");
                return Err(Error::with(Kind::Request, message).hint("nothing was sent: leave the header out"));
            }
        }
        Ok(())
    }
}

pub(super) type Exchange<'a> = Box<dyn FnOnce(Outgoing) -> MiddlewareFuture<'a> + Send + 'a>;

/// The next [`Middleware`], or the service.
pub struct Next<'a> {
    pub(super) rest: &'a [Box<dyn Middleware>],
    pub(super) exchange: Exchange<'a>,
}

impl<'a> Next<'a> {
    /// Sends the request on.
    pub fn run(self, request: Outgoing) -> MiddlewareFuture<'a> {
        match self.rest.split_first() {
            Some((first, rest)) => first.handle(request, Next { rest, exchange: self.exchange }),
            None => (self.exchange)(request),
        }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("rest", &self.rest.len()).finish_non_exhaustive()
    }
}
