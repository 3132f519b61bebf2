//! The one error type.

mod build;
mod convert;
mod display;
#[cfg(feature = "graphql")]
mod graphql;
mod kind;
#[cfg(feature = "operations")]
mod operations;
mod predicates;
mod problem;

#[cfg(feature = "operations")]
use std::any::Any;
use std::{borrow::Cow, error::Error as StdError, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::de::DeserializeOwned;

pub(crate) use build::Reach;
#[cfg(feature = "profiles")]
pub(crate) use display::mask;
pub(crate) use display::{escape, scrub, scrub_text};
#[cfg(feature = "graphql")]
pub(crate) use graphql::read_errors;
#[cfg(feature = "graphql")]
pub use graphql::{GraphqlError, GraphqlLocation};
pub(crate) use kind::Kind;
pub(crate) use predicates::{is_passing_status, is_passing_status_of_issuer};
pub use problem::Problem;

use crate::json::{charset, lenient};

pub use kind::Kind as ErrorKind;

type Cause = Arc<dyn StdError + Send + Sync>;

/// The error of a call, or of a step before it.
///
/// `Display` is one line with the next step; it contains no secret, no value that was sent, and no raw body. The
/// server's response is in [`problem`](Self::problem), [`body_as`](Self::body_as) and [`raw_body`](Self::raw_body).
///
/// ```no_run
/// # async fn show(client: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::Method;
///
/// match client.request(Method::Get, "/api/projects/v1/projects/1").send().await {
///     Ok(project) => println!("{}", project.status()),
///     Err(error) if error.is_not_found() => println!("missing, or not visible to this caller"),
///     Err(error) => return Err(error),
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone, Default)]
struct Inner {
    kind: Kind,
    /// The specific code, if there is one: `secret/missing`, `connect/dns`.
    reason: &'static str,
    operation: Option<&'static str>,
    /// The message, without values.
    what: String,
    /// The next step.
    hint: String,
    status: Option<StatusCode>,
    headers: HeaderMap,
    problem: Option<Problem>,
    body: Bytes,
    /// The media type of the body.
    media_type: Option<HeaderValue>,
    retry_after: Option<Duration>,
    /// The cause is expected to be temporary, whatever kind of error it is.
    passing: bool,
    /// The issuer refused the secret or the grant itself.
    refusal: bool,
    /// The service may have seen the request.
    sent: bool,
    /// An attempt was sent, of a call that changes something, and had no response.
    unknown: bool,
    /// An attempt may have taken effect.
    #[cfg_attr(not(feature = "operations"), allow(dead_code, reason = "only submissions ask"))]
    effective: bool,
    request_id: Option<String>,
    #[cfg(feature = "graphql")]
    graphql: Vec<GraphqlError>,
    /// The code of the WebSocket's close frame.
    #[cfg(feature = "graphql")]
    close_code: Option<u16>,
    /// A value that a layer above attaches for the caller.
    #[cfg(feature = "operations")]
    attachment: Option<Arc<dyn Any + Send + Sync>>,
    cause: Option<Cause>,
    /// The error has only the message of its cause.
    transparent: bool,
}

impl Error {
    /// Returns a short, stable code: `configuration`, `secret`, `token`, `request`, `connect`, `transport`, `timeout`,
    /// `status`, `too-large`, `decode`, `file` or `other`; with GraphQL, `graphql` or `socket`; with asynchronous
    /// operations, `submission-unknown`, `missing`, `reference`, `store`, `label-mismatch` or `lease-lost`.
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the error that this one was created from, or that caused it.
    pub fn get_ref(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.cause.as_deref()
    }

    /// Returns the operation that was called, by its Rust name.
    pub fn operation(&self) -> Option<&str> {
        self.0.operation
    }

    /// Returns the status of the service's response, if there was one. Never that of the issuer.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// Returns the headers of the response with an error status; empty if there was none. A token of this client that
    /// the server repeats in them is blanked out.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Returns the body of the error as an RFC 9457 problem if it is a JSON object, including ASP.NET's `errors` and
    /// `traceId`.
    pub fn problem(&self) -> Option<&Problem> {
        self.0.problem.as_ref()
    }

    /// Decodes the body of the error as a `T`: the type that the contract declares for the status.
    ///
    /// # Errors
    ///
    /// The body is not JSON of that type.
    pub fn body_as<T: DeserializeOwned>(&self) -> Result<T, Self> {
        let unreadable = |cause: String| Self::with(Kind::Decode, cause).hint("read `raw_body`");
        let text = self.json_text().map_err(unreadable)?;
        lenient::from_str(&text).map_err(|cause| Self::decode("the body of the error", &cause))
    }

    /// Returns the body as the text of JSON.
    pub(crate) fn json_text(&self) -> Result<Cow<'_, str>, String> {
        charset::json(self.0.media_type.as_ref(), &self.0.body)
    }

    /// Returns the body of the response, at most 64 KiB. A token or secret of this client that the server repeats in it
    /// is blanked out; the rest is UTF-8 then.
    pub fn raw_body(&self) -> &[u8] {
        &self.0.body
    }

    /// Returns the time until the next attempt: that of `Retry-After`, or until the issuer is asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns the identifier of the request in the server's logs: that of the response, else that of the request.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Returns the identifier for the server's logs in the body of the error (ASP.NET's `traceId`).
    pub fn trace_id(&self) -> Option<&str> {
        self.0.problem.as_ref()?.trace_id.as_deref()
    }

    /// Returns whether the service may have seen the request. `false` if no part of it was sent.
    pub fn was_sent(&self) -> bool {
        self.0.sent || self.0.status.is_some()
    }

    /// Returns whether a call that changes something was sent without a response, so that it is unknown whether it took
    /// effect. This is also the case if only an earlier attempt of the call had no response: a later 409 or 404 may be
    /// the effect of the lost attempt. It is not retried: check the service before sending it again.
    pub fn is_submission_unknown(&self) -> bool {
        #[cfg(feature = "operations")]
        if self.0.kind == Kind::SubmissionUnknown {
            return true;
        }
        self.0.unknown
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let cause = self.0.cause.as_deref()?;
        if self.0.transparent { cause.source() } else { Some(cause) }
    }
}
