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

/// No secret is longer, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A secret in a file that only its owner can read.
///
/// The file must be a regular file and no link, belong to this user or to root, give group and others no permission, and
/// hold at most 64 KiB of text. One line break at its end is left out. Where these rules cannot be checked (on systems other
/// than Unix), only size and text are.
///
/// What a container mounts follows other rules: see [`mounted`](Self::mounted).
#[derive(Clone, Debug)]
pub struct SecretFile {
    path: PathBuf,
    links: bool,
    mounted: bool,
}

impl SecretFile {
    /// The file at this path. It is opened when the secret is needed.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned(), links: false, mounted: false }
    }

    /// Follows links to the file. What the link leads to is checked all the same.
    #[must_use]
    pub fn follow_links(mut self) -> Self {
        self.links = true;
        self
    }

    /// Says that a container mounts the file, as Kubernetes and Docker do with secrets: it may be a link, belong to anyone, and
    /// be readable by all (modes 0444, 0440, 0644). Nobody but its owner may be able to write it.
    ///
    /// ```
    /// use platform_runtime::auth::{ClientCredentials, SecretFile};
    ///
    /// let secret = SecretFile::new("/run/secrets/platform").mounted();
    /// let credential = ClientCredentials::new("https://issuer.example", "my-service", secret);
    /// # let _ = credential;
    /// ```
    #[must_use]
    pub fn mounted(mut self) -> Self {
        self.mounted = true;
        self
    }

    /// A hint that names the way for files that a container mounts, which cannot be changed from within.
    #[cfg(unix)]
    fn or_mounted(hint: &str) -> String {
        format!("{hint}; if a container mounts it, choose `SecretFile::mounted`, or set PLATFORM_SECRET_FILE_MOUNTED=1")
    }

    fn refuse(&self, rule: &str, hint: String) -> Error {
        Error::new(Kind::Secret, format!("the secret file `{}` {rule}", self.path.display())).hint(hint)
    }

    #[cfg(unix)]
    fn open(&self) -> Result<File, Error> {
        use rustix::fs::{FileType, Mode, OFlags};

        let path = self.path.display();
        // A FIFO must not make the opening wait, and a terminal must not become the controlling one.
        let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let links = self.links || self.mounted;
        if !links {
            flags |= OFlags::NOFOLLOW;
        }
        let file = rustix::fs::open(&self.path, flags, Mode::empty()).map_err(|cause| match cause {
            rustix::io::Errno::LOOP if !links => {
                self.refuse("is a link", Self::or_mounted("name the file itself, or choose `follow_links`"))
            }
            rustix::io::Errno::NOENT => {
                self.refuse("does not exist", format!("write it: install -m 600 /dev/null '{path}' and edit it"))
            }
            rustix::io::Errno::ACCESS if self.mounted => self.refuse(
                "may not be read by this user",
                "run as the user or the group that the mount is for, or mount it with mode 0444".to_owned(),
            ),
            rustix::io::Errno::ACCESS => {
                self.refuse("may not be read by this user", format!("chown \"$(id -u)\" '{path}'"))
            }
            other => self.refuse(&format!("cannot be opened: {other}"), "check the path".to_owned()),
        })?;
        let about = rustix::fs::fstat(&file)
            .map_err(|cause| self.refuse(&format!("cannot be examined: {cause}"), "check the path".to_owned()))?;
        if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
            return Err(self.refuse("is not a regular file", "name a regular file".to_owned()));
        }
        if self.mounted {
            if about.st_mode & 0o022 != 0 {
                let hint = "mount it with mode 0444 or 0440 (Kubernetes: `defaultMode`)";
                return Err(self.refuse("can be written by group or others", hint.to_owned()));
            }
            return Ok(file.into());
        }
        let user = rustix::process::geteuid().as_raw();
        if about.st_uid != user && about.st_uid != 0 {
            let hint = format!("chown \"$(id -u)\" '{path}'");
            return Err(self.refuse("belongs to another user", Self::or_mounted(&hint)));
        }
        if about.st_mode & 0o077 != 0 {
            let hint = format!("chmod 600 '{path}'");
            return Err(self.refuse("is open to group or others", Self::or_mounted(&hint)));
        }
        Ok(file.into())
    }

    #[cfg(not(unix))]
    fn open(&self) -> Result<File, Error> {
        File::open(&self.path)
            .map_err(|cause| self.refuse(&format!("cannot be opened: {cause}"), "check the path".to_owned()))
    }
}

impl SecretSource for SecretFile {
    fn read(&self) -> Result<SecretString, Error> {
        let file = self.open()?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|cause| self.refuse(&format!("cannot be read: {cause}"), "check the path".to_owned()))?;
        let secret = self.text(&bytes);
        bytes.zeroize();
        secret
    }

    fn describe(&self) -> String {
        format!("the file `{}`", self.path.display())
    }
}

impl SecretFile {
    fn text(&self, bytes: &[u8]) -> Result<SecretString, Error> {
        if bytes.len() as u64 > LONGEST {
            return Err(self.refuse("is larger than 64 KiB", "write only the secret into it".to_owned()));
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(self.refuse("is not UTF-8 text", "write the secret as text".to_owned()));
        };
        match secret::line(text) {
            Some(text) => Ok(text.into()),
            None => Err(self.refuse("is empty", "write the secret into it".to_owned())),
        }
    }
}
