//! The one error type.

mod display;
#[cfg(feature = "graphql")]
mod graphql;
#[cfg(feature = "operations")]
mod operations;
mod predicates;
mod problem;

use std::{error::Error as StdError, sync::Arc, time::Duration};

use bytes::Bytes;
use http::StatusCode;
use serde::de::DeserializeOwned;

#[cfg(feature = "profiles")]
pub(crate) use display::mask;
pub(crate) use display::{scrub, scrub_text};
pub use problem::Problem;

type Cause = Arc<dyn StdError + Send + Sync>;

/// What went wrong with a call, or before it.
///
/// `Display` is one line that says what to do next; it holds no secret, no value that was sent, and no raw body. What the
/// server said is in [`problem`](Self::problem), [`body_as`](Self::body_as) and [`raw_body`](Self::raw_body).
///
/// ```no_run
/// # async fn show(platform: platform_client::Platform) -> Result<(), platform_client::Error> {
/// use platform_client::Method;
///
/// match platform.request(Method::Get, "/api/projects/v1/projects/1").send().await {
///     Ok(project) => println!("{}", project.status()),
///     Err(error) if error.is_not_found() => println!("missing, or not visible to this caller"),
///     Err(error) => return Err(error),
/// }
/// # Ok(()) }
/// ```
pub struct Error(Box<Inner>);

#[derive(Clone, Default)]
struct Inner {
    kind: Kind,
    operation: Option<&'static str>,
    /// What happened, without values.
    what: String,
    /// What to do next.
    hint: String,
    status: Option<StatusCode>,
    problem: Option<Problem>,
    body: Bytes,
    retry_after: Option<Duration>,
    /// The cause is expected to pass, whatever kind of error it is.
    passing: bool,
    /// The issuer refused the secret or the grant itself.
    refusal: bool,
    /// The service may have seen the request.
    sent: bool,
    /// Sent, of a method that changes something, and without a response.
    unknown: bool,
    request_id: Option<String>,
    #[cfg(feature = "graphql")]
    graphql: Vec<crate::graphql::GraphqlError>,
    /// The code of the WebSocket's close frame.
    #[cfg(feature = "graphql")]
    close_code: Option<u16>,
    #[cfg(feature = "operations")]
    accepted: Option<Box<crate::operations::OperationRef>>,
    cause: Option<Cause>,
}

/// What kind of error: its code in Display, and the ground of the predicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The configuration of the client.
    #[default]
    Configuration,
    /// A secret that cannot be read.
    Secret,
    /// A token that cannot be had.
    Token,
    /// A request that is refused before it is sent.
    Request,
    /// No connection.
    Connect,
    /// A connection that broke.
    Transport,
    /// The deadline passed.
    Timeout,
    /// A status that is no success.
    Status,
    /// A body above the limit.
    TooLarge,
    /// A body that is not what the contract says.
    Decode,
    /// A local file.
    File,
    /// A GraphQL document that the service did not execute, or not wholly.
    #[cfg(feature = "graphql")]
    Graphql,
    /// A WebSocket that broke, was refused or was closed.
    #[cfg(feature = "graphql")]
    Socket,
    /// A submission that may or may not have arrived.
    #[cfg(feature = "operations")]
    SubmissionUnknown,
    /// An asynchronous operation that the service does not know.
    #[cfg(feature = "operations")]
    Missing,
    /// A reference to an operation that is not one of this deployment, or was changed.
    #[cfg(feature = "operations")]
    Reference,
    /// A store of operations.
    #[cfg(feature = "operations")]
    Store,
}

impl Kind {
    const fn code(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Secret => "secret",
            Self::Token => "token",
            Self::Request => "request",
            Self::Connect => "connect",
            Self::Transport => "transport",
            Self::Timeout => "timeout",
            Self::Status => "status",
            Self::TooLarge => "too-large",
            Self::Decode => "decode",
            Self::File => "file",
            #[cfg(feature = "graphql")]
            Self::Graphql => "graphql",
            #[cfg(feature = "graphql")]
            Self::Socket => "socket",
            #[cfg(feature = "operations")]
            Self::SubmissionUnknown => "submission-unknown",
            #[cfg(feature = "operations")]
            Self::Missing => "missing",
            #[cfg(feature = "operations")]
            Self::Reference => "reference",
            #[cfg(feature = "operations")]
            Self::Store => "store",
        }
    }
}

