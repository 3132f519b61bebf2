//! Certificates: what the system trusts for this host and this day, and nothing else.

// Only there does the environment say which certificates the system trusts.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::{path::Path, process::Stdio, sync::Arc, time::Duration};

use platform_runtime::{Client, Method};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// A root, and servers with certificates of it.
struct Root(Issuer<'static, KeyPair>, String);

impl Root {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self(Issuer::new(params, key), pem)
    }

    /// A server for a name until a year, and its port. Without a root it signs its own certificate.
    async fn serve(&self, name: &str, until: i32, own: bool) -> u16 {
        let (listener, port) = listen().await;
        let acceptor = self.acceptor(name, until, own, &[]);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let mut buffer = [0; 4096];
                    while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
                    }
                });
            }
        });
        port
    }

    fn acceptor(&self, name: &str, until: i32, own: bool, protocols: &[&str]) -> tokio_rustls::TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(until, 1, 1);
        let certificate =
            if own { params.self_signed(&key).unwrap() } else { params.signed_by(&key, &self.0).unwrap() };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        Arc::new(config).into()
    }
}

async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// One call in a process whose environment says what the system trusts: this test itself, run as a program.
#[tokio::test]
async fn calls_in_a_process_of_its_own() {
    let Ok(url) = std::env::var("TLS_URL") else { return };
    let platform = Client::builder(url).deadline(Duration::from_secs(10)).no_retry().build().unwrap();
    match platform.request(Method::Post, "/x").send().await {
        Ok(_) => {}
        Err(error) => {
            assert!(error.is_connect() && !error.was_sent(), "{error}");
            assert!(error.to_string().contains("certificate"), "{error}");
            std::process::exit(9);
        }
    }
}

async fn call(port: u16, roots: &Path) -> Option<i32> {
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "calls_in_a_process_of_its_own"])
        .env("TLS_URL", format!("https://localhost:{port}"))
        .env("SSL_CERT_FILE", roots)
        .env_remove("SSL_CERT_DIR")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.wait().await.unwrap().code()
}

#[tokio::test]
async fn expired_self_signed_and_wrong_host_certificates_fail() {
    let folder = tempfile::tempdir().unwrap();
    let (root, other) = (Root::new(), Root::new());
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, &root.1).unwrap();
    assert_eq!(call(root.serve("localhost", 2900, false).await, &roots).await, Some(0), "what is right works");
    assert_eq!(call(root.serve("localhost", 2001, false).await, &roots).await, Some(9), "expired");
    assert_eq!(call(root.serve("evil.example", 2900, false).await, &roots).await, Some(9), "another host");
    assert_eq!(call(root.serve("localhost", 2900, true).await, &roots).await, Some(9), "self-signed");
    assert_eq!(call(other.serve("localhost", 2900, false).await, &roots).await, Some(9), "of an unknown root");
}

#[cfg(feature = "http2")]
#[tokio::test]
async fn http2_is_spoken_where_the_service_offers_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::new();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, &root.1).unwrap();
    let acceptor = root.acceptor("localhost", 2900, false, &["h2", "http/1.1"]);
    let (listener, port) = listen().await;
    let service = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut connection = h2::server::handshake(acceptor.accept(stream).await.unwrap()).await.unwrap();
        let mut paths = Vec::new();
        while let Some(Ok((request, mut respond))) = connection.accept().await {
            paths.push(request.uri().path().to_owned());
            let mut body = respond.send_response(http::Response::new(()), false).unwrap();
            body.send_data("{}".into(), true).unwrap();
        }
        paths
    });
    assert_eq!(call(port, &roots).await, Some(0));
    assert_eq!(service.await.unwrap(), ["/x"]);
}
