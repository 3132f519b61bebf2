//! Refresh tokens on disk.

use std::{
    fs::{self, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use secrecy::{ExposeSecret, SecretString};

#[cfg(feature = "keyring")]
use super::SecretKeyring;
use super::{RefreshKey, RefreshLock, RefreshStore, SecretFile, SecretSource, replace};
use crate::error::{Error, Kind};

/// The end of the name of a file that names the service of a token in the keyring.
const IN_KEYRING: &str = ".keyring";

/// Keeps refresh tokens in a folder, one file for each issuer, client, scope and audience.
///
/// Files are readable by their owner only, are replaced atomically and written through to the disk. Several processes
/// can use the same folder: while one refreshes a token, the others wait, and then use the one that it stored.
///
/// ```
/// use driftless_runtime::auth::{RefreshFolder, RefreshToken};
///
/// let folder = RefreshFolder::new("/var/lib/my-app/tokens");
/// let credential = RefreshToken::new("https://issuer.example", "my-app", folder);
/// # let _ = credential;
/// ```
#[derive(Clone, Debug)]
pub struct RefreshFolder {
    path: PathBuf,
    /// The service of the keyring that a new token goes to.
    service: Option<String>,
}

impl RefreshFolder {
    /// Creates a store in the folder at this path. The folder is created on first use.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned(), service: None }
    }

    /// Keeps a new token in the keyring of the system, under the name of this service. The folder has the locks, and a
    /// file that names the service: a store of the same folder that is created without this function finds the token, too,
    /// and keeps its successors there.
    ///
    /// The keyring of Linux is that of the kernel, which is empty after a restart: the user signs in again then.
    ///
    /// ```
    /// use driftless_runtime::auth::RefreshFolder;
    ///
    /// let store = RefreshFolder::new("/var/lib/my-app/tokens").in_keyring("my-app");
    /// # let _ = store;
    /// ```
    #[cfg(feature = "keyring")]
    pub fn in_keyring(mut self, service: impl Into<String>) -> Self {
        self.service = Some(service.into());
        self
    }

    /// Removes the tokens of the folder that are in the keyring. Call it before the folder is removed.
    ///
    /// # Errors
    ///
    /// The folder cannot be read, or the keyring cannot be used.
    #[cfg(feature = "keyring")]
    pub fn clear_keyring(&self) -> Result<(), Error> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(self.refuse(&self.path, "read", &cause)),
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()?.strip_suffix(IN_KEYRING));
            if let Some(entry) = name.map(|name| self.entry(name)).transpose()?.flatten() {
                entry.remove()?;
                fs::remove_file(&path).map_err(|cause| self.refuse(&path, "removed", &cause))?;
            }
        }
        Ok(())
    }

    /// The entry of the keyring that has the token of this name, if a file says so.
    #[cfg(feature = "keyring")]
    fn entry(&self, name: &str) -> Result<Option<SecretKeyring>, Error> {
        let service = self.service_of(name)?;
        Ok(service.map(|service| SecretKeyring::new(service.expose_secret(), name)))
    }

    /// Never a token: without the cargo feature, one that is in the keyring cannot be read.
    #[cfg(not(feature = "keyring"))]
    fn entry(&self, name: &str) -> Result<Option<SecretFile>, Error> {
        match self.service_of(name)? {
            None => Ok(None),
            Some(_) => {
                Err(Error::with(Kind::Secret, "the refresh token is in the keyring, which this program cannot read")
                    .hint("build it with the feature `keyring`, or sign in again"))
            }
        }
    }

    fn service_of(&self, name: &str) -> Result<Option<SecretString>, Error> {
        let path = self.path.join(format!("{name}{IN_KEYRING}"));
        match fs::symlink_metadata(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
            _ => SecretFile::new(path).read().map(Some),
        }
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        replace::replace(&self.path, name, text.as_bytes())
            .map_err(|cause| self.refuse(&self.path.join(name), "written", &cause))
    }

    fn name(key: &RefreshKey) -> String {
        format!("{}.token", key.name())
    }

    fn refuse(&self, path: &Path, message: &str, cause: &std::io::Error) -> Error {
        Error::with(Kind::Secret, format!("`{}` cannot be {message}: {cause}", path.display()))
            .hint(format!("check the folder `{}`, its permissions and the space left", self.path.display()))
    }

    fn prepare(&self) -> Result<(), Error> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path).map_err(|cause| self.refuse(&self.path, "created", &cause))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let about = fs::metadata(&self.path).map_err(|cause| self.refuse(&self.path, "examined", &cause))?;
            if about.permissions().mode() & 0o022 != 0 {
                let message = format!("the folder `{}` can be written by group or others", self.path.display());
                return Err(Error::with(Kind::Secret, message).hint(format!("chmod 700 '{}'", self.path.display())));
            }
        }
        Ok(())
    }
}

impl RefreshStore for RefreshFolder {
    fn lock(&self, key: &RefreshKey) -> Result<Option<RefreshLock>, Error> {
        self.prepare()?;
        let path = self.path.join(format!("{}.lock", key.name()));
        let open = replace::private().create(true).truncate(false).open(&path);
        let file = open.map_err(|cause| self.refuse(&path, "opened", &cause))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(cause)) => Err(self.refuse(&path, "locked", &cause)),
        }
    }

    fn load(&self, key: &RefreshKey) -> Result<Option<SecretString>, Error> {
        if let Some(entry) = self.entry(&key.name())? {
            return entry.read().map(Some);
        }
        let path = self.path.join(Self::name(key));
        match fs::symlink_metadata(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
            _ => SecretFile::new(path).read().map(Some),
        }
    }

    fn save(&self, key: &RefreshKey, token: &SecretString) -> Result<(), Error> {
        self.prepare()?;
        if let Some(service) = &self.service {
            self.write(&format!("{}{IN_KEYRING}", key.name()), service)?;
        }
        let entry = self.entry(&key.name())?;
        #[cfg(feature = "keyring")]
        if let Some(entry) = entry {
            entry.write(token)?;
            // A token of before the keyring is an older one.
            let _ = fs::remove_file(self.path.join(Self::name(key)));
            return Ok(());
        }
        #[cfg(not(feature = "keyring"))]
        drop(entry);
        self.write(&Self::name(key), token.expose_secret())
    }

    fn describe(&self) -> String {
        format!("the folder `{}`", self.path.display())
    }
}
