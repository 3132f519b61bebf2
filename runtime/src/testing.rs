//! A service that is not there, for those who test their own code against a client.

pub use crate::protocol::value;

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use serde::Serialize;

use crate::{
    Client, ClientBuilder, Error, Method,
    client::{Double, GeneratedClient},
    error::Kind,
    protocol::{Content, Prepared},
};

/// A service that is not there: it answers the calls of a client with what it was told, by the Rust name of the operation
/// (`request` for [`Client::request`]).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), platform_runtime::Error> {
/// use platform_runtime::{Method, testing::Fake};
/// use serde_json::json;
///
/// let fake = Fake::new();
/// fake.answer("request", &json!([{"name": "first"}]));
/// fake.fail("request", 404, &json!({"title": "Not found"}));
/// let platform = fake.client()?;
///
/// let projects = platform.request(Method::Get, "/api/projects/v1/projects").send().await?;
/// assert!(projects.json::<Vec<platform_runtime::Object>>()?.len() == 1);
/// assert!(platform.request(Method::Get, "/api/projects/v1/projects/1").send().await.unwrap_err().is_not_found());
/// assert_eq!(fake.calls()[0].path, "/api/projects/v1/projects");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Fake(Arc<Mutex<FakeState>>);

#[derive(Default)]
struct FakeState {
    answers: HashMap<String, VecDeque<(StatusCode, Bytes)>>,
    calls: Vec<FakeCall>,
    wrong: Option<String>,
    #[cfg(test)]
    script: Option<Script>,
}

/// Answers that are made when a call comes; an error is one of the connection.
#[cfg(test)]
type Script = Box<dyn FnMut(&FakeCall) -> Result<(StatusCode, Bytes), Error> + Send>;

/// A call that a [`Fake`] was sent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FakeCall {
    /// The operation, by its Rust name.
    pub operation: &'static str,
    /// The method.
    pub method: Method,
    /// The path, from the root of the address.
    pub path: String,
    /// The query, without its question mark; empty when the call has no query.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, when it is in memory: not that of files, streams and multipart forms.
    pub body: Bytes,
}

impl Fake {
    /// A service that refuses everything with status 501, until it is told answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers the next call of an operation with 200 and this value. Answers are given in the order in which they were
    /// added, and the last one over and over.
    pub fn answer(&self, operation: &str, value: &impl Serialize) {
        self.fail(operation, 200, value);
    }

    /// Answers the next call of an operation with any status, and this value as its body.
    pub fn fail(&self, operation: &str, status: u16, value: &impl Serialize) {
        let mut state = self.state();
        match (serde_json::to_vec(value), StatusCode::from_u16(status)) {
            (Ok(body), Ok(status)) => {
                state.answers.entry(operation.to_owned()).or_default().push_back((status, body.into()));
            }
            // Said by the next call: a test reads its errors there.
            _ => {
                state.wrong =
                    Some(format!("the answer for `{operation}` cannot be written, or its status is not valid"))
            }
        }
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<FakeCall> {
        self.state().calls.clone()
    }

    /// A client of it. It has no credential, and sends each call once.
    ///
    /// # Errors
    ///
    /// None that a test would meet.
    pub fn client(&self) -> Result<Client, Error> {
        self.builder().no_retry().build()
    }

    /// The configuration of a client of it, to go on with.
    pub fn builder(&self) -> ClientBuilder {
        self.builder_of()
    }

    /// The configuration of a client of any kind.
    #[doc(hidden)]
    pub fn builder_of<P: GeneratedClient>(&self) -> ClientBuilder<P> {
        ClientBuilder::new("http://localhost").double(self.clone())
    }

    #[cfg(test)]
    pub(crate) fn script(&self, script: impl FnMut(&FakeCall) -> Result<(StatusCode, Bytes), Error> + Send + 'static) {
        self.state().script = Some(Box::new(script));
    }

    fn take(&self, prepared: &Prepared, headers: HeaderMap) -> Result<reqwest::Response, Error> {
        let mut state = self.state();
        if let Some(what) = &state.wrong {
            return Err(Error::of(Kind::Request, what.clone()).hint("correct the test"));
        }
        state.calls.push(FakeCall {
            operation: prepared.operation,
            method: prepared.method,
            path: prepared.url.path().to_owned(),
            query: prepared.url.query().unwrap_or_default().to_owned(),
            headers,
            body: match &prepared.body {
                Content::Bytes(bytes) => bytes.clone(),
                _ => Bytes::new(),
            },
        });
        #[cfg(test)]
        if let FakeState { script: Some(script), calls, .. } = &mut *state
            && let Some(call) = calls.last()
        {
            let (status, body) = script(call)?;
            let mut response = http::Response::new(body);
            *response.status_mut() = status;
            return Ok(response.into());
        }
        let answer = state
            .answers
            .get_mut(prepared.operation)
            .and_then(|answers| if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() });
        let (status, body) = answer.unwrap_or_else(|| {
            let text = format!(r#"{{"title":"the fake has no answer for `{}`"}}"#, prepared.operation);
            (StatusCode::NOT_IMPLEMENTED, text.into())
        });
        let mut response = http::Response::new(body);
        *response.status_mut() = status;
        let json = header::HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        Ok(response.into())
    }

    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Double for Fake {
    fn answer(&self, prepared: &Prepared, headers: HeaderMap) -> Result<reqwest::Response, Error> {
        self.take(prepared, headers)
    }
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fake").field("calls", &self.state().calls.len()).finish_non_exhaustive()
    }
}
