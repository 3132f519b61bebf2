//! The downloads of the tool that regenerates clients, under the same rules as in the programs that use them. Not part
//! of the public interface; it has the version of the tool.

use std::{
    error::Error as _,
    time::{Duration, SystemTime},
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use secrecy::SecretString;
use url::Url;

pub use crate::client::{
    ConnectionSettings, CredentialSettings, Credentials, NamedFile, SecretFiles, SecretPlace, SettingSlot, Table,
    key_variable, secret_variables, table,
};
use crate::{
    Client, Error, Method, auth,
    client::{Options, RetryPolicy, send},
    clock::{self, Until},
    error::{Kind, escape},
    protocol::{Body, Content, Prepared, Security, set_header},
    transport::retry_after,
};

/// The names that a client takes for itself, a line each: `method NAME` or `type NAME`. No family of a contract gets one of them.
pub const RESERVED: &str = include_str!("reserved.txt");

const NAME: &str = "download";

/// A request to any address. The client's credential is sent if the address is on its server.
#[derive(Debug)]
pub struct Download<'a> {
    pub method: Method,
    pub url: &'a Url,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<Bytes>,
    /// The time limit of the whole request.
    pub time: Duration,
    /// The largest body that is read, in bytes.
    pub limit: usize,
}

/// The response, whatever its status. The body of an error status is cut off at 64 KiB.
#[derive(Debug)]
pub struct Downloaded {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The time after which the server wants to be asked again.
    pub retry_after: Option<Duration>,
}

impl Download<'_> {
    /// Sends it once, and reports the number of bytes received so far.
    pub async fn send(self, client: &Client, received: &mut (dyn FnMut(usize) + Send)) -> Result<Downloaded, Error> {
        let (time, limit) = (self.time, self.limit);
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            set_header(&mut headers, name, value)?;
        }
        let prepared = Prepared {
            operation: NAME,
            family: "",
            template: "",
            method: self.method,
            url: self.url.clone(),
            headers,
            body: self.body.map_or(Content::None, Content::Bytes),
            stream: true,
            redirects: &[],
            security: Security::Token,
            taken: Vec::new(),
        };
        let options = Options {
            deadline: Some(time),
            idle: Some(time),
            retries: Some(RetryPolicy::never()),
            stream: Some(true),
            ..Options::default()
        };
        let exchange = async {
            let raw = match send(&client.session, &prepared, &options).await {
                Ok(raw) => raw,
                Err(error) => {
                    return match error.status() {
                        Some(status) if error.code() == "status" => {
                            let (headers, body) = (error.headers().clone(), Bytes::copy_from_slice(error.raw_body()));
                            let retry_after = retry_after(&headers, SystemTime::now());
                            Ok(Downloaded { status, headers, body, retry_after })
                        }
                        _ => Err(error),
                    };
                }
            };
            let body = match raw.body {
                Body::Whole(bytes) => bytes,
                Body::Live(mut stream) => {
                    let mut whole = BytesMut::new();
                    while let Some(chunk) = stream.next().await {
                        let chunk = chunk?;
                        if whole.len() + chunk.len() > limit {
                            return Err(Error::with(Kind::TooLarge, format!("the body is longer than {limit} bytes")));
                        }
                        whole.extend_from_slice(&chunk);
                        received(whole.len());
                    }
                    whole.freeze()
                }
            };
            Ok(Downloaded { status: raw.status, headers: raw.headers, body, retry_after: None })
        };
        clock::limit(time, exchange).await.unwrap_or_else(|_| {
            Err(Error::with(Kind::Timeout, format!("no whole answer within {}", clock::seconds(time))))
        })
    }
}

/// Returns the token and the keys of a client in all forms in which a service could repeat them, so that they can be
/// kept out of messages and files.
pub async fn secrets(client: &Client, time: Duration) -> Result<Vec<SecretString>, Error> {
    let session = &client.session;
    let token = session.credential.iter().map(|cache| (cache, false));
    let keys = session.placed.iter().map(|(_, key)| (&key.cache, key.basic));
    let mut secrets = Vec::new();
    for (cache, is_basic) in token.chain(keys) {
        let token = cache.token(&session.transport, Until::after(time), None).await?;
        secrets.extend(auth::secrets(&token, is_basic));
    }
    Ok(secrets)
}

/// An error in parts.
#[derive(Debug)]
pub struct ErrorSummary {
    /// The specific code, such as `secret/missing` or `connect/dns`; else its kind, such as `timeout`.
    pub code: &'static str,
    /// The message, with its causes.
    pub what: String,
    /// The next step.
    pub hint: String,
}

pub fn summary(error: &Error) -> ErrorSummary {
    let (what, hint) = error.parts();
    let mut summary = ErrorSummary {
        code: Some(error.reason()).filter(|reason| !reason.is_empty()).unwrap_or(error.code()),
        what: what.to_owned(),
        hint: escape(hint),
    };
    let mut next = error.source();
    while let Some(cause) = next {
        match cause.downcast_ref::<Error>() {
            Some(inner) => summary.what += &format!(": {}", inner.parts().0),
            None => summary.what += &format!(": {cause}"),
        }
        next = cause.source();
    }
    summary.what = escape(&summary.what);
    summary
}
