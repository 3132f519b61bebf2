//! A service on loopback that records its requests, and answers each with the same text.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::{Other, OtherBuilder};

/// A service until it is dropped.
pub(crate) struct Service {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Service {
    /// Starts a service that answers with this status, these headers and this body.
    pub(crate) async fn start(status: u16, headers: &[&str], body: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        let answer =
            format!("HTTP/1.1 {status} OK\r\nconnection: close\r\ncontent-length: {length}\r\n{lines}\r\n{body}");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = Vec::new();
                while !is_whole(&request) && stream.read_buf(&mut request).await.is_ok_and(|count| count > 0) {}
                kept.lock().unwrap().push(String::from_utf8(request).unwrap());
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { url, requests, task }
    }

    pub(crate) fn builder(&self) -> OtherBuilder {
        Other::builder(&self.url).no_retry()
    }

    pub(crate) fn client(&self) -> Other {
        self.builder().build().unwrap()
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns whether the head and a body of the announced length have arrived.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    body.len() >= length.unwrap_or(0)
}
