//! The addresses and the scopes of the security schemes of OAuth 2.0 and OpenID Connect.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::{Operation, Scheme};

/// An address that a scheme declares, by its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenAddress {
    /// `tokenUrl` and `refreshUrl`.
    Token,
    /// `authorizationUrl`.
    Authorization,
    /// Both at one address.
    AuthorizationAndToken,
    /// `openIdConnectUrl`, and `oauth2MetadataUrl` of OpenAPI 3.2.
    Discovery,
}

/// The declarations of the schemes of a contract.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens {
    /// The paths of the declared addresses, whatever their hosts.
    pub(crate) addresses: BTreeMap<String, TokenAddress>,
    pub(crate) scopes: BTreeSet<String>,
}

const ADDRESSES: [(&str, TokenAddress); 5] = [
    ("tokenUrl", TokenAddress::Token),
    ("refreshUrl", TokenAddress::Token),
    ("authorizationUrl", TokenAddress::Authorization),
    ("openIdConnectUrl", TokenAddress::Discovery),
    ("oauth2MetadataUrl", TokenAddress::Discovery),
];

/// The maximum number of addresses of a contract. Each is compared with all operations.
const MOST_OF_ADDRESSES: usize = 100;

/// Reads the values of schemes. A relative address begins at the base path.
pub(super) fn tokens<'d>(
    declared: impl Iterator<Item = &'d Value>,
    schemes: &BTreeMap<String, Scheme>,
    operations: &[Operation],
    base_path: &str,
) -> Tokens {
    let mut tokens = Tokens::default();
    for scheme in declared {
        let flows = scheme.get("flows").and_then(Value::as_object).into_iter().flat_map(|flows| flows.values());
        // A scheme of Swagger 2.0 is its own flow.
        for flow in std::iter::once(scheme).chain(flows) {
            for (key, address) in ADDRESSES {
                let url = flow.get(key).and_then(Value::as_str);
                if let Some(path) = url.and_then(|url| path(url, base_path)) {
                    add(&mut tokens.addresses, path, address);
                }
            }
            let scopes = flow.get("scopes").and_then(Value::as_object).into_iter().flat_map(|scopes| scopes.keys());
            tokens.scopes.extend(scopes.filter(|scope| is_scope(scope)).cloned());
        }
    }
    // Most operations share the requirements of the document.
    let mut seen = HashSet::new();
    for operation in operations.iter().filter(|operation| seen.insert(operation.security.as_ptr())) {
        for (name, scopes) in operation.security.iter().flat_map(|requirement| &requirement.schemes) {
            if schemes.get(name) == Some(&Scheme::Token) {
                tokens.scopes.extend(scopes.iter().cloned());
            }
        }
    }
    tokens
}

fn add(addresses: &mut BTreeMap<String, TokenAddress>, path: String, address: TokenAddress) {
    let is_full = addresses.len() >= MOST_OF_ADDRESSES;
    match addresses.entry(path) {
        Entry::Occupied(mut known) => match (known.get(), address) {
            (TokenAddress::Token, TokenAddress::Authorization) | (TokenAddress::Authorization, TokenAddress::Token) => {
                known.insert(TokenAddress::AuthorizationAndToken);
            }
            _ => {}
        },
        Entry::Vacant(vacant) if !is_full => {
            vacant.insert(address);
        }
        Entry::Vacant(_) => {}
    }
}

/// The path of an address. `None` for the root, for texts that are no path, and for paths that no request has.
fn path(url: &str, base_path: &str) -> Option<String> {
    let url = url.split(['?', '#']).next().filter(|url| !url.trim_start_matches("./").is_empty())?;
    let path = match url.split_once("://").map(|(_, rest)| rest).or_else(|| url.strip_prefix("//")) {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default().to_owned(),
        None if url.starts_with('/') => url.to_owned(),
        None => format!("{base_path}/{}", url.trim_start_matches("./")),
    };
    // A browser takes `//host` and `/\host` for another server, and a client resolves the dots.
    let is_dots = |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    let is_path = path.len() > 1
        && !path.starts_with("//")
        && path.bytes().all(|byte| byte.is_ascii_graphic() && !b"{}\\".contains(&byte))
        && !path.split('/').any(is_dots);
    is_path.then_some(path)
}

/// Returns whether a request can ask for a scope of this name (RFC 6749, section 3.3).
pub(crate) fn is_scope(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    !name.is_empty() && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::{is_scope, path};

    #[test]
    fn an_address_has_the_path_of_its_url_whatever_its_host() {
        for (url, expected) in [
            ("https://idp.example/oauth/token?x=1#y", Some("/oauth/token")),
            ("//idp.example/token", Some("/token")),
            ("/oauth/token", Some("/oauth/token")),
            ("token", Some("/v1/token")),
            ("./token", Some("/v1/token")),
            ("https://idp.example", None),
            ("https://idp.example/", None),
            ("https://idp.example/a b", None),
            ("https://idp.example/ä", None),
            ("https://idp.example/a\r\nb", None),
            ("https://idp.example//evil.example/token", None),
            ("////evil.example/token", None),
            ("https://idp.example/\\evil.example/token", None),
            ("", None),
            ("?x", None),
            ("#", None),
            ("./", None),
            ("https://idp.example/{tenant}/token", None),
            ("{token}", None),
            ("../token", None),
            ("https://idp.example/a/%2E./token", None),
            ("https://idp.example/a..b/token", Some("/a..b/token")),
        ] {
            assert_eq!(path(url, "/v1").as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn a_scope_is_a_word_that_a_request_and_a_header_can_have() {
        for good in ["read:pets", "https://api.example/.default", "a"] {
            assert!(is_scope(good), "{good}");
        }
        for bad in ["", "two words", "quo\"te", "back\\slash", "line\nend", "ü"] {
            assert!(!is_scope(bad), "{bad:?}");
        }
    }
}
