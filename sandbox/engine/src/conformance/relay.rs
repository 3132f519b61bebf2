//! A request that was recorded, its way to a server on loopback, and the way of the answer back, byte by byte.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::live::Observed;

/// The longest answer.
const MOST: usize = 16 * 1024 * 1024;

/// The longest head of an answer.
const MOST_HEAD: usize = 256 * 1024;

/// Headers of one connection: the relay has another one, and sends the whole body.
const OWN: [&str; 6] = ["host", "connection", "content-length", "transfer-encoding", "expect", "keep-alive"];

/// Members that the state of each sandbox has.
const STATE: [&str; 6] = ["clock", "pace", "faults", "eventFaults", "requests", "counts"];

/// A request as it arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case, in the order of the request.
    pub headers: Vec<(String, String)>,
    /// The body, without the framing of its transfer.
    pub body: Vec<u8>,
    /// The flaw of the framing: the headers say another length than that of the body, or several.
    pub flaw: Option<String>,
    /// The number of its connection, in the order in which the server accepted them.
    pub connection: usize,
}

impl Recorded {
    /// The values of a header.
    pub(super) fn header<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        self.headers.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A server on loopback, to which a recorder passes its requests on.
#[derive(Clone, Debug)]
pub struct Upstream {
    addresses: Vec<SocketAddr>,
    authority: String,
    base_path: String,
    longest: Duration,
}

/// The answer of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relayed {
    /// The status.
    pub status: u16,
    /// The header `Content-Type`; empty if it is missing.
    pub media_type: String,
    /// The last part of the path in the header `Location`, if nothing in it is encoded.
    pub located: Option<String>,
    /// The header `Server`; empty if it is missing.
    pub server: String,
    /// The body, without the framing of its transfer.
    pub body: Vec<u8>,
}

impl Relayed {
    /// The answer as the judge reads it.
    pub fn observed(&self) -> Observed<'_> {
        Observed { status: self.status, media_type: &self.media_type, body: &self.body }
    }
}

impl Upstream {
    /// The server of a base URL: `http`, and a host that is `localhost` or an address of loopback. No name is looked up, so that none can
    /// lead elsewhere. A request has the answer after this time, or has none.
    ///
    /// # Errors
    ///
    /// Names the part of the URL that is not allowed.
    pub fn on_loopback(url: &str, longest: Duration) -> Result<Self, &'static str> {
        let uri: http::Uri = url.parse().map_err(|_| "it is not a URL")?;
        let authority = uri.authority().ok_or("it is not a URL with a host")?;
        if uri.scheme_str() != Some("http") {
            return Err("its scheme is not http");
        }
        if authority.as_str().contains('@') {
            return Err("it has a user");
        }
        if uri.query().is_some() {
            return Err("it has a query");
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let hosts: Vec<IpAddr> = match host.eq_ignore_ascii_case("localhost") {
            true => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
            false => host.parse().into_iter().collect(),
        };
        if hosts.is_empty() || !hosts.iter().all(IpAddr::is_loopback) {
            return Err("its host is not one of loopback");
        }
        // The parser gives no port if its number is too large.
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if authority.as_str() == authority.host() => 80,
            None => return Err("its port is not a number up to 65535"),
        };
        Ok(Self {
            addresses: hosts.into_iter().map(|host| SocketAddr::new(host, port)).collect(),
            authority: authority.as_str().to_owned(),
            base_path: uri.path().trim_end_matches('/').to_owned(),
            longest,
        })
    }

    /// Returns whether the URL has a path. The control interface of a sandbox lies outside of it, and says nothing of the server there.
    pub fn has_path(&self) -> bool {
        !self.base_path.is_empty()
    }

    /// The server, if it is a sandbox: its control interface gives its name, and shows its state at `/sandbox/state`, which lies beside
    /// the paths of the contract. All requests go to the address that has answered: another one of `localhost` can be another server.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub fn sandbox(self) -> io::Result<Option<Self>> {
        let request = Recorded { method: "GET".to_owned(), ..Recorded::default() };
        let (bytes, address) = self.send(&request, "/sandbox/state")?;
        let reply = read(&request, &bytes)?;
        let state: Option<Value> = serde_json::from_slice(&reply.body).ok();
        let has_all = |state: Value| STATE.iter().all(|name| state.get(name).is_some());
        let product = reply.server.split_once('/').map(|(product, _)| product);
        let is_named = product.is_some_and(|product| product.ends_with("-sandbox"));
        let is_one = reply.status == 200 && is_named && state.is_some_and(has_all);
        Ok(is_one.then(|| Self { addresses: vec![address], ..self }))
    }

    /// Passes a request on. Returns the bytes of the answer, and the answer itself.
    pub(super) fn pass(&self, request: &Recorded) -> io::Result<(Vec<u8>, Relayed)> {
        let (bytes, _) = self.send(request, &format!("{}{}", self.base_path, request.target))?;
        let reply = read(request, &bytes)?;
        Ok((bytes, reply))
    }

    /// Sends a request over a connection of its own, and reads to its end. Returns the address, too.
    fn send(&self, request: &Recorded, target: &str) -> io::Result<(Vec<u8>, SocketAddr)> {
        let end = Instant::now() + self.longest;
        let mut connected = Err(io::Error::other("it has no address"));
        for address in &self.addresses {
            connected = TcpStream::connect_timeout(address, rest(end)?).map(|stream| (stream, *address));
            if connected.is_ok() {
                break;
            }
        }
        let (mut stream, address) = connected.map_err(late)?;
        let has_length = request.headers.iter().any(|(name, _)| name == "content-length");
        let mut head =
            format!("{} {target} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", request.method, self.authority);
        for (name, value) in request.headers.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if has_length || !request.body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", request.body.len()));
        }
        let sent = [head.as_bytes(), b"\r\n", &request.body].concat();
        let mut unsent = sent.as_slice();
        while !unsent.is_empty() {
            stream.set_write_timeout(Some(rest(end)?))?;
            match stream.write(unsent) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(length) => unsent = unsent.get(length..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(late(error)),
            }
        }
        let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
        loop {
            stream.set_read_timeout(Some(rest(end)?))?;
            match stream.read(&mut buffer) {
                Ok(0) => return Ok((bytes, address)),
                Ok(length) => bytes.extend_from_slice(buffer.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(late(error)),
            }
            if bytes.len() > MOST {
                return Err(io::Error::other(format!("the answer has more than {MOST} bytes")));
            }
        }
    }
}

