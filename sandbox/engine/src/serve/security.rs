//! Declared security. API keys, Basic and foreign tokens are accepted whatever they are; absent ones are not. The tokens that the sandbox
//! has issued are checked.

use std::collections::HashSet;
use std::fmt;
use std::pin::Pin;

use axum::extract::Request;
use axum::response::Response;
use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};

use crate::contract::{Contract, Location, Operation, Requirement, Scheme};

/// The longest list of scopes in a header.
const MOST_OF_SCOPES: usize = 4_000;

/// A token in the eyes of the issuer of the sandbox.
#[derive(Clone, Debug)]
pub(crate) enum Standing {
    /// It has not issued the token.
    Foreign,
    /// It has issued the token, which is expired or revoked, or is not an access token.
    Invalid,
    /// The scopes of an access token.
    Valid(HashSet<String>),
}

/// The issuer of the sandbox.
pub(crate) trait TokenIssuer: fmt::Debug + Send + Sync {
    fn standing(&self, token: &str) -> Standing;

    /// Returns whether it answers requests to a path.
    fn serves(&self, path: &str) -> bool;

    /// Answers a request to one of its paths.
    fn answer(&self, request: Request) -> Pin<Box<dyn Future<Output = Response> + Send + '_>>;

    /// Revokes codes, refresh tokens and sessions.
    fn reset(&self) -> Result<(), String>;
}

/// The refusal of a request by its credentials.
pub(crate) struct CredentialsRefused {
    pub(crate) status: u16,
    /// The value of `WWW-Authenticate`.
    pub(crate) challenge: String,
    pub(crate) detail: String,
}

/// The checks of credentials.
#[derive(Debug)]
pub(crate) struct Security {
    /// Refuses a request without credentials.
    pub(crate) demands: bool,
    /// Refuses tokens that the sandbox has not issued.
    pub(crate) verifies: bool,
    pub(crate) tokens: Option<Box<dyn TokenIssuer>>,
}

/// The credentials of a request, for one scheme or one alternative. The greatest of its schemes is that of an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Fulfilled,
    /// The token is valid, and has not all scopes.
    Insufficient,
    /// The token is not valid.
    Invalid,
    Missing,
}

impl Security {
    /// The refusal of a request that fulfils no alternative of the operation. `None` if it fulfils one.
    pub(crate) fn refuse(
        &self,
        contract: &Contract,
        operation: &Operation,
        headers: &HeaderMap,
        query: &str,
    ) -> Option<CredentialsRefused> {
        let alternatives = &operation.security;
        let scheme = |name: &String| contract.schemes.get(name).unwrap_or(&Scheme::Unknown);
        let mut names = alternatives.iter().flat_map(|alternative| &alternative.schemes);
        let standing = match names.any(|(name, _)| matches!(scheme(name), Scheme::Bearer | Scheme::Token)) {
            true => self.standing(headers),
            false => Standing::Foreign,
        };
        let outcome = |name: &String, scopes: &[String]| match (scheme(name), &standing) {
            (scheme, _) if !has_credentials(scheme, headers, query) => Outcome::Missing,
            (Scheme::Bearer | Scheme::Token, Standing::Invalid) => Outcome::Invalid,
            (Scheme::Token, Standing::Valid(granted)) if !scopes.iter().all(|scope| granted.contains(scope)) => {
                Outcome::Insufficient
            }
            _ => Outcome::Fulfilled,
        };
        let outcomes = alternatives.iter().map(|alternative| {
            let own = alternative.schemes.iter().map(|(name, scopes)| outcome(name, scopes));
            (own.max().unwrap_or(Outcome::Fulfilled), alternative)
        });
        let outcomes: Vec<(Outcome, &Requirement)> = outcomes.collect();
        let is_invalid = matches!(standing, Standing::Invalid);
        // A request without credentials may be allowed; one with a token that was revoked is not such a request.
        let fulfils = |(outcome, alternative): &(Outcome, &Requirement)| {
            let checks_nothing = || alternative.schemes.iter().all(|(name, _)| *scheme(name) == Scheme::Unknown);
            *outcome == Outcome::Fulfilled && !(is_invalid && checks_nothing())
        };
        if outcomes.iter().any(fulfils) {
            return None;
        }
        if is_invalid {
            return Some(self.invalid());
        }
        let (outcome, alternative) = outcomes.into_iter().min_by_key(|(outcome, _)| match outcome {
            // Such an alternative does not count here.
            Outcome::Fulfilled => Outcome::Missing,
            other => *other,
        })?;
        match outcome {
            Outcome::Insufficient => {
                let scopes = listed(alternative.schemes.iter().filter(|(name, _)| *scheme(name) == Scheme::Token));
                Some(CredentialsRefused {
                    status: 403,
                    challenge: format!("Bearer error=\"insufficient_scope\", scope=\"{scopes}\""),
                    detail: format!("the token has not all scopes of the operation: {scopes}"),
                })
            }
            Outcome::Invalid => Some(self.invalid()),
            Outcome::Missing | Outcome::Fulfilled if self.demands => Some(self.missing(contract, operation)),
            Outcome::Missing | Outcome::Fulfilled => None,
        }
    }

