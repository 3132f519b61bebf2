//! A folder of files with secrets and passwords, which is emptied when the sandbox ends, however it ends.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::{Directory, SecretFile, random_text, secret_file};
use crate::error::Error;

/// How the folders begin that a sandbox makes for itself.
const PREFIX: &str = "platform-sandbox-secrets-";
/// Names the files that a sandbox has written into the folder. The sandbox holds a lock on it: one without a lock belongs to a
/// sandbox that was killed.
const LIST: &str = ".platform-sandbox";

/// Files with the secrets of clients and the passwords of users. They are removed when this is dropped; what a killed sandbox
/// has left is removed by the next one.
#[derive(Debug)]
pub struct SecretFolder {
    path: PathBuf,
    clients: Vec<SecretFile>,
    users: Vec<(String, PathBuf)>,
    list: File,
    /// Whether the folder goes as well.
    is_own: bool,
}

impl SecretFolder {
    /// Where the files lie.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files of the clients that have a secret.
    pub fn clients(&self) -> &[SecretFile] {
        &self.clients
    }

    /// Names of users and the files of their passwords.
    pub fn users(&self) -> &[(String, PathBuf)] {
        &self.users
    }

    /// Fills this folder, or a new one in the folder of the system for temporary files.
    pub(crate) fn fill(folder: Option<&Path>, directory: &Directory) -> Result<Self, Error> {
        let (path, is_own) = match folder {
            Some(folder) => (folder.to_owned(), false),
            None => (own_folder()?, true),
        };
        secret_file::make_directory(&path).map_err(refused(&path))?;
        let list = match is_own {
            true => lock_new(&path)?,
            false => lock(&path.join(LIST))?,
        };
        let mut filled = Self { path, clients: Vec::new(), users: Vec::new(), list, is_own };
        filled.sweep().map_err(refused(&filled.path))?;
        filled.clients =
            secret_file::write(&directory.clients, &filled.path, &mut |name| note(&mut filled.list, name))?;
        for user in &directory.users {
            let name = format!("{}.password", user.name);
            note(&mut filled.list, &name).map_err(refused(&filled.path))?;
            let path = secret_file::write_one(&filled.path, &name, user.password())?;
            filled.users.push((user.name.clone(), path));
        }
        Ok(filled)
    }

    /// Removes the files that the list names. Whatever else lies in the folder stays.
    fn sweep(&mut self) -> io::Result<()> {
        let mut names = String::new();
        self.list.rewind()?;
        self.list.read_to_string(&mut names)?;
        for name in names.lines().filter(|name| is_ours(name)) {
            match fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.list.set_len(0)?;
        self.list.rewind()
    }
}

impl Drop for SecretFolder {
    fn drop(&mut self) {
        // What is left is removed by the next sandbox.
        let _ = self.sweep();
        let _ = fs::remove_file(self.path.join(LIST));
        if self.is_own {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Only what a sandbox can have written: a plain name with one of the two endings.
fn is_ours(name: &str) -> bool {
    (name.ends_with(".secret") || name.ends_with(".password")) && !name.contains(['/', '\\'])
}

/// Named before the file is written: a sandbox that is killed in between leaves nothing unnamed.
fn note(list: &mut File, name: &str) -> io::Result<()> {
    writeln!(list, "{name}")
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::SecretFile { path, source }
}

/// The list of a new folder gets its name when it is locked: whoever sweeps meanwhile takes the folder for one in the making.
fn lock_new(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LIST);
    let before = path.with_extension("new");
    let list = lock(&before)?;
    fs::rename(before, &path).map_err(refused(&path))?;
    Ok(list)
}

fn lock(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let list = options.open(path).map_err(refused(path))?;
    match list.try_lock() {
        Ok(()) => Ok(list),
        Err(TryLockError::WouldBlock) => Err(Error::SecretsInUse { path: path.parent().unwrap_or(path).to_owned() }),
        Err(TryLockError::Error(error)) => Err(refused(path)(error)),
    }
}

/// A new folder for this sandbox alone. The folders of sandboxes that were killed are removed on the way.
fn own_folder() -> Result<PathBuf, Error> {
    let place = std::env::temp_dir();
    let name = random_text(&ring::rand::SystemRandom::new())?;
    let folder = place.join(format!("{PREFIX}{}", name.get(..16).unwrap_or(&name)));
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(refused(&folder))?;
    for left in fs::read_dir(&place).into_iter().flatten().flatten() {
        if left.file_name().to_string_lossy().starts_with(PREFIX) && left.path() != folder {
            remove_left(&left.path(), &folder);
        }
    }
    Ok(folder)
}

/// Removes a folder that nobody holds. What cannot be removed stays: it is somebody else's, or goes next time.
fn remove_left(path: &Path, own: &Path) {
    let (Ok(found), Ok(mine)) = (fs::symlink_metadata(path), fs::symlink_metadata(own)) else { return };
    #[cfg(unix)]
    let is_mine = std::os::unix::fs::MetadataExt::uid(&found) == std::os::unix::fs::MetadataExt::uid(&mine);
    #[cfg(not(unix))]
    let is_mine = found.is_dir() == mine.is_dir();
    // A folder without its list is one that is being made.
    if found.is_dir() && is_mine && path.join(LIST).is_file() && lock(&path.join(LIST)).is_ok() {
        let _ = fs::remove_dir_all(path);
    }
}
