//! The log of a virtual machine as a stream, which continues while the machine changes.

use std::pin::Pin;
use std::time::Duration;

use crate::support::{Caller, deployment};
use bytes::Bytes;
use futures_util::{FutureExt, Stream, StreamExt};
use platform_sandbox::{Options, Sandbox};
use reqwest::Method;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

const LONG: Duration = Duration::from_secs(600);

/// One event: its identifier, if it has one, and its data.
type Event = (Option<String>, String);

/// The events of a stream, read to its end or not.
struct Log {
    chunks: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    text: String,
    comments: usize,
}

impl Log {
    async fn open(caller: &Caller<'_>, sandbox: &Sandbox, seen: Option<&str>) -> Self {
        let mut request = caller.request(Method::GET, &format!("{}/logs/stream", machine(sandbox)));
        if let Some(seen) = seen {
            request = request.header("Last-Event-ID", seen);
        }
        let response = request.send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        Self { chunks: Box::pin(response.bytes_stream()), text: String::new(), comments: 0 }
    }

    /// The next event; `None` if the stream has ended in order.
    async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                match field("data: ") {
                    Some(data) => return Some((field("id: "), data)),
                    None => self.comments += 1,
                }
            }
            let chunk = self.chunks.next().await?.unwrap();
            self.text.push_str(str::from_utf8(&chunk).unwrap());
        }
    }

    /// The data of the events up to one with this prefix.
    async fn until(&mut self, last: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        while lines.last().is_none_or(|line| !line.starts_with(last)) {
            lines.push(self.next().await.unwrap().1);
        }
        lines
    }
}

fn machine(sandbox: &Sandbox) -> String {
    format!("/api/virtual-machines/{}", sandbox.team().virtual_machine_id)
}

/// Starts or stops the machine.
async fn begin(caller: &Caller<'_>, sandbox: &Sandbox, action: &str) {
    let response = caller.post(&format!("{}/{action}", machine(sandbox)), &Value::Null).await;
    assert_eq!(response.status(), 202);
}

/// The lines of the start and stop work, without their times.
fn without_times(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split_once("Z ").map_or(line.as_str(), |(_, rest)| rest)).collect()
}

#[tokio::test]
async fn it_goes_on_while_the_machine_changes_until_the_sandbox_stops() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let mut log = Log::open(&caller, &sandbox, None).await;
    assert_eq!(log.until("state").await[2], "state \"Stopped\"");
    begin(&caller, &sandbox, "start").await;
    assert_eq!(
        without_times(&log.until("state").await),
        ["virtual-machine-start accepted Queued", "state \"Starting\""]
    );
    sandbox.clock().advance(LONG);
    assert_eq!(
        without_times(&log.until("state").await),
        [
            "virtual-machine-start state-changed Running",
            "virtual-machine-start state-changed Succeeded",
            "virtual-machine-start virtual-machine-reachable Succeeded",
            "state \"Running\"",
        ]
    );
    begin(&caller, &sandbox, "stop").await;
    sandbox.clock().advance(LONG);
    let mut rest = log.until("state \"Stopped\"").await;
    rest.retain(|line| !line.starts_with("state"));
    assert_eq!(rest.len(), 4, "{rest:?}");
    begin(&caller, &sandbox, "start").await;
    log.until("state \"Starting\"").await;
    sandbox.reset().unwrap();
    assert_eq!(log.until("state").await, ["state \"Stopped\""]);
    let (_, end) = tokio::join!(sandbox.stop(), log.next());
    assert_eq!(end, None);
}

#[tokio::test]
async fn a_reader_that_comes_back_gets_what_it_has_missed() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    begin(&caller, &sandbox, "start").await;
    let mut log = Log::open(&caller, &sandbox, None).await;
    let mut seen = None;
    while seen.is_none() {
        seen = log.next().await.unwrap().0;
    }
    drop(log);
    sandbox.clock().advance(LONG);
    let mut log = Log::open(&caller, &sandbox, seen.as_deref()).await;
    let lines = log.until("state").await;
    assert_eq!(
        without_times(&lines),
        [
            "virtual-machine-start state-changed Running",
            "virtual-machine-start state-changed Succeeded",
            "virtual-machine-start virtual-machine-reachable Succeeded",
            "state \"Running\"",
        ]
    );
    // An unknown identifier counts as none.
    assert_eq!(Log::open(&caller, &sandbox, Some("?")).await.next().await.unwrap().1, "log opened");
}

