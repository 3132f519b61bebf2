//! The endpoints of an issuer.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use url::Url;

use super::discovery::{self, Discovered, IssuerEndpoints};
use crate::{
    clock::Until,
    error::{Error, Kind},
    transport::{Transport, address, address::PlainHosts},
};

/// The time for which an issuer without a discovery document is not asked again. It may be in the middle of a
/// deployment.
const ABSENT: Duration = Duration::from_secs(5 * 60);

/// The endpoints of an issuer: set explicitly, else from its discovery document.
#[derive(Debug)]
pub(crate) struct Endpoints {
    pub(super) issuer: String,
    pub(crate) token: Option<String>,
    pub(super) authorization: Option<String>,
    pub(super) device: Option<String>,
    /// The prefix of the variables that set them; empty if no variables do.
    pub(crate) variables: String,
    /// Hosts that `http` is allowed to, as configured.
    pub(crate) plain: Vec<String>,
    /// The result of discovery, and the time until which it is valid.
    discovered: Mutex<Option<(Arc<IssuerEndpoints>, Until)>>,
}

impl Endpoints {
    pub(super) fn new(issuer: String) -> Self {
        Self {
            issuer,
            token: None,
            authorization: None,
            device: None,
            variables: String::new(),
            plain: Vec::new(),
            discovered: Mutex::default(),
        }
    }

    /// Returns the name of the variable or key that sets the endpoint `key`.
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
            ("the device authorization endpoint", "device_authorization_endpoint", self.device.as_ref()),
        ];
        for (name, key, url) in set {
            if let Some(url) = url {
                let named = match self.variables.as_str() {
                    "" => name.to_owned(),
                    _ => format!("{name} ({})", self.setting(key)),
                };
                self.address(&named, url)?;
            }
        }
        Ok(())
    }

    pub(super) fn address(&self, name: &str, text: &str) -> Result<Url, Error> {
        address::server(name, text, &self.plain()?)
    }

    /// Hosts that `http` is allowed to.
    pub(super) fn plain(&self) -> Result<PlainHosts, Error> {
        PlainHosts::read(&self.plain)
    }

    /// Only a discovery document settles the endpoints for good.
    async fn discovered(&self, transport: &Transport, deadline: Until) -> Result<Arc<IssuerEndpoints>, Error> {
        if let Some((discovered, until)) = &*self.discovery()
            && !until.is_over(Instant::now())
        {
            return Ok(Arc::clone(discovered));
        }
        let issuer = self.address("the issuer", &self.issuer)?;
        let (discovered, until) =
            match discovery::discover(&issuer, |key| self.setting(key), &self.plain()?, transport, deadline).await? {
                Discovered::Document(discovered) => (Arc::new(discovered), Until::NEVER),
                Discovered::Absent(discovered) => (Arc::new(discovered), Until::after(ABSENT)),
            };
        *self.discovery() = Some((Arc::clone(&discovered), until));
        Ok(discovered)
    }

    /// Forgets that the discovery document is absent: the token endpoint is absent too, so the address was not the
    /// issuer's.
    pub(super) fn doubt(&self) {
        self.discovery().take_if(|(_, until)| *until != Until::NEVER);
    }

    fn discovery(&self) -> MutexGuard<'_, Option<(Arc<IssuerEndpoints>, Until)>> {
        self.discovered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn token(&self, transport: &Transport, deadline: Until) -> Result<Url, Error> {
        match &self.token {
            Some(url) => self.address("the token endpoint", url),
            None => Ok(self.discovered(transport, deadline).await?.token.clone()),
        }
    }

    pub(super) async fn authorization(&self, transport: &Transport, deadline: Until) -> Result<Url, Error> {
        if let Some(url) = &self.authorization {
            return self.address("the authorization endpoint", url);
        }
        self.discovered(transport, deadline).await?.authorization.clone().ok_or_else(|| {
            Error::with(Kind::Token, "the issuer's discovery document names no authorization endpoint")
                .hint("set it with `authorization_endpoint`")
        })
    }

    pub(super) async fn device(&self, transport: &Transport, deadline: Until) -> Result<Url, Error> {
        if let Some(url) = &self.device {
            return self.address("the device authorization endpoint", url);
        }
        self.discovered(transport, deadline).await?.device.clone().ok_or_else(|| {
            Error::with(Kind::Token, "the issuer's discovery document names no device authorization endpoint")
                .because("token/device")
                .hint("sign in with a browser, or set it with `device_authorization_endpoint`")
        })
    }

    /// Returns whether the issuer asks for client authentication by HTTP Basic.
    pub(super) fn wants_basic(&self) -> bool {
        self.discovery().as_ref().is_some_and(|(discovered, _)| discovered.basic)
    }

    /// Returns whether the issuer's authorization responses name it (RFC 9207).
    pub(super) fn names_itself(&self) -> bool {
        self.discovery().as_ref().is_some_and(|(discovered, _)| discovered.names_itself)
    }
}
