//! A server on loopback that records every byte that it receives.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "shared between tests, each of which uses a part"
)]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// A limit that only a hang reaches.
pub const WATCHDOG: Duration = Duration::from_secs(120);

/// Limits from short to long. A test in which something has to happen before a limit passes takes the first limit that is long
/// enough on this machine.
pub fn limits() -> impl Iterator<Item = Duration> {
    (0..11).map(|step| Duration::from_millis(100 << step))
}

/// One request, as received.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub chunked: bool,
}

impl Recorded {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}

/// The server's response to a request.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Written as they are, with a pause after each.
    pieces: Vec<(Vec<u8>, Duration)>,
    /// Keeps the connection open without another byte.
    hang: bool,
}

impl Reply {
    pub fn new(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut head = format!("HTTP/1.1 {status} X\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if status != 204 && status != 304 {
            head += &format!("content-length: {}\r\n", body.len());
        }
        head += "\r\n";
        let bytes = [head.as_bytes(), body].concat();
        Self { pieces: vec![(bytes, Duration::ZERO)], hang: false }
    }

    pub fn json(status: u16, body: &str) -> Self {
        Self::new(status, &[("content-type", "application/json")], body)
    }

    pub fn raw(pieces: &[&str]) -> Self {
        let pause = Duration::from_millis(20);
        Self { pieces: pieces.iter().map(|piece| (piece.as_bytes().to_vec(), pause)).collect(), hang: false }
    }

    /// Closes the connection without an answer.
    pub fn close() -> Self {
        Self { pieces: Vec::new(), hang: false }
    }

    /// Announces that the connection ends with this response.
    pub fn and_close(mut self) -> Self {
        if let Some((head, _)) = self.pieces.first_mut()
            && let Some(end) = head.windows(2).position(|window| window == b"\r\n")
        {
            head.splice(end..end, *b"\r\nconnection: close");
        }
        self
    }

    pub fn and_hang(mut self) -> Self {
        self.hang = true;
        self
    }
}

pub type Handler = dyn Fn(&Recorded) -> Reply + Send + Sync;

/// A server on a port of its own, until it is dropped.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<Recorded>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub async fn start(handler: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let handler: Arc<Handler> = Arc::new(handler);
        let record = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&handler), Arc::clone(&record)));
            }
        });
        Self { url, requests, task }
    }

    /// Starts a server that gives one answer to all requests.
    pub async fn always(reply: Reply) -> Self {
        Self::start(move |_| reply.clone()).await
    }

    pub fn requests(&self) -> Vec<Recorded> {
        self.requests.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    pub fn last(&self) -> Recorded {
        self.requests().pop().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub async fn serve(mut stream: TcpStream, handler: Arc<Handler>, record: Arc<Mutex<Vec<Recorded>>>) {
    let mut buffer = Vec::new();
    while let Some(request) = receive(&mut stream, &mut buffer).await {
        record.lock().unwrap().push(request.clone());
        let reply = handler(&request);
        for (piece, pause) in &reply.pieces {
            if stream.write_all(piece).await.is_err() {
                return;
            }
            // A sleep of no time still waits for the next tick of the timer.
            if !pause.is_zero() {
                tokio::time::sleep(*pause).await;
            }
        }
        if reply.hang {
            std::future::pending::<()>().await;
        }
        // A response without a length ends with the connection.
        let head =
            reply.pieces.first().map(|(piece, _)| String::from_utf8_lossy(piece).to_lowercase()).unwrap_or_default();
        let framed = head.contains("content-length")
            || head.contains("chunked")
            || head.contains(" 204 ")
            || head.contains(" 304 ");
        if !framed {
            return;
        }
    }
}

async fn receive(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Recorded> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        fill(stream, buffer).await?;
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    buffer.drain(..end + 4);
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let mut request = Recorded { method, target, headers, body: Vec::new(), chunked: false };
    if let Some(length) = request.header("content-length").map(|length| length.parse::<usize>().unwrap()) {
        while buffer.len() < length {
            fill(stream, buffer).await?;
        }
        request.body = buffer.drain(..length).collect();
    } else if request.header("transfer-encoding").is_some() {
        request.chunked = true;
        loop {
            let line = loop {
                if let Some(end) = buffer.windows(2).position(|window| window == b"\r\n") {
                    break end;
                }
                fill(stream, buffer).await?;
            };
            let size = usize::from_str_radix(std::str::from_utf8(&buffer[..line]).unwrap(), 16).unwrap();
            buffer.drain(..line + 2);
            while buffer.len() < size + 2 {
                fill(stream, buffer).await?;
            }
            request.body.extend(buffer.drain(..size));
            buffer.drain(..2);
            if size == 0 {
                break;
            }
        }
    }
    Some(request)
}

async fn fill(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    let mut chunk = [0; 8192];
    let length = stream.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
    buffer.extend_from_slice(&chunk[..length]);
    Some(())
}
