//! A query or mutation over HTTP.

use std::{fmt, marker::PhantomData, pin::Pin, time::Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use ring::digest;
use secrecy::SecretString;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    answer::{Answer, Types},
    document, file,
    hub::Hub,
    options::{GraphqlOptions, TrustedDocuments},
    persisted::{By, Unknown},
    trusted::explained,
};
use crate::{
    Client, Error, Method, Object, Upload, Value,
    client::{Options, Session, options, send},
    clock::Until,
    error::{GraphqlError, Kind, read_errors},
    protocol::{Content, Parts, Prepared, Raw, encode_path, pairs as query_pairs, set_callers_header, to_bytes, url},
};

pub(super) const NAME: &str = "graphql";

/// GraphQL over HTTP: the newer media type first, JSON for the servers before it.
const ACCEPT: &str = "application/graphql-response+json, application/json;q=0.9";

/// A document that is ready to be sent. `.await` sends it.
///
/// The answer has data, at least in part. Errors without any data are an [`Error`], with
/// [`graphql_errors`](Error::graphql_errors).
#[must_use = "a query is sent when it is awaited"]
pub struct Query<'a, T> {
    client: &'a Client,
    ask: Result<Ask, Error>,
    types: Types,
    options: Options,
    answer: PhantomData<fn() -> T>,
}

options!([T] Query<'_, T>, options);

impl<'a, T: DeserializeOwned> Query<'a, T> {
    pub(super) fn new(client: &'a Client, document: &str, types: Types, variables: &impl Serialize) -> Self {
        let options = Options { idempotent: !document::has_mutation(document), ..Options::default() };
        Self { client, ask: Ask::new(document, variables), types, options, answer: PhantomData }
    }

    /// Returns the client, the request, the origin of the types, and the options.
    pub(super) fn into_parts(self) -> (&'a Client, Result<Ask, Error>, Types, Options) {
        (self.client, self.ask, self.types, self.options)
    }

    /// Adds a header, or replaces one. `Authorization` is an error, since the credential sets it.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Err(error) = set_callers_header(&mut self.options.headers, name, value) {
            self.ask = self.ask.and(Err(error.at(NAME)));
        }
        self
    }
}

impl<'a, T: DeserializeOwned + 'a> IntoFuture for Query<'a, T> {
    type Output = Result<Answer<T>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { client, ask, types, options, .. } = self;
        Box::pin(async move {
            let session = &client.session;
            let body = exchange(session, ask?, options).await?;
            Answer::read(&body, super::connect::secret(session).as_ref(), types)
                .and_then(Answer::with_data)
                .map_err(|error| error.at(NAME))
        })
    }
}

/// The request: a document, and its variables as JSON.
#[derive(Clone)]
pub(super) struct Ask {
    document: String,
    name: Option<String>,
    variables: Option<String>,
    /// Files among the variables, with the paths to their places.
    files: Vec<(String, Upload)>,
    reads: bool,
}

impl Ask {
    pub(super) fn new(document: &str, variables: &impl Serialize) -> Result<Self, Error> {
        let refuse = |message: &str| Error::with(Kind::Request, message.to_owned()).hint("nothing was sent").at(NAME);
        let written = file::written(|| to_bytes(variables));
        let (text, files) = written.map_err(|_| refuse("the variables cannot be written"))?;
        let variables = match text.as_bytes().first() {
            Some(b'n') => None,
            Some(b'{') => Some(text),
            Some(b'[') => Some(pairs_to_object(&text).ok_or_else(|| refuse("the variables are not an object"))?),
            _ => return Err(refuse("the variables are not an object")),
        };
        Ok(Self {
            document: document.to_owned(),
            name: document::operation_name(document),
            variables,
            files,
            reads: !document::has_mutation(document),
        })
    }

    /// Returns the value of a variable, if it has one.
    pub(super) fn variable(&self, name: &str) -> Option<Value> {
        Value::read(self.variables.as_deref()?).ok()?.get(name).cloned()
    }

    /// Gives a variable another value; the others keep theirs.
    pub(super) fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error> {
        let text = self.variables.as_deref().unwrap_or("{}");
        let Ok(Value::Object(mut variables)) = Value::read(text) else {
            return Err(
                Error::with(Kind::Request, "the variables are not an object").hint("the next page was not requested")
            );
        };
        variables.set(name, value);
        self.variables = Some(Value::Object(variables).to_string());
        Ok(())
    }

