//! The issuer of the sandbox: the shared issuer, with the scopes that the contracts declare, at the paths that they declare.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use driftless_sandbox_control::clock::Clock;
use driftless_sandbox_control::ui::Frame;
use driftless_sandbox_issuer::{
    EMAIL, Endpoint, Issuer, Nowhere, OFFLINE, OPENID, PROFILE, Presented, Realm, RealmClient, RealmUser, Redirects,
    Secret, Served, TokenGrant, Vault, paths,
};
use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use super::control::is_free;
use super::handle::ServedContract;
use super::pages::FRAME;
use super::route::{Routed, Router};
use super::security::{Standing, TokenIssuer};
use crate::contract::{Contract, TokenAddress, is_scope};
use crate::error::Error;

/// The path of the issuer beside those that contracts declare.
const PATH: &str = "/sandbox/issuer";

/// The end of the address of a discovery document: the rest is that of its issuer.
const DISCOVERY: &str = "/.well-known/openid-configuration";

/// The beginning or the end of the address of such a document of RFC 8414.
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// The deepest path of an issuer above a declared address, in segments.
const DEEPEST: usize = 64;

/// The longest list of scopes that a client gets which asks for none.
const MOST_OF_SCOPES: usize = 8_000;

/// The longest name of a user, in characters.
const MOST_OF_NAME: usize = 200;

/// The scopes that every issuer of OpenID Connect has.
const STANDARD: [&str; 4] = [OPENID, OFFLINE, PROFILE, EMAIL];

/// The contracts, as the issuer knows them.
#[derive(Debug)]
struct Declared {
    origin: String,
    clock: Clock,
    /// Without any, every scope is granted.
    scopes: BTreeSet<String>,
}

/// The issuer and its paths.
#[derive(Debug)]
pub(crate) struct ContractIssuer {
    issuer: Issuer,
    served: HashMap<String, Served>,
}

impl ContractIssuer {
    /// The issuer of some contracts. `has_sandbox_paths`: no contract has paths below `/sandbox`.
    pub(crate) fn new(
        parts: &[ServedContract],
        origin: &str,
        clock: Clock,
        has_sandbox_paths: bool,
    ) -> Result<Self, Error> {
        let scopes = parts.iter().flat_map(|part| &part.engine.contract.tokens.scopes).cloned().collect();
        let realm = Declared { origin: origin.to_owned(), clock, scopes };
        let issuer = Issuer::open(Arc::new(realm), &Vault::new(Arc::new(Nowhere)), "/")
            .map_err(|error| Error::new("issuer", "", error.to_string(), "start the sandbox again"))?;
        let contracts = parts.iter().map(|part| (&part.engine.contract, &part.router));
        let paths = Paths { contracts: contracts.collect(), has_sandbox_paths };
        Ok(Self { issuer, served: paths.served() })
    }
}

/// The paths of contracts and of the sandbox.
#[derive(Debug)]
struct Paths<'c> {
    contracts: Vec<(&'c Contract, &'c Router)>,
    has_sandbox_paths: bool,
}

impl Paths<'_> {
    fn is_of_control(&self, path: &str) -> bool {
        self.has_sandbox_paths && (path == "/sandbox" || path.starts_with("/sandbox/"))
    }

    fn is_of_operation(&self, path: &str) -> bool {
        // Other methods of the path count.
        self.contracts.iter().any(|(_, router)| router.route(&Method::GET, path) != Routed::Unknown)
    }

    fn is_free(&self, path: &str) -> bool {
        !self.is_of_control(path) && !self.is_of_operation(path)
    }

    /// The paths that the issuer answers.
    fn served(&self) -> HashMap<String, Served> {
        let own = paths(PATH).into_iter().filter(|(path, _)| self.is_of_control(path) || self.is_free(path));
        let mut served: HashMap<String, Served> = own.collect();
        for (contract, _) in &self.contracts {
            let addresses = &contract.tokens.addresses;
            // An issuer needs all of its paths: without one, such as that of its login page, its endpoints are those of the sandbox.
            let bases: BTreeSet<&str> = addresses.keys().filter_map(|path| base_of(path)).collect();
            let is_whole = |base: &&str| paths(base).iter().all(|(path, _)| self.is_free(path));
            let bases: BTreeSet<&str> = bases.into_iter().filter(is_whole).collect();
            for (path, below) in bases.iter().flat_map(|base| paths(base)) {
                served.entry(path).or_insert(below);
            }
            for (path, address) in addresses.iter().filter(|(path, _)| self.is_free(path)) {
                // A token names the issuer whose document the contract declares: the one above the address, or else the first one.
                let above = path.match_indices('/').take(DEEPEST).filter_map(|(at, _)| path.get(..at));
                let above = above.filter(|base| bases.contains(base)).last();
                let base = above.or(bases.first().copied()).unwrap_or(PATH);
                let endpoint = match address {
                    TokenAddress::Token => Endpoint::Token,
                    TokenAddress::Authorization => Endpoint::Authorization,
                    TokenAddress::AuthorizationAndToken => Endpoint::AuthorizationAndToken,
                    TokenAddress::Discovery => Endpoint::Discovery,
                };
                served.entry(path.clone()).or_insert_with(|| Served { endpoint, base: Arc::from(base) });
            }
        }
        served
    }
}

/// The path of the issuer whose document is at a path (OpenID Connect Discovery §4, RFC 8414 §3).
fn base_of(path: &str) -> Option<&str> {
    let is_path = |base: &&str| base.starts_with('/') && !base.starts_with("//");
    let above = path.strip_suffix(DISCOVERY).or_else(|| path.strip_suffix(METADATA));
    above.or_else(|| path.strip_prefix(METADATA).filter(is_path))
}

