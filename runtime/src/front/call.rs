//! Calls of generated operations: the runtime's, as types of the client's crate, so that the generator can add setters.
//!
//! The methods here and the setters of optional parameters share a namespace. A parameter with the name of one of these methods, or
//! whose name begins with `with_` or `param_`, is prefixed with `param_`. The list of methods without `with_` is closed, so that no later
//! version of this file takes a name that a contract has: a new method begins with `with_`.

/// Defines `Call` and `Submission`.
#[doc(hidden)]
#[macro_export]
macro_rules! __front_call {
    () => {
        /// A call of a generated operation, ready to be sent. `.await` sends it.
        ///
        /// `T` is the type of the response, and `O` names the operation. Set optional parameters of the operation by
        /// their names, and per-call overrides of the client's configuration by the methods below. If a parameter has
        /// the name of one of these methods, its setter is prefixed with `param_`.
        ///
        /// Arguments are serialized when they are given, so a call borrows only the client; errors in them are returned
        /// when it is awaited.
        ///
        /// # Cancellation safety
        ///
        /// A call that is not awaited sends nothing. Its future may be dropped at any point: connections stay usable, and a token
        /// request goes on for other calls. From the first poll on, the request may or may not have reached the service, as after an
        /// error that [`is_submission_unknown`](Error::is_submission_unknown). A call that reads can be sent again; for one that
        /// changes something, check on the service, or begin the work with a submission, whose store knows. In a loop with
        /// `select!`, create the future outside of the loop: each new one sends a new request.
        #[must_use = "a call is sent when it is awaited"]
        pub struct Call<'a, T, O = ()>($crate::Call<'a, T>, PhantomData<fn() -> O>);

        /// A call of a generated operation that enqueues work: a success means that the work is accepted, not that it
        /// is done.
        ///
        /// With the cargo feature `operations`, `submit` sends it and returns an `Operation` to watch and to wait for.
        /// `.await` sends it as a plain call, without watching. Set optional parameters as on a [`Call`].
        ///
        /// # Cancellation safety
        ///
        /// `.await` is that of a [`Call`]: dropped, it leaves no trace of a request that may have reached the service, because nothing
        /// is stored. `submit` stores the submission before it is sent: dropped, it is withdrawn if nothing was sent, and otherwise
        /// found again by its label.
        #[must_use = "a submission is sent by `submit`, or when it is awaited"]
        pub struct Submission<'a, T, O = ()>($crate::Submission<'a, T>, PhantomData<fn() -> O>);

        $crate::__front_calls!(Call);
        $crate::__front_calls!(Submission);

        impl<'a, T, O> Call<'a, T, O> {
            /// Called by generated operations.
            #[allow(dead_code, reason = "a build may have no family")]
            pub(crate) fn new(
                client: &'a Client,
                operation: &'static Operation,
                arguments: &[&dyn Argument],
                payload: Payload<'_>,
                decode: fn(Raw) -> Result<T, Error>,
            ) -> Self {
                Self($crate::Call::new(client, operation, arguments, payload, decode), PhantomData)
            }

            /// Returns the items of all pages. Called by generated operations with a pagination.
            #[allow(dead_code, reason = "a contract may bind none")]
            pub(crate) fn with_pages<I>(self, paging: Paging) -> Items<'a, I> {
                self.0.items(paging)
            }

            /// Reads a paginated response. `next` receives a page and makes the call for the next one, or returns that
            /// it was the last. A page that was read before ends it with an error.
            pub fn paginate_with<C>(
                self,
                mut next: impl FnMut(&$crate::Response<T>) -> Option<C>,
            ) -> Pages<'a, T, impl FnMut(&$crate::Response<T>) -> Option<$crate::Call<'a, T>>>
            where
                C: Into<$crate::Call<'a, T>>,
            {
                self.0.paginate_with(move |page| next(page).map(Into::into))
            }
        }

        impl<'a, T, O> From<Call<'a, T, O>> for $crate::Call<'a, T> {
            fn from(call: Call<'a, T, O>) -> Self {
                call.0
            }
        }

        impl<'a, T, O> Submission<'a, T, O> {
            /// Called by generated operations that are bound as asynchronous.
            #[allow(dead_code, reason = "a contract may bind none")]
            pub(crate) fn new(
                client: &'a Client,
                kind: &'static str,
                operation: &'static Operation,
                arguments: &[&dyn Argument],
                payload: Payload<'_>,
                decode: fn(Raw) -> Result<T, Error>,
            ) -> Self {
                Self($crate::Submission::new(client, kind, operation, arguments, payload, decode), PhantomData)
            }

            /// Sets a label for the submission: a store keeps one submission per label, so that a program that was
            /// stopped can find its earlier submission.
            pub fn label(self, label: impl Into<String>) -> Self {
                Self(self.0.label(label), PhantomData)
            }

            /// Submits: stores that the submission may arrive, sends the request, stores the acceptance, and returns
            /// the operation.
            ///
            /// # Errors
            ///
            /// As for the [submission of the runtime]($crate::Submission::submit).
            ///
            /// # Cancellation safety
            ///
            /// As there: an attempt that was not sent is withdrawn, and any other is found again by its label.
            #[cfg(feature = "operations")]
            pub async fn submit(
                self,
                operations: &$crate::operations::Operations,
            ) -> Result<$crate::operations::Operation, Error> {
                self.0.submit(operations).await
            }

            /// Submits again the stored submission of the same label, of which it is unknown whether it arrived.
            ///
            /// # Errors
            ///
            /// As for the [submission of the runtime]($crate::Submission::resubmit).
            ///
            /// # Cancellation safety
            ///
            /// As there: an attempt that was not sent is withdrawn, and any other is found again by its label.
            #[cfg(feature = "operations")]
            pub async fn resubmit(
                self,
                operations: &$crate::operations::Operations,
            ) -> Result<$crate::operations::Operation, Error> {
                self.0.resubmit(operations).await
            }
        }

        impl<'a, T, O> From<Submission<'a, T, O>> for $crate::Submission<'a, T> {
            fn from(submission: Submission<'a, T, O>) -> Self {
                submission.0
            }
        }
    };
}

