//! One call of an operation, before and after it is sent.

use std::{fmt, pin::Pin};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;

use super::{Client, Options, options, send};
use crate::{
    ByteStream, Error,
    error::Kind,
    protocol::{Argument, Content, Draft, Method, Operation, Payload, Prepared, Raw, decode, set_callers_header},
};

/// The future of a [`Call`].
pub type CallFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A call that is ready to be sent. `.await` sends it.
///
/// Arguments are serialized when they are given, so a call borrows only the client; errors in them are returned when it
/// is awaited.
///
/// # Cancellation safety
///
/// A call that is not awaited sends nothing. Its future may be dropped at any point: connections stay usable, and a token
/// request goes on for other calls. From the first poll on, the request may or may not have reached the service, as after an
/// error that [`is_submission_unknown`](Error::is_submission_unknown). A call that reads can be sent again; for one that
/// changes something, check on the service, or begin the work with a submission, whose store knows. In a loop with
/// `select!`, create the future outside of the loop: each new one sends a new request.
#[must_use = "a call is sent when it is awaited"]
pub struct Call<'a, T> {
    pub(crate) unsent: Unsent<'a>,
    decode: fn(Raw) -> Result<T, Error>,
}

options!([T] Call<'_, T>, unsent.options);

/// The parts of a call that do not depend on the type of its response.
pub(crate) struct Unsent<'a> {
    pub(crate) client: &'a Client,
    pub(crate) operation: &'static str,
    pub(crate) options: Options,
    request: Result<Progress, Error>,
}

/// The state of a request.
enum Progress {
    Draft(Draft),
    Prepared(Prepared),
}

impl Progress {
    fn prepare(self, client: &Client, operation: &'static str) -> Result<Prepared, Error> {
        match self {
            Self::Prepared(prepared) => Ok(prepared),
            Self::Draft(draft) => {
                let session = &client.session;
                let prepared = draft.prepare(&session.base, session.api_version.as_deref(), session.any_server);
                prepared.map_err(|error| error.at(operation))
            }
        }
    }
}

impl<'a> Unsent<'a> {
    fn set(&mut self, position: usize, argument: &dyn Argument) {
        self.change(|draft| draft.set(position, argument));
    }

    fn set_body(&mut self, payload: Payload<'_>) {
        self.change(|draft| draft.set_body(payload));
    }

    fn change(&mut self, change: impl FnOnce(&mut Draft) -> Result<(), Error>) {
        if let Ok(Progress::Draft(draft)) = &mut self.request
            && let Err(error) = change(draft)
        {
            self.request = Err(error.at(self.operation));
        }
    }

    fn header(&mut self, name: &str, value: &str) {
        if let Err(error) = set_callers_header(&mut self.options.headers, name, value)
            && self.request.is_ok()
        {
            self.request = Err(error.at(self.operation));
        }
    }

    /// Prepares the request; an error in the arguments is kept in the call.
    pub(crate) fn prepare(mut self) -> Self {
        self.request =
            self.request.and_then(|progress| progress.prepare(self.client, self.operation)).map(Progress::Prepared);
        self
    }

    /// Returns the request, once it is prepared.
    pub(crate) fn request(&self) -> Option<&Prepared> {
        match &self.request {
            Ok(Progress::Prepared(prepared)) => Some(prepared),
            _ => None,
        }
    }

    /// Returns the request and the options of the call, or the error of its arguments.
    pub(crate) fn into_parts(self) -> Result<(Prepared, Options), Error> {
        let Self { client, operation, options, request } = self;
        let mut prepared = request?.prepare(client, operation)?;
        if options.anything {
            accept_anything(&mut prepared.headers);
        }
        Ok((prepared, options))
    }

    /// Returns the call before its request is prepared, and its options.
    pub(super) fn into_draft(self) -> (Result<Draft, Error>, Options) {
        let draft = self.request.and_then(|progress| match progress {
            Progress::Draft(draft) => Ok(draft),
            Progress::Prepared(_) => Err(Error::with(Kind::Request, "a request by hand has no pages that are known")
                .hint("read them with `paginate_with`")),
        });
        (draft.map_err(|error| error.at(self.operation)), self.options)
    }

    /// Sends the request, and decodes its response.
    fn send<T: 'a>(self, decode: impl FnOnce(Raw) -> Result<T, Error> + Send + 'a) -> CallFuture<'a, T> {
        let session = &self.client.session;
        let parts = match self.into_parts() {
            Ok(parts) => parts,
            Err(error) => return Box::pin(async move { Err(error) }),
        };
        Box::pin(async move {
            let raw = send(session, &parts.0, &parts.1).await?;
            // A large body is not kept while the response is decoded.
            drop(parts);
            decode(raw)
        })
    }
}

/// Accepts any media type, after those that the contract names.
fn accept_anything(headers: &mut HeaderMap) {
    let named = headers.get(header::ACCEPT).and_then(|named| named.to_str().ok()).unwrap_or_default();
    let all = match named {
        "" => "*/*".to_owned(),
        named if named.contains("*/*") => return,
        named => format!("{named}, */*;q=0.8"),
    };
    if let Ok(all) = HeaderValue::try_from(all) {
        headers.insert(header::ACCEPT, all);
    }
}