    /// The payload of a subscription.
    pub(super) fn payload(&self, options: &GraphqlOptions) -> String {
        self.body(options.trusted.map_or(By::Text, TrustedDocuments::by))
    }

    /// Returns whether it can be sent without a form.
    pub(super) fn is_plain(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the SHA-256 of the document.
    fn hash(&self) -> String {
        let hash = digest::digest(&digest::SHA256, self.document.as_bytes());
        hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The parts of the request: name, and JSON text.
    fn parts(&self, by: By) -> Vec<(&'static str, String)> {
        let quoted = |text: &str| Value::from(text).to_string();
        let mut parts = Vec::new();
        match by {
            By::Text | By::Both => parts.push(("query", quoted(&self.document))),
            By::DocumentId => parts.push(("documentId", quoted(&format!("sha256:{}", self.hash())))),
            By::Hash => {}
        }
        parts.extend(self.name.as_deref().map(|name| ("operationName", quoted(name))));
        parts.extend(self.variables.clone().map(|variables| ("variables", variables)));
        if matches!(by, By::Hash | By::Both) {
            let hash = self.hash();
            let text = format!("{{\"persistedQuery\":{{\"version\":1,\"sha256Hash\":\"{hash}\"}}}}");
            parts.push(("extensions", text));
        }
        parts
    }

    fn body(&self, by: By) -> String {
        let parts: Vec<String> = self.parts(by).iter().map(|(name, text)| format!("\"{name}\":{text}")).collect();
        format!("{{{}}}", parts.join(","))
    }

    /// The request over HTTP.
    fn prepare(&self, session: &Session, by: By) -> Result<Prepared, Error> {
        let options = Hub::for_session(session).options();
        if !self.files.is_empty() {
            return self.form(session, by);
        }
        if options.get && self.reads {
            // A JSON string is plain text in the query; other values stay JSON.
            let text = |text: &str| serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned());
            let pairs: Vec<String> =
                self.parts(by).iter().flat_map(|(name, part)| query_pairs(name, &Value::String(text(part)))).collect();
            let mut prepared = prepare(session, &options.path, Content::None, &pairs.join("&"), ACCEPT, false)?;
            prepared.method = Method::Get;
            return Ok(prepared);
        }
        prepare(session, &options.path, Content::Bytes(self.body(by).into()), "", ACCEPT, false)
    }

    /// A form with files (GraphQL multipart request specification).
    fn form(&self, session: &Session, by: By) -> Result<Prepared, Error> {
        let mut parts = Parts::default();
        parts.text("operations", self.body(by));
        let places: Vec<String> = (0..)
            .zip(&self.files)
            .map(|(index, (path, _))| format!("\"{index}\":[{}]", Value::from(path.as_str())))
            .collect();
        parts.text("map", format!("{{{}}}", places.join(",")));
        for (index, (_, upload)) in self.files.iter().enumerate() {
            parts.named_file(index.to_string(), upload.clone());
        }
        let path = &Hub::for_session(session).options().path;
        let mut prepared = prepare(session, path, Content::Parts(parts), "", ACCEPT, false)?;
        prepared.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("multipart/form-data"));
        // Services with protection against cross-site forms require a header that no form can have.
        prepared.headers.insert("graphql-require-preflight", HeaderValue::from_static("1"));
        Ok(prepared)
    }
}

pub(super) async fn exchange(session: &Session, ask: Ask, options: Options) -> Result<Bytes, Error> {
    let until = options.deadline.map(Until::after);
    let hub = Hub::for_session(session);
    let hash = if hub.options().persisted && ask.is_plain() { ask.hash() } else { String::new() };
    let mut by = match hub.options().trusted {
        Some(trusted) => trusted.by(),
        None if hash.is_empty() => By::Text,
        None => hub.persisted.first(&hash),
    };
    let mut options = options;
    loop {
        let prepared = ask.prepare(session, by)?;
        let secret = super::connect::secret(session);
        let outcome = match send(session, &prepared, &options).await {
            Ok(raw) => read_body(raw),
            Err(error) if error.is_too_large() => {
                Err(error.hint("select less in the document, or raise `body_limit` of the client"))
            }
            Err(error) => Err(refused(error, secret.as_ref())),
        };
        if hub.options().trusted.is_some() {
            return trusted_outcome(outcome, secret.as_ref());
        }
        let Some(next) = hub.persisted.next(&hash, by, unknown_hash(&outcome, secret.as_ref())) else { return outcome };
        by = next;
        // A repetition has the remaining time.
        options.deadline = until.map(|until| until.left(Instant::now()));
    }
}