#[tokio::test]
async fn events_that_are_dropped_or_doubled_on_demand_are_written_once() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let mut log = Log::open(&caller, &sandbox, None).await;
    log.until("state").await;
    sandbox.faults().drop_events(2);
    sandbox.faults().duplicate_events(1);
    begin(&caller, &sandbox, "start").await;
    sandbox.clock().advance(LONG);
    let mut lines = log.until("state \"Running\"").await;
    lines.retain(|line| !line.starts_with("state"));
    assert_eq!(lines.len(), 4, "{lines:?}");
    begin(&caller, &sandbox, "stop").await;
    assert_eq!(log.until("state").await.len(), 2);
}

#[tokio::test]
async fn a_stream_is_cut_off_and_stalls_on_demand() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let cut = async |fault: &str| {
        let request = caller.request(Method::GET, &format!("{}/logs/stream", machine(&sandbox)));
        let response = request.header("X-Sandbox-Fault", fault).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let mut chunks = Box::pin(response.bytes_stream());
        let mut text = String::new();
        while text.len() < 20 {
            text.push_str(str::from_utf8(&chunks.next().await.unwrap().unwrap()).unwrap());
        }
        assert_eq!(text, "data: log opened\n\nda");
        chunks
    };
    assert!(cut("truncate=20").await.next().await.unwrap().is_err());
    let mut stalled = cut("stall=20").await;
    sandbox.clock().hold();
    let mut whole = Log::open(&caller, &sandbox, None).await;
    begin(&caller, &sandbox, "start").await;
    whole.until("state \"Starting\"").await;
    // This reader does not have the events that another one has received by now.
    assert!(stalled.next().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_has_comments() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let mut log = Log::open(&caller, &sandbox, None).await;
    log.until("state").await;
    assert_eq!(log.comments, 0);
    // Paused time advances by itself while everything waits.
    while log.comments < 3 {
        let chunk = log.chunks.next().await.unwrap().unwrap();
        assert_eq!(chunk, ":\n\n");
        log.comments += 1;
    }
    // Events elsewhere do not suppress its comments.
    let mut chunk = log.chunks.next();
    for begun in 0.. {
        tokio::select! {
            chunk = &mut chunk => {
                assert_eq!(chunk.unwrap().unwrap(), ":\n\n");
                break;
            }
            () = tokio::time::sleep(Duration::from_secs(10)) => drop(deployment(&sandbox, &caller).await),
        }
        assert!(begun < 50, "no comment comes while other work begins");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_followers_and_a_slow_one_get_every_line_in_order() {
    const FOLLOWERS: usize = 50;
    const ROUNDS: usize = 300;
    let options = Options { step: Some(Duration::from_millis(1)), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    // This one has a small buffer, and reads nothing until all is over.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = sandbox.base_url().strip_prefix("http://").unwrap().parse().unwrap();
    let mut slow = socket.connect(address).await.unwrap();
    let request = format!(
        "GET {}/logs/stream HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\r\n",
        machine(&sandbox),
        caller.token()
    );
    slow.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    slow.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");

    let mut followers = Vec::new();
    for _ in 0..FOLLOWERS {
        let mut log = Log::open(&caller, &sandbox, None).await;
        log.until("state").await;
        followers.push(log);
    }
    begin(&caller, &sandbox, "start").await;
    sandbox.clock().advance(LONG);
    for log in &mut followers {
        let mut lines = log.until("state \"Running\"").await;
        lines.retain(|line| !line.starts_with("state"));
        assert_eq!(lines.len(), 4, "{lines:?}");
    }
    drop(followers);

    // More than the buffers of the two sockets can hold.
    for _ in 0..ROUNDS {
        for action in ["stop", "start"] {
            begin(&caller, &sandbox, action).await;
            sandbox.clock().advance(LONG);
        }
    }
    let stop = tokio::spawn(sandbox.stop());
    let mut text = Vec::new();
    slow.read_to_end(&mut text).await.unwrap();
    stop.await.unwrap();
    let text = String::from_utf8(text).unwrap();
    let ids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert!(ids.len() >= 4, "{}", ids.len());
    let mut last: Option<(&str, u32)> = None;
    for id in ids {
        let (workflow, sequence) = id.split_once('.').unwrap();
        let sequence: u32 = sequence.parse().unwrap();
        // No event is missing: a workflow begins with its first event, and continues with the next.
        let expected = last.filter(|(before, _)| *before == workflow).map_or(1, |(_, before)| before + 1);
        assert_eq!(sequence, expected, "{id}");
        assert!(last.is_none_or(|(before, count)| before == workflow || count == 4), "{id}");
        last = Some((workflow, sequence));
    }
}
