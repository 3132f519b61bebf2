//! A secret in the keyring of the system.

use std::sync::Arc;

use keyring_core::{CredentialStore, Error as Cause};
use secrecy::{ExposeSecret as _, SecretString};

use super::SecretSource;
use crate::error::{Error, Kind};

/// A secret in the keyring of the system, by the names of a service and of a user.
///
/// If the program has set a store with `keyring_core::set_default_store`, it is read from there. Otherwise it is read
/// from the user's keychain on macOS, from the credential manager on Windows, and on Linux from the keys that the
/// kernel keeps for the session or the user until the machine stops. Reach a desktop's secret service through its own
/// store, or through its command with [`SecretCommand`](super::SecretCommand): a library for it brings D-Bus into the
/// build.
///
/// `keyring_core` writes the `Debug` text of each entry through the crate `log`, at `DEBUG`. For the stores of the systems,
/// that is its names. A store that the program sets must not print secrets there; `keyring_core::mock::Store` does.
///
/// On Linux, this stores a secret that [`SecretKeyring`] finds, without presenting it to other programs:
///
/// ```sh
/// keyctl padd user keyring:my-program@my-service @s
/// ```
///
/// ```
/// use driftless_runtime::auth::{ClientCredentials, SecretKeyring};
///
/// let secret = SecretKeyring::new("my-program", "my-service");
/// let credential = ClientCredentials::new("https://issuer.example", "my-service", secret);
/// # let _ = credential;
/// ```
#[derive(Clone, Debug)]
pub struct SecretKeyring {
    service: String,
    user: String,
}

impl SecretKeyring {
    /// Creates a source from the entry of this service and this user. It is looked up when the secret is needed.
    pub fn new(service: impl Into<String>, user: impl Into<String>) -> Self {
        Self { service: service.into(), user: user.into() }
    }

    /// Writes the secret, in place of the one before.
    ///
    /// # Errors
    ///
    /// The keyring cannot be used, or does not take the secret.
    pub fn write(&self, secret: &SecretString) -> Result<(), Error> {
        let write = || store()?.build(&self.service, &self.user, None)?.set_password(secret.expose_secret());
        write().map_err(|cause| self.refuse(&cause))
    }

    /// Removes the entry. Without one, there is nothing to do.
    ///
    /// # Errors
    ///
    /// The keyring cannot be used.
    pub fn remove(&self) -> Result<(), Error> {
        let remove = || store()?.build(&self.service, &self.user, None)?.delete_credential();
        match remove() {
            Ok(()) | Err(Cause::NoEntry) => Ok(()),
            Err(cause) => Err(self.refuse(&cause)),
        }
    }

    fn refuse(&self, cause: &Cause) -> Error {
        // Some causes contain the entry's data: no cause is kept, and only those without data are printed.
        let (rule, hint) = match cause {
            Cause::NoEntry => ("is not there".to_owned(), "put it there, for this user and this session"),
            Cause::Ambiguous(_) => ("exists more than once".to_owned(), "keep one of them"),
            Cause::BadEncoding(_) | Cause::BadDataFormat(..) => ("is not text".to_owned(), "put a text there"),
            Cause::PlatformFailure(cause) | Cause::NoStorageAccess(cause) => {
                (format!("cannot be used: {cause}"), "unlock the keyring, and let this program use it")
            }
            other => (format!("cannot be looked up: {other}"), "correct the names, or use another source"),
        };
        Error::with(Kind::Secret, format!("{} {rule}", self.describe())).hint(hint)
    }
}

impl SecretSource for SecretKeyring {
    fn read(&self) -> Result<SecretString, Error> {
        let read = || store()?.build(&self.service, &self.user, None)?.get_password();
        match read() {
            Ok(text) if text.is_empty() => {
                Err(Error::with(Kind::Secret, format!("{} is empty", self.describe())).hint("put the secret there"))
            }
            Ok(text) => Ok(text.into()),
            Err(cause) => Err(self.refuse(&cause)),
        }
    }

    fn describe(&self) -> String {
        format!("the entry `{}` of `{}` in the keyring", self.user, self.service)
    }
}

/// The store that the program has set, else that of the system.
fn store() -> keyring_core::Result<Arc<CredentialStore>> {
    match keyring_core::get_default_store() {
        Some(store) => Ok(store),
        None => native(),
    }
}

#[cfg(target_os = "linux")]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(linux_keyutils_keyring_store::Store::new()?)
}

#[cfg(target_os = "macos")]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Err(Cause::NoDefaultStore)
}
