//! A service, its issuer and a proxy on a thread of their own, whose libraries record what they receive without a part of the client
//! in it.

use std::{
    io::Write as _,
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::oneshot,
};

use crate::{
    IS_SERVER,
    certificates::{Root, listen},
    support::{Recorded, Reply, Server},
};

/// A way to reach the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Http,
    Tls,
    #[cfg(feature = "http2")]
    Http2,
    Proxy,
}

pub(crate) const TRANSPORTS: &[Transport] = &[
    Transport::Http,
    Transport::Tls,
    #[cfg(feature = "http2")]
    Transport::Http2,
    Transport::Proxy,
];

pub(crate) struct Peer {
    pub(crate) url: String,
    /// The root of its certificate, in PEM.
    pub(crate) root: String,
    pub(crate) proxy: Option<String>,
    seen: Arc<Mutex<String>>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Peer {
    pub(crate) async fn start(transport: Transport) -> Self {
        let (send, started) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let seen = Arc::new(Mutex::new(String::new()));
        let log = Arc::clone(&seen);
        let thread = std::thread::spawn(move || {
            IS_SERVER.set(true);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let kept = Arc::clone(&log);
                let server = Server::start(move |request| {
                    record(&kept, request);
                    let (status, headers, body) = answer(request);
                    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                    Reply::new(status, &headers, body)
                })
                .await;
                let root = Root::new();
                let port = |url: &str| url.rsplit(':').next().unwrap().parse().unwrap();
                let (url, proxy) = match transport {
                    Transport::Http => (server.url.clone(), None),
                    Transport::Tls => {
                        (format!("https://localhost:{}", tls(&root, "localhost", port(&server.url)).await), None)
                    }
                    #[cfg(feature = "http2")]
                    Transport::Http2 => (format!("https://localhost:{}", http2(&root, Arc::clone(&log)).await), None),
                    Transport::Proxy => {
                        let target = tls(&root, "platform.example", port(&server.url)).await;
                        ("https://platform.example".to_owned(), Some(tunnel(target, log).await))
                    }
                };
                send.send((url, root.1.clone(), proxy)).unwrap();
                let _ = ended.await;
            });
        });
        let (url, root, proxy) = started.await.unwrap();
        Self { url, root, proxy, seen, end: Some(end), thread: Some(thread) }
    }

    /// Returns all requests so far.
    pub(crate) fn seen(&self) -> String {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.end.take());
        let _ = self.thread.take().unwrap().join();
    }
}

fn record(seen: &Mutex<String>, request: &Recorded) {
    seen.lock().unwrap().push_str(&format!("{request:?} {}\n", request.text()));
}

type Answer = (u16, Vec<(&'static str, String)>, Vec<u8>);

fn answer(request: &Recorded) -> Answer {
    let json = |status, text: &str| (status, vec![("content-type", "application/json".to_owned())], text.into());
    match request.path() {
        "/connect/token" => json(
            200,
            r#"{"access_token":"canary-issued","expires_in":600,"token_type":"Bearer","refresh_token":"canary-rotated"}"#,
        ),
        "/refused" => {
            // It repeats the credential, as careless services do.
            let sent = ["authorization", "x-api-key", "cookie"].map(|name| request.header(name).unwrap_or_default());
            let sent = format!("{} {}", sent.join(" "), request.query());
            let mut refused = json(401, &format!("{{\"detail\":\"bad: {sent}\"}}"));
            refused.1.push(("www-authenticate", format!("Bearer error=\"{sent}\"")));
            refused
        }
        "/moved" => (302, vec![("location", "/x?key=canary-location".to_owned())], Vec::new()),
        "/graphql" => json(200, r#"{"data":{"a":"canary-answer"}}"#),
        "/xml" => (200, vec![("content-type", "application/xml".to_owned())], b"<a>canary-answer</a>".to_vec()),
        "/packed" if request.header("accept-encoding").is_some_and(|kinds| kinds.contains("gzip")) => {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packed.write_all(br#""canary-answer""#).unwrap();
            let mut response = json(200, "");
            response.1.push(("content-encoding", "gzip".to_owned()));
            response.2 = packed.finish().unwrap();
            response
        }
        _ => {
            let mut response = json(200, r#""canary-answer""#);
            response.1.push(("set-cookie", "session=canary-cookie".to_owned()));
            response
        }
    }
}

/// Speaks TLS for a server that does not.
pub(crate) async fn tls(root: &Root, name: &str, target: u16) -> u16 {
    let acceptor = root.acceptor(name, 2900, false, &["http/1.1"]);
    let (listener, port) = listen().await;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut near) = acceptor.accept(stream).await else { return };
                let mut far = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                far.set_nodelay(true).unwrap();
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    port
}

/// A proxy that connects `CONNECT` to a port, whatever the name is.
async fn tunnel(target: u16, seen: Arc<Mutex<String>>) -> String {
    let (listener, port) = listen().await;
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            near.set_nodelay(true).unwrap();
            let seen = Arc::clone(&seen);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(near.read_u8().await.unwrap());
                }
                seen.lock().unwrap().push_str(&String::from_utf8(head).unwrap());
                near.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                let mut far = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                far.set_nodelay(true).unwrap();
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    format!("127.0.0.1:{port}")
}

#[cfg(feature = "http2")]
async fn http2(root: &Root, seen: Arc<Mutex<String>>) -> u16 {
    let acceptor = root.acceptor("localhost", 2900, false, &["h2", "http/1.1"]);
    let (listener, port) = listen().await;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).unwrap();
            let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let mut connection = h2::server::handshake(stream).await.unwrap();
                while let Some(Ok((request, respond))) = connection.accept().await {
                    tokio::spawn(respond_to(request, respond, Arc::clone(&seen)));
                }
            });
        }
    });
    port
}

#[cfg(feature = "http2")]
async fn respond_to(
    request: http::Request<h2::RecvStream>,
    mut respond: h2::server::SendResponse<bytes::Bytes>,
    seen: Arc<Mutex<String>>,
) {
    let (head, mut stream) = request.into_parts();
    let mut body = Vec::new();
    while let Some(Ok(chunk)) = stream.data().await {
        let _ = stream.flow_control().release_capacity(chunk.len());
        body.extend_from_slice(&chunk);
    }
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let target = head.uri.path_and_query().unwrap().to_string();
    let request = Recorded { method: head.method.to_string(), target, headers, body, chunked: false };
    record(&seen, &request);
    let (status, headers, body) = answer(&request);
    let mut response = http::Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    if let Ok(mut stream) = respond.send_response(response.body(()).unwrap(), false) {
        let _ = stream.send_data(body.into(), true);
    }
}
