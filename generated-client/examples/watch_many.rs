//! Measures the cost of watching many operations at once: connections, and memory of the whole process.
//!
//! `watch_many serve` prints its address; `watch_many watch <address> <count>` watches until every operation has ended.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use std::{error::Error, net::SocketAddr, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _, future::join_all};
use platform_client::{
    Method, Platform,
    operations::{Binding, Deadline, States},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_tungstenite::{
    accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{Request, Response},
        http::HeaderValue,
    },
};

static TASK: Binding = Binding {
    kind: "task",
    method: Method::Post,
    path: "/tasks",
    query: "query ($id: ID!) { task(id: $id) { state } }",
    subscription: Some("subscription ($id: ID!) { changed(id: $id) { state } }"),
    state: "/task/state",
    pushed_state: Some("/changed/state"),
    states: States { pending: &["RUNNING"], succeeded: &["DONE"], failed: &[], cancelled: &[] },
    ..Binding::NONE
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve"] => serve().await,
        ["watch", address, count] => watch(address, count.parse()?).await,
        _ => Err("say `serve`, or `watch <address> <count>`".into()),
    }
}

async fn watch(address: &str, count: usize) -> Result<(), Box<dyn Error>> {
    let operations = Platform::builder(address).build()?.operations().with_binding(&TASK);
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(operations.client().request(Method::Post, "/tasks").submit(&operations, "task", None).await?);
    }
    let before = memory()?;
    let waits = join_all(all.iter().map(|operation| operation.wait(Deadline::never())));
    let look = async {
        tokio::time::sleep(Duration::from_secs(8)).await;
        memory()
    };
    let (outcomes, during) = tokio::join!(waits, look);
    let during = during?;
    let ended =
        outcomes.into_iter().filter(|outcome| outcome.as_ref().is_ok_and(|outcome| outcome.is_success())).count();
    println!("{ended} of {count} ended; {before} KiB before, {during} KiB while all were watched");
    println!("{} bytes for each", during.saturating_sub(before) * 1024 / count.max(1));
    Ok(())
}

/// The resident memory of this process in KiB, as reported by Linux.
fn memory() -> Result<usize, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Tasks run for twelve seconds from the first subscription on.
async fn serve() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}", listener.local_addr()?);
    let (done, _) = tokio::sync::watch::channel(false);
    let mut sockets = 0;
    let mut connections = 0;
    loop {
        let (stream, from) = listener.accept().await?;
        connections += 1;
        if wants_socket(&stream).await? {
            sockets += 1;
            println!("socket {sockets}, connection {connections}");
            tokio::spawn(socket(stream, done.clone()));
        } else {
            println!("connection {connections}");
            tokio::spawn(http(stream, from, done.subscribe()));
        }
    }
}

async fn wants_socket(stream: &TcpStream) -> std::io::Result<bool> {
    let mut head = [0; 1024];
    let length = stream.peek(&mut head).await?;
    Ok(String::from_utf8_lossy(&head[..length]).to_lowercase().contains("upgrade: websocket"))
}

async fn http(
    mut stream: TcpStream,
    from: SocketAddr,
    done: tokio::sync::watch::Receiver<bool>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    let length = stream.read(&mut buffer).await?;
    let body = match buffer[..length].starts_with(b"POST /graphql") {
        true if *done.borrow() => r#"{"data":{"task":{"state":"DONE"}}}"#.to_owned(),
        true => r#"{"data":{"task":{"state":"RUNNING"}}}"#.to_owned(),
        false => format!(r#"{{"id":"{}"}}"#, from.port()),
    };
    // One request per connection: an upgrade is recognised when the connection arrives.
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).await
}

async fn socket(
    stream: TcpStream,
    done: tokio::sync::watch::Sender<bool>,
) -> Result<(), tokio_tungstenite::tungstenite::Error> {
    #[allow(clippy::result_large_err, reason = "the signature is the library's")]
    let answer = |_: &Request, mut response: Response| {
        response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static("graphql-transport-ws"));
        Ok(response)
    };
    let mut socket = accept_hdr_async(stream, answer).await?;
    let mut ids = Vec::new();
    let end = tokio::time::sleep(Duration::from_secs(12));
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end, if !*done.borrow() => {
                done.send_replace(true);
                for id in &ids {
                    let data = r#"{"data":{"changed":{"state":"DONE"}}}"#;
                    socket.send(Message::text(format!(r#"{{"id":{id},"type":"next","payload":{data}}}"#))).await?;
                }
            }
            message = socket.next() => {
                let Some(Message::Text(text)) = message.transpose()? else { return Ok(()) };
                let message: platform_client::Value = serde_json::from_str(&text).unwrap_or_default();
                match message["type"].as_str() {
                    Some("connection_init") => socket.send(Message::text(r#"{"type":"connection_ack"}"#)).await?,
                    Some("subscribe") => ids.push(message["id"].to_string()),
                    _ => {}
                }
            }
        }
    }
}
