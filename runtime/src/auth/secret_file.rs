//! A secret in a file.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use secrecy::SecretString;
use secrecy::zeroize::Zeroize as _;

use super::{SecretSource, secret};
use crate::error::{Error, Kind};

/// The longest secret, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A secret in a file that only its owner can read.
///
/// The file must be a regular file and not a link, belong to this user or to root, give group and others no permission,
/// and have at most 64 KiB of text. One line break at its end is left out. On systems other than Unix, only size and
/// text are checked.
///
/// Files that a container mounts follow other rules: see [`mounted`](Self::mounted).
#[derive(Clone, Debug)]
pub struct SecretFile {
    path: PathBuf,
    links: bool,
    mounted: bool,
    how: Option<String>,
}

impl SecretFile {
    /// Creates a source from the file at this path. It is opened when the secret is needed.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned(), links: false, mounted: false, how: None }
    }

    /// Follows links to the file. The target is checked all the same.
    #[must_use]
    pub fn follow_links(mut self) -> Self {
        self.links = true;
        self
    }

    /// Declares that a container mounts the file, as Kubernetes and Docker do with secrets: it may be a link, belong to
    /// anyone, and be readable by all (modes 0444, 0440, 0644). Only its owner may have write permission.
    ///
    /// ```
    /// use driftless_runtime::auth::{ClientCredentials, SecretFile};
    ///
    /// let secret = SecretFile::new("/run/secrets/service").mounted();
    /// let credential = ClientCredentials::new("https://issuer.example", "my-service", secret);
    /// # let _ = credential;
    /// ```
    #[must_use]
    pub fn mounted(mut self) -> Self {
        self.mounted = true;
        self
    }

    /// Sets the hint that tells users how to declare a mounted file in variables or a configuration.
    pub(crate) fn mounted_by(mut self, how: String) -> Self {
        self.how = Some(how);
        self
    }

    /// A hint for files that a container mounts, which cannot be changed from inside it.
    #[cfg(unix)]
    fn or_mounted(&self, hint: &str) -> String {
        match &self.how {
            Some(how) => format!("{hint}; if a container mounts it: {how}"),
            None => format!(
                "{hint}; if a container mounts it, choose `SecretFile::mounted`, or set `…SECRET_FILE_MOUNTED=1`"
            ),
        }
    }

    fn refuse(&self, reason: &'static str, rule: &str, hint: String) -> Error {
        let message = format!("the secret file `{}` {rule}", self.path.display());
        Error::with(Kind::Secret, message).because(reason).hint(hint)
    }

    #[cfg(unix)]
    fn open(&self) -> Result<File, Error> {
        use rustix::fs::{FileType, Mode, OFlags};

        let path = self.path.display();
        // A FIFO must not block the opening, and a terminal must not become the controlling one.
        let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let links = self.links || self.mounted;
        if !links {
            flags |= OFlags::NOFOLLOW;
        }
        let file = rustix::fs::open(&self.path, flags, Mode::empty()).map_err(|cause| match cause {
            rustix::io::Errno::LOOP if !links => {
                let hint = format!("name the file itself (readlink -f '{path}'), or choose `follow_links`");
                self.refuse("secret/link", "is a symbolic link, which can be pointed elsewhere", self.or_mounted(&hint))
            }
            rustix::io::Errno::NOENT => {
                self.refuse("secret/missing", "does not exist", format!("create it: (umask 077; cat > '{path}')"))
            }
            rustix::io::Errno::ACCESS if self.mounted => self.refuse(
                "secret/unreadable",
                "may not be read by this user",
                "run as the user or the group that the mount is for, or mount it with mode 0444".to_owned(),
            ),
            rustix::io::Errno::ACCESS => {
                let hint = format!("sudo chown \"$(id -u)\" '{path}' && chmod 600 '{path}'");
                self.refuse("secret/unreadable", "may not be read by this user", hint)
            }
            other => self.unreadable(&format!("cannot be opened: {other}")),
        })?;
        let about =
            rustix::fs::fstat(&file).map_err(|cause| self.unreadable(&format!("cannot be examined: {cause}")))?;
        if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
            let hint = format!("name a regular file: ls -l '{path}'");
            return Err(self.refuse("secret/kind", "is not a regular file", hint));
        }
        let mode = about.st_mode & 0o7777;
        if self.mounted {
            if mode & 0o022 != 0 {
                let hint = "mount it with mode 0444 or 0440 (Kubernetes: `defaultMode`)";
                let rule = format!("can be written by group or others (mode {mode:04o})");
                return Err(self.refuse("secret/permissions", &rule, hint.to_owned()));
            }
            return Ok(file.into());
        }
        let user = rustix::process::geteuid().as_raw();
        if about.st_uid != user && about.st_uid != 0 {
            let hint = format!("sudo chown \"$(id -u)\" '{path}'");
            let rule = format!("belongs to another user ({}), neither to this one nor to root", about.st_uid);
            return Err(self.refuse("secret/owner", &rule, self.or_mounted(&hint)));
        }
        if mode & 0o077 != 0 {
            let hint = format!("chmod 600 '{path}'");
            let rule = format!("is open to group or others (mode {mode:04o})");
            return Err(self.refuse("secret/permissions", &rule, self.or_mounted(&hint)));
        }
        Ok(file.into())
    }

    #[cfg(not(unix))]
    fn open(&self) -> Result<File, Error> {
        File::open(&self.path).map_err(|cause| self.unreadable(&format!("cannot be opened: {cause}")))
    }
}

impl SecretSource for SecretFile {
    fn read(&self) -> Result<SecretString, Error> {
        let file = self.open()?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|cause| self.unreadable(&format!("cannot be read: {cause}")))?;
        let secret = self.text(&bytes);
        bytes.zeroize();
        secret
    }

    fn describe(&self) -> String {
        format!("the file `{}`", self.path.display())
    }
}

impl SecretFile {
    fn unreadable(&self, rule: &str) -> Error {
        self.refuse("secret/unreadable", rule, format!("check the path: ls -l '{}'", self.path.display()))
    }

    fn text(&self, bytes: &[u8]) -> Result<SecretString, Error> {
        if bytes.len() as u64 > LONGEST {
            return Err(self.refuse(
                "secret/size",
                "is larger than 64 KiB",
                "write only the secret into it".to_owned(),
            ));
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(self.refuse("secret/text", "is not UTF-8 text", "write the secret as text".to_owned()));
        };
        match secret::line(text) {
            Some(text) => Ok(text.into()),
            None => Err(self.refuse("secret/empty", "is empty", "write the secret into it".to_owned())),
        }
    }
}
