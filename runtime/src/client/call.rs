//! One call of an operation, before and after it is sent.

use std::{fmt, pin::Pin};

use http::{HeaderMap, StatusCode};

use super::{Client, Options, options, send};
use crate::{
    Error,
    protocol::{Prepared, Raw, set_header},
};

/// What a [`Call`] becomes when it is awaited.
pub type CallFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A call that is ready to be sent. `.await` sends it.
///
/// Arguments are written when the call is made, so it borrows nothing but the client; what is wrong with them comes out
/// when it is awaited.
#[must_use = "a call is sent when it is awaited"]
pub struct Call<'a, T> {
    pub(crate) client: &'a Client,
    pub(crate) operation: &'static str,
    pub(crate) prepared: Result<Prepared, Error>,
    pub(crate) options: Options,
    decode: fn(Raw) -> Result<T, Error>,
}

options!([T] Call<'_, T>, options);

impl<'a, T> Call<'a, T> {
    pub(crate) fn new(
        client: &'a Client,
        operation: &'static str,
        prepared: Result<Prepared, Error>,
        options: Options,
        decode: fn(Raw) -> Result<T, Error>,
    ) -> Self {
        Self { client, operation, prepared, options, decode }
    }

    /// Adds a header, or replaces one. `Authorization` is the credential's, and is never taken from here.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Err(error) = set_header(&mut self.options.headers, name, value)
            && self.prepared.is_ok()
        {
            self.prepared = Err(error.at(self.operation));
        }
        self
    }

    /// Sends the call, and returns status and headers along with the value.
    pub fn with_response(self) -> CallFuture<'a, Response<T>>
    where
        T: 'a,
    {
        let Self { client, prepared, options, decode, .. } = self;
        Box::pin(async move {
            let raw = send(&client.session, &prepared?, &options).await?;
            let (status, headers) = (raw.status, raw.headers.clone());
            Ok(Response { status, headers, value: decode(raw)? })
        })
    }
}

impl<'a, T: 'a> IntoFuture for Call<'a, T> {
    type Output = Result<T, Error>;
    type IntoFuture = CallFuture<'a, T>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { client, prepared, options, decode, .. } = self;
        Box::pin(async move { decode(send(&client.session, &prepared?, &options).await?) })
    }
}

impl<T> fmt::Debug for Call<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("operation", &self.operation).finish_non_exhaustive()
    }
}

/// A decoded response with its status and headers.
#[derive(Clone, Debug)]
pub struct Response<T> {
    status: StatusCode,
    headers: HeaderMap,
    value: T,
}

impl<T> Response<T> {
    /// The status, always a success.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The value of a header, when it is there and is visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value, without the rest.
    pub fn into_value(self) -> T {
        self.value
    }
}