impl Error {
    pub(crate) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, what: what.into(), ..Inner::default() }))
    }

    /// A body, or a part of it, that does not decode.
    pub(crate) fn decode(what: &str, cause: &serde_json::Error) -> Self {
        Self::new(Kind::Decode, format!("{what} does not decode: {}", display::mask(&cause.to_string())))
            .hint("the service answers otherwise than its contract says: regenerate the client")
    }

    /// A member of an object that is not of the type asked for.
    pub(crate) fn member(name: &str, cause: &serde_json::Error) -> Self {
        Self::decode(&format!("the member `{}`", display::escape(name)), cause).hint("ask for it as another type")
    }

    /// A text that is not what it is read as.
    pub(crate) fn value(expected: &str) -> Self {
        Self::new(Kind::Decode, format!("the text is not {expected}")).hint("use the text as it is")
    }

    /// A response with a status that is no success.
    pub(crate) fn status_code(status: StatusCode, body: Bytes, what: String, hint: String) -> Self {
        let problem = Problem::read(&body);
        Self(Box::new(Inner {
            kind: Kind::Status,
            status: Some(status),
            problem,
            body,
            what,
            hint,
            ..Inner::default()
        }))
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = hint.into();
        self
    }

    pub(crate) fn cause(mut self, cause: impl StdError + Send + Sync + 'static) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self
    }

    /// The same error for another caller.
    pub(crate) fn share(&self) -> Self {
        Self(self.0.clone())
    }

    /// Nothing was sent: a secret, a file or the configuration of this machine.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.0.kind, Kind::Secret | Kind::Configuration | Kind::Request | Kind::File)
    }

    pub(crate) fn is_refusal(&self) -> bool {
        self.0.refusal
    }

    pub(crate) fn at(mut self, operation: &'static str) -> Self {
        self.0.operation.get_or_insert(operation);
        self
    }

    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.0.status = Some(status);
        self
    }

    pub(crate) fn with_response(mut self, status: StatusCode, body: Bytes) -> Self {
        self.0.status = Some(status);
        self.0.body = body;
        self
    }

    pub(crate) fn passing(mut self, passing: bool) -> Self {
        self.0.passing = passing;
        self
    }

    pub(crate) fn with_status_of(self, status: Option<StatusCode>) -> Self {
        match status {
            Some(status) => self.with_status(status),
            None => self,
        }
    }

    pub(crate) fn sent(mut self, sent: bool, changes: bool) -> Self {
        self.0.sent = sent;
        self.0.unknown =
            sent && changes && self.0.status.is_none() && matches!(self.0.kind, Kind::Transport | Kind::Timeout);
        self
    }

    pub(crate) fn with_request_id(mut self, id: Option<&str>) -> Self {
        if self.0.request_id.is_none() {
            self.0.request_id = id.map(str::to_owned);
        }
        self
    }

    pub(crate) fn refusal(mut self, refusal: bool) -> Self {
        self.0.refusal = refusal;
        self
    }

    pub(crate) fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait;
        self
    }

    /// A short, stable code: `configuration`, `secret`, `token`, `request`, `connect`, `transport`, `timeout`, `status`,
    /// `too-large`, `decode` or `file`; with GraphQL, `graphql` or `socket`; with asynchronous operations,
    /// `submission-unknown`, `missing`, `reference` or `store`.
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// The operation that was called, by its Rust name.
    pub fn operation(&self) -> Option<&str> {
        self.0.operation
    }

    /// The status of the service's response, when there was one. Never that of the issuer.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// The body of the error as an RFC 9457 problem, when it is a JSON object. ASP.NET's `errors` and `traceId` included.
    pub fn problem(&self) -> Option<&Problem> {
        self.0.problem.as_ref()
    }

    /// The body of the error as a `T`: the type that the contract gives for the status.
    ///
    /// # Errors
    ///
    /// The body is no such JSON.
    pub fn body_as<T: DeserializeOwned>(&self) -> Result<T, Self> {
        serde_json::from_slice(&self.0.body).map_err(|cause| Self::decode("the body of the error", &cause))
    }

    /// The body of the response as it came, at most 64 KiB. A token or secret of this client that the server repeats in it
    /// is blanked out.
    pub fn raw_body(&self) -> &[u8] {
        &self.0.body
    }

    /// How long to wait before the next attempt: what the server asks for, or until the issuer is asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The identifier of the request in the server's logs: what the response says, else what the request said.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The identifier that the body of the error gives for the server's logs (ASP.NET's `traceId`).
    pub fn trace_id(&self) -> Option<&str> {
        self.0.problem.as_ref()?.trace_id.as_deref()
    }

    /// Whether the service may have seen the request. `false`: nothing of it left this machine.
    pub fn was_sent(&self) -> bool {
        self.0.sent || self.0.status.is_some()
    }

    /// A call that changes something was sent, and no answer came: whether it took effect is not known. It is not sent again
    /// by itself: look before sending it again.
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
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}
