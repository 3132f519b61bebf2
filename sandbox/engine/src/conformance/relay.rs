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
mod tests;
