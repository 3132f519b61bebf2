//! Downloads of the tool that regenerates clients.

use std::time::Duration;

use crate::support::{Reply, Server};
use driftless_runtime::{
    Client, Error, Method,
    auth::{ExposeSecret as _, StaticToken},
    download::{Download, Downloaded, secrets, summary},
};
use url::Url;

const TOKEN: &str = "canary-token";
const LONG: Duration = Duration::from_secs(60);

async fn fetch(
    client: &Client,
    address: &str,
    limit: usize,
    time: Duration,
) -> Result<(Downloaded, Vec<usize>), Error> {
    let url = Url::parse(address).unwrap();
    let headers = vec![("accept", "application/json, */*;q=0.1".to_owned()), ("if-none-match", "\"1\"".to_owned())];
    let download = Download { method: Method::Get, url: &url, headers, body: None, time, limit };
    let mut steps = Vec::new();
    let came = download.send(client, &mut |bytes| steps.push(bytes)).await?;
    Ok((came, steps))
}

fn client(server: &Server) -> Client {
    Client::builder(&server.url).credential(StaticToken::new(TOKEN)).body_limit(4).build().unwrap()
}

#[tokio::test]
async fn a_token_goes_to_the_server_of_its_client_only() {
    let (own, other) = (Server::always(Reply::json(200, "{}")).await, Server::always(Reply::json(200, "{}")).await);
    let client = client(&own);
    for (server, sent) in [(&own, Some("Bearer canary-token")), (&other, None)] {
        fetch(&client, &format!("{}/a?b=%2F+c", server.url), 100, LONG).await.unwrap();
        let request = server.last();
        assert_eq!(request.header("authorization"), sent);
        assert_eq!((request.path(), request.query()), ("/a", "b=%2F+c"), "an address is sent as it is");
        assert_eq!(request.header("if-none-match"), Some("\"1\""));
    }
    // The name and the address of one machine are two origins.
    let by_name = own.url.replace("127.0.0.1", "localhost");
    if fetch(&client, &by_name, 100, LONG).await.is_ok() {
        assert_eq!(own.last().header("authorization"), None);
    }
    assert_eq!(secrets(&client, LONG).await.unwrap()[0].expose_secret(), TOKEN);
}

#[tokio::test]
async fn every_status_comes_back_with_its_headers() {
    for status in [200, 204, 302, 304, 401, 404, 503] {
        let headers = [("etag", "\"2\""), ("location", "/next"), ("www-authenticate", "Bearer of canary-token")];
        let server = Server::always(Reply::new(status, &headers, if status == 304 { "" } else { "text" })).await;
        let (came, _) = fetch(&client(&server), &server.url, 100, LONG).await.unwrap();
        assert_eq!((came.status.as_u16(), &came.headers["location"]), (status, &"/next".parse().unwrap()));
        let refused = !came.status.is_success();
        let challenge = came.headers["www-authenticate"].to_str().unwrap();
        assert_eq!(challenge.contains("canary"), !refused, "{challenge}");
        assert_eq!(server.requests().len(), 1, "{status} is asked once");
    }
}

#[tokio::test]
async fn a_body_is_counted_while_it_comes_and_bounded() {
    let server = Server::always(Reply::json(200, &format!("[{}]", "1,".repeat(5_000)))).await;
    let (came, steps) = fetch(&client(&server), &server.url, 10_002, LONG).await.unwrap();
    assert_eq!((came.body.len(), steps.last()), (10_002, Some(&10_002)));
    let error = fetch(&client(&server), &server.url, 10_001, LONG).await.unwrap_err();
    assert_eq!(summary(&error).code, "too-large");
    let endless = Server::always(Reply::raw(&["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx"]).and_hang()).await;
    let error = fetch(&client(&endless), &endless.url, 100, Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(summary(&error).code, "timeout");
}

#[tokio::test]
async fn errors_say_which_step_failed() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let plain = Server::always(Reply::close()).await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let without_tls = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = std::io::Read::read(&mut stream, &mut [0; 16]);
    });
    let client = Client::builder("http://127.0.0.1:1").build().unwrap();
    for (address, code) in [
        (format!("http://{closed}"), "connect/refused"),
        (format!("https://{without_tls}"), "connect/tls"),
        (plain.url.clone(), "transport"),
    ] {
        let error = fetch(&client, &address, 100, LONG).await.unwrap_err();
        let summary = summary(&error);
        assert_eq!(summary.code, code, "{address}: {error}");
        assert!(!summary.what.is_empty() && !summary.hint.is_empty(), "{summary:?}");
    }
    let name = fetch(&client, "https://platform.invalid", 100, LONG).await.unwrap_err();
    assert_eq!(summary(&name).code, "connect/dns", "{name}");
}
