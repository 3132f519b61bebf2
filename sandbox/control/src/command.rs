//! The command `control` of a sandbox: its control interface for a shell. Each command is one request.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// The longest wait for the next bytes of the sandbox.
const SILENCE: Duration = Duration::from_secs(30);
/// The maximum length of an answer, in bytes.
const LONGEST: u64 = 1024 * 1024 * 1024;

/// A command: its words, the method and the path of its request, and its arguments. Each `{}` of the path stands for a word that follows.
pub type Command = (&'static [&'static str], &'static str, &'static str, Takes);

/// The commands of every sandbox.
pub const COMMON: &[Command] = &[
    (&["faults", "add"], "POST", "/sandbox/faults", Takes::Body),
    (&["faults", "show"], "GET", "/sandbox/faults/{}", Takes::Part),
    (&["faults", "remove"], "DELETE", "/sandbox/faults", Takes::PartOrNothing),
    (&["faults"], "GET", "/sandbox/faults", Takes::Nothing),
    (&["requests", "show"], "GET", "/sandbox/requests/{}", Takes::Part),
    (&["requests", "clear"], "DELETE", "/sandbox/requests", Takes::Nothing),
    (&["requests"], "GET", "/sandbox/requests", Takes::Query),
    (&["state"], "GET", "/sandbox/state", Takes::Nothing),
    (&["collections"], "GET", "/sandbox/collections", Takes::Nothing),
    (&["items"], "GET", "/sandbox/items", Takes::Query),
    (&["item", "show"], "GET", "/sandbox/item", Takes::Address),
    (&["item", "add"], "POST", "/sandbox/items", Takes::Body),
    (&["item", "set"], "PUT", "/sandbox/item", Takes::AddressAndBody),
    (&["item", "remove"], "DELETE", "/sandbox/item", Takes::Address),
    (&["snapshot"], "GET", "/sandbox/snapshot", Takes::Nothing),
    (&["restore"], "PUT", "/sandbox/snapshot", Takes::Body),
    (&["reset"], "POST", "/sandbox/reset", Takes::BodyOrEmpty),
    (&["clock"], "GET", "/sandbox/clock", Takes::BodyOrRead),
    (&["verify"], "POST", "/sandbox/requests/verify", Takes::Body),
    (&["document"], "GET", "/sandbox/openapi.yaml", Takes::Nothing),
];

/// The arguments of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// A part of the path.
    Part,
    /// An optional part of the path, at its end.
    PartOrNothing,
    /// An optional query.
    Query,
    /// The address of a resource.
    Address,
    /// The address of a resource, and JSON.
    AddressAndBody,
    /// JSON.
    Body,
    /// JSON, or the empty object.
    BodyOrEmpty,
    /// JSON, which is posted. Without it, the request is a GET.
    BodyOrRead,
}

/// One request.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    /// The method.
    pub method: &'static str,
    /// The path and the query.
    pub target: String,
    /// JSON.
    pub body: Option<String>,
}

/// The answer to a command.
#[derive(Debug)]
pub enum Answered {
    /// It is done.
    Done(Vec<u8>),
    /// The sandbox refused, with this status.
    Refused(u16, Vec<u8>),
}

/// The reason why a command got no answer from a sandbox.
#[derive(Debug)]
pub enum NotSent {
    /// The text cannot be the address of a sandbox.
    Address(String),
    /// No server answers at the address, or the server is not a sandbox.
    NoSandbox(String),
}

/// Parses words of the command line as a request. `own` has the commands that only this sandbox has.
///
/// # Errors
///
/// Returns a message for words that are no command.
pub fn read(words: &[String], own: &[Command]) -> Result<Asked, String> {
    let begins =
        |start: &&Command| words.len() >= start.0.len() && start.0.iter().zip(words).all(|(word, given)| word == given);
    let Some((start, method, path, takes)) = own.iter().chain(COMMON).find(begins).copied() else {
        return Err(match words.first() {
            Some(word) => format!("`{word}` is not a command of control"),
            None => "a command is missing".to_owned(),
        });
    };
    let name = start.join(" ");
    let (one, more) = match words.get(start.len()..).unwrap_or_default() {
        [] => (None, false),
        [one] => (Some(one.as_str()), false),
        [address, body] if takes == Takes::AddressAndBody => {
            let body = json_text(&name, body)?;
            return Ok(Asked { method, target: addressed(path, address)?, body: Some(body) });
        }
        _ => (None, true),
    };
    if more || takes == Takes::Nothing && one.is_some() {
        return Err(format!("`{name}` has too many arguments"));
    }
    let plain = |word: &str| match !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    {
        true => Ok(word.to_owned()),
        false => Err(format!("`{name}` takes a number or a GUID, which {word:?} is not")),
    };
    let asked = |method, target, body| Ok(Asked { method, target, body });
    match (takes, one) {
        (Takes::Part, Some(word)) => asked(method, path.replace("{}", &plain(word)?), None),
        (Takes::PartOrNothing, Some(word)) => asked(method, format!("{path}/{}", plain(word)?), None),
        (Takes::Query, Some(query)) => match query.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
            true => asked(method, format!("{path}?{query}"), None),
            false => Err("write the query as in an address: method=GET&path=/api".to_owned()),
        },
        (Takes::BodyOrRead, Some(text)) => asked("POST", path.to_owned(), Some(json_text(&name, text)?)),
        (Takes::Body | Takes::BodyOrEmpty, Some(text)) => asked(method, path.to_owned(), Some(json_text(&name, text)?)),
        (Takes::BodyOrEmpty, None) => asked(method, path.to_owned(), Some("{}".to_owned())),
        (Takes::Address, Some(address)) => asked(method, addressed(path, address)?, None),
        (Takes::AddressAndBody, _) => Err(format!("`{name}` needs an address and JSON")),
        (Takes::Part | Takes::Address | Takes::Body, None) => Err(format!("`{name}` needs an argument")),
        (Takes::Nothing | Takes::PartOrNothing | Takes::Query | Takes::BodyOrRead, _) => {
            asked(method, path.to_owned(), None)
        }
    }
}