impl<'a, T> Call<'a, T> {
    /// Called by generated operations.
    #[doc(hidden)]
    pub fn new(
        client: &'a Client,
        operation: &'static Operation,
        arguments: &[&dyn Argument],
        payload: Payload<'_>,
        decode: fn(Raw) -> Result<T, Error>,
    ) -> Self {
        let request = Draft::new(operation, arguments, payload);
        let request = request.map(Progress::Draft).map_err(|error| error.at(operation.name));
        Self { unsent: Unsent { client, operation: operation.name, options: Options::default(), request }, decode }
    }

    /// Creates a call from a complete request.
    pub(crate) fn from_request(
        client: &'a Client,
        operation: &'static str,
        prepared: Result<Prepared, Error>,
        options: Options,
        decode: fn(Raw) -> Result<T, Error>,
    ) -> Self {
        Self { unsent: Unsent { client, operation, options, request: prepared.map(Progress::Prepared) }, decode }
    }

    /// Called by generated setters: sets the argument of the parameter at a position.
    #[doc(hidden)]
    pub fn set(&mut self, position: usize, argument: &dyn Argument) {
        self.unsent.set(position, argument);
    }

    /// Called by generated setters: sets the body.
    #[doc(hidden)]
    pub fn set_body(&mut self, payload: Payload<'_>) {
        self.unsent.set_body(payload);
    }

    /// Adds a header, or replaces one. `Authorization` is an error, since the credential sets it.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.unsent.header(name, value);
        self
    }

    /// Returns the call with its response body as raw bytes, whatever the contract declares: read whole, and not
    /// decoded.
    pub fn raw(self) -> Call<'a, RawResponse> {
        self.read_as(false, |raw| Ok(RawResponse::new(raw)))
    }

    /// Returns the call with its response body decoded from JSON into a type of the caller's.
    pub fn json<U: DeserializeOwned>(self) -> Call<'a, U> {
        self.read_as(false, decode::json)
    }

    /// Returns the call with its response body as text, in the charset that the response names.
    pub fn text(self) -> Call<'a, String> {
        self.read_as(false, decode::text)
    }

    /// Returns the call with its response body as a stream.
    pub fn stream(self) -> Call<'a, ByteStream> {
        self.read_as(true, decode::stream)
    }

    fn read_as<U>(self, stream: bool, decode: fn(Raw) -> Result<U, Error>) -> Call<'a, U> {
        let mut unsent = self.unsent;
        unsent.options.stream = Some(stream);
        unsent.options.anything = true;
        Call { unsent, decode }
    }

    /// Returns the request that the call would send, for a person to read. Nothing is sent, and no token is requested.
    ///
    /// # Errors
    ///
    /// The arguments cannot be written as a request: the error that the call would end with.
    pub fn preview(self) -> Result<Preview, Error> {
        let (prepared, options) = self.unsent.into_parts()?;
        let mut headers = prepared.headers;
        headers.extend(options.headers);
        let body = match prepared.body {
            Content::Bytes(bytes) => Some(bytes),
            Content::None | Content::Upload(_) | Content::Parts(_) => None,
        };
        Ok(Preview { method: prepared.method, url: prepared.url.into(), headers, body })
    }

    /// Sends the call, and returns status and headers together with the value.
    pub fn with_response(self) -> CallFuture<'a, Response<T>>
    where
        T: 'a,
    {
        let Self { unsent, decode } = self;
        unsent.send(move |raw| {
            let (status, headers) = (raw.status, raw.headers.clone());
            Ok(Response { status, headers, value: decode(raw)? })
        })
    }
}

impl<'a, T: 'a> IntoFuture for Call<'a, T> {
    type Output = Result<T, Error>;
    type IntoFuture = CallFuture<'a, T>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { unsent, decode } = self;
        unsent.send(decode)
    }
}

impl<T> fmt::Debug for Call<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("operation", &self.unsent.operation).finish_non_exhaustive()
    }
}

/// A request as [`Call::preview`] returns it. Credentials, and the headers that belong to a connection, are added when a call is sent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Preview {
    /// The method.
    pub method: Method,
    /// The address, with the query.
    pub url: String,
    /// The headers of the operation and of the call.
    pub headers: HeaderMap,
    /// The body, if it is in memory; files, streams and forms of parts are not.
    pub body: Option<Bytes>,
}

/// A decoded response with its status and headers.
#[derive(Clone, Debug)]
pub struct Response<T> {
    status: StatusCode,
    headers: HeaderMap,
    value: T,
}

impl<T> Response<T> {
    /// Returns the status: a success, or a redirection that the contract declares.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the value of a header if it exists and is visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Splits the response into status, headers and value.
    pub fn into_parts(self) -> (StatusCode, HeaderMap, T) {
        (self.status, self.headers, self.value)
    }

    /// Returns the value without status and headers.
    pub fn into_value(self) -> T {
        self.value
    }
}

/// A response that is not decoded.
#[derive(Debug)]
pub struct RawResponse(Raw);

impl RawResponse {
    pub(crate) fn new(raw: Raw) -> Self {
        Self(raw)
    }

    /// Returns the status: a success, or a redirection that the contract declares.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Returns the value of a header if it exists and is visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.headers.get(name)?.to_str().ok()
    }

    /// Returns the body.
    pub fn bytes(&self) -> &Bytes {
        self.0.bytes()
    }

    /// Decodes the body as JSON.
    ///
    /// # Errors
    ///
    /// The body is not JSON of that type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.0.json()
    }
}