    /// The standing of the bearer token of a request. A request without one has no token that could be invalid.
    fn standing(&self, headers: &HeaderMap) -> Standing {
        let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
        });
        let Some(token) = token else { return Standing::Foreign };
        let known = self.tokens.as_ref().map(|tokens| tokens.standing(token));
        match known.unwrap_or(Standing::Foreign) {
            Standing::Foreign if self.verifies => Standing::Invalid,
            known => known,
        }
    }

    fn invalid(&self) -> CredentialsRefused {
        let detail = match self.verifies {
            true => "the token is expired or revoked, or this sandbox has not issued it",
            false => "the token is expired or revoked",
        };
        CredentialsRefused {
            status: 401,
            challenge: "Bearer error=\"invalid_token\"".to_owned(),
            detail: detail.to_owned(),
        }
    }

    fn missing(&self, contract: &Contract, operation: &Operation) -> CredentialsRefused {
        let alternatives = &operation.security;
        let scheme = |name: &String| contract.schemes.get(name).unwrap_or(&Scheme::Unknown);
        let names = alternatives.iter().flat_map(|alternative| &alternative.schemes);
        let header = names.map(|(name, _)| scheme(name)).find_map(|scheme| match scheme {
            Scheme::Bearer | Scheme::Token => Some("Bearer"),
            Scheme::Basic => Some("Basic realm=\"sandbox\""),
            _ => None,
        });
        let mut credentials: Vec<String> = Vec::new();
        for alternative in alternatives.iter() {
            let all: Vec<String> = alternative.schemes.iter().filter_map(|(name, _)| in_words(scheme(name))).collect();
            let all = all.join(" and ");
            if !credentials.contains(&all) {
                credentials.push(all);
            }
        }
        let credentials = credentials.join(", or ");
        let value = if self.verifies { "with a token that the sandbox has issued" } else { "with any value" };
        CredentialsRefused {
            status: 401,
            challenge: header.unwrap_or("ApiKey").to_owned(),
            detail: format!("the request has no credentials of the declared kind: send {credentials}, {value}"),
        }
    }
}

/// The scopes of schemes, each once, as far as a header has room for them.
fn listed<'r>(schemes: impl Iterator<Item = &'r (String, Vec<String>)>) -> String {
    let mut text = String::new();
    let mut seen = HashSet::new();
    for scope in schemes.flat_map(|(_, scopes)| scopes).filter(|scope| seen.insert(scope.as_str())) {
        if text.len() + scope.len() > MOST_OF_SCOPES {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(scope);
    }
    text
}

fn in_words(scheme: &Scheme) -> Option<String> {
    Some(match scheme {
        Scheme::Unknown => return None,
        Scheme::Basic => "`Authorization: Basic …`".to_owned(),
        Scheme::Bearer | Scheme::Token => "`Authorization: Bearer …`".to_owned(),
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
        Scheme::Bearer | Scheme::Token => is_scheme("bearer"),
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
