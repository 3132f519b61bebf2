//! Requests without a generated operation.

use std::fmt;

use http::{HeaderMap, header};
use serde::{Serialize, de::DeserializeOwned};

use super::{Call, Client, Options, RawResponse, options};
use crate::{
    Error, Method, Upload,
    error::Kind,
    protocol::{
        Argument, Content, Prepared, Raw, decode, encode_path, pairs, set_callers_header, set_header, to_bytes,
        to_value, url,
    },
};

const NAME: &str = "request";

/// A request to the service that is built by hand: the client's connections, credential and limits apply.
///
/// ```no_run
/// # async fn run(client: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::{Method, Object};
///
/// let found: Vec<Object> = client
///     .request(Method::Get, "/api/forum/v1/threads")
///     .query("tag", "rust")
///     .send()
///     .await?
///     .json()?;
/// # let _ = found;
/// # Ok(()) }
/// ```
#[must_use = "a request is sent by `send`"]
pub struct Request<'a> {
    client: &'a Client,
    method: Method,
    path: String,
    query: Vec<String>,
    headers: HeaderMap,
    body: Content,
    options: Options,
    error: Option<Error>,
}

options!([] Request<'_>, options);

impl<'a> Request<'a> {
    pub(crate) fn new(client: &'a Client, method: Method, path: String) -> Self {
        Self {
            client,
            method,
            path,
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: Content::None,
            options: Options::default(),
            error: None,
        }
    }

    /// Adds a query parameter. A list repeats the name; null adds nothing.
    pub fn query(mut self, name: &str, value: impl Serialize) -> Self {
        match to_value(&value) {
            Ok(value) => self.query.extend(pairs(name, &value)),
            Err(cause) => {
                self.fail(Error::with(Kind::Request, format!("the parameter `{name}` cannot be written")).cause(cause))
            }
        }
        self
    }

    /// Adds a header, or replaces one. `Authorization` is an error, since the credential sets it.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Err(error) = set_callers_header(&mut self.headers, name, value) {
            self.fail(error);
        }
        self
    }

    /// Sets a JSON body.
    pub fn json(mut self, body: &impl Serialize) -> Self {
        match to_bytes(body as &dyn Argument) {
            Ok(text) => self.set_body(Content::Bytes(text.into()), "application/json"),
            Err(cause) => self.fail(Error::with(Kind::Request, "the body cannot be written").cause(cause)),
        }
        self
    }

    /// Sets a body of bytes, a file or a stream.
    pub fn body(mut self, upload: Upload) -> Self {
        let media_type = upload.content_type.clone().unwrap_or_else(|| "application/octet-stream".to_owned());
        self.set_body(Content::Upload(upload), &media_type);
        self
    }

    /// Sends the request. An error status is an error of the call.
    ///
    /// # Cancellation safety
    ///
    /// If the future is dropped before its end, the request may or may not have reached the service, as after an error
    /// with [`is_submission_unknown`](Error::is_submission_unknown). A request that may be sent twice can be sent
    /// again; to start work, use a submission, whose store keeps track of it.
    ///
    /// # Errors
    ///
    /// As for any call.
    pub async fn send(self) -> Result<RawResponse, Error> {
        self.into_call(false, |raw| Ok(RawResponse::new(raw))).await
    }

    /// Returns the request as a [`Call`] that decodes JSON.
    pub fn call<T: DeserializeOwned>(self) -> Call<'a, T> {
        self.into_call(false, |raw| raw.json())
    }

    /// Sends the request, and returns the body as a stream.
    ///
    /// # Errors
    ///
    /// As for any call.
    pub async fn stream(mut self) -> Result<crate::ByteStream, Error> {
        self.options.stream = Some(true);
        self.into_call(true, decode::stream).await
    }

    /// Sends the request, and reads server-sent events.
    ///
    /// # Errors
    ///
    /// As for any call.
    pub async fn events(self) -> Result<crate::EventStream, Error> {
        self.into_call(true, decode::events).await
    }

    fn into_call<T>(self, stream: bool, decode: fn(Raw) -> Result<T, Error>) -> Call<'a, T> {
        let (client, prepared, options) = self.into_parts(stream);
        Call::from_request(client, NAME, prepared, options, decode)
    }

    pub(crate) fn into_parts(mut self, stream: bool) -> (&'a Client, Result<Prepared, Error>, Options) {
        if !self.headers.contains_key(header::ACCEPT) {
            self.headers.insert(header::ACCEPT, header::HeaderValue::from_static("application/json, */*;q=0.8"));
        }
        let prepared = match self.error {
            Some(error) => Err(error),
            None => {
                url(&self.client.session.base, &encode_path(&self.path), &self.query.join("&")).map(|url| Prepared {
                    operation: NAME,
                    family: "",
                    template: "",
                    method: self.method,
                    url,
                    headers: self.headers,
                    body: self.body,
                    stream,
                    redirects: &[],
                    security: self.client.session.security,
                    taken: Vec::new(),
                })
            }
        };
        (self.client, prepared.map_err(|error| error.at(NAME)), self.options)
    }

    fn set_body(&mut self, body: Content, media_type: &str) {
        self.body = body;
        if !self.headers.contains_key(header::CONTENT_TYPE)
            && let Err(error) = set_header(&mut self.headers, "content-type", media_type)
        {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("method", &self.method).finish_non_exhaustive()
    }
}
