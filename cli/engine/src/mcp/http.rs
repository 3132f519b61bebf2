//! Streamable HTTP on loopback, for clients that have its token.
//!
//! Another user of the machine, and any page in a browser, can reach a port on loopback, and the server acts with the credentials of the person
//! who started it. So each request carries a token, names this address as its host, and comes from no page.

use std::convert::Infallible;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::handler::McpHandler;
use crate::{Exit, Failure};

/// The path of the server.
const PATH: &str = "/mcp";
/// Bytes of a request.
const REQUEST: usize = 4 << 20;
/// Connections at the same time.
const CONNECTIONS: usize = 64;
/// The shortest token that is accepted from a file.
const TOKEN: usize = 16;

type Service = StreamableHttpService<McpHandler, LocalSessionManager>;
type Answer = Response<BoxBody<Bytes, Infallible>>;

/// A bound server.
pub(super) struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    /// The token is in a file that the person named.
    has_file: bool,
}

impl HttpServer {
    pub(super) async fn bind(port: u16, token_file: Option<&Path>) -> Result<Self, Failure> {
        let token = match token_file {
            Some(path) => token_of(path)?,
            None => new_token(),
        };
        let failed = |error| {
            Failure::usage(
                format!("port {port} of 127.0.0.1 cannot be used: {error}"),
                "choose another port, or none for a free one",
            )
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, token, has_file: token_file.is_some() })
    }

    /// The address and the token.
    #[cfg(test)]
    pub(super) fn access(&self) -> (SocketAddr, &str) {
        (self.address, &self.token)
    }

    /// Prints the address, and the header if only this process knows the token.
    pub(super) fn announce(&self) -> Result<(), Failure> {
        let mut text = format!("http://{}{PATH}\n", self.address);
        if !self.has_file {
            text.push_str(&format!("Authorization: Bearer {}\n", self.token));
        }
        let mut out = std::io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| {
            Failure::new(Exit::Failed, format!("the address cannot be printed: {error}"), "check standard output")
        })
    }

    /// Serves for ever.
    pub(super) async fn run(self, handler: McpHandler) -> Result<(), Failure> {
        let port = self.address.port();
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts([format!("127.0.0.1:{port}"), format!("localhost:{port}")])
            .enforce_origin_validation()
            .with_max_request_body_bytes(REQUEST);
        let service = Service::new(move || Ok(handler.clone()), Arc::default(), config);
        let expected: Arc<str> = format!("Bearer {}", self.token).into();
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let Ok(permit) = connections.clone().acquire_owned().await else { return Ok(()) };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => {
                    // Answers come in small writes, which would wait for the client's delayed acknowledgements.
                    let _ = stream.set_nodelay(true);
                    stream
                }
                Err(_) => {
                    // Too many open files, or a connection that has gone: neither ends the server.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let (service, expected) = (service.clone(), expected.clone());
            tokio::spawn(async move {
                let answer = hyper::service::service_fn(move |request| {
                    let (service, expected) = (service.clone(), expected.clone());
                    async move { Ok::<_, Infallible>(answer(&service, &expected, request).await) }
                });
                let connection = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .serve_connection(TokioIo::new(stream), answer);
                // A connection that breaks concerns its client only.
                let _ = connection.await;
                drop(permit);
            });
        }
    }
}

async fn answer(service: &Service, expected: &str, request: Request<Incoming>) -> Answer {
    if request.uri().path() != PATH {
        return refusal(StatusCode::NOT_FOUND, "The server is at /mcp.\n");
    }
    let token = request.headers().get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes).unwrap_or_default();
    if !is_equal(token, expected.as_bytes()) {
        return refusal(StatusCode::UNAUTHORIZED, "Send the token of this server: Authorization: Bearer TOKEN.\n");
    }
    service.handle(request).await
}

fn refusal(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    }
    answer
}

/// Takes as long for a wrong token as for a right one of the same length.
fn is_equal(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).fold(0, |difference, (left, right)| difference | (left ^ right)) == 0
}

/// A token of 244 random bits.
fn new_token() -> String {
    format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple())
}

/// Reads the token, or writes a new one into a file that only its owner reads.
fn token_of(path: &Path) -> Result<String, Failure> {
    let failed = |error: std::io::Error| {
        Failure::usage(
            format!("the token file {} cannot be used: {error}", path.display()),
            "name another file with --token-file",
        )
    };
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(mut file) => {
            let token = new_token();
            file.write_all(token.as_bytes()).map_err(failed)?;
            return Ok(token);
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(error)),
    }
    let token = std::fs::read_to_string(path).map_err(failed)?.trim().to_owned();
    if token.len() < TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!("the token file {} has no token of at least {TOKEN} visible characters", path.display());
        return Err(Failure::usage(message, "remove the file: the next start writes a new token"));
    }
    Ok(token)
}
