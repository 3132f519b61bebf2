//! Help for tests of code that uses the client, and the client for programs without asynchronous code.

use std::{collections::BTreeMap, time::Duration};

use driftless_runtime::{
    Client, Method, Upload, Value,
    blocking::Blocking,
    testing::{Fake, FakeReply, REQUESTS},
};
use serde_json::json;

#[tokio::test]
async fn answers_come_in_order_and_calls_are_kept() {
    let fake = Fake::new();
    let platform = fake.builder().build().unwrap();
    let error = platform.request(Method::Get, "/a").send().await.unwrap_err();
    assert_eq!(error.status().unwrap().as_u16(), 501);
    assert!(error.to_string().contains("no answer for `request`"), "{error}");
    let busy = FakeReply::status(503).header("retry-after", "0");
    fake.on(REQUESTS).reply(busy).reply(FakeReply::status(200).header("x-a", "1").header("x-a", "2").json(&1));
    let sent = platform.request(Method::Post, "/a").query("q", "a b").json(&json!({"b": 2})).idempotent().send();
    let answer = sent.await.unwrap();
    assert_eq!(answer.json::<i32>().unwrap(), 1, "retries work as they do against a service");
    assert_eq!(answer.headers().get_all("x-a").iter().count(), 2);
    let last = fake.calls().pop().unwrap();
    assert_eq!((last.method, last.path.as_str(), last.query.as_str()), (Method::Post, "/a", "q=a%20b"));
    assert_eq!((last.query_parameter("q").as_deref(), last.query_parameter("p")), (Some("a b"), None));
    assert_eq!((last.body.as_ref(), last.json::<Value>().unwrap()["b"].clone()), (&br#"{"b":2}"#[..], 2.into()));
    assert_eq!(last.header("content-type"), Some("application/json"));
    assert_eq!((fake.calls().len(), fake.calls_of(REQUESTS).len()), (3, 3), "each attempt is one");
}

#[tokio::test]
async fn the_first_rule_whose_conditions_hold_answers() {
    let fake = Fake::new();
    let posts = |call: &driftless_runtime::testing::FakeCall| call.method == Method::Post;
    let body = |call: &driftless_runtime::testing::FakeCall| call.body == "x";
    fake.on(REQUESTS).when(posts).when(body).reply(FakeReply::status(409));
    fake.on(REQUESTS).when(posts).reply(FakeReply::status(200).bytes("posted"));
    fake.on(REQUESTS).answer(&Value::from(7));
    let platform = fake.client().unwrap();
    let send = |method, body: &'static str| platform.request(method, "/a").body(Upload::bytes(body)).send();
    assert_eq!(send(Method::Post, "x").await.unwrap_err().status().unwrap().as_u16(), 409);
    assert_eq!(send(Method::Post, "y").await.unwrap().bytes().as_ref(), b"posted");
    assert_eq!(send(Method::Put, "x").await.unwrap().json::<i32>().unwrap(), 7);
}

#[tokio::test(start_paused = true)]
async fn connections_fail_and_answers_take_their_time() {
    let fake = Fake::new();
    let at = |path: &'static str| fake.on(REQUESTS).when(move |call| call.path == path);
    at("/gone").reply(FakeReply::no_connection()).reply(FakeReply::status(200));
    at("/lost").reply(FakeReply::broken_connection());
    at("/slow").reply(FakeReply::status(200).delay(Duration::from_secs(3_600)));
    let platform = fake.builder().build().unwrap();
    let post = |path| platform.request(Method::Post, path).send();
    post("/gone").await.unwrap();
    assert_eq!(fake.calls().len(), 2, "what was not sent is sent again");
    let error = post("/lost").await.unwrap_err();
    assert!(error.is_submission_unknown() && error.was_sent(), "{error}");
    assert!(post("/slow").await.unwrap_err().is_timeout(), "the deadline holds");
    platform.request(Method::Post, "/slow").deadline(Duration::MAX).send().await.unwrap();
}

#[tokio::test]
async fn a_fake_that_is_told_what_cannot_be_says_so() {
    let fake = Fake::new();
    let at = |path: &'static str| fake.on(REQUESTS).when(move |call| call.path == path);
    at("/status").reply(FakeReply::status(99));
    at("/header").reply(FakeReply::status(200).header("x y", "1"));
    at("/json").reply(FakeReply::status(200).json(&BTreeMap::from([(vec![1], 1)])));
    let platform = fake.client().unwrap();
    for path in ["/status", "/header", "/json"] {
        let error = platform.request(Method::Get, path).send().await.unwrap_err();
        assert!(error.is_request() && error.to_string().contains("the fake's"), "{error}");
    }
}

#[tokio::test]
async fn bodies_of_files_and_streams_are_kept_as_they_were_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "from a file").unwrap();
    let fake = Fake::new();
    fake.on(REQUESTS).reply(FakeReply::status(200));
    let platform = fake.client().unwrap();
    platform.request(Method::Put, "/a").body(Upload::file(&path)).send().await.unwrap();
    assert_eq!(fake.calls()[0].body, "from a file");
    let gone = platform.request(Method::Put, "/a").body(Upload::file(folder.path().join("gone"))).send();
    assert_eq!(gone.await.unwrap_err().code(), "file");
}

#[test]
fn a_program_without_asynchronous_code() {
    let fake = Fake::new();
    fake.on(REQUESTS).answer(&json!({"a": 1}).into());
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
