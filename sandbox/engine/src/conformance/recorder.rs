//! A server on loopback that keeps the bytes of requests, and answers all of them with the same bytes, or with those of another server.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::answer::Answer;
use super::live::Observed;
use super::relay::{Recorded, Relayed, Upstream};

#[derive(Debug, Default)]
struct Exchange {
    answer: Vec<u8>,
    ends_connection: bool,
    requests: Vec<Recorded>,
    /// The server that answers, in place of the bytes.
    upstream: Option<Upstream>,
    replies: Vec<Result<Relayed, String>>,
}

/// The server. It ends with the program.
#[derive(Debug)]
pub struct Recorder {
    address: String,
    exchange: Arc<Mutex<Exchange>>,
}

/// No head and no body of a case is larger.
const MOST: usize = 64 * 1024 * 1024;

/// A client that says nothing for so long has gone.
const IDLE: Duration = Duration::from_secs(120);

/// The longest pause within a request.
const STALLED: Duration = Duration::from_secs(10);

impl Recorder {
    /// Listens on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Fails if no port is free.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = format!("http://{}", listener.local_addr()?);
        let exchange = Arc::new(Mutex::new(Exchange::default()));
        let shared = Arc::clone(&exchange);
        thread::Builder::new().name("recorder".to_owned()).spawn(move || {
            for (connection, stream) in listener.incoming().flatten().enumerate() {
                let exchange = Arc::clone(&shared);
                // Without a thread, the connection closes, and the client says so.
                let _ = thread::Builder::new().spawn(move || serve(stream, connection, &exchange));
            }
        })?;
        Ok(Self { address, exchange })
    }

    /// The base URL.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Forgets former requests, and answers all later ones with this.
    pub fn prepare(&self, answer: &Answer) {
        let (bytes, ends_connection) = (answer.bytes(), answer.ends_connection());
        *lock(&self.exchange) = Exchange { answer: bytes, ends_connection, ..Exchange::default() };
    }

    /// Forgets former requests, and answers all later ones as a service did.
    pub fn replay(&self, observed: Observed<'_>) {
        let media_type: String = observed.media_type.chars().filter(|c| !c.is_control()).collect();
        let content = if media_type.is_empty() { String::new() } else { format!("content-type: {media_type}\r\n") };
        let length = match observed.status {
            204 | 304 => String::new(),
            _ => format!("content-length: {}\r\n", observed.body.len()),
        };
        let head = format!("HTTP/1.1 {} Answer\r\n{content}{length}\r\n", observed.status);
        let answer = [head.as_bytes(), observed.body].concat();
        *lock(&self.exchange) = Exchange { answer, ..Exchange::default() };
    }

    /// Forgets former requests, and passes all later ones on to a server, whose bytes are the answers. One with a flaw gets no answer.
    pub fn relay(&self, upstream: &Upstream) {
        *lock(&self.exchange) = Exchange { upstream: Some(upstream.clone()), ..Exchange::default() };
    }

    /// The answers of that server since then, or the reasons that it has none.
    pub fn replies(&self) -> Vec<Result<Relayed, String>> {
        std::mem::take(&mut lock(&self.exchange).replies)
    }

    /// The requests since then.
    pub fn recorded(&self) -> Vec<Recorded> {
        std::mem::take(&mut lock(&self.exchange).requests)
    }
}

fn lock(exchange: &Mutex<Exchange>) -> MutexGuard<'_, Exchange> {
    exchange.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, connection: usize, exchange: &Mutex<Exchange>) {
    let mut bytes = Vec::new();
    while let Some(mut request) = read(&mut stream, &mut bytes) {
        request.connection = connection;
        // The bytes behind it are of no request.
        let is_broken = request.flaw.is_some();
        // A server that reads the length differently would get another request.
        let upstream = lock(exchange).upstream.clone().filter(|_| !is_broken);
        // No other request waits for the server.
        let passed = upstream.map(|upstream| upstream.pass(&request));
        let (answer, ends_connection) = {
            let mut exchange = lock(exchange);
            exchange.requests.push(request);
            match passed {
                None => (exchange.answer.clone(), exchange.ends_connection),
                Some(Ok((answer, reply))) => {
                    exchange.replies.push(Ok(reply));
                    (answer, true)
                }
                Some(Err(error)) => {
                    exchange.replies.push(Err(error.to_string()));
                    (Vec::new(), true)
                }
            }
        };
        if stream.write_all(&answer).is_err() || ends_connection || is_broken {
            return;
        }
    }
}

