//! Certificates: those that the system trusts for this host and this day, and no others.

// Only on these systems, the environment sets the trusted certificates.

use std::{path::Path, process::Stdio, time::Duration};

use crate::certificates;
use crate::certificates::Root;
use driftless_runtime::{Client, Method};

/// One call in a process whose environment sets the trusted certificates: this test itself, run as a program.
#[tokio::test]
async fn calls_in_a_process_of_its_own() {
    let Ok(url) = std::env::var("TLS_URL") else { return };
    let platform = Client::builder(url).deadline(Duration::from_secs(120)).no_retry().build().unwrap();
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
        .args(["--exact", "tls::calls_in_a_process_of_its_own"])
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
    let (listener, port) = certificates::listen().await;
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
