//! The proxy of the environment: for `https` to other machines, and never for loopback.

use std::process::Stdio;

use crate::support::{Reply, Server, WATCHDOG};
use driftless_runtime::{Client, Method, auth::StaticToken};

/// One call in a process whose environment names a proxy: this test itself, run as a program.
#[tokio::test]
async fn a_call_in_a_process_of_its_own() {
    let Ok(url) = std::env::var("PROXY_TEST_URL") else { return };
    let builder = Client::builder(url).credential(StaticToken::new("canary-token"));
    let platform = builder.deadline(WATCHDOG).no_retry().build().unwrap();
    if let Err(error) = platform.request(Method::Get, "/x").send().await {
        let printed = format!("{error} {error:?}");
        std::process::exit(match error.code() {
            _ if printed.contains("canary") => 1,
            "configuration" if printed.contains("HTTPS_PROXY") => 8,
            _ => 9,
        });
    }
}

async fn call(url: &str, proxy: &str) -> Option<i32> {
    call_except(url, proxy, "").await
}

async fn call_except(url: &str, proxy: &str, except: &str) -> Option<i32> {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, proxy);
    }
    command.env_remove("REQUEST_METHOD").env("no_proxy", except).env_remove("NO_PROXY");
    command.args(["--exact", "proxy::a_call_in_a_process_of_its_own"]).env("PROXY_TEST_URL", url).stdout(Stdio::null());
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
    // The environment applies: requests to other machines go through the proxy, which sees no token.
    assert_eq!(call("https://platform.example", &proxy.url).await, Some(9));
    let seen = proxy.last();
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("CONNECT", "platform.example:443"));
    assert!(!format!("{seen:?}").contains("canary"), "{seen:?}");
    assert_eq!(call_except("https://platform.invalid", &proxy.url, "invalid,10.0.0.0/8").await, Some(9));
    assert_eq!(proxy.requests().len(), 1, "what NO_PROXY names is reached directly");
}

/// An invalid proxy is not ignored: the request that should go through it would be sent directly.
#[tokio::test]
async fn a_proxy_of_the_environment_that_cannot_be_read_is_an_error_of_the_call() {
    let service = Server::always(Reply::json(200, "{}")).await;
    for proxy in ["http://canary:can/ary@proxy.example", "http://canary:canary@proxy:port", "socks5://canary@proxy"] {
        assert_eq!(call("https://platform.example", proxy).await, Some(8), "{proxy}");
        assert_eq!(call(&service.url, proxy).await, Some(0), "loopback needs none");
    }
}
