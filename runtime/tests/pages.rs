//! Answers that come in pages.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use platform_runtime::{Client, Method, Value};
use support::{Reply, Server};

/// Pages 1 to 3; page 9 leads to itself.
async fn server() -> Server {
    Server::start(|request| match request.query() {
        "page=1" => Reply::new(200, &[("x-next", "2")], "[1]"),
        "page=2" => Reply::new(200, &[("x-next", "3")], "[2]"),
        "page=3" => Reply::new(200, &[], "[3]"),
        "page=9" => Reply::new(200, &[("x-next", "9")], "[9]"),
        _ => Reply::json(400, "{}"),
    })
    .await
}

async fn read(platform: &Client, first: &str) -> Vec<Result<Value, platform_runtime::Error>> {
    let page = |number: &str| platform.request(Method::Get, "/x").query("page", number).call::<Value>();
    let mut pages = page(first).paginate_with(|shown| Some(page(shown.header("x-next")?)));
    let mut found = Vec::new();
    while let Some(page) = pages.next().await {
        found.push(page);
    }
    assert!(pages.next().await.is_none());
    found
}

#[tokio::test]
async fn pages_end_with_the_last_one() {
    let server = server().await;
    let platform = Client::builder(&server.url).build().unwrap();
    let pages: Vec<_> = read(&platform, "1").await.into_iter().map(Result::unwrap).collect();
    assert_eq!(serde_json::json!(pages), serde_json::json!([[1], [2], [3]]));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_circle_and_a_failure_end_them_with_an_error() {
    let server = server().await;
    let platform = Client::builder(&server.url).build().unwrap();
    let pages = read(&platform, "9").await;
    assert_eq!((pages.len(), server.requests().len()), (2, 1));
    assert!(pages[1].as_ref().unwrap_err().to_string().contains("circles"));
    let pages = read(&platform, "7").await;
    assert!(pages.len() == 1 && pages[0].as_ref().unwrap_err().is_bad_request());
}
