//! The construction of errors inside the client.

use std::{error::Error as StdError, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};

use super::{Error, Inner, Kind, Problem, display};

/// The progress of a call, over all of its attempts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The service may have seen an attempt.
    pub(crate) sent: bool,
    /// It changes something, and an attempt had no response.
    pub(crate) unknown: bool,
    /// An attempt may have taken effect.
    pub(crate) effective: bool,
}

impl Error {
    pub(crate) fn with(kind: Kind, what: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, what: what.into(), ..Inner::default() }))
    }

    /// Creates the error of a body, or of a part of it, that does not decode.
    pub(crate) fn decode(what: &str, cause: &serde_json::Error) -> Self {
        Self::with(Kind::Decode, format!("{what} cannot be decoded: {}", display::mask(&cause.to_string())))
            .hint("the response does not match the contract: regenerate the client")
    }

    /// Creates the error of a value that cannot be serialized.
    pub(crate) fn encode(cause: &serde_json::Error) -> Self {
        Self::with(Kind::Request, format!("the value cannot be written as JSON: {}", display::mask(&cause.to_string())))
            .hint("correct the value")
    }

    /// Creates the error of a member of an object that has another type than requested.
    pub(crate) fn member(name: &str, cause: &serde_json::Error) -> Self {
        Self::decode(&format!("the member `{}`", display::escape(name)), cause).hint("ask for it as another type")
    }

    /// Creates the error of a text that does not parse.
    pub(crate) fn value(expected: &str) -> Self {
        Self::with(Kind::Decode, format!("the text is not {expected}")).hint("use the text as it is")
    }

    /// Creates the error of a response with an error status.
    pub(crate) fn status_code(
        status: StatusCode,
        media_type: Option<&HeaderValue>,
        body: Bytes,
        what: String,
        hint: String,
    ) -> Self {
        let mut error = Self::with(Kind::Status, what).hint(hint).with_response(status, media_type, body);
        let problem = error.json_text().ok().and_then(|text| Problem::read(&text));
        error.0.problem = problem;
        error
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = hint.into();
        self
    }

    /// Sets the specific code.
    pub(crate) fn because(mut self, reason: &'static str) -> Self {
        self.0.reason = reason;
        self
    }

    pub(crate) fn reason(&self) -> &'static str {
        self.0.reason
    }

    /// Returns the message and the hint.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (&self.0.what, &self.0.hint)
    }

    /// Adds a further fact after the hint.
    pub(crate) fn and(mut self, what: &str) -> Self {
        self.0.hint = if self.0.hint.is_empty() { what.to_owned() } else { format!("{}; {what}", self.0.hint) };
        self
    }

    pub(crate) fn cause(mut self, cause: impl StdError + Send + Sync + 'static) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self
    }

    /// Returns whether nothing was sent: a secret, a file or the configuration of this machine.
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

    pub(crate) fn with_response(mut self, status: StatusCode, media_type: Option<&HeaderValue>, body: Bytes) -> Self {
        self.0.media_type = media_type.cloned();
        self.0.status = Some(status);
        self.0.body = body;
        self
    }

    /// Sets the body of another error.
    #[cfg(feature = "graphql")]
    pub(crate) fn with_response_of(mut self, other: &Self) -> Self {
        self.0.media_type.clone_from(&other.0.media_type);
        self.0.body = other.0.body.clone();
        self
    }

    pub(crate) fn with_headers(mut self, headers: HeaderMap) -> Self {
        self.0.headers = headers;
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

    pub(crate) fn reached(mut self, reach: Reach) -> Self {
        self.0.sent = reach.sent;
        self.0.unknown = reach.unknown;
        self.0.effective = reach.effective;
        self
    }

    /// Returns whether any attempt of the call may have taken effect, in spite of the error.
    #[cfg(any(feature = "operations", test))]
    pub(crate) fn may_have_taken_effect(&self) -> bool {
        self.0.effective
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
}
