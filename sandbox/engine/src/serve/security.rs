//! Declared security. Credentials are accepted whatever they are; absent ones are not.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};

use crate::contract::{Contract, Location, Operation, Scheme};

/// The refusal of a request without credentials.
pub(crate) struct Challenge {
    /// The value of `WWW-Authenticate`.
    pub(crate) header: &'static str,
    /// The credentials of each alternative, in words.
    pub(crate) credentials: String,
}

/// The challenge for a request that fulfils no alternative of the operation. `None` if it fulfils one.
pub(crate) fn challenge(
    contract: &Contract,
    operation: &Operation,
    headers: &HeaderMap,
    query: &str,
) -> Option<Challenge> {
    let alternatives = &operation.security;
    let scheme = |name: &String| contract.schemes.get(name).unwrap_or(&Scheme::Unknown);
    let is_fulfilled = |name: &String| has_credentials(scheme(name), headers, query);
    if alternatives.is_empty() || alternatives.iter().any(|alternative| alternative.schemes.iter().all(is_fulfilled)) {
        return None;
    }
    let names = alternatives.iter().flat_map(|alternative| &alternative.schemes);
    let header = names.map(scheme).find_map(|scheme| match scheme {
        Scheme::Bearer => Some("Bearer"),
        Scheme::Basic => Some("Basic realm=\"sandbox\""),
        _ => None,
    });
    let mut credentials: Vec<String> = Vec::new();
    for alternative in alternatives {
        let all: Vec<String> = alternative.schemes.iter().filter_map(|name| in_words(scheme(name))).collect();
        let all = all.join(" and ");
        if !credentials.contains(&all) {
            credentials.push(all);
        }
    }
    Some(Challenge { header: header.unwrap_or("ApiKey"), credentials: credentials.join(", or ") })
}

fn in_words(scheme: &Scheme) -> Option<String> {
    Some(match scheme {
        Scheme::Unknown => return None,
        Scheme::Basic => "`Authorization: Basic …`".to_owned(),
        Scheme::Bearer => "`Authorization: Bearer …`".to_owned(),
        Scheme::Http(name) => format!("`Authorization: {name} …`"),
        Scheme::Key { location: Location::Query, name } => format!("the query parameter `{name}`"),
        Scheme::Key { location: Location::Cookie, name } => format!("the cookie `{name}`"),
        Scheme::Key { name, .. } => format!("the header `{name}`"),
    })
}

fn has_credentials(scheme: &Scheme, headers: &HeaderMap, query: &str) -> bool {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_scheme = |name: &str| {
        let (scheme, credentials) = authorization.split_once(' ').unwrap_or_default();
        scheme.eq_ignore_ascii_case(name) && !credentials.trim().is_empty()
    };
    match scheme {
        Scheme::Unknown => true,
        Scheme::Basic => is_scheme("basic"),
        Scheme::Bearer => is_scheme("bearer"),
        Scheme::Http(name) => is_scheme(name),
        Scheme::Key { location: Location::Query, name } => {
            form_urlencoded::parse(query.as_bytes()).any(|(key, value)| key == name.as_str() && !value.is_empty())
        }
        Scheme::Key { location: Location::Cookie, name } => {
            let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
            cookies
                .flat_map(|text| text.split(';'))
                .any(|cookie| cookie.trim().split_once('=').is_some_and(|(key, _)| key == name))
        }
        Scheme::Key { name, .. } => headers.get(name.as_str()).is_some_and(|value| !value.is_empty()),
    }
}
