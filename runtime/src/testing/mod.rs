//! A fake service, for tests of code that uses a client.

mod call;
mod reply;

use std::{
    collections::VecDeque,
    fmt,
    marker::PhantomData,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::HeaderMap;
#[cfg(test)]
use http::StatusCode;
use serde::Serialize;

pub use self::{call::FakeCall, reply::FakeReply};
pub use crate::protocol::value;
use crate::{
    Client, ClientBuilder, Error, Value,
    client::{Double, GeneratedClient},
    error::Kind,
    protocol::Prepared,
};

/// The name of an operation, with the type of its calls. Each type in the `operations` module of a family of a
/// generated client has one as its constant `FAKE`.
pub struct FakeOperation<T> {
    family: &'static str,
    name: &'static str,
    answer: PhantomData<fn() -> T>,
}

impl<T> FakeOperation<T> {
    /// Called by generated code.
    #[doc(hidden)]
    pub const fn new(family: &'static str, name: &'static str) -> Self {
        Self { family, name, answer: PhantomData }
    }
}

impl<T> Clone for FakeOperation<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for FakeOperation<T> {}

impl<T> fmt::Debug for FakeOperation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeOperation").field("family", &self.family).field("name", &self.name).finish()
    }
}

/// Requests through [`Client::request`].
pub const REQUESTS: FakeOperation<Value> = FakeOperation::new("", "request");

/// GraphQL queries over HTTP. Subscriptions need a server.
#[cfg(feature = "graphql")]
pub const QUERIES: FakeOperation<Value> = FakeOperation::new("", "graphql");

/// A fake service: it answers the calls of a client with the configured replies, and records them.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::{Method, Object, testing::{Fake, FakeReply, REQUESTS}};
/// use serde_json::json;
///
/// let fake = Fake::new();
/// fake.on(REQUESTS)
///     .when(|call| call.path.ends_with("/1"))
///     .reply(FakeReply::status(404).json(&json!({"title": "Not found"})));
/// fake.on(REQUESTS).reply(FakeReply::status(200).json(&json!([{"name": "first"}])));
/// let client = fake.client()?;
///
/// let projects = client.request(Method::Get, "/api/projects/v1/projects").send().await?;
/// assert!(projects.json::<Vec<Object>>()?.len() == 1);
/// assert!(client.request(Method::Get, "/api/projects/v1/projects/1").send().await.unwrap_err().is_not_found());
/// assert_eq!(fake.calls()[0].path, "/api/projects/v1/projects");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Fake(Arc<Mutex<FakeState>>);

#[derive(Default)]
struct FakeState {
    rules: Vec<Rule>,
    calls: Vec<FakeCall>,
    #[cfg(test)]
    script: Option<Script>,
}

type Matcher = Box<dyn Fn(&FakeCall) -> bool + Send>;

/// The replies to some calls.
struct Rule {
    number: u64,
    operation: (&'static str, &'static str),
    matches: Vec<Matcher>,
    replies: VecDeque<FakeReply>,
}

/// Replies that are made when a call arrives; an error is one of the connection.
#[cfg(test)]
type Script = Box<dyn FnMut(&FakeCall) -> Result<(StatusCode, bytes::Bytes), Error> + Send>;

/// Sets the replies of a [`Fake`] to the calls of one operation.
pub struct FakeRule<'a, T> {
    fake: &'a Fake,
    matches: Vec<Matcher>,
    number: Option<u64>,
    operation: FakeOperation<T>,
}

impl<T> FakeRule<'_, T> {
    /// Applies only to calls for which this returns `true`: by parameters, headers, body. All conditions have to be
    /// met.
    #[must_use = "say `answer` or `reply`"]
    pub fn when(mut self, matches: impl Fn(&FakeCall) -> bool + Send + 'static) -> Self {
        self.matches.push(Box::new(matches));
        self
    }

    /// Answers the next call with 200 and this value as JSON.
    pub fn answer(self, value: &T) -> Self
    where
        T: Serialize,
    {
        self.reply(FakeReply::status(200).json(value))
    }

    /// Answers the next call with this reply. Several replies are given in order, and the last one repeatedly.
    pub fn reply(mut self, reply: FakeReply) -> Self {
        let mut state = self.fake.state();
        let rule = match self.number.and_then(|number| state.rules.iter_mut().find(|rule| rule.number == number)) {
            Some(rule) => rule,
            None => {
                let number = state.rules.last().map_or(0, |rule| rule.number + 1);
                self.number = Some(number);
                let matches = std::mem::take(&mut self.matches);
                let operation = (self.operation.family, self.operation.name);
                state.rules.push(Rule { number, operation, matches, replies: VecDeque::new() });
                match state.rules.last_mut() {
                    Some(rule) => rule,
                    None => return self,
                }
            }
        };
        rule.replies.push_back(reply);
        drop(state);
        self
    }
}

