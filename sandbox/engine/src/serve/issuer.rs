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

use super::handle::ServedContract;
use super::pages::FRAME;
use super::route::Routed;
use super::security::{Standing, TokenIssuer};
use crate::contract::{Contract, SegmentPart, TokenAddress, is_scope};
use crate::error::Error;

/// The path of the issuer beside those that contracts declare.
const PATH: &str = "/sandbox/issuer";

/// The end of the address of a discovery document: the rest is that of its issuer.
const DISCOVERY: &str = "/.well-known/openid-configuration";

/// The deepest path of an issuer above a declared address, in segments.
const DEEPEST: usize = 64;

/// The longest list of scopes that a client gets which asks for none.
const MOST_OF_SCOPES: usize = 8_000;

/// The longest name of a user.
const MOST_OF_NAME: usize = 100;

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
        let contracts = || parts.iter().map(|part| &part.engine.contract);
        let scopes = contracts().flat_map(|contract| contract.tokens.scopes.iter().cloned()).collect();
        let realm = Declared { origin: origin.to_owned(), clock, scopes };
        let issuer = Issuer::open(Arc::new(realm), &Vault::new(Arc::new(Nowhere)), "/")
            .map_err(|error| Error::new("issuer", "", error.to_string(), "start the sandbox again"))?;
        let kept = kept(contracts());
        let declared = declared(contracts()).into_iter().filter(|(path, _)| {
            let is_control = path.starts_with("/sandbox/") && has_sandbox_paths;
            !is_control && !kept.contains(path)
        });
        let is_unknown = |path: &str| parts.iter().all(|part| part.router.route(&Method::GET, path) == Routed::Unknown);
        let own = paths(PATH).into_iter().filter(|(path, _)| has_sandbox_paths || is_unknown(path));
        let served = own.chain(declared).collect();
        Ok(Self { issuer, served })
    }
}

/// The addresses that contracts declare.
fn declared<'c>(contracts: impl Iterator<Item = &'c Contract>) -> BTreeMap<String, Served> {
    let mut served = BTreeMap::new();
    for contract in contracts {
        let addresses = &contract.tokens.addresses;
        // A token names the issuer whose document the contract declares: the one above the address, or else the first one.
        let bases: BTreeSet<&str> = addresses.keys().filter_map(|path| path.strip_suffix(DISCOVERY)).collect();
        for (path, below) in bases.iter().flat_map(|base| paths(base)) {
            served.entry(path).or_insert(below);
        }
        for (path, address) in addresses {
            let above = path.match_indices('/').take(DEEPEST).filter_map(|(at, _)| path.get(..at));
            let above = above.filter(|base| bases.contains(base)).last();
            let base = above.or(bases.first().copied()).unwrap_or(PATH);
            let endpoint = match address {
                TokenAddress::Token => Endpoint::Token,
                TokenAddress::Authorization => Endpoint::Authorization,
                TokenAddress::Discovery => Endpoint::Discovery,
            };
            served.entry(path.clone()).or_insert_with(|| Served { endpoint, base: Arc::from(base) });
        }
    }
    served
}

/// The paths of operations that have no parameters.
fn kept<'c>(contracts: impl Iterator<Item = &'c Contract>) -> BTreeSet<String> {
    let mut kept = BTreeSet::new();
    for contract in contracts {
        for operation in &contract.operations {
            let mut path = String::new();
            let is_literal = operation.segments.iter().all(|segment| {
                path.push('/');
                segment.parts.iter().all(|part| match part {
                    SegmentPart::Literal(text) => {
                        path.push_str(text);
                        true
                    }
                    _ => false,
                })
            });
            if is_literal {
                let bases = contract.other_base_paths.iter().chain([&contract.base_path]);
                kept.extend(bases.map(|base| format!("{base}{path}")));
                kept.insert(path);
            }
        }
    }
    kept
}

/// The lines of `explain` about the addresses of the contracts' schemes.
pub(crate) fn explained(contracts: &[Contract]) -> String {
    let kept = kept(contracts.iter());
    let line = |(path, address): (&String, &TokenAddress)| {
        let name = match address {
            TokenAddress::Token => "tokens",
            TokenAddress::Authorization => "authorization",
            TokenAddress::Discovery => "discovery",
        };
        let note = if kept.contains(path) { "an operation of the contract" } else { "the issuer of the sandbox" };
        format!("{path}  {name}: {note}\n")
    };
    contracts.iter().flat_map(|contract| &contract.tokens.addresses).map(line).collect()
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
    let is_name = !name.is_empty() && name.len() <= MOST_OF_NAME && name.bytes().all(|byte| byte.is_ascii_graphic());
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

    fn granted(&self, _: &RealmClient, _: TokenGrant, asked: Option<&str>) -> Result<String, &'static str> {
        match asked {
            Some(asked) => {
                let is_known = |scope: &str| {
                    STANDARD.contains(&scope)
                        || if self.scopes.is_empty() { is_scope(scope) } else { self.scopes.contains(scope) }
                };
                let scopes: Vec<&str> = asked.split_whitespace().collect();
                let are_known = scopes.iter().all(|scope| is_known(scope));
                are_known.then(|| scopes.join(" ")).ok_or("the security schemes of the contract declare the scopes")
            }
            None => {
                let all = self.scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
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
