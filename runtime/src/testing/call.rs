//! The recorded calls of a fake.

use std::future::poll_fn;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::Body as _;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::wrong;
use crate::{
    Method,
    error::{Error, Kind},
    json::lenient,
    protocol::Prepared,
};

/// The largest body that a fake records, in bytes.
const LIMIT: usize = 64 * 1024 * 1024;

/// A call that a [`Fake`](super::Fake) received.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FakeCall {
    /// The operation, by its Rust name.
    pub operation: &'static str,
    /// Its family; empty if no contract has it.
    pub family: &'static str,
    /// The method.
    pub method: Method,
    /// The path, from the root of the address.
    pub path: String,
    /// The query, without its question mark; empty if the call has no query.
    pub query: String,
    /// The headers, without those of a credential.
    pub headers: HeaderMap,
    /// The body as it was sent, including files, streams and multipart forms.
    pub body: Bytes,
    template: &'static str,
}

impl FakeCall {
    pub(super) async fn read(
        prepared: &Prepared,
        headers: HeaderMap,
        body: Option<reqwest::Body>,
    ) -> Result<Self, Error> {
        let mut whole = BytesMut::new();
        if let Some(body) = body {
            let mut body = std::pin::pin!(body);
            while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
                let frame = frame.map_err(|cause| Error::with(Kind::File, "the body cannot be read").cause(cause))?;
                if let Ok(data) = frame.into_data() {
                    whole.extend_from_slice(&data);
                }
                if whole.len() > LIMIT {
                    return Err(wrong(format!("the body is longer than the {LIMIT} bytes that a fake keeps")));
                }
            }
        }
        Ok(Self {
            operation: prepared.operation,
            family: prepared.family,
            method: prepared.method,
            path: prepared.url.path().to_owned(),
            query: prepared.url.query().unwrap_or_default().to_owned(),
            headers,
            body: whole.freeze(),
            template: prepared.template,
        })
    }

    /// Returns the value of a path parameter, by its name in the contract. `None` if the template has no segment of it.
    pub fn path_parameter(&self, name: &str) -> Option<String> {
        let (names, values) = (self.template.split('/').rev(), self.path.split('/').rev());
        let is_it = |segment: &str| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name);
        let (_, value) = names.zip(values).find(|(segment, _)| is_it(segment))?;
        Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
    }

    /// Returns the first value of a query parameter.
    pub fn query_parameter(&self, name: &str) -> Option<String> {
        let mut pairs = url::form_urlencoded::parse(self.query.as_bytes());
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    /// Returns the value of a header if it exists and is visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Decodes the body as JSON.
    ///
    /// # Errors
    ///
    /// The body is not JSON of that type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        lenient::from_slice(&self.body).map_err(|cause| Error::decode("the body of the call", &cause))
    }
}