/// The lines of `explain` about the addresses of the contracts' schemes.
pub(crate) fn explained(contracts: &[Contract]) -> String {
    let routers: Vec<Router> = contracts.iter().map(Router::new).collect();
    let has_sandbox_paths = is_free(contracts.iter());
    let paths = Paths { contracts: contracts.iter().zip(&routers).collect(), has_sandbox_paths };
    let served = paths.served();
    let mut addresses: BTreeMap<&String, TokenAddress> = BTreeMap::new();
    for (path, address) in contracts.iter().flat_map(|contract| &contract.tokens.addresses) {
        addresses.entry(path).or_insert(*address);
    }
    let line = |(path, address): (&String, TokenAddress)| {
        let name = match address {
            TokenAddress::Token => "tokens",
            TokenAddress::Authorization => "authorization",
            TokenAddress::AuthorizationAndToken => "authorization and tokens",
            TokenAddress::Discovery => "discovery",
        };
        let note = match served.contains_key(path) {
            true => "the issuer of the sandbox",
            false if paths.is_of_control(path) => "the control interface of the sandbox",
            false => "an operation of the contract",
        };
        format!("{path}  {name}: {note}\n")
    };
    addresses.into_iter().map(line).collect()
}

impl TokenIssuer for ContractIssuer {
    fn standing(&self, token: &str) -> Standing {
        match self.issuer.presented(token) {
            Presented::Foreign => Standing::Foreign,
            Presented::Invalid => Standing::Invalid,
            Presented::Valid(claims) => {
                let scopes = claims.get("scope").and_then(Value::as_str).unwrap_or_default();
                Standing::Valid(scopes.split_whitespace().map(str::to_owned).collect())
            }
        }
    }

    fn serves(&self, path: &str) -> bool {
        self.served.contains_key(path)
    }

    fn answer(&self, request: Request) -> Pin<Box<dyn Future<Output = Response> + Send + '_>> {
        Box::pin(async move {
            match self.served.get(request.uri().path()) {
                Some(served) => self.issuer.answer(served, request).await,
                None => StatusCode::NOT_FOUND.into_response(),
            }
        })
    }

    fn reset(&self) -> Result<(), String> {
        self.issuer.reset().map_err(|error| error.to_string())
    }
}

/// A user of this name, with any password.
fn user(name: &str) -> Option<RealmUser> {
    let is_name = !name.is_empty() && name.chars().count() <= MOST_OF_NAME && !name.chars().any(char::is_control);
    is_name.then(|| RealmUser { sub: name.to_owned(), name: name.to_owned(), password: Secret::Any })
}

impl Realm for Declared {
    fn now(&self) -> i64 {
        self.clock.now().div_euclid(1000)
    }

    fn origin(&self, headers: &HeaderMap) -> String {
        // A client compares the address of the issuer with the one that it knows.
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
        let host = host.filter(|host| !host.as_str().contains('@'));
        host.map_or_else(|| self.origin.clone(), |host| format!("http://{host}"))
    }

    fn client(&self, client_id: &str) -> Option<RealmClient> {
        Some(RealmClient {
            client_id: client_id.to_owned(),
            secret: Some(Secret::Any),
            grants: vec![TokenGrant::ClientCredentials, TokenGrant::AuthorizationCode, TokenGrant::RefreshToken],
            redirects: Redirects::Loopback,
        })
    }

    fn user(&self, sub: &str) -> Option<RealmUser> {
        user(sub)
    }

    fn user_named(&self, name: &str) -> Option<RealmUser> {
        user(name.trim())
    }

    fn scopes(&self) -> Vec<&str> {
        let declared = self.scopes.iter().map(String::as_str).filter(|scope| !STANDARD.contains(scope));
        STANDARD.into_iter().chain(declared).collect()
    }

    fn granted(&self, _: &RealmClient, grant: TokenGrant, asked: Option<&str>) -> Result<String, &'static str> {
        let is_of_users = |scope: &&str| grant == TokenGrant::ClientCredentials && [OPENID, OFFLINE].contains(scope);
        match asked {
            Some(asked) => {
                let is_known = |scope: &str| {
                    STANDARD.contains(&scope)
                        || if self.scopes.is_empty() { is_scope(scope) } else { self.scopes.contains(scope) }
                };
                let scopes: Vec<&str> = asked.split_whitespace().collect();
                if scopes.iter().any(is_of_users) {
                    return Err("openid and offline_access need a user, and this grant has none");
                }
                let are_known = scopes.iter().all(|scope| is_known(scope));
                are_known.then(|| scopes.join(" ")).ok_or("the security schemes of the contract declare the scopes")
            }
            None => {
                let all = self.scopes.iter().map(String::as_str).filter(|scope| !is_of_users(scope));
                let all = all.collect::<Vec<_>>().join(" ");
                (all.len() <= MOST_OF_SCOPES)
                    .then_some(all)
                    .ok_or("the contract declares many scopes: name those of the token")
            }
        }
    }

    fn gives_refresh_token(&self, _: &str) -> bool {
        true
    }

    fn frame(&self) -> Frame {
        FRAME
    }

    fn home(&self) -> &str {
        "/sandbox"
    }

    fn asks_for_password(&self) -> bool {
        false
    }

    fn login_notes(&self) -> String {
        "<p>The sandbox accepts every name, and asks for no password.</p>".to_owned()
    }
}
