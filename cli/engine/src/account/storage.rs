//! The files that signing in writes: the profiles, and the folders with tokens.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    hash::{BuildHasher as _, RandomState},
    io::{ErrorKind, Read as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

#[cfg(feature = "keyring")]
use driftless_runtime::auth::{RefreshFolder, SecretKeyring, SecretString};
use driftless_runtime::program;

use super::document::ProfileDocument;
#[cfg(feature = "keyring")]
use crate::failure::failure;
use crate::{Exit, Failure};

/// The largest file of profiles, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The name of an API token, and of an access token, in the folder of a sign-in and in the keyring.
pub(super) const TOKEN: &str = "token";

/// The time for which another program may keep a lock, and the pause between two attempts.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(25);

fn failed(path: &Path, rule: &str, cause: &std::io::Error) -> Failure {
    let hint = format!("check the permissions of `{}` and the space left", path.parent().unwrap_or(path).display());
    Failure::new(Exit::Failed, format!("`{}` cannot be {rule}: {cause}", path.display()), hint)
}

/// Reads the profiles; none if the file does not exist.
pub(super) fn read(path: &Path) -> Result<ProfileDocument, Failure> {
    let mut text = String::new();
    match File::open(path) {
        Ok(file) => {
            file.take(LARGEST + 1).read_to_string(&mut text).map_err(|cause| failed(path, "read", &cause))?;
        }
        Err(cause) if cause.kind() == ErrorKind::NotFound => {}
        Err(cause) => return Err(failed(path, "read", &cause)),
    }
    if text.len() as u64 > LARGEST {
        return Err(Failure::usage(
            format!("`{}` is larger than 1 MiB", path.display()),
            "write only profiles into it",
        ));
    }
    ProfileDocument::parse(path, &text)
}

/// The file of profiles, locked: other programs that change it wait, so that nothing is lost.
pub(super) struct ProfileFile<'a> {
    path: &'a Path,
    folder: &'a Path,
    _lock: File,
}

impl<'a> ProfileFile<'a> {
    /// Locks the file, whether or not it exists.
    pub(super) async fn lock(path: &'a Path) -> Result<Self, Failure> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        private_folder(folder)?;
        Ok(Self { path, folder, _lock: lock_file(&path.with_extension("toml.lock"), PATIENCE).await? })
    }

    /// Changes the file. A program that is killed leaves the old one.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut ProfileDocument) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut document = read(self.path)?;
        let before = document.text();
        let result = change(&mut document)?;
        let text = document.text();
        if text != before {
            // The file may be a link into a repository of settings, which stays one.
            let target = fs::canonicalize(self.path).unwrap_or_else(|_| self.path.to_owned());
            let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(self.folder);
            let name = target.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
                Failure::usage(format!("the path `{}` is not UTF-8", self.path.display()), "choose another path")
            })?;
            program::replace(folder, name, text.as_bytes()).map_err(|cause| failed(self.path, "written", &cause))?;
        }
        Ok(result)
    }
}

/// Locks a file, which is created if it does not exist. The lock ends with the value.
pub(super) async fn lock_file(path: &Path, time: Duration) -> Result<File, Failure> {
    let file = private_file().open(path).map_err(|cause| failed(path, "opened", &cause))?;
    if !locked(&file, path, time).await? {
        let message = format!("another program has locked `{}` for too long", path.display());
        return Err(Failure::new(Exit::Failed, message, "end that program"));
    }
    Ok(file)
}

async fn locked(file: &File, path: &Path, time: Duration) -> Result<bool, Failure> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if started.elapsed() > time => return Ok(false),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
            Err(TryLockError::Error(cause)) => return Err(failed(path, "locked", &cause)),
        }
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    program::replace(folder, name, text.as_bytes()).map_err(|cause| failed(&folder.join(name), "written", &cause))
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a folder for its owner only, and those above it that are missing.
pub(super) fn private_folder(path: &Path) -> Result<(), Failure> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|cause| failed(path, "created", &cause))
}

/// Returns a file's name for any text. Some file systems do not distinguish upper and lower case.
fn file_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'a'..='z' | '0'..='9' | '-' | '_' => name.push(character),
            other => name.push_str(&format!("%{:x}.", u32::from(other))),
        }
    }
    name
}

/// The folders with the tokens of sign-ins: one for each profile, and in it one for each sign-in. A sign-in does not
/// write over the tokens of the one before, so that an interrupted one changes nothing.
#[derive(Clone)]
pub(super) struct TokenFolders(PathBuf);

impl TokenFolders {
    pub(super) fn new(root: PathBuf) -> Self {
        Self(root.join("sign-ins"))
    }

    /// The folder of a profile.
    fn profile(&self, name: &str) -> PathBuf {
        self.0.join(file_name(name))
    }

