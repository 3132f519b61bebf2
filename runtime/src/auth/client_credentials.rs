//! The client-credentials grant.

use std::{fmt, sync::Arc};

use super::{
    Credential, SecretSource, Token, TokenFuture, TokenRequest,
    grant::{Registration, options},
};
use crate::error::Error;

/// Gets tokens with the client-credentials grant.
///
/// ```
/// use driftless_runtime::auth::{ClientCredentials, SecretFile};
///
/// let credential = ClientCredentials::new(
///     "https://issuer.example",
///     "my-service",
///     SecretFile::new("/run/secrets/service"),
/// )
/// .scope("api");
/// # let _ = credential;
/// ```
pub struct ClientCredentials(Registration);

options!(ClientCredentials, 0);

impl ClientCredentials {
    /// Creates a credential for the client `client_id`, registered with `issuer`. The scope is `api` unless another is
    /// set.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>, secret: impl SecretSource) -> Self {
        Self::from_registration(Registration::new(issuer.into(), client_id.into(), Some(Arc::new(secret))))
    }

    pub(crate) fn from_registration(registration: Registration) -> Self {
        Self(registration)
    }

    async fn request(&self, request: TokenRequest<'_>) -> Result<Token, Error> {
        let secret = self.0.secret().await?;
        self.0.refusals.check(secret.as_ref())?;
        let granted = self.0.exchange(request, "client_credentials", &self.0.range(), secret.as_ref()).await;
        granted.map(|granted| granted.token).inspect_err(|error| self.0.refusals.remember(secret.as_ref(), error))
    }
}

impl Credential for ClientCredentials {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(self.request(request))
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn check(&self) -> Result<(), Error> {
        self.0.endpoints.check()
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials")
            .field("issuer", &self.0.endpoints.issuer)
            .field("client_id", &self.0.client)
            .field("secret", &self.0.secret_place())
            .field("scope", &self.0.scope)
            .finish_non_exhaustive()
    }
}
