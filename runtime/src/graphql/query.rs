//! A query or mutation over HTTP.

use std::{fmt, marker::PhantomData, pin::Pin};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use secrecy::SecretString;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Answer, document, hub::Hub};
use crate::{
    Client, Error, Method,
    client::{Options, Session, options, send},
    error::{Kind, read_errors},
    protocol::{Content, Prepared, encode_path, set_header, url},
};

const NAME: &str = "graphql";

/// GraphQL over HTTP: the newer media type first, JSON for the servers before it.
const ACCEPT: &str = "application/graphql-response+json, application/json;q=0.9";

/// A document that is ready to be sent. `.await` sends it.
///
/// The answer has data, at least in part. Errors without any data are an [`Error`], with
/// [`graphql_errors`](Error::graphql_errors).
#[must_use = "a query is sent when it is awaited"]
pub struct Query<'a, T> {
    platform: &'a Client,
    prepared: Result<Prepared, Error>,
    options: Options,
    answer: PhantomData<fn() -> T>,
}

options!([T] Query<'_, T>, options);

impl<'a, T: DeserializeOwned> Query<'a, T> {
    pub(super) fn new(platform: &'a Client, document: &str, variables: &impl Serialize) -> Self {
        let session = &platform.session;
        let prepared = body(document, variables)
            .and_then(|body| prepare(session, Hub::of(session).options().path.as_str(), body.into(), ACCEPT, false));
        let options = Options { idempotent: !document::has_mutation(document), ..Options::default() };
        Self { platform, prepared, options, answer: PhantomData }
    }

    /// Adds a header, or replaces one. `Authorization` is the credential's, and is never taken from here.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Err(error) = set_header(&mut self.options.headers, name, value) {
            self.prepared = self.prepared.and(Err(error.at(NAME)));
        }
        self
    }
}

impl<'a, T: DeserializeOwned + 'a> IntoFuture for Query<'a, T> {
    type Output = Result<Answer<T>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { platform, prepared, options, .. } = self;
        Box::pin(async move {
            let body = exchange(&platform.session, prepared?, &options).await?;
            Answer::read(&body, super::connect::secret(&platform.session).as_ref())
                .and_then(Answer::with_data)
                .map_err(|error| error.at(NAME))
        })
    }
}

async fn exchange(session: &Session, prepared: Prepared, options: &Options) -> Result<Bytes, Error> {
    match send(session, &prepared, options).await {
        Ok(raw) => Ok(raw.bytes().clone()),
        Err(error) => Err(refused(error, super::connect::secret(session).as_ref())),
    }
}

/// The errors that a status other than 2xx carries, when its body is a GraphQL answer; else the status.
fn refused(error: Error, secret: Option<&SecretString>) -> Error {
    let Some(status) = error.status().filter(|status| !matches!(status.as_u16(), 401 | 403 | 429)) else {
        return error;
    };
    let Ok(Value::Object(answer)) = serde_json::from_slice(error.raw_body()) else { return error };
    // ASP.NET's problem details have `errors` as well, as an object.
    match answer.get("errors") {
        Some(list @ Value::Array(_)) => {
            let body = Bytes::copy_from_slice(error.raw_body());
            Error::graphql(read_errors(&list.to_string(), secret)).with_response(status, body).at(NAME)
        }
        _ => error,
    }
}

/// The body of a request, and the payload of a subscription.
pub(super) fn body(document: &str, variables: &impl Serialize) -> Result<String, Error> {
    let refuse = |what: &str| Error::new(Kind::Request, what.to_owned()).hint("nothing was sent").at(NAME);
    let variables = match serde_json::to_value(variables).map_err(|_| refuse("the variables cannot be written"))? {
        Value::Array(pairs) => pairs_to_object(pairs).ok_or_else(|| refuse("the variables are no object"))?,
        variables @ (Value::Object(_) | Value::Null) => variables,
        _ => return Err(refuse("the variables are no object")),
    };
    let mut body = serde_json::Map::new();
    body.insert("query".to_owned(), document.into());
    if !variables.is_null() {
        body.insert("variables".to_owned(), variables);
    }
    Ok(Value::Object(body).to_string())
}

/// `[("id", "17")]` is an object to people.
fn pairs_to_object(pairs: Vec<Value>) -> Option<Value> {
    let mut object = serde_json::Map::new();
    for pair in pairs {
        let Value::Array(pair) = pair else { return None };
        let [Value::String(name), value] = <[Value; 2]>::try_from(pair).ok()? else { return None };
        object.insert(name, value);
    }
    Some(object.into())
}

pub(super) fn prepare(
    session: &Session,
    path: &str,
    body: Bytes,
    accept: &'static str,
    stream: bool,
) -> Result<Prepared, Error> {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(Prepared {
        operation: NAME,
        family: "",
        method: Method::Post,
        url: url(&session.base, &encode_path(path), "").map_err(|error| error.at(NAME))?,
        headers,
        body: Content::Bytes(body),
        stream,
    })
}

impl<T> fmt::Debug for Query<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
