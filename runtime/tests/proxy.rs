//! The proxy of the environment: for `https` beyond this machine, and never for loopback.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::{process::Stdio, time::Duration};

use platform_runtime::{Client, Method, auth::StaticToken};
use support::{Reply, Server};

/// One call in a process whose environment names a proxy: this test itself, run as a program.
#[tokio::test]
async fn a_call_in_a_process_of_its_own() {
    let Ok(url) = std::env::var("PROXY_TEST_URL") else { return };
    let builder = Client::builder(url).credential(StaticToken::new("canary-token"));
    let platform = builder.deadline(Duration::from_secs(20)).no_retry().build().unwrap();
    if platform.request(Method::Get, "/x").send().await.is_err() {
        std::process::exit(9);
    }
}

async fn call(url: &str, proxy: &str) -> Option<i32> {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, proxy);
    }
    for name in ["NO_PROXY", "no_proxy", "REQUEST_METHOD"] {
        command.env_remove(name);
    }
    command.args(["--exact", "a_call_in_a_process_of_its_own"]).env("PROXY_TEST_URL", url).stdout(Stdio::null());
    command.spawn().unwrap().wait().await.unwrap().code()
}

#[tokio::test]
async fn the_proxy_is_not_used_for_loopback() {
    let proxy = Server::always(Reply::json(502, "{}")).await;
    let service = Server::always(Reply::json(200, "{}")).await;
    let port = service.url.rsplit(':').next().unwrap();
    for host in ["127.0.0.1", "localhost"] {
        assert_eq!(call(&format!("http://{host}:{port}"), &proxy.url).await, Some(0), "{host}");
    }
    assert_eq!(service.requests().len(), 2);
    assert!(proxy.requests().is_empty(), "{:?}", proxy.requests());
    // The environment counts: what goes elsewhere goes through it, and the proxy sees no token.
    assert_eq!(call("https://platform.example", &proxy.url).await, Some(9));
    let seen = proxy.last();
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("CONNECT", "platform.example:443"));
    assert!(!format!("{seen:?}").contains("canary"), "{seen:?}");
}
