//! The client-credentials grant.

use std::{fmt, sync::Arc};

use super::{Credential, SecretSource, Token, TokenFuture, TokenRequest, grant::Registration};
use crate::error::Error;

/// Gets tokens with the client-credentials grant (platform document §4.5).
///
/// ```
/// use platform_client::auth::{ClientCredentials, SecretFile};
///
/// let credential = ClientCredentials::new(
///     "https://issuer.example",
///     "my-service",
///     SecretFile::new("/run/secrets/platform"),
/// )
/// .scope("api");
/// # let _ = credential;
/// ```
pub struct ClientCredentials(Registration);

impl ClientCredentials {
    /// The client `client_id`, registered with `issuer`. The scope is `api` unless another is set.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>, secret: impl SecretSource) -> Self {
        Self(Registration::new(issuer.into(), client_id.into(), Some(Arc::new(secret))))
    }

    /// Sets the scopes to ask for, separated by spaces. Empty: none are asked for.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.0.scope = scope.into();
        self
    }

    /// Sets the `audience` to ask for, where the issuer takes one. The document shows none.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.0.audience = Some(audience.into());
        self
    }

    /// Sets the token endpoint. Without one, the issuer's discovery document names it, and an issuer without such a
    /// document is asked at `{issuer}/connect/token`.
    #[must_use]
    pub fn token_endpoint(mut self, url: impl Into<String>) -> Self {
        self.0.endpoints.token = Some(url.into());
        self
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
