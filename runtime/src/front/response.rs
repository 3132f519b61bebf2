//! Responses of generated operations, and the headers that the contract declares for them.

/// Defines `Response` and `Declared`.
#[doc(hidden)]
#[macro_export]
macro_rules! __front_response {
    () => {
        /// A decoded response, with its status and headers.
        ///
        /// `O` names the operation, whose declared headers [`declared`](Self::declared) reads.
        pub struct Response<T, O = ()>($crate::Response<T>, PhantomData<fn() -> O>);

        impl<T, O> Response<T, O> {
            pub(crate) fn new(response: $crate::Response<T>) -> Self {
                Self(response, PhantomData)
            }

            /// Returns the status: a success, or a redirection that the contract declares.
            pub fn status(&self) -> StatusCode {
                self.0.status()
            }

            /// Returns all headers.
            pub fn headers(&self) -> &HeaderMap {
                self.0.headers()
            }

            /// Returns the value of a header if it exists and is visible ASCII.
            pub fn header(&self, name: &str) -> Option<&str> {
                self.0.header(name)
            }

            /// Returns the headers that the contract declares for the operation, each with its type.
            pub fn declared(&self) -> Declared<'_, O> {
                Declared::from(self.headers())
            }

            /// Returns the value.
            pub fn value(&self) -> &T {
                self.0.value()
            }

            /// Splits the response into status, headers and value.
            pub fn into_parts(self) -> (StatusCode, HeaderMap, T) {
                self.0.into_parts()
            }

            /// Returns the value without status and headers.
            pub fn into_value(self) -> T {
                self.0.into_value()
            }
        }

        impl<T: Clone, O> Clone for Response<T, O> {
            fn clone(&self) -> Self {
                Self(self.0.clone(), PhantomData)
            }
        }

        impl<T: fmt::Debug, O> fmt::Debug for Response<T, O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        /// The headers that the contract declares for an operation: a method for each, with its type.
        ///
        /// A method returns `None` if the header is missing, even if the contract requires it, and an error of kind
        /// [`Decode`]($crate::ErrorKind::Decode) if it has another type. The headers of an error are read the same way:
        /// `Declared::<operations::ListProjects>::from(error.headers())`.
        // The generator adds one method for each header, so it has no other methods: all names are free.
        pub struct Declared<'a, O>(
            #[allow(dead_code, reason = "a contract may declare no headers")] pub(crate) &'a HeaderMap,
            PhantomData<fn() -> O>,
        );

        impl<'a, O> From<&'a HeaderMap> for Declared<'a, O> {
            fn from(headers: &'a HeaderMap) -> Self {
                Self(headers, PhantomData)
            }
        }

        impl<O> fmt::Debug for Declared<'_, O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("Declared")
            }
        }
    };
}
