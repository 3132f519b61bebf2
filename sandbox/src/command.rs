//! `platform-sandbox control`: the control interface of a running sandbox, for a shell. Each command is one request.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

pub(crate) const HELP: &str = "\
Inspects and changes a running sandbox

Usage: platform-sandbox control [--sandbox <URL>] <COMMAND>

Commands:
  state                     Shows an overview of the state
  collections               Lists the collections of the state
  items <QUERY>             Lists the items of a collection: 'collection=/api/projects/v1/projects&search=lyra'
  item show <ADDRESS>       Shows one item: /api/virtual-machines/00000005-0000-4000-8000-000000000001
  item add <JSON>           Adds an item: '{\"collection\":\"/api/virtual-machines\",\"fields\":{\"name\":\"a\"}}'
  item set <ADDRESS> <JSON> Replaces the fields of an item
  item remove <ADDRESS>     Removes an item with everything below it
  snapshot                  Prints the whole state as JSON, with its secrets
  restore <JSON>            Replaces the state by a snapshot
  operations [QUERY]        Lists asynchronous work: 'state=running&limit=10'
  operations show <ID>      Shows one operation with its past and planned events
  directory                 Shows addresses, teams, clients, users and the files of their secrets
  reset [JSON]              Resets everything, or the named parts: '{\"only\":[\"state\",\"clock\"]}'
  clock [JSON]              Shows the clock, or changes it: '{\"advanceMilliseconds\":60000}'
  faults                    Lists the faults
  faults add <JSON>         Adds a fault: '{\"match\":{\"path\":\"/api/teams/v1\"},\"times\":2,\"fault\":\"status=503\"}'
  faults show <ID>          Shows one fault
  faults remove [ID]        Removes one fault, or all
  event-faults <JSON>       Drops or duplicates events of subscriptions
  sockets <JSON>            Closes connections of subscriptions
  requests [QUERY]          Lists the last requests: 'method=GET&path=/api&limit=10'
  requests show <NUMBER>    Shows one request with headers and bodies; secrets are masked
  requests clear            Clears the list and the counts
  verify <JSON>             Checks the number of requests: '{\"match\":{\"path\":\"/api\"},\"atLeast\":1}'
  issuer [JSON]             Shows the settings of the issuer, or changes it: '{\"rotateKey\":true}'
  api-token <JSON>          Creates an API token: '{\"user\":\"ada\",\"name\":\"robot\"}'
  contract <JSON>           Sets whether the contract requires a token: '{\"requiresToken\":false}'
  document                  Prints the OpenAPI document of the control interface, with every member of the JSON

JSON can come from standard input: write `-` in its place.

Options:
      --sandbox <URL>       Base URL of the sandbox [default: the variable PLATFORM_BASE_URL]
  -h, --help                Print this help

Exit codes:
  0  done; the answer of the sandbox is on standard output
  1  the sandbox refused, or `verify` counted another number; its answer is on standard error
  3  no server answers at the address, or it is not a sandbox
  5  invalid command line, or an address that cannot be one of a sandbox on this machine
  6  standard output cannot be written
";

/// The longest wait for the next bytes of the sandbox.
const SILENCE: Duration = Duration::from_secs(30);
/// The maximum length of an answer, in bytes.
const LONGEST: u64 = 256 * 1024 * 1024;

