//! `platform-sandbox control`: the commands that only this sandbox has, and the help of all.

use driftless_sandbox_control::command::{Command, Takes};

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

/// The commands that only this sandbox has.
pub(crate) const COMMANDS: &[Command] = &[
    (&["operations", "show"], "GET", "/sandbox/operations/{}", Takes::Part),
    (&["operations"], "GET", "/sandbox/operations", Takes::Query),
    (&["directory"], "GET", "/sandbox/directory", Takes::Nothing),
    (&["event-faults"], "POST", "/sandbox/event-faults", Takes::Body),
    (&["sockets"], "POST", "/sandbox/sockets", Takes::Body),
    (&["issuer"], "GET", "/sandbox/issuer", Takes::BodyOrRead),
    (&["api-token"], "POST", "/sandbox/issuer/api-tokens", Takes::Body),
    (&["contract"], "POST", "/sandbox/contract", Takes::Body),
];

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use driftless_sandbox_control::command::{Asked, COMMON, Takes, read};

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
            let Asked { method, target, body } = read(&words(text), COMMANDS).unwrap();
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
            assert!(read(&words(text), COMMANDS).unwrap_err().contains(says), "{text}");
        }
        assert!(read(&["requests".to_owned(), "a=1 HTTP/1.0\r\n".to_owned()], COMMANDS).is_err());
    }

    /// Every operation of the document has a command, apart from the stream, which has no end, and from the cookie, which is for browsers.
    #[test]
    fn every_operation_of_the_control_document_has_a_command() {
        let document = driftless_sandbox_control::interface::document(include_str!("control/openapi.yaml"));
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
                    let fits = |(_, own, route, takes): &&Command| {
                        let posts = *takes == Takes::BodyOrRead && method == "post";
                        let is_part = route.ends_with("{}") || *takes == Takes::PartOrNothing && part;
                        (own.eq_ignore_ascii_case(method) || posts)
                            && route.trim_end_matches("/{}") == parent
                            && is_part == part
                    };
                    let both = |entry: &&Command| {
                        entry.3 == Takes::PartOrNothing && entry.2 == parent && entry.1.eq_ignore_ascii_case(method)
                    };
                    if !COMMANDS.iter().chain(COMMON).any(|entry| fits(&entry) || both(&entry)) {
                        missing.push(format!("{method} {path}"));
                    }
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
        for (start, ..) in COMMANDS.iter().chain(COMMON) {
            assert!(HELP.contains(&format!("\n  {}", start.join(" "))), "{start:?}");
        }
    }
}