/// The next request of a connection. No client sends one before it has the answer to the one before.
fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<Recorded> {
    let _ = stream.set_read_timeout(Some(IDLE));
    let end = loop {
        match bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            Some(end) => break end + 4,
            None => more(stream, bytes)?,
        }
    };
    let _ = stream.set_read_timeout(Some(STALLED));
    let head = String::from_utf8_lossy(&bytes.drain(..end).collect::<Vec<u8>>()).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let mut request = Recorded { method, target, headers, ..Recorded::default() };
    let lengths: Vec<String> = request.header("content-length").map(str::to_owned).collect();
    let transfers: Vec<String> = request.header("transfer-encoding").map(str::to_owned).collect();
    let body = match (lengths.as_slice(), transfers.as_slice()) {
        ([], []) => Some(Vec::new()),
        ([length], []) => length.parse().ok().and_then(|length| take(stream, bytes, length)),
        ([], [transfer]) if transfer.eq_ignore_ascii_case("chunked") => chunks(stream, bytes),
        _ => None,
    };
    let headers = [lengths, transfers].concat().join(" | ");
    request.flaw = match &body {
        Some(_) if bytes.is_empty() => None,
        Some(_) => Some(format!("{} bytes behind a body of {headers:?}", bytes.len())),
        None => Some(format!("{} bytes for {headers:?}", bytes.len())),
    };
    request.body = body.unwrap_or_default();
    Some(request)
}

fn chunks(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = loop {
            match bytes.windows(2).position(|window| window == b"\r\n") {
                Some(end) => break end,
                None => more(stream, bytes)?,
            }
        };
        let line = take(stream, bytes, end + 2)?;
        let size = String::from_utf8_lossy(&line);
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        let chunk = take(stream, bytes, size.checked_add(2)?)?;
        body.extend_from_slice(chunk.get(..size)?);
        if size == 0 || body.len() > MOST {
            return Some(body);
        }
    }
}

fn take(stream: &mut TcpStream, bytes: &mut Vec<u8>, length: usize) -> Option<Vec<u8>> {
    while bytes.len() < length {
        more(stream, bytes)?;
    }
    Some(bytes.drain(..length).collect())
}

fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 16 * 1024];
    match stream.read(&mut buffer) {
        Ok(length) if length > 0 && bytes.len() < MOST => {
            bytes.extend_from_slice(buffer.get(..length)?);
            Some(())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_broken_length_is_not_passed_on() {
        let upstream = Recorder::start().unwrap();
        upstream.replay(Observed { status: 204, media_type: "", body: b"" });
        // The answer is all that comes before the end of the connection.
        lock(&upstream.exchange).ends_connection = true;
        let recorder = Recorder::start().unwrap();
        for (head, passed) in [("content-length: 2\r\n", 1), ("content-length: 1\r\ncontent-length: 2\r\n", 0)] {
            recorder.relay(&Upstream::on_loopback(upstream.address(), Duration::from_secs(5)).unwrap());
            let mut stream = TcpStream::connect(recorder.address().trim_start_matches("http://")).unwrap();
            stream.write_all(format!("POST /a HTTP/1.1\r\nhost: a\r\n{head}\r\nab").as_bytes()).unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
            let recorded = recorder.recorded();
            assert_eq!((recorded.len(), recorded[0].flaw.is_none()), (1, passed == 1), "{recorded:?}");
            let replies: Vec<u16> = recorder.replies().into_iter().map(|reply| reply.unwrap().status).collect();
            assert_eq!((replies, upstream.recorded().len()), (vec![204; passed], passed), "{head}");
        }
    }
}
