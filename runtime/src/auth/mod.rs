//! Where tokens come from.

mod authorization_code;
mod browser;
mod cache;
mod claims;
mod client_credentials;
mod command;
mod discovery;
mod echo;
mod endpoint;
mod event;
mod fixed;
mod flight;
mod grant;
mod held;
mod key;
mod loopback;
mod pace;
mod refresh;
mod refresh_folder;
mod refresh_store;
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
pub(crate) use cache::Cache;
pub use claims::Claims;
pub use client_credentials::ClientCredentials;
pub use command::SecretCommand;
pub(crate) use event::Audit;
pub use event::{TokenEvent, TokenEventKind};
pub use fixed::StaticToken;
pub use grant::ClientAuthentication;
pub(crate) use grant::Registration;
pub(crate) use held::Held;
pub(crate) use key::{KeptKey, Key, KeyPlace, secrets};
pub use refresh::RefreshToken;
pub use refresh_folder::RefreshFolder;
pub use refresh_store::{RefreshKey, RefreshLock, RefreshMemory, RefreshStore};
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

/// What [`Credential::token`] returns.
pub type TokenFuture<'a> = Pin<Box<dyn Future<Output = Result<Token, Error>> + Send + 'a>>;

/// A source of bearer tokens.
///
/// The session keeps the token, asks again before it expires, asks once for all callers, and asks once more when the
/// service answers 401. An implementation only has to get a token.
///
/// A request for a token runs on a thread with a tokio runtime of its own, which ends with the request: it belongs to none of
/// the callers that wait for it. What an implementation keeps from one request to the next is not bound to that runtime.
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

    /// How long one request for a token may take; 60 s unless overridden. It goes on when the call that began it ends.
    fn patience(&self) -> Duration {
        Duration::from_secs(60)
    }

    /// Says what is wrong with the configuration, without input or output. Called when the client is built.
    ///
    /// # Errors
    ///
    /// The configuration cannot work.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// What errors call the token of a credential.
pub(crate) fn token_of(credential: &dyn Credential) -> String {
    let name = credential.describe();
    // A token that is given as it is, is called after its source.
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

/// A generation of the token: each token that a session gets has a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(pub(crate) u64);

/// A token that the service refused, and the operation that it refused it for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejected {
    pub(crate) generation: Generation,
    pub(crate) operation: &'static str,
}

/// What the session asks a [`Credential`] for.
#[derive(Clone, Copy)]
pub struct TokenRequest<'a> {
    pub(crate) replaces: Option<Generation>,
    pub(crate) deadline: Until,
    pub(crate) transport: &'a Transport,
}

impl TokenRequest<'_> {
    /// The token that is to be replaced, because the service refused it or because it expires. `None`: the first one.
    pub fn replaces(&self) -> Option<Generation> {
        self.replaces
    }

    /// When the session stops waiting. It lies far ahead where the credential's [`patience`](Credential::patience) has no
    /// end.
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
    /// A token that was received now, and that never expires as far as is known.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into().into(), lifetime: None, received: (Instant::now(), SystemTime::now()) }
    }

    /// Sets its lifetime, counted from when it was made.
    #[must_use]
    pub fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}
