//! The credentials of the service.

use super::{ClientBuilder, GeneratedClient};
use crate::auth::{Credential, Key, SecretSource};

impl<P: GeneratedClient> ClientBuilder<P> {
    /// Sets the credential that gives tokens. Without one, requests are sent without a token.
    pub fn credential(mut self, credential: impl Credential) -> Self {
        self.credential = Some(Box::new(credential));
        self
    }

    /// Sets the API key of a security scheme, by the scheme's name in the contract. The contract says whether it goes
    /// into a header, the query or a cookie. It is read when it is needed, and again when the service answers 401.
    ///
    /// ```
    /// use driftless_runtime::{Client, auth::SecretEnv};
    ///
    /// let builder = Client::builder("https://service.example").api_key("X-Api-Key", SecretEnv::new("SERVICE_KEY"));
    /// # let _ = builder;
    /// ```
    pub fn api_key(mut self, scheme: impl Into<String>, key: impl SecretSource) -> Self {
        self.keys.push(Key::new(scheme.into(), None, key));
        self
    }

    /// Sets user and password of a security scheme that is HTTP Basic, by the scheme's name in the contract.
    pub fn basic(mut self, scheme: impl Into<String>, user: impl Into<String>, password: impl SecretSource) -> Self {
        self.keys.push(Key::new(scheme.into(), Some(user.into()), password));
        self
    }

    pub(in crate::client) fn key(mut self, key: Key) -> Self {
        self.keys.push(key);
        self
    }

    /// Wraps the credentials that give tokens: that of the client, and those of its servers, by their names.
    pub(crate) fn wrap(
        mut self,
        mut wrap: impl FnMut(Option<&str>, Box<dyn Credential>) -> Box<dyn Credential>,
    ) -> Self {
        self.credential = self.credential.map(|credential| wrap(None, credential));
        for (name, server) in &mut self.servers {
            server.credential = server.credential.take().map(|credential| wrap(Some(name), credential));
        }
        self
    }
}
