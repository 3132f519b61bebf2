//! The allocations of a call, beside those of the same request by `reqwest`.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::Arc,
};

use allocation_counter::measure;
use driftless_runtime::{Client, Method, Value, auth::StaticToken};

const ANSWER: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n[{\"name\":\"one\",\"size\":123}]";

/// A server on a thread of its own, whose allocations do not count.
fn serve() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let (mut buffer, mut filled) = ([0; 4096], 0);
                while let Ok(length @ 1..) = stream.read(&mut buffer[filled..]) {
                    filled += length;
                    if buffer[..filled].ends_with(b"\r\n\r\n") {
                        filled = 0;
                        stream.write_all(ANSWER.as_bytes()).unwrap();
                    }
                }
            });
        }
    });
    address
}

fn bare() -> reqwest::Client {
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls).user_agent("bare/1").no_proxy().build().unwrap()
}

/// The fewest of several runs: the system may deliver an answer in parts.
fn fewest(mut run: impl FnMut()) -> u64 {
    // The connection is opened first.
    run();
    (0..10).map(|_| measure(&mut run).count_total).min().unwrap()
}

#[test]
fn a_call_allocates_little_more_often_than_the_same_request_by_reqwest() {
    let address = serve();
    let url = format!("{address}/api/projects/v1/projects");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = Client::builder(&address).credential(StaticToken::new("token")).build().unwrap();
    let bare = bare();
    let by_client = fewest(|| {
        let call = async { client.request(Method::Get, "/api/projects/v1/projects").call::<Value>().await };
        runtime.block_on(call).unwrap();
    });
    let by_reqwest = fewest(|| {
        runtime.block_on(async {
            let request = bare
                .get(&url)
                .header("accept", "application/json, */*;q=0.8")
                .header("x-request-id", "0123456789abcdef0123456789abcdef")
                .header("authorization", "Bearer token")
                .timeout(std::time::Duration::from_secs(60));
            let bytes = request.send().await.unwrap().bytes().await.unwrap();
            serde_json::from_slice::<Value>(&bytes).unwrap();
        });
    });
    // With the profile of the tests. An optimised call has fewer than `reqwest` (`cargo bench`).
    let more = 11;
    assert!(by_client <= by_reqwest + more, "client {by_client}, reqwest {by_reqwest}");
}