/// The commands and their requests. Each `{}` of a path stands for a word that follows.
const COMMANDS: &[(&[&str], &str, &str, Takes)] = &[
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
    (&["snapshot"], "GET", "/sandbox/snapshot", Takes::Nothing),
    (&["restore"], "PUT", "/sandbox/snapshot", Takes::Body),
    (&["item", "set"], "PUT", "/sandbox/item", Takes::AddressAndBody),
    (&["item", "remove"], "DELETE", "/sandbox/item", Takes::Address),
    (&["operations", "show"], "GET", "/sandbox/operations/{}", Takes::Part),
    (&["operations"], "GET", "/sandbox/operations", Takes::Query),
    (&["directory"], "GET", "/sandbox/directory", Takes::Nothing),
    (&["reset"], "POST", "/sandbox/reset", Takes::BodyOrEmpty),
    (&["clock"], "GET", "/sandbox/clock", Takes::BodyOrRead),
    (&["event-faults"], "POST", "/sandbox/event-faults", Takes::Body),
    (&["sockets"], "POST", "/sandbox/sockets", Takes::Body),
    (&["verify"], "POST", "/sandbox/requests/verify", Takes::Body),
    (&["issuer"], "GET", "/sandbox/issuer", Takes::BodyOrRead),
    (&["api-token"], "POST", "/sandbox/issuer/api-tokens", Takes::Body),
    (&["contract"], "POST", "/sandbox/contract", Takes::Body),
    (&["document"], "GET", "/sandbox/openapi.yaml", Takes::Nothing),
];

/// The arguments of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// A part of the path.
    Part,
    /// An optional part of the path, at its end.
    PartOrNothing,
    Query,
    /// The address of a resource.
    Address,
    /// The address of a resource, and JSON.
    AddressAndBody,
    Body,
    /// JSON, or the empty object.
    BodyOrEmpty,
    /// JSON, which is posted. Without it, the request is a GET.
    BodyOrRead,
}

/// One request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    method: &'static str,
    target: String,
    body: Option<String>,
}

/// The answer to a command.
#[derive(Debug)]
pub(crate) enum Answered {
    Done(Vec<u8>),
    Refused(u16, Vec<u8>),
}

/// The reason why a command got no answer from a sandbox.
#[derive(Debug)]
pub(crate) enum NotSent {
    /// The text cannot be the address of a sandbox.
    Address(String),
    /// No server answers at the address, or the server is not a sandbox.
    NoSandbox(String),
}

