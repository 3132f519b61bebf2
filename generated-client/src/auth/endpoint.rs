//! Where an issuer is asked.

use tokio::sync::OnceCell;
use url::Url;

use super::discovery::{self, Found};
use crate::{
    address,
    clock::Until,
    error::{Error, Kind},
    session::Transport,
};

/// The endpoints of an issuer: set by hand, else from its discovery document.
#[derive(Debug)]
pub(crate) struct Endpoints {
    pub(super) issuer: String,
    pub(crate) token: Option<String>,
    pub(super) authorization: Option<String>,
    found: OnceCell<Found>,
}

impl Endpoints {
    pub(super) fn new(issuer: String) -> Self {
        Self { issuer, token: None, authorization: None, found: OnceCell::new() }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        address::server("the issuer", &self.issuer)?;
        let set = [("the token endpoint", &self.token), ("the authorization endpoint", &self.authorization)];
        for (what, url) in set {
            if let Some(url) = url {
                address::server(what, url)?;
            }
        }
        Ok(())
    }

    async fn found(&self, transport: &Transport, deadline: Until) -> Result<&Found, Error> {
        let issuer = address::server("the issuer", &self.issuer)?;
        self.found.get_or_try_init(|| discovery::discover(&issuer, transport, deadline)).await
    }

    pub(super) async fn token(&self, transport: &Transport, deadline: Until) -> Result<Url, Error> {
        match &self.token {
            Some(url) => address::server("the token endpoint", url),
            None => Ok(self.found(transport, deadline).await?.token.clone()),
        }
    }

    pub(super) async fn authorization(&self, transport: &Transport, deadline: Until) -> Result<Url, Error> {
        if let Some(url) = &self.authorization {
            return address::server("the authorization endpoint", url);
        }
        self.found(transport, deadline).await?.authorization.clone().ok_or_else(|| {
            Error::new(Kind::Token, "the issuer's discovery document names no authorization endpoint")
                .hint("set it with `authorization_endpoint`")
        })
    }

    /// Whether the issuer says that its authorization responses name it (RFC 9207).
    pub(super) fn names_itself(&self) -> bool {
        self.found.get().is_some_and(|found| found.names_itself)
    }
}
