//! The part of the sandbox that a regeneration downloads: the contract, the schema of GraphQL, and a token for both.
//!
//! It is a server of its own, so that the first command of this repository compiles neither a framework nor the state of resources.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH,
    WWW_AUTHENTICATE,
};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::contract::{self, Document, Rendered, Revision};
use crate::directory::{Client, Directory, Grant, SecretFolder, Seed, random_text};
use crate::error::Error;

/// The path of the issuer below the base address, as that of the sandbox.
const ISSUER: &str = "/identity";
/// The path of GraphQL below the base address, as that of the sandbox.
const GRAPHQL: &str = "/graphql";
/// The schema of the sandbox. A test of `graphql` compares it with the types that answer queries.
pub(crate) const SCHEMA: &str = include_str!("graphql/schema.graphql");
/// The time until a listener that has failed is asked again.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum length of a token request, in bytes.
const LONGEST: usize = 64 * 1024;

/// A server for the contract, the schema and tokens, on any free port of the loopback address. It stops when it is dropped.
#[derive(Debug)]
pub struct StandIn {
    base_url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    issuer: String,
    directory: Directory,
    document: &'static Document,
    token: String,
    /// The key of the digests that compare secrets.
    key: hmac::Key,
}

impl StandIn {
    /// Starts a server with the built-in seed.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Bind`], [`Error::Contract`] or [`Error::Random`].
    pub async fn start() -> Result<Self, Error> {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let refused = |source| Error::Bind { address, port: 0, source };
        let listener = TcpListener::bind((address, 0)).await.map_err(refused)?;
        let base_url = format!("http://{}", listener.local_addr().map_err(refused)?);
        let random = SystemRandom::new();
        let shared = Arc::new(Shared {
            issuer: format!("{base_url}{ISSUER}"),
            directory: Seed::read(None)?.directory(|_owner| random_text(&random))?,
            document: Revision::First.document()?,
            token: random_text(&random)?,
            key: hmac::Key::generate(hmac::HMAC_SHA256, &random).map_err(|_unspecified| Error::Random)?,
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { base_url, shared, task })
    }

    /// Returns the base address, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns the address of the issuer.
    pub fn auth_url(&self) -> String {
        self.shared.issuer.clone()
    }

    /// Returns the address of the contract in JSON. The YAML form ends in `.yaml`.
    pub fn contract_url(&self) -> String {
        format!("{}{}", self.base_url, contract::JSON_PATH)
    }

    /// Returns the address of the schema; with `?sdl`, it answers.
    pub fn graphql_url(&self) -> String {
        format!("{}{GRAPHQL}", self.base_url)
    }

    /// Returns the clients that can get a token, each with its secret.
    pub fn clients(&self) -> &[Client] {
        &self.shared.directory.clients
    }

    /// Writes secrets and passwords into a folder, as `Sandbox::publish_secrets` does.
    ///
    /// # Errors
    ///
    /// Returns [`Error::SecretFile`], [`Error::SecretsInUse`] or [`Error::ForeignFile`].
    pub fn publish_secrets(&self, folder: Option<&Path>) -> Result<SecretFolder, Error> {
        SecretFolder::fill(folder, &self.shared.directory)
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok((stream, _)) = listener.accept() => {
                let shared = Arc::clone(&shared);
                let service = service_fn(move |request| {
                    let shared = Arc::clone(&shared);
                    async move { Ok::<_, Infallible>(shared.answer(request).await) }
                });
                let mut http = Builder::new();
                http.timer(TokioTimer::new());
                connections.spawn(async move {
                    // Clients that disconnect or do not speak HTTP are not an error.
                    let _ = http.serve_connection(TokioIo::new(stream), service).await;
                });
            }
            Some(_) = connections.join_next() => {}
            // An error of a listener, such as too many open files, is over when a connection of anyone is.
            else => tokio::time::sleep(PAUSE).await,
        }
    }
}

