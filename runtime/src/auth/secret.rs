//! Sources of secrets.

use std::{
    collections::BTreeSet,
    process::Command,
    sync::{Arc, Mutex, PoisonError},
};

use secrecy::SecretString;

use crate::error::{Error, Kind};

/// A source of a secret. It is read again for each token request, so that rotated secrets are picked up.
pub trait SecretSource: Send + Sync + 'static {
    /// Reads the secret.
    ///
    /// # Errors
    ///
    /// The secret does not exist, or is not stored safely. The error does not contain it.
    fn read(&self) -> Result<SecretString, Error>;

    /// Names the source in errors.
    fn describe(&self) -> String {
        "the secret's source".to_owned()
    }
}

impl SecretSource for Box<dyn SecretSource> {
    fn read(&self) -> Result<SecretString, Error> {
        (**self).read()
    }

    fn describe(&self) -> String {
        (**self).describe()
    }
}

impl SecretSource for Arc<dyn SecretSource> {
    fn read(&self) -> Result<SecretString, Error> {
        (**self).read()
    }

    fn describe(&self) -> String {
        (**self).describe()
    }
}

/// A secret in the program's memory. It is the same for each token request: use another source for secrets that rotate.
impl SecretSource for SecretString {
    fn read(&self) -> Result<SecretString, Error> {
        Ok(self.clone())
    }

    fn describe(&self) -> String {
        "the secret that the program gave".to_owned()
    }
}

/// Reads a secret on a thread that may block.
pub(super) async fn read(source: &Arc<dyn SecretSource>) -> Result<SecretString, Error> {
    let source = Arc::clone(source);
    tokio::task::spawn_blocking(move || source.read()).await.unwrap_or_else(|_| {
        Err(Error::with(Kind::Secret, "the secret's source ended without an answer").hint("check whether it panics"))
    })
}

/// The names of the variables that secrets are read from.
static VARIABLES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Keeps a child from inheriting the variables that secrets are read from.
pub(super) fn withhold(command: &mut Command) {
    for name in VARIABLES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        command.env_remove(name);
    }
}

/// The text without one line break at its end; `None` when nothing is left.
pub(super) fn line(text: &str) -> Option<&str> {
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    (!text.is_empty()).then_some(text)
}

/// A secret in an environment variable. Programs that this crate starts do not inherit it.
#[derive(Clone, Debug)]
pub struct SecretEnv(String);

impl SecretEnv {
    /// Creates a source from the variable of this name.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        // Names that no environment can have would make a command fail to start.
        if !name.is_empty() && !name.contains(['=', '\0']) {
            VARIABLES.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
        }
        Self(name)
    }
}

impl SecretSource for SecretEnv {
    fn read(&self) -> Result<SecretString, Error> {
        let refuse = |rule: &str| {
            Error::with(Kind::Secret, format!("the environment variable `{}` {rule}", self.0))
                .hint("set it to the secret")
        };
        match std::env::var(&self.0) {
            // As in a file, one line break at the end is not a part of the secret.
            Ok(text) => line(&text).map(SecretString::from).ok_or_else(|| refuse("is empty")),
            Err(std::env::VarError::NotPresent) => Err(refuse("is not set")),
            Err(std::env::VarError::NotUnicode(_)) => Err(refuse("is not text")),
        }
    }

    fn describe(&self) -> String {
        format!("the environment variable `{}`", self.0)
    }
}
