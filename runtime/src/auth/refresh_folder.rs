//! Refresh tokens on disk.

use std::{
    fs::{self, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use secrecy::{ExposeSecret, SecretString};

use super::{RefreshKey, RefreshLock, RefreshStore, SecretFile, SecretSource, replace};
use crate::error::{Error, Kind};

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
pub struct RefreshFolder(PathBuf);

impl RefreshFolder {
    /// Creates a store in the folder at this path. The folder is created on first use.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self(path.as_ref().to_owned())
    }

    fn name(key: &RefreshKey) -> String {
        format!("{}.token", key.name())
    }

    fn refuse(&self, path: &Path, message: &str, cause: &std::io::Error) -> Error {
        Error::with(Kind::Secret, format!("`{}` cannot be {message}: {cause}", path.display()))
            .hint(format!("check the folder `{}`, its permissions and the space left", self.0.display()))
    }

    fn prepare(&self) -> Result<(), Error> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0).map_err(|cause| self.refuse(&self.0, "created", &cause))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let about = fs::metadata(&self.0).map_err(|cause| self.refuse(&self.0, "examined", &cause))?;
            if about.permissions().mode() & 0o022 != 0 {
                let message = format!("the folder `{}` can be written by group or others", self.0.display());
                return Err(Error::with(Kind::Secret, message).hint(format!("chmod 700 '{}'", self.0.display())));
            }
        }
        Ok(())
    }
}

impl RefreshStore for RefreshFolder {
    fn lock(&self, key: &RefreshKey) -> Result<Option<RefreshLock>, Error> {
        self.prepare()?;
        let path = self.0.join(format!("{}.lock", key.name()));
        let open = replace::private().create(true).truncate(false).open(&path);
        let file = open.map_err(|cause| self.refuse(&path, "opened", &cause))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(cause)) => Err(self.refuse(&path, "locked", &cause)),
        }
    }

    fn load(&self, key: &RefreshKey) -> Result<Option<SecretString>, Error> {
        let path = self.0.join(Self::name(key));
        match fs::symlink_metadata(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
            _ => SecretFile::new(path).read().map(Some),
        }
    }

    fn save(&self, key: &RefreshKey, token: &SecretString) -> Result<(), Error> {
        self.prepare()?;
        let name = Self::name(key);
        replace::replace(&self.0, &name, token.expose_secret().as_bytes())
            .map_err(|cause| self.refuse(&self.0.join(&name), "written", &cause))
    }

    fn describe(&self) -> String {
        format!("the folder `{}`", self.0.display())
    }
}