impl Shared {
    async fn answer(&self, request: Request<Incoming>) -> Response<String> {
        let (head, body) = request.into_parts();
        let is_read = head.method == Method::GET;
        match head.uri.path() {
            contract::JSON_PATH if is_read => self.contract(&head.headers, &self.document.json),
            contract::YAML_PATH if is_read => self.contract(&head.headers, &self.document.yaml),
            GRAPHQL if is_read && head.uri.query() == Some("sdl") => match self.is_allowed(&head.headers) {
                true => reply(StatusCode::OK, "application/graphql; charset=utf-8", SCHEMA.to_owned()),
                false => challenge(),
            },
            "/identity/.well-known/openid-configuration" if is_read => {
                let document = json!({
                    "issuer": self.issuer,
                    "token_endpoint": format!("{}/connect/token", self.issuer),
                    "grant_types_supported": ["client_credentials"],
                    "token_endpoint_auth_methods_supported": ["client_secret_post"],
                });
                reply(StatusCode::OK, JSON, document.to_string())
            }
            "/identity/connect/token" if head.method == Method::POST => {
                let (status, body) = match read(body).await {
                    Some(form) => self.grant(&form),
                    None => refusal("invalid_request", "the body is too long or was cut off"),
                };
                with(reply(status, JSON, body.to_string()), CACHE_CONTROL, HeaderValue::from_static("no-store"))
            }
            _ => reply(
                StatusCode::NOT_FOUND,
                JSON,
                json!({ "detail": "the stand-in serves the contract, the schema and tokens only" }).to_string(),
            ),
        }
    }

    fn contract(&self, headers: &HeaderMap, form: &Rendered) -> Response<String> {
        if !self.is_allowed(headers) {
            return challenge();
        }
        let is_known = form.is_known(headers.get_all(IF_NONE_MATCH));
        let (status, body) = match is_known {
            true => (StatusCode::NOT_MODIFIED, String::new()),
            false => (StatusCode::OK, String::from_utf8_lossy(&form.body).into_owned()),
        };
        let reply = reply(status, form.media_type, body);
        match HeaderValue::from_str(&form.etag) {
            Ok(etag) => with(reply, ETAG, etag),
            Err(_) => reply,
        }
    }

    /// Returns whether a request has the token.
    fn is_allowed(&self, headers: &HeaderMap) -> bool {
        let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = value.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        token.is_some_and(|(_, token)| self.same(&self.token, token.trim()))
    }

    /// The client-credentials grant (RFC 6749 §4.4), with the credentials in the form.
    fn grant(&self, form: &[u8]) -> (StatusCode, Value) {
        let field = |name: &str| {
            let mut values = form_urlencoded::parse(form).filter(|(key, _)| key == name).map(|(_, value)| value);
            values.next().filter(|_| values.next().is_none()).unwrap_or_default()
        };
        if field("grant_type") != "client_credentials" {
            return refusal("unsupported_grant_type", "the stand-in has the grant client_credentials alone");
        }
        let client = self.directory.client(&field("client_id")).filter(|client| !client.is_public());
        let is_same = self.same(client.map_or("", Client::secret), &field("client_secret"));
        match client.filter(|_| is_same) {
            Some(client) if client.may(Grant::ClientCredentials) => (
                StatusCode::OK,
                json!({ "access_token": self.token, "expires_in": 3600, "token_type": "Bearer", "scope": "api" }),
            ),
            Some(_) => refusal("unauthorized_client", "the grant is not enabled for this client"),
            None => refusal("invalid_client", "the client is unknown or its secret is wrong"),
        }
    }

    /// Returns whether two secrets are equal. It compares keyed digests, which takes the same time wherever they differ.
    fn same(&self, expected: &str, given: &str) -> bool {
        let expected = hmac::sign(&self.key, expected.as_bytes());
        hmac::verify(&self.key, given.as_bytes(), expected.as_ref()).is_ok()
    }
}

const JSON: &str = "application/json; charset=utf-8";

fn reply(status: StatusCode, media_type: &'static str, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    with(response, CONTENT_TYPE, HeaderValue::from_static(media_type))
}

fn with(mut response: Response<String>, name: HeaderName, value: HeaderValue) -> Response<String> {
    response.headers_mut().insert(name, value);
    response
}

fn challenge() -> Response<String> {
    let response = reply(StatusCode::UNAUTHORIZED, JSON, String::new());
    with(response, WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

fn refusal(error: &str, description: &str) -> (StatusCode, Value) {
    (StatusCode::BAD_REQUEST, json!({ "error": error, "error_description": description }))
}

/// The whole body, unless it is too long or breaks off.
async fn read(mut body: Incoming) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() > LONGEST {
            return None;
        }
    }
    Some(bytes)
}
