//! HTTP on loopback: the token, `Host` and `Origin`, and a session.

use std::sync::Arc;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::{Written, arguments};
use super::service::ExampleService;
use crate::mcp::http::HttpServer;
use crate::mcp::log::CallLog;
use crate::mcp::{ToolForm, handler_with_log};

struct Listening {
    service: Arc<ExampleService>,
    port: u16,
    token: String,
}

impl Listening {
    async fn start() -> Self {
        let server = HttpServer::bind(0, None).await.unwrap();
        let (address, token) = server.access();
        assert!(address.ip().is_loopback() && token.len() == 64);
        let service = Arc::new(ExampleService::new(0));
        let listening = Self { service: service.clone(), port: address.port(), token: token.to_owned() };
        let log = CallLog::new(Written::default());
        let handler = handler_with_log(service, &arguments(&[], ToolForm::Auto), log).unwrap();
        tokio::spawn(server.run(handler));
        listening
    }

    /// Sends a request, and returns the head and the body of the response.
    async fn send(&self, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut stream = self.open(path, headers, body).await;
        let mut answer = Vec::new();
        // A refused body can end the connection while it is written.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    async fn open(&self, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n"
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        let _ = stream.write_all(request.as_bytes()).await;
        stream
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

fn initialize() -> String {
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or_default()
}

#[tokio::test]
async fn only_clients_with_the_token_are_served() {
    let server = Listening::start().await;
    let host = server.host();
    let served =
        server.send("/mcp", &[("host", &host), ("authorization", &server.authorization())], &initialize()).await;
    assert!(status(&served) == "200" && served.contains("mcp-session-id"), "{served}");
    let localhost = format!("localhost:{}", server.port);
    let served =
        server.send("/mcp", &[("host", &localhost), ("authorization", &server.authorization())], &initialize()).await;
    assert_eq!(status(&served), "200", "{served}");
    let other = format!("Bearer {}", "0".repeat(64));
    for headers in [
        vec![],
        vec![("authorization", other.as_str())],
        vec![("authorization", "Bearer")],
        vec![("authorization", server.token.as_str())],
    ] {
        let mut headers = headers;
        headers.push(("host", &host));
        let refused = server.send("/mcp", &headers, &initialize()).await;
        assert!(status(&refused) == "401" && refused.to_lowercase().contains("www-authenticate: bearer"), "{refused}");
        assert!(!refused.contains(&server.token));
    }
}

#[tokio::test]
async fn pages_of_a_browser_and_other_hosts_are_refused() {
    let server = Listening::start().await;
    let (host, authorization) = (server.host(), server.authorization());
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", &format!("http://{host}")] {
        let headers = [("host", host.as_str()), ("authorization", &authorization), ("origin", origin)];
        let refused = server.send("/mcp", &headers, &initialize()).await;
        assert_eq!(status(&refused), "403", "{origin} {refused}");
    }
    for host in ["evil.example", "evil.example:80", "127.0.0.1:1", "127.0.0.1", "127.0.0.1.evil.example"] {
        let refused = server.send("/mcp", &[("host", host), ("authorization", &authorization)], &initialize()).await;
        assert_eq!(status(&refused), "403", "{host} {refused}");
    }
}

#[tokio::test]
async fn wrong_requests_do_not_end_the_server() {
    let server = Listening::start().await;
    let (host, authorization) = (server.host(), server.authorization());
    let headers = [("host", host.as_str()), ("authorization", authorization.as_str())];
    assert_eq!(status(&server.send("/", &headers, &initialize()).await), "404");
    assert_eq!(status(&server.send("/mcp", &headers, "{").await).get(..1), Some("4"));
    let large = format!("\"{}\"", "x".repeat(5 << 20));
    let refused = server.send("/mcp", &headers, &large).await;
    assert!(refused.is_empty() || status(&refused) == "413", "{refused}");
    drop(TcpStream::connect(("127.0.0.1", server.port)).await.unwrap());
    assert_eq!(status(&server.send("/mcp", &headers, &initialize()).await), "200");
}

#[tokio::test]
async fn a_token_file_is_written_once_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let first = HttpServer::bind(0, Some(&path)).await.unwrap();
    let second = HttpServer::bind(0, Some(&path)).await.unwrap();
    assert_eq!(first.access().1, second.access().1);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o077, 0);
    }
    for wrong in ["", "short", "with a blank in it 123456"] {
        std::fs::write(&path, wrong).unwrap();
        let failure = HttpServer::bind(0, Some(&path)).await.map(drop).unwrap_err();
        assert!(failure.exit == crate::Exit::Usage && !failure.to_string().contains("with a blank"), "{failure}");
    }
    let taken = HttpServer::bind(first.access().0.port(), None).await.map(drop).unwrap_err();
    assert_eq!(taken.exit, crate::Exit::Usage);
}

/// In the protocol without sessions, a client cancels a call by closing its connection.
#[tokio::test]
async fn a_client_that_goes_during_a_call_drops_it() {
    let server = Listening::start().await;
    let (host, authorization) = (server.host(), server.authorization());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "faults_slow", "arguments": {}, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers = [
        ("host", host.as_str()),
        ("authorization", authorization.as_str()),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "faults_slow"),
    ];
    let stream = server.open("/mcp", &headers, &body).await;
    server.service.begun.notified().await;
    drop(stream);
    server.service.dropped.notified().await;
}