impl<T> fmt::Debug for FakeRule<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeRule").finish_non_exhaustive()
    }
}

impl Fake {
    /// Creates a service that refuses all calls with status 501, until replies are set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a rule for the calls of an operation. Of several rules for one operation, the first whose conditions are
    /// met answers.
    #[must_use = "say `answer` or `reply`"]
    pub fn on<T>(&self, operation: FakeOperation<T>) -> FakeRule<'_, T> {
        FakeRule { fake: self, matches: Vec::new(), number: None, operation }
    }

    /// Returns the calls so far, in order, including those with an error. Each attempt counts as one.
    pub fn calls(&self) -> Vec<FakeCall> {
        self.state().calls.clone()
    }

    /// Returns the calls of one operation so far.
    pub fn calls_of<T>(&self, operation: FakeOperation<T>) -> Vec<FakeCall> {
        let is_wanted = |call: &&FakeCall| (call.family, call.operation) == (operation.family, operation.name);
        self.state().calls.iter().filter(is_wanted).cloned().collect()
    }

    /// Creates a client of it. It has no credential, and sends each call once.
    ///
    /// # Errors
    ///
    /// None in practice.
    pub fn client(&self) -> Result<Client, Error> {
        self.builder().no_retry().build()
    }

    /// Returns the configuration of a client of it, for further changes.
    pub fn builder(&self) -> ClientBuilder {
        self.builder_of()
    }

    /// Returns the configuration of a client of any kind.
    #[doc(hidden)]
    pub fn builder_of<P: GeneratedClient>(&self) -> ClientBuilder<P> {
        ClientBuilder::new("http://localhost").double(self.clone())
    }

    #[cfg(test)]
    pub(crate) fn script(
        &self,
        script: impl FnMut(&FakeCall) -> Result<(StatusCode, bytes::Bytes), Error> + Send + 'static,
    ) {
        self.state().script = Some(Box::new(script));
    }

    /// Records a call, and returns the reply to it.
    fn take(&self, call: FakeCall) -> Result<FakeReply, Error> {
        let mut state = self.state();
        state.calls.push(call.clone());
        #[cfg(test)]
        if let Some(script) = &mut state.script {
            let (status, body) = script(&call)?;
            return Ok(FakeReply::status(status.as_u16()).bytes(body));
        }
        let operation = (call.family, call.operation);
        let answers =
            |rule: &&mut Rule| rule.operation == operation && rule.matches.iter().all(|matches| matches(&call));
        let replies = state.rules.iter_mut().find(answers).map(|rule| &mut rule.replies);
        let reply = replies.and_then(|replies| match replies.len() {
            0 | 1 => replies.front().cloned(),
            _ => replies.pop_front(),
        });
        Ok(reply.unwrap_or_else(|| {
            let title = format!("the fake has no answer for `{}`", call.operation);
            FakeReply::status(501).json(&serde_json::json!({ "title": title }))
        }))
    }

    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Double for Fake {
    fn answer<'a>(
        &'a self,
        prepared: &'a Prepared,
        headers: HeaderMap,
        body: Option<reqwest::Body>,
    ) -> Pin<Box<dyn Future<Output = Result<reqwest::Response, Error>> + Send + 'a>> {
        Box::pin(async move {
            let call = FakeCall::read(prepared, headers, body).await?;
            self.take(call)?.respond().await
        })
    }
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fake").field("calls", &self.state().calls.len()).finish_non_exhaustive()
    }
}

/// The error of a fake with an invalid reply.
fn wrong(message: impl Into<String>) -> Error {
    Error::with(Kind::Request, message).hint("correct the test")
}
