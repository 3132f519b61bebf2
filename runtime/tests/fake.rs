//! Help for tests of code that uses the client, and the client for programs without asynchronous code.

#![cfg(all(feature = "testing", feature = "blocking"))]
#![allow(clippy::unwrap_used, reason = "a test")]

use platform_runtime::{Client, Method, Value, blocking::Blocking, testing::Fake};
use serde_json::json;

#[tokio::test]
async fn answers_come_in_order_and_calls_are_kept() {
    let fake = Fake::new();
    let platform = fake.builder().build().unwrap();
    let error = platform.request(Method::Get, "/a").send().await.unwrap_err();
    assert_eq!(error.status().unwrap().as_u16(), 501);
    assert!(error.to_string().contains("no answer for `request`"), "{error}");
    fake.fail("request", 503, &json!({}));
    fake.answer("request", &1);
    let sent = platform.request(Method::Post, "/a").query("q", 1).json(&json!({"b": 2})).idempotent().send();
    assert_eq!(sent.await.unwrap().json::<i32>().unwrap(), 1, "retries work as they do against a service");
    let last = fake.calls().pop().unwrap();
    assert_eq!((last.method, last.path.as_str(), last.query.as_str()), (Method::Post, "/a", "q=1"));
    assert_eq!(last.body, r#"{"b":2}"#);
    assert_eq!(last.headers["content-type"], "application/json");
    fake.fail("request", 99, &json!({}));
    assert!(platform.request(Method::Get, "/a").send().await.unwrap_err().is_request());
}

#[test]
fn a_program_without_asynchronous_code() {
    let fake = Fake::new();
    fake.answer("request", &json!({"a": 1}));
    let platform = Blocking::new(fake.client().unwrap()).unwrap();
    let value: Value = platform.wait(platform.request(Method::Get, "/a").call()).unwrap();
    assert_eq!(value, json!({"a": 1}));
    assert_eq!(platform.wait(platform.request(Method::Get, "/a").send()).unwrap().status().as_u16(), 200);
    let second = platform.clone();
    std::thread::spawn(move || second.wait(second.request(Method::Get, "/a").send()).unwrap()).join().unwrap();
}

#[tokio::test]
async fn asynchronous_code_may_not_wait() {
    let runtime = std::thread::spawn(|| Blocking::new(Client::builder("http://localhost").build().unwrap()).unwrap());
    let platform = runtime.join().unwrap();
    let error = platform.wait(platform.request(Method::Get, "/a").send()).unwrap_err();
    assert!(error.is_request() && error.to_string().contains(".await"), "{error}");
    drop(platform);
}
