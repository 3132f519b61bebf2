//! The credentials of a call.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, header};
use secrecy::{ExposeSecret, SecretString};
use url::{Url, form_urlencoded};

use super::Session;
use crate::{
    auth::{Cache, CachedToken, KeyPlace, secrets},
    error::{Error, Kind},
    protocol::{Location, Prepared, Scheme, Security, encode_strictly, set_header},
    transport::address,
};

/// One credential of a call: its place in the request, and its source.
pub(super) struct Way<'a> {
    pub(super) place: RequestPlace<'a>,
    pub(super) cache: &'a Cache,
}

/// The place of a credential in a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestPlace<'a> {
    Token,
    Basic,
    Header(&'a str),
    Query(&'a str),
    Cookie(&'a str),
}

impl From<Scheme> for RequestPlace<'static> {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Token => Self::Token,
            Scheme::Basic { .. } => Self::Basic,
            Scheme::Header { name, .. } => Self::Header(name),
            Scheme::Query { name, .. } => Self::Query(name),
            Scheme::Cookie { name, .. } => Self::Cookie(name),
        }
    }
}

impl<'a> From<&'a KeyPlace> for RequestPlace<'a> {
    fn from(place: &'a KeyPlace) -> Self {
        match place {
            KeyPlace::Authorization => Self::Basic,
            KeyPlace::Header(name) => Self::Header(name),
            KeyPlace::Query(name) => Self::Query(name),
        }
    }
}

impl RequestPlace<'_> {
    /// Returns whether a parameter is sent in this place.
    fn is_parameter(self, location: Location, parameter: &str) -> bool {
        match self {
            Self::Header(name) => location == Location::Header && name.eq_ignore_ascii_case(parameter),
            Self::Query(name) => location == Location::Query && name == parameter,
            Self::Cookie(name) => location == Location::Cookie && name == parameter,
            Self::Token | Self::Basic => false,
        }
    }
}

/// Returns the credentials for a call: none for another server.
pub(super) fn ways<'a>(session: &'a Session, prepared: &Prepared) -> Vec<Way<'a>> {
    if !address::is_same_origin(&session.base, &prepared.url) {
        return Vec::new();
    }
    let one = |scheme: Scheme| {
        let cache = match scheme.scheme() {
            None => session.credential.as_ref()?,
            Some(name) => {
                let key = session.keys.get(name)?;
                if key.basic != matches!(scheme, Scheme::Basic { .. }) {
                    return None;
                }
                &key.cache
            }
        };
        Some(Way { place: scheme.into(), cache })
    };
    let mut ways: Vec<Way<'a>> = match prepared.security {
        Security::None => Vec::new(),
        Security::Token => {
            let placed = session.placed.iter().map(|(place, key)| Way { place: place.into(), cache: &key.cache });
            one(Scheme::Token).into_iter().chain(placed).collect()
        }
        Security::Any(alternatives) => alternatives
            .iter()
            .find_map(|together| together.iter().map(|scheme| one(*scheme)).collect::<Option<_>>())
            .unwrap_or_default(),
    };
    // A caller who gives the parameter of that name means its value: the call has one place for both.
    ways.retain(|way| !prepared.taken.iter().any(|(location, name)| way.place.is_parameter(*location, name)));
    ways
}

/// Returns the schemes of an operation that have no key in the builder, for error messages.
pub(super) fn missing_schemes(prepared: &Prepared) -> Vec<&'static str> {
    match prepared.security {
        Security::Any(alternatives) => {
            alternatives.iter().flat_map(|together| together.iter()).filter_map(|scheme| scheme.scheme()).collect()
        }
        Security::None | Security::Token => Vec::new(),
    }
}

impl Way<'_> {
    /// Adds it to the request. This happens last: no code of the program sees it.
    pub(super) fn add_to(&self, token: &CachedToken, headers: &mut HeaderMap, url: &mut Url) -> Result<(), Error> {
        let secret = token.secret.expose_secret();
        let insert = |headers: &mut HeaderMap, name: &str, text: &str| -> Result<(), Error> {
            set_header(headers, name, text)
                .map_err(|error| error.hint("the contract names a header that cannot be sent"))?;
            headers.iter_mut().filter(|(header, _)| header.as_str().eq_ignore_ascii_case(name)).for_each(
                |(_, value)| {
                    value.set_sensitive(true);
                },
            );
            Ok(())
        };
        match self.place {
            RequestPlace::Token => drop(headers.insert(header::AUTHORIZATION, token.header.clone())),
            RequestPlace::Basic => insert(headers, header::AUTHORIZATION.as_str(), &format!("Basic {secret}"))?,
            RequestPlace::Header(name) => insert(headers, name, secret)?,
            RequestPlace::Query(name) => {
                // A redirect can repeat the key.
                let others = url.query().map(|query| without(query, name));
                url.set_query(others.as_deref().filter(|others| !others.is_empty()));
                url.query_pairs_mut().append_pair(name, secret);
            }
            RequestPlace::Cookie(name) => {
                let before = headers.get(header::COOKIE).map(HeaderValue::as_bytes).unwrap_or_default();
                let before = String::from_utf8_lossy(before).into_owned();
                let separator = if before.is_empty() { "" } else { "; " };
                let pair = format!("{name}={}", encode_strictly(secret));
                insert(headers, header::COOKIE.as_str(), &format!("{before}{separator}{pair}"))?;
            }
        }
        Ok(())
    }
}

/// Returns a query without the parameter of this name; the others stay as they are written.
fn without(query: &str, name: &str) -> String {
    let is_other = |pair: &&str| form_urlencoded::parse(pair.as_bytes()).next().is_none_or(|(key, _)| key != name);
    query.split('&').filter(is_other).collect::<Vec<_>>().join("&")
}

/// Returns the secrets to blank out of the service's responses.
pub(super) fn secrets_of(ways: &[Way<'_>], tokens: &[Arc<CachedToken>]) -> Vec<SecretString> {
    let pairs = ways.iter().zip(tokens);
    pairs.flat_map(|(way, token)| secrets(token, way.place == RequestPlace::Basic)).collect()
}

/// Compares the contract's schemes with the builder's keys: a key of another name is a mistake.
pub(super) fn check(name: &str, basic: bool, schemes: &[Scheme]) -> Result<(), Error> {
    if schemes.is_empty() {
        return Ok(());
    }
    let scheme = schemes.iter().find(|scheme| scheme.scheme() == Some(name));
    let refuse = |message: String, hint: String| Err(Error::with(Kind::Configuration, message).hint(hint));
    match scheme {
        Some(Scheme::Basic { .. }) if !basic => {
            refuse(format!("the scheme `{name}` is HTTP Basic"), "give user and password with `basic`".to_owned())
        }
        Some(Scheme::Basic { .. }) => Ok(()),
        Some(_) if basic => refuse(format!("the scheme `{name}` is an API key"), "give it with `api_key`".to_owned()),
        Some(_) => Ok(()),
        None => {
            let known: Vec<_> = schemes.iter().filter_map(|scheme| scheme.scheme()).collect();
            refuse(format!("the contract has no security scheme `{name}`"), format!("it has {}", known.join(", ")))
        }
    }
}