/// Defines the methods of both.
#[doc(hidden)]
#[macro_export]
macro_rules! __front_calls {
    ($call:ident) => {
        #[allow(dead_code, reason = "the contract decides which setters exist")]
        impl<'a, T, O> $call<'a, T, O> {
            /// Sets the argument of the parameter at a position.
            pub(crate) fn set(mut self, position: usize, argument: &dyn Argument) -> Self {
                self.0.set(position, argument);
                self
            }

            /// Sets the body.
            pub(crate) fn set_body(mut self, payload: Payload<'_>) -> Self {
                self.0.set_body(payload);
                self
            }

            /// Sets the time limit of this call, including all attempts.
            pub fn deadline(self, deadline: Duration) -> Self {
                Self(self.0.deadline(deadline), PhantomData)
            }

            /// Sets the longest silence of the service in this call: between the pieces of a body, and before the head
            /// of the response if the call may be retried.
            pub fn idle_timeout(self, timeout: Duration) -> Self {
                Self(self.0.idle_timeout(timeout), PhantomData)
            }

            /// Sends this call once, whatever the result.
            pub fn no_retry(self) -> Self {
                Self(self.0.no_retry(), PhantomData)
            }

            /// Sets the policy of attempts for this call.
            pub fn with_retries(self, policy: RetryPolicy) -> Self {
                Self(self.0.with_retries(policy), PhantomData)
            }

            /// Sets the minimum throughput of this call's response body.
            pub fn with_min_throughput(self, least: MinThroughput) -> Self {
                Self(self.0.with_min_throughput(least), PhantomData)
            }

            /// Declares that sending this call twice has the same effect as sending it once, so that it is retried like
            /// `GET`.
            pub fn idempotent(self) -> Self {
                Self(self.0.idempotent(), PhantomData)
            }

            /// Retries this call if the service refuses it with 429 or 503 and `Retry-After`, whatever its method is.
            pub fn retry_when_asked(self) -> Self {
                Self(self.0.retry_when_asked(), PhantomData)
            }

            /// Adds a header, or replaces one. `Authorization` is an error, since the credential sets it.
            pub fn header(self, name: &str, value: &str) -> Self {
                Self(self.0.header(name, value), PhantomData)
            }

            /// Returns the call with its response body as raw bytes, whatever the contract declares: read whole, and
            /// not decoded.
            pub fn raw(self) -> Call<'a, RawResponse, O> {
                Call($crate::Call::from(self.0).raw(), PhantomData)
            }

            /// Returns the call with its response body decoded from JSON into a type of the caller's.
            pub fn json<U: DeserializeOwned>(self) -> Call<'a, U, O> {
                Call($crate::Call::from(self.0).json(), PhantomData)
            }

            /// Returns the call with its response body as text, in the charset that the response names.
            pub fn text(self) -> Call<'a, String, O> {
                Call($crate::Call::from(self.0).text(), PhantomData)
            }

            /// Returns the call with its response body as a stream.
            pub fn stream(self) -> Call<'a, ByteStream, O> {
                Call($crate::Call::from(self.0).stream(), PhantomData)
            }

            /// Sends the call, and returns status and headers together with the value.
            pub fn with_response(self) -> CallFuture<'a, Response<T, O>>
            where
                T: 'a,
                O: 'a,
            {
                let sent = self.0.with_response();
                Box::pin(async move { sent.await.map(Response::new) })
            }
        }

        impl<'a, T: 'a, O> IntoFuture for $call<'a, T, O> {
            type Output = Result<T, Error>;
            type IntoFuture = CallFuture<'a, T>;

            fn into_future(self) -> Self::IntoFuture {
                self.0.into_future()
            }
        }

        impl<T, O> fmt::Debug for $call<'_, T, O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