/// The time until the end of a request.
fn rest(end: Instant) -> io::Result<Duration> {
    let rest = end.saturating_duration_since(Instant::now());
    if rest.is_zero() { Err(late(io::ErrorKind::TimedOut.into())) } else { Ok(rest) }
}

/// The error of a system that waited in vain says little, and not the same on each system.
fn late(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            io::Error::new(io::ErrorKind::TimedOut, "the answer takes too long")
        }
        _ => error,
    }
}

/// The answer in the bytes of a connection.
fn read(request: &Recorded, bytes: &[u8]) -> io::Result<Relayed> {
    let broken = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
    let first = bytes.get(..bytes.len().min(MOST_HEAD)).unwrap_or_default();
    let end = first.windows(4).position(|window| window == b"\r\n\r\n").ok_or_else(|| broken("no head of HTTP"))?;
    let (head, body) = bytes.split_at(end + 4);
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok());
    let status: u16 = status.ok_or_else(|| broken("no status of HTTP/1.1"))?;
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let header = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
    let has_body = request.method != "HEAD" && !matches!(status, 100..200 | 204 | 304);
    let body = match (has_body, header("transfer-encoding"), header("content-length")) {
        (false, ..) => Vec::new(),
        (_, Some(_), _) => chunks(body).ok_or_else(|| broken("the chunks of the body are cut"))?,
        (_, None, Some(length)) => {
            let length: usize = length.parse().map_err(|_| broken("the length of the body is not a number"))?;
            body.get(..length).ok_or_else(|| broken("the body is shorter than its length"))?.to_vec()
        }
        (_, None, None) => body.to_vec(),
    };
    let located = header("location").and_then(|location| location.split(['?', '#']).next()?.rsplit('/').next());
    let located = located.filter(|last| !last.is_empty() && !last.contains('%')).map(str::to_owned);
    let text = |name: &str| header(name).unwrap_or_default().to_owned();
    Ok(Relayed { status, media_type: text("content-type"), located, server: text("server"), body })
}

