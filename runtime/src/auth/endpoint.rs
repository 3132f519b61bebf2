//! Where an issuer is asked.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use url::Url;

use super::discovery::{self, Answer, IssuerEndpoints};
use crate::{
    clock::Until,
    error::{Error, Kind},
    transport::{Transport, address, address::PlainHosts},
};

/// How long an issuer without a discovery document is not asked for one. It may be in the middle of a deployment.
const ABSENT: Duration = Duration::from_secs(5 * 60);

/// The endpoints of an issuer: set by hand, else from its discovery document.
#[derive(Debug)]
pub(crate) struct Endpoints {
    pub(super) issuer: String,
    pub(crate) token: Option<String>,
    pub(super) authorization: Option<String>,
    /// How the names of the variables begin that set them; empty where none do.
    pub(crate) variables: String,
    /// Hosts that are spoken to over `http`, as somebody wrote them.
    pub(crate) plain: Vec<String>,
    /// What discovery found, and until when that counts.
    found: Mutex<Option<(Arc<IssuerEndpoints>, Until)>>,
}

impl Endpoints {
    pub(super) fn new(issuer: String) -> Self {
        Self {
            issuer,
            token: None,
            authorization: None,
            variables: String::new(),
            plain: Vec::new(),
            found: Mutex::default(),
        }
    }

    /// How a user sets one of them: by a variable, or by the key of this name.
    pub(crate) fn setting(&self, key: &str) -> String {
        match self.variables.as_str() {
            "" => format!("`{key}`"),
            variables => format!("{variables}{} or `{key}`", key.to_uppercase()),
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let set = [
            ("the issuer", "issuer", Some(&self.issuer)),
            ("the token endpoint", "token_endpoint", self.token.as_ref()),
            ("the authorization endpoint", "authorization_endpoint", self.authorization.as_ref()),
        ];
        for (what, key, url) in set {
            if let Some(url) = url {
                let named = match self.variables.as_str() {
                    "" => what.to_owned(),
                    _ => format!("{what} ({})", self.setting(key)),
                };
                self.address(&named, url)?;
            }
        }
        Ok(())
    }

    fn address(&self, what: &str, text: &str) -> Result<Url, Error> {
        address::server(what, text, &self.plain()?)
    }

    /// Hosts that are spoken to over `http`.
    pub(super) fn plain(&self) -> Result<PlainHosts, Error> {
        PlainHosts::read(&self.plain)
    }

    /// Only a document settles the endpoints for good.
    async fn found(&self, transport: &Transport, deadline: Until) -> Result<Arc<IssuerEndpoints>, Error> {
        if let Some((found, until)) = &*self.place()
            && !until.is_over(Instant::now())
        {
            return Ok(Arc::clone(found));
        }
        let issuer = self.address("the issuer", &self.issuer)?;
        let (found, until) =
            match discovery::discover(&issuer, |key| self.setting(key), &self.plain()?, transport, deadline).await? {
                Answer::Document(found) => (Arc::new(found), Until::NEVER),
                Answer::Absent(found) => (Arc::new(found), Until::after(ABSENT)),
            };
        *self.place() = Some((Arc::clone(&found), until));
        Ok(found)
    }

    /// The token endpoint is not there: an absence of the discovery document was none of the issuer.
    pub(super) fn doubt(&self) {
        self.place().take_if(|(_, until)| *until != Until::NEVER);
    }

    fn place(&self) -> MutexGuard<'_, Option<(Arc<IssuerEndpoints>, Until)>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn token(&self, transport: &Transport, deadline: Until) -> Result<Url, Error> {
        match &self.token {
            Some(url) => self.address("the token endpoint", url),
            None => Ok(self.found(transport, deadline).await?.token.clone()),
        }
    }

    pub(super) async fn authorization(&self, transport: &Transport, deadline: Until) -> Result<Url, Error> {
        if let Some(url) = &self.authorization {
            return self.address("the authorization endpoint", url);
        }
        self.found(transport, deadline).await?.authorization.clone().ok_or_else(|| {
            Error::of(Kind::Token, "the issuer's discovery document names no authorization endpoint")
                .hint("set it with `authorization_endpoint`")
        })
    }

    /// Whether the issuer says that clients are to say who they are by HTTP Basic.
    pub(super) fn wants_basic(&self) -> bool {
        self.place().as_ref().is_some_and(|(found, _)| found.basic)
    }

    /// Whether the issuer says that its authorization responses name it (RFC 9207).
    pub(super) fn names_itself(&self) -> bool {
        self.place().as_ref().is_some_and(|(found, _)| found.names_itself)
    }
}