    /// Returns the path of the access token that is kept for a profile, or for a server of the profile.
    pub(super) fn kept(&self, name: &str, server: Option<&str>) -> PathBuf {
        let file = server.map_or_else(|| "main".to_owned(), |server| format!("server.{}", file_name(server)));
        self.profile(name).join("access").join(file)
    }

    /// Locks a kept access token against other programs, and against its removal. Its folder is created.
    pub(super) async fn lock(&self, kept: &Path) -> Result<File, Failure> {
        self.create(kept.parent().unwrap_or(&self.0))?;
        lock_file(&kept.with_added_extension("lock"), PATIENCE).await
    }

    /// Removes the access token that is kept for a profile.
    pub(super) fn forget(&self, name: &str) {
        // Without the file, there is nothing to do; one that cannot be removed cannot be replaced either, and a note says so then.
        let _ = fs::remove_file(self.kept(name, None));
    }

    /// Returns the path for the tokens of a new sign-in.
    pub(super) fn next(&self, name: &str) -> PathBuf {
        self.profile(name).join(format!("{:016x}", RandomState::new().hash_one(name)))
    }

    /// Creates the folder of a new sign-in. Nobody else may write into it, or into those above it up to the program's.
    pub(super) fn create(&self, folder: &Path) -> Result<(), Failure> {
        private_folder(folder)?;
        #[cfg(unix)]
        for path in folder.ancestors().take(4) {
            use std::os::unix::fs::PermissionsExt as _;
            let about = fs::metadata(path).map_err(|cause| failed(path, "examined", &cause))?;
            if about.permissions().mode() & 0o022 != 0 {
                let message = format!("the folder `{}` can be written by group or others", path.display());
                return Err(Failure::new(Exit::Failed, message, format!("chmod 700 '{}'", path.display())));
            }
        }
        Ok(())
    }

    /// Writes a token into the folder of a new sign-in.
    pub(super) fn write(&self, folder: &Path, token: &str) -> Result<(), Failure> {
        self.create(folder)?;
        write(folder, TOKEN, token)
    }

    /// Writes a token into the keyring, and the name of the service into the folder of a new sign-in.
    #[cfg(feature = "keyring")]
    pub(super) fn write_to_keyring(&self, folder: &Path, service: &str, token: &SecretString) -> Result<(), Failure> {
        self.create(folder)?;
        write(folder, &format!("{TOKEN}.keyring"), service)?;
        SecretKeyring::new(service, TOKEN).write(token).map_err(|error| failure(&error))
    }

    /// Returns whether a path is that of tokens of a sign-in to this profile.
    pub(super) fn contains(&self, name: &str, path: &str) -> bool {
        Path::new(path).starts_with(self.profile(name))
    }

    /// Removes the tokens of a profile's sign-ins, except those of one. Returns whether there were any.
    pub(super) async fn remove(&self, name: &str, except: Option<&Path>) -> Result<bool, Failure> {
        let folder = self.profile(name);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(false),
            Err(cause) => return Err(failed(&folder, "read", &cause)),
        };
        let mut any = false;
        for entry in entries.flatten().map(|entry| entry.path()).filter(|path| Some(path.as_path()) != except) {
            let _locks = refresh_locks(&entry).await;
            discard(&entry)?;
            any = true;
        }
        if except.is_none() {
            // It is not empty if another sign-in has just begun.
            let _ = fs::remove_dir(&folder);
        }
        Ok(any)
    }

    /// Removes the tokens of all profiles, also of those that are no longer in the file.
    pub(super) async fn remove_all(&self) -> Result<bool, Failure> {
        let mut any = false;
        for folder in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let _locks = refresh_locks(&entry.path()).await;
                discard(&entry.path())?;
                any = true;
            }
            let _ = fs::remove_dir(folder.path());
        }
        Ok(any)
    }
}

/// Removes the tokens of a sign-in: those in the keyring, then its folder.
pub(super) fn discard(folder: &Path) -> Result<(), Failure> {
    #[cfg(feature = "keyring")]
    RefreshFolder::new(folder).clear_keyring().map_err(|error| failure(&error))?;
    // Under another name, no command puts a new file into it meanwhile.
    let gone = folder.with_file_name(format!("removed-{:016x}", RandomState::new().hash_one(folder)));
    let folder = if fs::rename(folder, &gone).is_ok() { &gone } else { folder };
    fs::remove_dir_all(folder).map_err(|cause| failed(folder, "removed", &cause))
}

/// Waits for programs that refresh a token of the folder: one that ends later would write its new token there. A program
/// that keeps its lock for too long is not waited for.
async fn refresh_locks(folder: &Path) -> Vec<File> {
    let mut locks = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "lock")
            && let Ok(file) = File::open(&path)
        {
            let _ = locked(&file, &path, PATIENCE).await;
            locks.push(file);
        }
    }
    locks
}
