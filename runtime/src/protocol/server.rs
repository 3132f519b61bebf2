//! The servers that a contract gives an operation alone, as patterns: `{}` stands for a label of a host or a part of a segment, `{.}` also
//! for several labels, `{/}` for any text.

use std::collections::BTreeSet;

use url::Url;

use super::Operation;
use crate::error::{Error, Kind, escape};

/// The texts that stand for a variable, and the character besides those of a label or segment that its values may hold.
const VARIABLES: [(&str, &[char]); 3] = [("{}", &[]), ("{.}", &['.']), ("{/}", &['.', '/', ':'])];

/// Checks that the client is for one of the servers that the contract gives an operation. Any other server does not have the
/// operation, and would get a token that may not be meant for it.
pub(super) fn check(operation: &Operation, base: &Url) -> Result<(), Error> {
    if operation.servers.is_empty() || operation.servers.iter().any(|server| is_it(server, base)) {
        return Ok(());
    }
    let servers: Vec<String> = operation.servers.iter().map(|server| format!("`{}`", escape(server))).collect();
    let message = format!("the contract gives this operation a server of its own, {}", servers.join(" or "));
    Err(Error::with(Kind::Request, message).hint(
        "nothing was sent: make a client with that base URL, and with a credential for it, and call the operation there; where the \
         server of this client has all operations, build it with `operations_of_other_servers`",
    ))
}

/// `true` if a pattern, absolute or relative, names a base URL.
fn is_it(server: &str, base: &Url) -> bool {
    let path = base.path().trim_end_matches('/');
    if !server.contains('{') {
        let own = base.join(server);
        return own.is_ok_and(|own| own.origin() == base.origin() && own.path().trim_end_matches('/') == path);
    }
    let Some(host) = base.host_str() else { return false };
    let scheme = base.scheme();
    let port = base.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
    // A contract may write the port that goes without saying.
    let ports = [Some(port), base.port().is_none().then(String::new)];
    let server = match server {
        relative if relative.starts_with("//") => format!("{scheme}:{relative}"),
        absolute if absolute.contains("://") || absolute.starts_with("{/}") => absolute.to_owned(),
        relative => return fits(&format!("/{}", relative.trim_matches('/')), path),
    };
    let (authority, rest) = match server.find("://").and_then(|start| Some((start, server.get(start + 3..)?))) {
        Some((start, rest)) => server.split_at(rest.find('/').map_or(server.len(), |end| start + 3 + end)),
        None => (server.as_str(), ""),
    };
    let pattern = authority.to_ascii_lowercase() + rest.trim_end_matches('/');
    ports.iter().flatten().any(|port| fits(&pattern, &format!("{scheme}://{host}{port}{path}")))
}

/// `true` if a pattern stands for a text. All ends of the part that fits are kept, and each variable reads the text once.
fn fits(mut pattern: &str, text: &str) -> bool {
    let mut ends = BTreeSet::from([0]);
    while !pattern.is_empty() {
        let variable = VARIABLES.iter().find_map(|(variable, more)| Some((pattern.strip_prefix(variable)?, *more)));
        if let Some((rest, more)) = variable {
            pattern = rest;
            let is_part = |c: &char| more.contains(c) || !matches!(c, '.' | '/' | ':');
            let mut is_open = false;
            let extended = text.char_indices().filter_map(|(at, c)| {
                is_open = (is_open || ends.contains(&at)) && is_part(&c);
                is_open.then_some(at + c.len_utf8())
            });
            ends = extended.collect();
            continue;
        }
        let next = pattern.char_indices().skip(1).find(|(_, c)| *c == '{').map_or(pattern.len(), |(at, _)| at);
        let (literal, rest) = pattern.split_at(next);
        pattern = rest;
        let behind = |start: usize| text.get(start..)?.starts_with(literal).then_some(start + literal.len());
        ends = ends.into_iter().filter_map(behind).collect();
    }
    ends.contains(&text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_stands_for_one_label_or_segment_unless_the_contract_shows_more() {
        for (server, base, expected) in [
            ("https://{}.upload.x", "https://acme.upload.x", true),
            ("https://{}.upload.x/", "https://acme.upload.x/", true),
            ("https://{}.Upload.x", "https://ACME.upload.X:443", true),
            ("https://{}.upload.x:443/v1", "https://acme.upload.x/v1", true),
            ("https://{}.upload.x", "https://upload.x", false),
            ("https://{}.upload.x", "https://.upload.x", false),
            ("https://{}.upload.x", "https://a.b.upload.x", false),
            ("https://{}.upload.x", "https://evil.example/.upload.x", false),
            ("https://{}.upload.x", "https://acme.upload.x.evil.example", false),
            ("https://{}.upload.x", "http://acme.upload.x", false),
            ("https://{}.upload.x", "https://acme.upload.x:8443", false),
            ("https://{}.upload.x", "https://acme.upload.x/v1", false),
            ("https://{.}:{}/{}", "https://a.b.example/v2", true),
            ("https://{.}:{}/{}", "https://a.b.example:8443/v2", true),
            ("https://{.}", "https://a.b.example/v2", false),
            ("https://x/{}/files", "https://x/a/files", true),
            ("https://x/{}/files", "https://x/a/b/files", false),
            ("https://x/V{}", "https://x/v1", false),
            ("{/}", "https://anything.example:1/at/all", true),
            ("{}://x", "https://x", true),
            ("//{}.x/y", "https://a.x/y", true),
            ("/{}/z", "https://a.x/y/z", true),
            ("/{}/z", "https://a.x/y", false),
            ("{", "https://a.x", false),
            ("https://{{}.x", "https://a.x", false),
        ] {
            let url = Url::parse(base).unwrap_or_else(|error| panic!("{base}: {error}"));
            assert_eq!(is_it(server, &url), expected, "{server} {base}");
        }
        // Each variable reads the text once, so the work grows with the text and not with its square.
        let base = Url::parse(&format!("https://x/{}", "a".repeat(2000))).expect("valid");
        assert!(!is_it(&format!("https://x/{}b", "{}".repeat(40)), &base));
    }
}
