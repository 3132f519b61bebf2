//! The replies of a fake.

use std::{fmt, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::wrong;
use crate::{
    clock,
    error::{Error, Kind},
};

/// A reply of a [`Fake`](super::Fake) to a call: a status with headers and a body, or a failure of the connection.
///
/// ```
/// use std::time::Duration;
/// use driftless_runtime::testing::FakeReply;
///
/// let busy = FakeReply::status(429).header("retry-after", "1");
/// let slow = FakeReply::status(200).bytes("[]").delay(Duration::from_secs(5));
/// # let _ = (busy, slow);
/// ```
#[derive(Clone)]
#[must_use = "give it to `FakeRule::reply`"]
pub struct FakeReply {
    outcome: Outcome,
    headers: HeaderMap,
    body: Bytes,
    delay: Duration,
    /// The fault of an invalid reply. The call returns it as an error.
    wrong: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    Status(u16),
    Unconnected,
    Broken,
}

impl FakeReply {
    /// Creates a reply with this status, without a body.
    pub fn status(status: u16) -> Self {
        Self::from_outcome(Outcome::Status(status))
    }

    /// Creates a failure to connect: nothing of the call is sent.
    pub fn no_connection() -> Self {
        Self::from_outcome(Outcome::Unconnected)
    }

    /// Creates a connection that breaks after the call was sent: it is unknown whether it took effect.
    pub fn broken_connection() -> Self {
        Self::from_outcome(Outcome::Broken)
    }

    fn from_outcome(outcome: Outcome) -> Self {
        Self { outcome, headers: HeaderMap::new(), body: Bytes::new(), delay: Duration::ZERO, wrong: None }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => drop(self.headers.append(name, value)),
            _ => self.wrong = Some(format!("the fake's header `{name}` is not valid")),
        }
        self
    }

    /// Sets a JSON body.
    pub fn json(mut self, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => self.body = body.into(),
            Err(_) => self.wrong = Some("the fake's answer cannot be written as JSON".to_owned()),
        }
        if !self.headers.contains_key(header::CONTENT_TYPE) {
            self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        self
    }

    /// Sets a body of bytes.
    pub fn bytes(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Delays the reply. It is time of tokio: a test with a paused clock does not wait.
    pub fn delay(mut self, time: Duration) -> Self {
        self.delay = time;
        self
    }

    pub(super) async fn respond(self) -> Result<reqwest::Response, Error> {
        if let Some(message) = self.wrong {
            return Err(wrong(message));
        }
        if !self.delay.is_zero() {
            clock::sleep(self.delay).await;
        }
        let status = match self.outcome {
            Outcome::Status(status) => status,
            Outcome::Unconnected => {
                return Err(Error::with(Kind::Connect, "no connection, as set in the fake").because("connect/refused"));
            }
            Outcome::Broken => return Err(Error::with(Kind::Transport, "the connection broke, as set in the fake")),
        };
        let status =
            StatusCode::from_u16(status).map_err(|_| wrong(format!("the fake's status {status} is not valid")))?;
        let mut response = http::Response::new(self.body);
        *response.status_mut() = status;
        *response.headers_mut() = self.headers;
        Ok(response.into())
    }
}

impl fmt::Debug for FakeReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeReply").field("outcome", &self.outcome).field("delay", &self.delay).finish_non_exhaustive()
    }
}
