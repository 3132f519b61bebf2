//! Where secrets come from.

use std::sync::Arc;

use secrecy::SecretString;

use crate::error::{Error, Kind};

/// A place to read a secret from. It is read again for each token request, so that a rotated secret is found.
pub trait SecretSource: Send + Sync + 'static {
    /// Reads the secret.
    ///
    /// # Errors
    ///
    /// It is not there, or not kept safely. The error does not show it.
    fn read(&self) -> Result<SecretString, Error>;

    /// Names the place in errors.
    fn describe(&self) -> String {
        "the secret's source".to_owned()
    }
}

/// Reads a secret on a thread where waiting is allowed.
pub(super) async fn read(source: &Arc<dyn SecretSource>) -> Result<SecretString, Error> {
    let source = Arc::clone(source);
    tokio::task::spawn_blocking(move || source.read()).await.unwrap_or_else(|_| {
        Err(Error::new(Kind::Secret, "the secret's source ended without an answer").hint("see whether it panics"))
    })
}

/// A secret in an environment variable.
#[derive(Clone, Debug)]
pub struct SecretEnv(String);

impl SecretEnv {
    /// The variable of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

impl SecretSource for SecretEnv {
    fn read(&self) -> Result<SecretString, Error> {
        let refuse = |rule: &str| {
            Error::new(Kind::Secret, format!("the environment variable `{}` {rule}", self.0))
                .hint("set it to the secret")
        };
        match std::env::var(&self.0) {
            Ok(text) if text.is_empty() => Err(refuse("is empty")),
            Ok(text) => Ok(text.into()),
            Err(std::env::VarError::NotPresent) => Err(refuse("is not set")),
            Err(std::env::VarError::NotUnicode(_)) => Err(refuse("is no text")),
        }
    }

    fn describe(&self) -> String {
        format!("the environment variable `{}`", self.0)
    }
}
