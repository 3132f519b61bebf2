//! Measures the requests per second that a sandbox answers (`GET /api/projects/v1/projects`), and the memory of its process:
//! `cargo run --release -p platform-sandbox --example load -- 1000000 32` sends a million on 32 connections.
//!
//! The sandbox runs in a process of its own, this program again, so that its memory is measured apart from that of the requests.

#![allow(clippy::print_stdout, reason = "the figures are what the program is for")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use platform_sandbox::ApiTokenFormat;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const SERVE: &str = "serve";

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == SERVE) {
        return serve().await;
    }
    let number = |index: usize, default: u64| arguments.get(index).map_or(Ok(default), |text| text.parse());
    let (requests, connections) = (number(0, 100_000)?, number(1, 32)?.max(1));
    let mut child =
        Command::new(std::env::current_exe()?).arg(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let measured = measure(&mut child, requests, connections).await;
    // The sandbox ends with its standard input.
    drop(child.stdin.take());
    child.wait()?;
    measured
}

/// Serves until standard input ends, and prints the address and a token.
async fn serve() -> Result<()> {
    let begun = Instant::now();
    let sandbox = platform_sandbox::start().await?;
    let took = begun.elapsed();
    // A token that the sandbox has to verify like any access token, and that outlives the run.
    sandbox.issuer().set_api_token_format(ApiTokenFormat::Jwt);
    let token = sandbox.issuer().create_api_token("ada", "load")?.ok_or("the seed has no user ada")?;
    println!("{}\n{token}\n{took:?}", sandbox.base_url());
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    sandbox.stop().await;
    Ok(())
}

async fn measure(child: &mut Child, requests: u64, connections: u64) -> Result<()> {
    let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let mut line = || lines.next().ok_or("the sandbox did not start")?.map_err(|error| error.to_string());
    let (base, token, took) = (line()?, line()?, line()?);
    let host = base.trim_start_matches("http://").to_owned();
    let request = format!(
        "GET /api/projects/v1/projects HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Accept: application/json\r\n\r\n"
    );
    println!("started in {took}; resident memory {}", resident(child.id()));
    let begun = Instant::now();
    let mut workers = Vec::new();
    for index in 0..connections {
        let share = requests / connections + u64::from(index < requests % connections);
        workers.push(tokio::spawn(send(host.clone(), request.clone(), share)));
    }
    for worker in workers {
        worker.await??;
    }
    let took = begun.elapsed();
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more digits")]
    let rate = requests as f64 / took.as_secs_f64();
    println!("{requests} requests on {connections} connections in {took:.1?}: {rate:.0} a second");
    println!("resident memory {}", resident(child.id()));
    Ok(())
}

/// Sends one request after the other on one connection. Every answer must be 200.
async fn send(host: String, request: String, count: u64) -> Result<()> {
    let mut stream = TcpStream::connect(host).await?;
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    for _ in 0..count {
        stream.write_all(request.as_bytes()).await?;
        buffer.clear();
        let end = loop {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Err("the connection was closed".into());
            }
            if let Some(end) = end(&buffer)? {
                break end;
            }
        };
        while buffer.len() < end {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Err("the connection was closed".into());
            }
        }
    }
    Ok(())
}

/// The end of an answer, once its head is complete.
fn end(buffer: &[u8]) -> Result<Option<usize>> {
    let Some(head) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return Ok(None) };
    let text = String::from_utf8_lossy(buffer.get(..head).unwrap_or_default()).to_ascii_lowercase();
    if !text.starts_with("http/1.1 200") {
        return Err(text.into());
    }
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    Ok(Some(head + 4 + length.ok_or("an answer without a length")?.trim().parse::<usize>()?))
}

/// The resident memory of a process, as reported by Linux.
fn resident(process: u32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.map_or("unknown: there is no /proc".to_owned(), |size| size.trim().to_owned())
}