/// Parses words of the command line as a request.
pub(crate) fn read(words: &[String]) -> Result<Asked, String> {
    let begins = |start: &&(&[&str], _, _, _)| {
        words.len() >= start.0.len() && start.0.iter().zip(words).all(|(word, given)| word == given)
    };
    let Some((start, method, path, takes)) = COMMANDS.iter().find(begins).copied() else {
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
pub(crate) fn send(base: &str, asked: &Asked) -> Result<Answered, NotSent> {
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
    answered(answer).ok_or_else(|| NotSent::NoSandbox(format!("the server at {base} is not a sandbox")))
}

/// Parses the answer of a sandbox. `None` if another server sent it.
fn answered(mut answer: Vec<u8>) -> Option<Answered> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let body = answer.split_off(end + 4);
    let head = String::from_utf8(answer).ok()?;
    let mut lines = head.lines();
    let status = lines.next()?.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
    let mut headers = lines.filter_map(|line| line.split_once(':'));
    let is_sandbox = headers.any(|(name, value)| {
        name.eq_ignore_ascii_case("server") && value.trim().starts_with(concat!(env!("CARGO_PKG_NAME"), "/"))
    });
    let answered = if (200..300).contains(&status) { Answered::Done(body) } else { Answered::Refused(status, body) };
    is_sandbox.then_some(answered)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn words_are_one_request_or_an_error() {
        for (text, expected) in [
            ("state", "GET /sandbox/state"),
            ("reset", "POST /sandbox/reset {}"),
            ("reset {\"only\":[\"clock\"]}", "POST /sandbox/reset {\"only\":[\"clock\"]}"),
            ("clock", "GET /sandbox/clock"),
            ("clock {\"hold\":true}", "POST /sandbox/clock {\"hold\":true}"),
            ("faults", "GET /sandbox/faults"),
            ("faults show 2", "GET /sandbox/faults/2"),
            ("faults remove", "DELETE /sandbox/faults"),
            ("faults remove 2", "DELETE /sandbox/faults/2"),
            ("item show /api/a", "GET /sandbox/item?address=%2Fapi%2Fa"),
            ("item set /api/a {\"a\":1}", "PUT /sandbox/item?address=%2Fapi%2Fa {\"a\":1}"),
            ("item remove /api/a&b", "DELETE /sandbox/item?address=%2Fapi%2Fa%26b"),
            ("operations show 0-a", "GET /sandbox/operations/0-a"),
            ("requests path=/api&limit=1", "GET /sandbox/requests?path=/api&limit=1"),
            ("requests show 7", "GET /sandbox/requests/7"),
            ("requests clear", "DELETE /sandbox/requests"),
            ("issuer", "GET /sandbox/issuer"),
            ("issuer {\"rotateKey\":true}", "POST /sandbox/issuer {\"rotateKey\":true}"),
            ("item add {}", "POST /sandbox/items {}"),
            ("restore {}", "PUT /sandbox/snapshot {}"),
        ] {
            let Asked { method, target, body } = read(&words(text)).unwrap();
            let body = body.map(|body| format!(" {body}")).unwrap_or_default();
            assert_eq!(format!("{method} {target}{body}"), expected, "{text}");
        }
        for (text, says) in [
            ("", "missing"),
            ("nothing", "`nothing` is not a command"),
            ("state now", "too many arguments"),
            ("faults show", "needs an argument"),
            ("faults add", "needs an argument"),
            ("faults show ../state", "takes a number"),
            ("faults remove 1/2", "takes a number"),
            ("verify {", "not JSON"),
            ("item show api", "not an address"),
            ("item set /api/a", "needs an address and JSON"),
            ("item set /api/a {", "not JSON"),
            ("item show /a /b", "too many arguments"),
            ("requests a#b", "as in an address"),
        ] {
            assert!(read(&words(text)).unwrap_err().contains(says), "{text}");
        }
        assert!(read(&["requests".to_owned(), "a=1 HTTP/1.0\r\n".to_owned()]).is_err());
    }

    /// Every operation of the document has a command, apart from the stream, which has no end, and from the cookie, which is for browsers.
    #[test]
    fn every_operation_of_the_control_document_has_a_command() {
        let document = include_str!("control/openapi.yaml");
        let (mut path, mut missing) = ("", Vec::new());
        for line in document.lines().take_while(|line| !line.starts_with("components:")) {
            match line.strip_prefix("  /").and_then(|rest| rest.strip_suffix(':')) {
                Some(_) => path = line.trim().trim_end_matches(':'),
                None => {
                    let method = line.strip_prefix("    ").and_then(|rest| rest.strip_suffix(':')).unwrap_or_default();
                    let is_exempt = ["/sandbox/events", "/sandbox/issuer/sessions"].contains(&path);
                    if !["get", "post", "put", "delete"].contains(&method) || is_exempt {
                        continue;
                    }
                    let (parent, part) = path.rsplit_once("/{").map_or((path, false), |(parent, _)| (parent, true));
                    let fits = |(_, own, route, takes): &&(&[&str], &str, &str, Takes)| {
                        let posts = *takes == Takes::BodyOrRead && method == "post";
                        let is_part = route.ends_with("{}") || *takes == Takes::PartOrNothing && part;
                        (own.eq_ignore_ascii_case(method) || posts)
                            && route.trim_end_matches("/{}") == parent
                            && is_part == part
                    };
                    let both = |entry: &&(&[&str], &str, &str, Takes)| {
                        entry.3 == Takes::PartOrNothing && entry.2 == parent && entry.1.eq_ignore_ascii_case(method)
                    };
                    if !COMMANDS.iter().any(|entry| fits(&entry) || both(&entry)) {
                        missing.push(format!("{method} {path}"));
                    }
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
        for (start, ..) in COMMANDS {
            assert!(HELP.contains(&format!("\n  {}", start.join(" "))), "{start:?}");
        }
    }
}
