//! Keys of security schemes: API keys, and users with passwords.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::{ExposeSecret, SecretString};

use super::{Audit, Cache, CachedToken, Credential, SecretSource, Token, TokenFuture, TokenRequest};
use crate::error::{Error, Kind};

/// A key as the builder received it.
pub(crate) struct Key {
    scheme: String,
    /// The user of HTTP Basic; `None` for an API key.
    user: Option<String>,
    source: Arc<dyn SecretSource>,
    /// The part of the request that carries it, if no contract names it.
    place: Option<KeyPlace>,
}

/// The part of a request that carries a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyPlace {
    /// HTTP Basic.
    Authorization,
    Header(String),
    Query(String),
}

impl Key {
    pub(crate) fn new(scheme: String, user: Option<String>, source: impl SecretSource) -> Self {
        Self { scheme, user, source: Arc::new(source), place: None }
    }

    pub(crate) fn at(self, place: KeyPlace) -> Self {
        Self { place: Some(place), ..self }
    }

    pub(crate) fn place(&self) -> Option<&KeyPlace> {
        self.place.as_ref()
    }

    /// Returns whether it uses the header of tokens.
    pub(crate) fn wants_authorization(&self) -> bool {
        match &self.place {
            Some(KeyPlace::Header(name)) => name.eq_ignore_ascii_case("authorization"),
            place => *place == Some(KeyPlace::Authorization),
        }
    }

    pub(crate) fn scheme(&self) -> &str {
        &self.scheme
    }

    pub(crate) fn is_basic(&self) -> bool {
        self.user.is_some()
    }

    fn describe(&self) -> String {
        match (self.scheme.as_str(), &self.user) {
            ("", None) => "the API key".to_owned(),
            ("", Some(_)) => "HTTP Basic".to_owned(),
            (scheme, _) => format!("the scheme `{scheme}`"),
        }
    }

    /// Loads it as a token is loaded: read when it is needed, and again if the service refuses it.
    pub(crate) fn keep(self, audit: Audit) -> Result<KeptKey, Error> {
        if self.user.as_ref().is_some_and(|user| user.contains(|letter: char| letter == ':' || letter.is_control())) {
            let message = format!("the user of {} has a colon or a control character", self.describe());
            return Err(Error::with(Kind::Configuration, message).hint("HTTP Basic cannot carry it: use another user"));
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
        let key = match (self.scheme.as_str(), &self.user) {
            ("", None) => "the API key".to_owned(),
            ("", Some(user)) => format!("the password of `{user}`"),
            (scheme, _) => format!("the key of the scheme `{scheme}`"),
        };
        format!("{key} from {}", self.source.describe())
    }
}

/// A key that a session keeps.
pub(crate) struct KeptKey {
    pub(crate) basic: bool,
    pub(crate) cache: Cache,
}

/// The secrets to blank out of the service's responses to a request with this key or token: it and its parts.
pub(crate) fn secrets(token: &CachedToken, basic: bool) -> Vec<SecretString> {
    let mut secrets = vec![token.secret.clone()];
    if basic {
        let pair = STANDARD.decode(token.secret.expose_secret()).ok().and_then(|pair| String::from_utf8(pair).ok());
        let password = pair.as_deref().and_then(|pair| pair.split_once(':')).map(|(_, password)| password);
        secrets.extend(password.filter(|password| !password.is_empty()).map(SecretString::from));
    } else {
        let encoded: String = url::form_urlencoded::byte_serialize(token.secret.expose_secret().as_bytes()).collect();
        if encoded != token.secret.expose_secret() {
            secrets.push(encoded.into());
        }
    }
    secrets
}
