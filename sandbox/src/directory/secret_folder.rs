//! A folder of files with secrets and passwords. It is emptied when the sandbox ends, or by the next sandbox after a kill.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::{Directory, SecretFile, random_text, secret_file};
use crate::error::Error;

/// The prefix of temporary folders.
const PREFIX: &str = "platform-sandbox-secrets-";
/// Lists the files that a sandbox has written into the folder, each with the digest of its contents. The sandbox holds a lock on
/// the list: a list without a lock was left by a killed sandbox.
const LIST: &str = ".platform-sandbox";
/// The first line of the list: a file of this name without it belongs to another program.
const FIRST_LINE: &str = "Files of platform-sandbox: digest and name";
/// A secret while it is written. It is renamed when it is complete, so that its contents match its digest.
const PART: &str = ".platform-sandbox.part";
/// The maximum length of a secret or a list, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// Files with the secrets of clients and the passwords of users. Dropping this removes them; the next sandbox removes the files
/// of a killed one. A file whose contents have changed is kept.
#[derive(Debug)]
pub struct SecretFolder {
    path: PathBuf,
    clients: Vec<SecretFile>,
    users: Vec<(String, PathBuf)>,
    list: File,
    /// `true` if the folder is removed as well.
    is_own: bool,
}

impl SecretFolder {
    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files of the clients that have a secret.
    pub fn clients(&self) -> &[SecretFile] {
        &self.clients
    }

    /// Returns the names of users and the files of their passwords.
    pub fn users(&self) -> &[(String, PathBuf)] {
        &self.users
    }

    /// Fills this folder, or a new one in the system's folder for temporary files.
    pub(crate) fn fill(folder: Option<&Path>, directory: &Directory) -> Result<Self, Error> {
        let (path, is_own) = match folder {
            // The paths of the files are read by programs with other current folders. An empty path is refused.
            Some(folder) => (std::path::absolute(folder).map_err(refused(folder))?, false),
            None => (own_folder()?, true),
        };
        secret_file::make_directory(&path).map_err(refused(&path))?;
        let list = match is_own {
            true => lock_new(&path)?,
            false => lock(&path.join(LIST))?,
        };
        let mut filled = Self { path, clients: Vec::new(), users: Vec::new(), list, is_own };
        filled.begin()?;
        for client in directory.clients.iter().filter(|client| !client.is_public()) {
            let path = filled.write(&secret_file::name_of_client(client), client.secret())?;
            filled.clients.push(SecretFile { client_id: client.client_id.clone(), path });
        }
        for user in &directory.users {
            let path = filled.write(&format!("{}.password", user.name), user.password())?;
            filled.users.push((user.name.clone(), path));
        }
        Ok(filled)
    }

    /// Removes the files of a killed sandbox, and begins a new list.
    fn begin(&mut self) -> Result<(), Error> {
        let list = self.path.join(LIST);
        if !self.sweep().map_err(refused(&list))? {
            return Err(Error::ForeignFile { path: list });
        }
        Self::is_free(&self.path.join(PART))?;
        self.list.write_all(format!("{FIRST_LINE}\n").as_bytes()).map_err(refused(&list))
    }

    /// Refuses a path that exists.
    fn is_free(path: &Path) -> Result<(), Error> {
        match fs::symlink_metadata(path) {
            Ok(_) => Err(Error::ForeignFile { path: path.to_owned() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(refused(path)(error)),
        }
    }

    /// Writes a file that must not exist yet. It is listed first: a sandbox that is killed in between leaves no unlisted file.
    fn write(&mut self, name: &str, secret: &str) -> Result<PathBuf, Error> {
        let (path, part) = (self.path.join(name), self.path.join(PART));
        Self::is_free(&path)?;
        let line = format!("{} {name}\n", digest(secret.as_bytes()));
        self.list.write_all(line.as_bytes()).map_err(refused(&self.path.join(LIST)))?;
        let written = secret_file::create(&part, secret).and_then(|()| fs::rename(&part, &path));
        written.map_err(refused(&path))?;
        Ok(path)
    }

    /// Removes the files that the list names, if their contents match its digests, and empties the list. All other files are
    /// kept. Returns whether the list is valid: nothing is removed otherwise.
    fn sweep(&mut self) -> io::Result<bool> {
        let mut names = String::new();
        self.list.rewind()?;
        (&self.list).take(LONGEST).read_to_string(&mut names)?;
        let mut lines = names.lines();
        match lines.next() {
            None => return Ok(true),
            Some(FIRST_LINE) => {}
            Some(_) => return Ok(false),
        }
        for (digest, name) in lines.filter_map(|line| line.split_once(' ')).filter(|(_, name)| is_ours(name)) {
            let path = self.path.join(name);
            if holds(&path, digest)? {
                fs::remove_file(path)?;
            }
        }
        match fs::remove_file(self.path.join(PART)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.list.set_len(0)?;
        self.list.rewind()?;
        Ok(true)
    }
}

impl Drop for SecretFolder {
    fn drop(&mut self) {
        // Files that cannot be removed stay listed, and are removed by the next sandbox.
        if matches!(self.sweep(), Ok(true)) {
            let _ = fs::remove_file(self.path.join(LIST));
        }
        if self.is_own {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Accepts only names that a sandbox can have written: a plain name with one of the two endings.
fn is_ours(name: &str) -> bool {
    (name.ends_with(".secret") || name.ends_with(".password")) && !name.contains(['/', '\\'])
}

/// Returns whether the contents of a file have this digest. A symbolic link never matches.
fn holds(path: &Path, wanted: &str) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= LONGEST => Ok(digest(&fs::read(path)?) == wanted),
        Ok(_) => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn digest(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(bytes))
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::SecretFile { path, source }
}

/// The list of a new folder gets its name after it is locked: other sandboxes regard a folder without a list as incomplete.
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

/// Creates a folder for this sandbox alone, and removes the folders of killed sandboxes.
fn own_folder() -> Result<PathBuf, Error> {
    let parent = std::env::temp_dir();
    let name = random_text(&ring::rand::SystemRandom::new())?;
    let folder = parent.join(format!("{PREFIX}{}", name.get(..16).unwrap_or(&name)));
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(refused(&folder))?;
    for left in fs::read_dir(&parent).into_iter().flatten().flatten() {
        if left.file_name().to_string_lossy().starts_with(PREFIX) && left.path() != folder {
            remove_left(&left.path(), &folder);
        }
    }
    Ok(folder)
}

/// Removes an unlocked folder. A folder that cannot be removed is skipped: it belongs to another user, or is removed next time.
fn remove_left(path: &Path, own: &Path) {
    let (Ok(metadata), Ok(mine)) = (fs::symlink_metadata(path), fs::symlink_metadata(own)) else { return };
    #[cfg(unix)]
    let is_mine = std::os::unix::fs::MetadataExt::uid(&metadata) == std::os::unix::fs::MetadataExt::uid(&mine);
    #[cfg(not(unix))]
    let is_mine = metadata.is_dir() == mine.is_dir();
    // A folder without its list is still being created.
    if metadata.is_dir() && is_mine && path.join(LIST).is_file() && lock(&path.join(LIST)).is_ok() {
        let _ = fs::remove_dir_all(path);
    }
}
