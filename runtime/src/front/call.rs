//! Calls of generated operations: the runtime's, as types of the client's crate, which the generator gives setters.
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
        /// `T` is what the response becomes, and `O` names the operation. What is optional is set on the call: parameters of the
        /// operation by their names, and what one call changes of the client's configuration by the methods below. A parameter of
        /// the same name as one of these has `param_` in front of it.
        ///
        /// Arguments are written when they are given, so a call borrows nothing but the client; what is wrong with them comes out
        /// when it is awaited.
        #[must_use = "a call is sent when it is awaited"]
        pub struct Call<'a, T, O = ()>($crate::Call<'a, T>, PhantomData<fn() -> O>);

        /// A call of a generated operation that enqueues work: a success says that the work is accepted, not that it is done.
        ///
        /// With the cargo feature `operations`, `submit` sends it and gives an `Operation` to watch and to wait for. `.await` sends
        /// it as a plain call, and leaves the rest to the caller. What is optional is set as on a [`Call`].
        #[must_use = "a submission is sent by `submit`, or when it is awaited"]
        pub struct Submission<'a, T, O = ()>($crate::Submission<'a, T>, PhantomData<fn() -> O>);

        $crate::__front_calls!(Call);
        $crate::__front_calls!(Submission);

        impl<'a, T, O> Call<'a, T, O> {
            /// What generated operations return.
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

            /// The items of all pages: what generated operations call that the configuration binds.
            #[allow(dead_code, reason = "a contract may bind none")]
            pub(crate) fn with_pages<I>(self, paging: Paging) -> Items<'a, I> {
                self.0.items(paging)
            }

            /// Reads an answer that comes in pages. `next` makes the call for the page after the one that it is shown, or says that
            /// it was the last. A page that was read before ends it with an error.
            pub fn paginate_with<C>(
                self,
                mut next: impl FnMut(&$crate::Response<T>) -> Option<C>,
            ) -> Pages<'a, T, impl FnMut(&$crate::Response<T>) -> Option<$crate::Call<'a, T>>>
            where
                C: Into<$crate::Call<'a, T>>,
            {
                self.0.paginate_with(move |shown| next(shown).map(Into::into))
            }
        }

        impl<'a, T, O> From<Call<'a, T, O>> for $crate::Call<'a, T> {
            fn from(call: Call<'a, T, O>) -> Self {
                call.0
            }
        }

        impl<'a, T, O> Submission<'a, T, O> {
            /// What generated operations return that are bound as asynchronous.
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

            /// Names what is submitted, in the caller's words: a store keeps one submission of a label, so that a program that was
            /// stopped finds out what it has submitted before.
            pub fn label(self, label: impl Into<String>) -> Self {
                Self(self.0.label(label), PhantomData)
            }

            /// Submits: keeps in the store that it may arrive, sends the request, keeps the acceptance, and gives the operation.
            ///
            /// # Errors
            ///
            /// As for the [submission of the runtime]($crate::Submission::submit).
            #[cfg(feature = "operations")]
            pub async fn submit(
                self,
                operations: &$crate::operations::Operations,
            ) -> Result<$crate::operations::Operation, Error> {
                self.0.submit(operations).await
            }

            /// Submits again what is in the store under the same label, and of which nobody knows whether it arrived.
            ///
            /// # Errors
            ///
            /// As for the [submission of the runtime]($crate::Submission::resubmit).
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
        #[allow(dead_code, reason = "whether there is something to set is the contract's to say")]
        impl<'a, T, O> $call<'a, T, O> {
            /// Gives an argument to the parameter at a position.
            pub(crate) fn set(mut self, position: usize, argument: &dyn Argument) -> Self {
                self.0.set(position, argument);
                self
            }

            /// Gives the body.
            pub(crate) fn set_body(mut self, payload: Payload<'_>) -> Self {
                self.0.set_body(payload);
                self
            }

            /// Sets the time that this call may take, all attempts included.
            pub fn deadline(self, deadline: Duration) -> Self {
                Self(self.0.deadline(deadline), PhantomData)
            }

            /// Sets how long the service may be silent in this call: between the pieces of a body, and before the head of
            /// the response where the call may be sent again.
            pub fn idle_timeout(self, timeout: Duration) -> Self {
                Self(self.0.idle_timeout(timeout), PhantomData)
            }

            /// Sends this call once, whatever comes back.
            pub fn no_retry(self) -> Self {
                Self(self.0.no_retry(), PhantomData)
            }

            /// Sets how often this call is sent, and the time that one attempt may take.
            pub fn with_retries(self, policy: RetryPolicy) -> Self {
                Self(self.0.with_retries(policy), PhantomData)
            }

            /// Sets the least throughput of the body of the response to this call.
            pub fn with_min_throughput(self, least: MinThroughput) -> Self {
                Self(self.0.with_min_throughput(least), PhantomData)
            }

            /// Says that sending this call twice does no more than sending it once, so that it may be retried as a `GET` is.
            pub fn idempotent(self) -> Self {
                Self(self.0.idempotent(), PhantomData)
            }

            /// Sends this call again when the service refuses it with 429 or 503 and says `Retry-After`, whatever its
            /// method is.
            pub fn retry_when_asked(self) -> Self {
                Self(self.0.retry_when_asked(), PhantomData)
            }

            /// Adds a header, or replaces one. `Authorization` is the credential's, and an error here.
            pub fn header(self, name: &str, value: &str) -> Self {
                Self(self.0.header(name, value), PhantomData)
            }

            /// The call with the body of its response as it comes, whatever the contract says of it: read whole, and not decoded.
            pub fn raw(self) -> Call<'a, RawResponse, O> {
                Call($crate::Call::from(self.0).raw(), PhantomData)
            }

            /// The call with the body of its response decoded from JSON into a type of the caller's.
            pub fn json<U: DeserializeOwned>(self) -> Call<'a, U, O> {
                Call($crate::Call::from(self.0).json(), PhantomData)
            }

            /// The call with the body of its response as text. It is read in the charset that the response says.
            pub fn text(self) -> Call<'a, String, O> {
                Call($crate::Call::from(self.0).text(), PhantomData)
            }

            /// The call with the body of its response handed over while it arrives.
            pub fn stream(self) -> Call<'a, ByteStream, O> {
                Call($crate::Call::from(self.0).stream(), PhantomData)
            }

            /// Sends the call, and returns status and headers along with the value.
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