/// The body of a transfer in chunks.
fn chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let line = String::from_utf8_lossy(rest.get(..end)?);
        let size = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        rest = rest.get(end + 2..)?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size..)?.strip_prefix(b"\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_of_loopback_is_an_upstream() {
        for (url, reason) in [
            ("http://127.0.0.1:80/api/", ""),
            ("http://127.8.0.1", ""),
            ("http://localhost:8080", ""),
            ("http://[::1]:8080/v1", ""),
            ("http://10.0.0.1:80", "its host"),
            ("http://0.0.0.0:80", "its host"),
            ("http://service.example", "its host"),
            ("http://localhost.example", "its host"),
            ("http://127.0.0.1.example", "its host"),
            ("http://127.0.0.1@service.example", "it has a user"),
            ("http://user:word@127.0.0.1", "it has a user"),
            ("http://[::ffff:10.0.0.1]", "its host"),
            ("https://127.0.0.1", "its scheme"),
            ("127.0.0.1:80", "its scheme"),
            ("http://127.0.0.1:99999", "its port"),
            ("http://127.0.0.1/?a=b", "it has a query"),
            ("", "it is not a URL"),
        ] {
            let error = Upstream::on_loopback(url, Duration::from_secs(1)).err().unwrap_or_default();
            assert!(error.starts_with(reason) && error.is_empty() == reason.is_empty(), "{url}: {error}");
        }
    }

    /// The upstream of a server on 127.0.0.1 that gives each request the same answer. An empty one: the connection stays open.
    fn serve(host: &str, answer: String) -> Upstream {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{host}:{}", listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer.as_bytes());
                open.extend(answer.is_empty().then_some(stream));
            }
        });
        Upstream::on_loopback(&url, Duration::from_millis(500)).unwrap()
    }

    #[test]
    fn a_sandbox_gives_its_name_and_shows_its_state() {
        let state = serde_json::json!(
            { "clock": "", "pace": 1, "faults": [], "eventFaults": [], "requests": [], "counts": [], "resources": {} }
        );
        let state = state.to_string();
        let engine = "server: driftless-sandbox/0.1.0\r\n";
        for (status, head, body, is_one) in [
            (200, engine, state.as_str(), true),
            (200, "Server: platform-sandbox/0.1.0\r\n", &state, true),
            // A service that answers each path with an object, or says that it likes each member.
            (200, "", "{\"ok\":true}", false),
            (200, "", &state, false),
            (200, "server: nginx/1.2\r\n", &state, false),
            (200, "x-server: driftless-sandbox/0.1.0\r\n", &state, false),
            (200, engine, "{\"collections\":1}", false),
            (404, engine, &state, false),
        ] {
            let answer = format!("HTTP/1.1 {status} A\r\n{head}content-length: {}\r\n\r\n{body}", body.len());
            let sandbox = serve("localhost", answer).sandbox().unwrap();
            assert_eq!(sandbox.is_some(), is_one, "{status} {head} {body}");
            let hosts = sandbox.map(|one| one.addresses.iter().map(SocketAddr::ip).collect::<Vec<_>>());
            assert_eq!(hosts, is_one.then(|| vec![IpAddr::from(Ipv4Addr::LOCALHOST)]));
        }
    }

    #[test]
    fn a_server_that_says_nothing_takes_too_long() {
        let error = serve("127.0.0.1", String::new()).sandbox().unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string()),
            (io::ErrorKind::TimedOut, "the answer takes too long".to_owned())
        );
    }

    #[test]
    fn an_answer_is_read_by_its_framing_or_is_broken() {
        let request = |method: &str| Recorded { method: method.to_owned(), ..Recorded::default() };
        let get = |bytes: &str| read(&request("GET"), bytes.as_bytes());
        let body = |bytes: &str| get(bytes).map(|reply| String::from_utf8(reply.body).unwrap()).ok();
        let table = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", Some("ab")),
            ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab", Some("a")),
            ("HTTP/1.1 200 OK\r\n\r\nab", Some("ab")),
            ("HTTP/1.1 204 No\r\n\r\nab", Some("")),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n2;x=y\r\nbc\r\n0\r\n\r\n", Some("abc")),
            ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab", None),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\na\r\n0\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\na\r\n", None),
            ("HTTP/1.1 2\r\n\r\n", None),
            ("nonsense", None),
            ("", None),
        ];
        for (bytes, expected) in table {
            assert_eq!(body(bytes).as_deref(), expected, "{bytes}");
        }
        let created = get("HTTP/1.1 201 Created\r\nlocation: http://a/pets/7?x=/1\r\n\r\n").unwrap();
        assert_eq!(created.located.as_deref(), Some("7"));
        assert_eq!(get("HTTP/1.1 201 Created\r\nlocation: /pets/a%20b\r\n\r\n").unwrap().located, None);
        let head = read(&request("HEAD"), b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n").unwrap();
        assert_eq!((head.status, head.body.len()), (200, 0));
    }
}
