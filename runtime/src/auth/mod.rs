//! Credentials, and the tokens that they give.

mod authorization_code;
mod browser;
mod cache;
mod cached_token;
mod claims;
mod client_credentials;
mod command;
mod device_code;
mod discovery;
mod echo;
mod endpoint;
mod event;
mod fixed;
mod grant;
mod key;
mod loopback;
mod pace;
mod presented;
mod refresh;
mod refresh_folder;
mod refresh_store;
mod refresh_thread;
mod refusal;
mod replace;
mod secret;
mod secret_file;
#[cfg(feature = "keyring")]
mod secret_keyring;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests;

use std::{
    fmt,
    pin::Pin,
    time::{Duration, Instant, SystemTime},
};

pub use authorization_code::AuthorizationCode;
pub(crate) use browser::open as open_browser;
pub(crate) use cache::Cache;
pub(crate) use cached_token::CachedToken;
pub use claims::Claims;
pub use client_credentials::ClientCredentials;
pub use command::SecretCommand;
pub use device_code::{DeviceCode, DevicePrompt};
pub(crate) use event::Audit;
pub use event::{TokenEvent, TokenEventKind};
pub use fixed::StaticToken;
pub use grant::ClientAuthentication;
pub(crate) use grant::Registration;
pub(crate) use key::{KeptKey, Key, KeyPlace, secrets};
pub use refresh::RefreshToken;
pub use refresh_folder::RefreshFolder;
pub use refresh_store::{RefreshKey, RefreshLock, RefreshMemory, RefreshStore};
pub(crate) use replace::replace;
pub use secrecy::{ExposeSecret, SecretString};
pub use secret::{SecretEnv, SecretSource};
pub use secret_file::SecretFile;
#[cfg(feature = "keyring")]
pub use secret_keyring::SecretKeyring;

use crate::{
    Error,
    clock::{self, Until},
    transport::Transport,
};

/// The future of [`Credential::token`].
pub type TokenFuture<'a> = Pin<Box<dyn Future<Output = Result<Token, Error>> + Send + 'a>>;

/// A source of bearer tokens.
///
/// The session keeps the token, refreshes it before it expires, once for all callers, and refreshes it once more if the
/// service answers 401. An implementation only has to get a token.
///
/// A token request runs on its own thread with a tokio runtime that ends with the request: it belongs to none of the
/// callers that wait for it. State that an implementation keeps between requests must not be bound to that runtime.
///
/// ```
/// use std::time::Duration;
/// use driftless_runtime::auth::{Credential, Token, TokenFuture, TokenRequest};
///
/// struct Broker;
///
/// impl Credential for Broker {
///     fn token<'a>(&'a self, _request: TokenRequest<'a>) -> TokenFuture<'a> {
///         Box::pin(async { Ok(Token::new("from the broker").expires_in(Duration::from_secs(300))) })
///     }
///
///     fn describe(&self) -> String {
///         "the broker".to_owned()
///     }
/// }
/// ```
pub trait Credential: Send + Sync + 'static {
    /// Gets a token.
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a>;

    /// Names the credential in errors, without its secret.
    fn describe(&self) -> String {
        "the credential".to_owned()
    }

    /// Returns the time limit of one token request; 60 s unless overridden. The request goes on when the call that
    /// began it ends.
    fn patience(&self) -> Duration {
        Duration::from_secs(60)
    }

    /// Checks the configuration, without input or output. Called when the client is built.
    ///
    /// # Errors
    ///
    /// The configuration cannot work.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The name of the credential's token in errors.
pub(crate) fn token_of(credential: &dyn Credential) -> String {
    let name = credential.describe();
    // A fixed token is named after its source.
    if name.starts_with("the token ") { name } else { format!("the token of {name}") }
}

impl Credential for Box<dyn Credential> {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        (**self).token(request)
    }

    fn describe(&self) -> String {
        (**self).describe()
    }

    fn patience(&self) -> Duration {
        (**self).patience()
    }

    fn check(&self) -> Result<(), Error> {
        (**self).check()
    }
}

/// The generation of a token: each token that a session gets has a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(pub(crate) u64);

/// A token that the service refused, and the operation that refused it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejected {
    pub(crate) generation: Generation,
    pub(crate) operation: &'static str,
}

/// A session's request for a token to a [`Credential`].
#[derive(Clone, Copy)]
pub struct TokenRequest<'a> {
    pub(crate) replaces: Option<Generation>,
    pub(crate) deadline: Until,
    pub(crate) transport: &'a Transport,
}

impl TokenRequest<'_> {
    /// Returns the token to replace, because the service refused it or because it expires. `None` for the first token.
    pub fn replaces(&self) -> Option<Generation> {
        self.replaces
    }

    /// Returns the time at which the session stops waiting. It lies far ahead if the credential's
    /// [`patience`](Credential::patience) has no end.
    pub fn deadline(&self) -> Instant {
        let now = Instant::now();
        self.deadline.instant().or_else(|| now.checked_add(clock::LONGEST)).unwrap_or(now)
    }
}

impl fmt::Debug for TokenRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenRequest")
            .field("replaces", &self.replaces)
            .field("deadline", &self.deadline())
            .finish_non_exhaustive()
    }
}

/// A bearer token. Its Debug shows no part of it.
#[derive(Clone, Debug)]
pub struct Token {
    pub(crate) secret: SecretString,
    pub(crate) lifetime: Option<Duration>,
    pub(crate) received: (Instant, SystemTime),
}

impl Token {
    /// Creates a token that was received now, and that never expires as far as is known.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into().into(), lifetime: None, received: (Instant::now(), SystemTime::now()) }
    }

    /// Sets its lifetime, counted from its creation.
    #[must_use]
    pub fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}
