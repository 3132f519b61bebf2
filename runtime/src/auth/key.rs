//! Keys of security schemes: API keys, and users with passwords.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::{ExposeSecret, SecretString};

use super::{Audit, Cache, Credential, Held, SecretSource, Token, TokenFuture, TokenRequest};
use crate::error::{Error, Kind};

/// What the builder was given for a scheme.
pub(crate) struct Key {
    scheme: String,
    /// The user of HTTP Basic; `None`: an API key.
    user: Option<String>,
    source: Arc<dyn SecretSource>,
}

impl Key {
    pub(crate) fn new(scheme: String, user: Option<String>, source: impl SecretSource) -> Self {
        Self { scheme, user, source: Arc::new(source) }
    }

    pub(crate) fn scheme(&self) -> &str {
        &self.scheme
    }

    pub(crate) fn is_basic(&self) -> bool {
        self.user.is_some()
    }

    /// Keeps it as a token is kept: read when it is needed, and again where the service refuses it.
    pub(crate) fn keep(self, audit: Audit) -> Result<KeptKey, Error> {
        if self.user.as_ref().is_some_and(|user| user.contains(|letter: char| letter == ':' || letter.is_control())) {
            let what = format!("the user of the scheme `{}` has a colon or a control character", self.scheme);
            return Err(Error::of(Kind::Configuration, what).hint("HTTP Basic cannot carry it: use another user"));
        }
        let basic = self.is_basic();
        Ok(KeptKey { basic, cache: Cache::new(Box::new(self), audit) })
    }
}

impl Credential for Key {
    fn token<'a>(&'a self, _request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async {
            let secret = super::secret::read(&self.source).await?;
            Ok(Token::new(match &self.user {
                Some(user) => {
                    let pair = SecretString::from(format!("{user}:{}", secret.expose_secret()));
                    STANDARD.encode(pair.expose_secret())
                }
                None => secret.expose_secret().to_owned(),
            }))
        })
    }

    fn describe(&self) -> String {
        format!("the key of the scheme `{}` from {}", self.scheme, self.source.describe())
    }
}

/// A key that a session holds.
pub(crate) struct KeptKey {
    pub(crate) basic: bool,
    pub(crate) cache: Cache,
}

/// What to blank out of the service's answers where a key, or a token, was shown: it, and what it is made of.
pub(crate) fn secrets(held: &Held, basic: bool) -> Vec<SecretString> {
    let mut secrets = vec![held.secret.clone()];
    if basic {
        let pair = STANDARD.decode(held.secret.expose_secret()).ok().and_then(|pair| String::from_utf8(pair).ok());
        let password = pair.as_deref().and_then(|pair| pair.split_once(':')).map(|(_, password)| password);
        secrets.extend(password.filter(|password| !password.is_empty()).map(SecretString::from));
    } else {
        let encoded: String = url::form_urlencoded::byte_serialize(held.secret.expose_secret().as_bytes()).collect();
        if encoded != held.secret.expose_secret() {
            secrets.push(encoded.into());
        }
    }
    secrets
}