/// Returns the response to a document that was sent by its identifier. A response without data, whose errors have the next
/// step, is an error.
fn trusted_outcome(outcome: Result<Bytes, Error>, secret: Option<&SecretString>) -> Result<Bytes, Error> {
    let body = outcome.map_err(explained)?;
    match Answer::<Value>::read(&body, secret, Types::OfCaller).and_then(Answer::with_data) {
        Err(error) if error.is_graphql() => Err(explained(error)),
        _ => Ok(body),
    }
}

/// Returns the service's response to an unknown hash.
fn unknown_hash(outcome: &Result<Bytes, Error>, secret: Option<&SecretString>) -> Option<Unknown> {
    let says = |errors: &[GraphqlError]| {
        errors.iter().find_map(|error| match (error.code(), error.message()) {
            (Some("PERSISTED_QUERY_NOT_FOUND"), _) | (_, "PersistedQueryNotFound") => Some(Unknown::This),
            (Some("PERSISTED_QUERY_NOT_SUPPORTED"), _) | (_, "PersistedQueryNotSupported") => Some(Unknown::All),
            _ => None,
        })
    };
    match outcome {
        Err(error) => says(error.graphql_errors()),
        Ok(body) => match Answer::<Value>::read(body, secret, Types::OfCaller) {
            Ok(answer) if answer.data().is_none() => says(answer.errors()),
            _ => None,
        },
    }
}

/// Returns the body of a 2xx, if it is a GraphQL response.
fn read_body(raw: Raw) -> Result<Bytes, Error> {
    let kind = raw.headers.get(header::CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
    let essence = kind.as_deref().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // Some services send no media type, or `text/plain`, with their JSON.
    let is_json = essence.is_empty() || essence.ends_with("json");
    let body = raw.json_bytes();
    if is_json || body.trim_ascii_start().starts_with(b"{") {
        return Ok(body);
    }
    let hint = match essence.starts_with("multipart/") {
        true => "the service answers in several parts, which the client does not read: remove `@defer` and `@stream`",
        false => "this is not a GraphQL interface: check its path, and proxies on the way",
    };
    let message = format!("the answer has the content type `{}`, and is not JSON", crate::error::escape(&essence));
    Err(Error::with(Kind::Decode, message).hint(hint).at(NAME))
}

/// Returns the errors in a response with a status other than 2xx, if its body is a GraphQL response; else the status.
fn refused(error: Error, secret: Option<&SecretString>) -> Error {
    let Some(status) = error.status().filter(|status| !matches!(status.as_u16(), 401 | 403 | 429)) else {
        return error.with_graphql(secret);
    };
    let answer = error.json_text().ok().and_then(|text| serde_json::from_str(&text).ok());
    let Some(Value::Object(answer)) = answer else { return error };
    // ASP.NET's problem details have `errors` as well, as an object.
    match answer.value("errors") {
        Some(list @ Value::Array(_)) => {
            Error::graphql(read_errors(&list.to_string(), secret)).with_response_of(&error).with_status(status).at(NAME)
        }
        _ => error,
    }
}

/// `[["id", "17"]]` looks like an object.
fn pairs_to_object(text: &str) -> Option<String> {
    let Value::Array(pairs) = Value::read(text).ok()? else { return None };
    let members: Option<Object> = pairs
        .into_iter()
        .map(|pair| {
            let Value::Array(pair) = pair else { return None };
            let [Value::String(name), value] = <[Value; 2]>::try_from(pair).ok()? else { return None };
            Some((name, value))
        })
        .collect();
    Some(Value::Object(members?).to_string())
}

pub(super) fn prepare(
    session: &Session,
    path: &str,
    body: Content,
    query: &str,
    accept: &'static str,
    stream: bool,
) -> Result<Prepared, Error> {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    if matches!(body, Content::Bytes(_)) {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(Prepared {
        operation: NAME,
        family: "",
        template: "",
        method: Method::Post,
        url: url(&session.base, &encode_path(path), query).map_err(|error| error.at(NAME))?,
        headers,
        body,
        stream,
        redirects: &[],
        security: session.security,
        taken: Vec::new(),
    })
}

impl<T> fmt::Debug for Query<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