/// JSON of an argument, or of standard input.
fn json_text(name: &str, text: &str) -> Result<String, String> {
    let mut input = String::new();
    if text == "-" {
        let read = io::stdin().take(LONGEST).read_to_string(&mut input);
        read.map_err(|error| format!("`{name}` cannot read standard input: {error}"))?;
    }
    let text = if text == "-" { &input } else { text };
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => Ok(value.to_string()),
        Err(error) => Err(format!("the argument of `{name}` is not JSON: {error}")),
    }
}

/// A path with the address of a resource as its query.
fn addressed(path: &str, address: &str) -> Result<String, String> {
    match address.starts_with('/') {
        true => Ok(format!(
            "{path}?{}",
            form_urlencoded::Serializer::new(String::new()).append_pair("address", address).finish()
        )),
        false => Err(format!("{address:?} is not an address: write /api/…, as `collections` lists it")),
    }
}

/// Sends a request to the sandbox at a base URL.
pub fn send(base: &str, asked: &Asked, program: &str) -> Result<Answered, NotSent> {
    let authority = base.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
    let is_plain = |text: &&str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#@\\".contains(&byte))
    };
    let Some(authority) = authority.filter(is_plain) else {
        return Err(NotSent::Address(format!(
            "{base:?} is not the base URL of a sandbox: write http://127.0.0.1:8080"
        )));
    };
    let (host, port) = match authority.rsplit_once(':') {
        // A colon within brackets is part of an IPv6 address.
        Some((host, port)) if !port.contains(']') => (host, port.parse::<u16>().ok().filter(|port| *port > 0)),
        _ => (authority, Some(80)),
    };
    let Some(port) = port else {
        return Err(NotSent::Address(format!("{base:?} has no port from 1 to 65535: write http://127.0.0.1:8080")));
    };
    let failed = |error: io::Error| NotSent::NoSandbox(format!("no sandbox answers at {base}: {error}"));
    let mut addresses = (host.trim_matches(['[', ']']), port).to_socket_addrs().map_err(failed)?;
    // The sandbox only accepts control requests from loopback.
    let Some(address) = addresses.find(|address| address.ip().is_loopback()) else {
        let message = format!("{base} is not an address of this machine; from elsewhere, send the request with curl");
        return Err(NotSent::Address(message));
    };
    let mut stream = TcpStream::connect_timeout(&address, SILENCE).map_err(failed)?;
    stream.set_read_timeout(Some(SILENCE)).and_then(|()| stream.set_write_timeout(Some(SILENCE))).map_err(failed)?;
    // With HTTP/1.0, the answer ends with its connection.
    let mut request = format!("{} {} HTTP/1.0\r\nhost: {authority}\r\n", asked.method, asked.target);
    if let Some(body) = &asked.body {
        request += &format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    }
    request += "\r\n";
    request += asked.body.as_deref().unwrap_or_default();
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer).map_err(failed)?;
    answered(answer, program).ok_or_else(|| NotSent::NoSandbox(format!("the server at {base} is not a sandbox")))
}

/// Parses the answer of a sandbox. `None` if another server sent it.
fn answered(mut answer: Vec<u8>, program: &str) -> Option<Answered> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let body = answer.split_off(end + 4);
    let head = String::from_utf8(answer).ok()?;
    let mut lines = head.lines();
    let status = lines.next()?.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
    let mut headers = lines.filter_map(|line| line.split_once(':'));
    let is_sandbox = headers.any(|(name, value)| {
        name.eq_ignore_ascii_case("server") && value.trim().split_once('/').is_some_and(|(name, _)| name == program)
    });
    let answered = if (200..300).contains(&status) { Answered::Done(body) } else { Answered::Refused(status, body) };
    is_sandbox.then_some(answered)
}
