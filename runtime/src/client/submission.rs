//! A call that the service accepts and completes later.

use std::fmt;

use super::{Call, CallFuture, Client, Response, options};
use crate::{
    Error,
    protocol::{Argument, Operation, Payload, Raw},
};

/// A call of an operation that enqueues work: a success means that the work is accepted, not that it is done.
///
/// With the cargo feature `operations`, `submit` sends it and returns an `Operation` to watch and to wait for. `.await`
/// sends it as a plain call, without watching.
///
/// # Cancellation safety
///
/// `.await` is that of a [`Call`]: dropped, it leaves no trace of a request that may have reached the service, because nothing
/// is stored. `submit` stores the submission before it is sent: dropped, it is withdrawn if nothing was sent, and otherwise
/// found again by its label.
#[must_use = "a submission is sent by `submit`, or when it is awaited"]
pub struct Submission<'a, T> {
    pub(crate) call: Call<'a, T>,
    pub(crate) kind: &'static str,
    #[cfg_attr(not(feature = "operations"), allow(dead_code, reason = "only stores read it"))]
    pub(crate) label: Option<String>,
}

options!([T] Submission<'_, T>, call.unsent.options);

impl<'a, T> Submission<'a, T> {
    /// Called by generated operations that are bound as asynchronous. `kind` is the name of the binding.
    #[doc(hidden)]
    pub fn new(
        client: &'a Client,
        kind: &'static str,
        operation: &'static Operation,
        arguments: &[&dyn Argument],
        payload: Payload<'_>,
        decode: fn(Raw) -> Result<T, Error>,
    ) -> Self {
        Self::from_call(Call::new(client, operation, arguments, payload, decode), kind)
    }

    /// For programs that read their operations from a table: a call of an operation that is bound as asynchronous.
    #[doc(hidden)]
    pub fn from_call(call: Call<'a, T>, kind: &'static str) -> Self {
        Self { call, kind, label: None }
    }

    /// Called by generated setters: sets the argument of the parameter at a position.
    #[doc(hidden)]
    pub fn set(&mut self, position: usize, argument: &dyn Argument) {
        self.call.set(position, argument);
    }

    /// Called by generated setters: sets the body.
    #[doc(hidden)]
    pub fn set_body(&mut self, payload: Payload<'_>) {
        self.call.set_body(payload);
    }

    /// Sets a label for the submission: a store keeps one submission per label, so that a program that was stopped can
    /// find its earlier submission.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds a header, or replaces one. `Authorization` is an error, since the credential sets it.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.call = self.call.header(name, value);
        self
    }

    /// Sends the call, and returns status and headers together with the accepted result. It is not stored.
    pub fn with_response(self) -> CallFuture<'a, Response<T>>
    where
        T: 'a,
    {
        self.call.with_response()
    }
}

/// Converts to the plain call, without label: it is not stored.
impl<'a, T> From<Submission<'a, T>> for Call<'a, T> {
    fn from(submission: Submission<'a, T>) -> Self {
        submission.call
    }
}

impl<'a, T: 'a> IntoFuture for Submission<'a, T> {
    type Output = Result<T, Error>;
    type IntoFuture = CallFuture<'a, T>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.into_future()
    }
}

impl<T> fmt::Debug for Submission<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission").field("kind", &self.kind).field("call", &self.call).finish_non_exhaustive()
    }
}
