//! Files of the workspace that only the tool writes, reached without following a link.
//!
//! Every part of a path below the root is opened from the folder that holds it, and a symbolic link among the parts is an
//! error that names it: a link would lead reading and writing to places that are not the tool's.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
use portable::Folder;
#[cfg(unix)]
use unix::Folder;

use crate::failure::{Exit, Failure};

/// Largest file that is read, in bytes.
const LARGEST: u64 = 512 * 1024 * 1024;

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    /// A device, a pipe, a socket.
    Other,
}

/// The workspace. Paths are relative to its root and written with `/`.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    folder: Folder,
}

impl Tree {
    pub(crate) fn open(root: &Path) -> Result<Self, Failure> {
        let folder = Folder::root(root).map_err(|error| Failure::file("open", root, &error))?;
        Ok(Self { root: root.to_path_buf(), folder })
    }

    /// Returns the kind of the entry at a path, or `None` if the path does not exist.
    pub(crate) fn kind(&self, path: &str) -> Result<Option<Kind>, Failure> {
        let (folder, name) = self.holder(path, false)?;
        let Some(folder) = folder else { return Ok(None) };
        folder.kind(name).map_err(|error| self.failed("inspect", path, &error))
    }

    /// As `kind`. Fails where a part of the path is a link.
    pub(crate) fn check(&self, path: &str) -> Result<Option<Kind>, Failure> {
        match self.kind(path)? {
            Some(Kind::Link) => Err(linked(&self.root.join(path))),
            kind => Ok(kind),
        }
    }

    /// The content of a regular file; `None` where there is nothing.
    pub(crate) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.read_up_to(path, LARGEST)
    }

    /// The same, of a file that holds no more than `limit` bytes.
    pub(crate) fn read_up_to(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Failure> {
        let Some(file) = self.regular(path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| self.failed("read", path, &error))?;
        if bytes.len() as u64 > limit {
            return Err(Failure::new(
                Exit::Files,
                "files/too-large",
                format!("{} holds more than {limit} bytes", self.root.join(path).display()),
                "find out what wrote it, remove it, and run the command again",
            ));
        }
        Ok(Some(bytes))
    }

    /// The permissions of a regular file.
    pub(crate) fn permissions(&self, path: &str) -> Result<Option<Permissions>, Failure> {
        let Some(file) = self.regular(path)? else { return Ok(None) };
        let metadata = file.metadata().map_err(|error| self.failed("inspect", path, &error))?;
        Ok(Some(metadata.permissions()))
    }

    /// Writes a file where nothing is yet, and flushes it to the disk.
    pub(crate) fn create(&self, path: &str, content: &[u8], permissions: Option<Permissions>) -> Result<(), Failure> {
        let written = |error| self.failed("write", path, &error);
        let (folder, name) = self.made(path)?;
        let mut file = folder.create(name).map_err(written)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions).map_err(written)?;
        }
        file.write_all(content).and_then(|()| file.sync_all()).map_err(written)
    }

    /// A file to hold a lock on, which is made where it is missing.
    pub(crate) fn lock_file(&self, path: &str) -> Result<File, Failure> {
        let (folder, name) = self.made(path)?;
        self.check(path)?;
        folder.lock_file(name).map_err(|error| self.failed("open", path, &error))
    }

    /// Moves a file into the place of another, at once.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Failure> {
        let refused = |error| self.failed("replace", to, &error);
        let (source, name) = self.holder(from, false)?;
        let source = source.ok_or_else(|| refused(ErrorKind::NotFound.into()))?;
        let (target, new) = self.made(to)?;
        source.rename(name, &target, new).map_err(refused)
    }

    /// Removes a file; a missing one is not an error.
    pub(crate) fn remove(&self, path: &str) -> Result<(), Failure> {
        let (folder, name) = self.holder(path, false)?;
        let Some(folder) = folder else { return Ok(()) };
        match folder.remove_file(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.failed("remove", path, &error)),
            _ => Ok(()),
        }
    }

    /// Removes a folder with its content, or the file in its place; a missing one is not an error.
    pub(crate) fn remove_folder(&self, path: &str) -> Result<(), Failure> {
        match self.kind(path)? {
            None => return Ok(()),
            Some(Kind::Link) => return Err(linked(&self.root.join(path))),
            Some(Kind::File | Kind::Other) => return self.remove(path),
            Some(Kind::Folder) => {}
        }
        // The content is removed without following links.
        match std::fs::remove_dir_all(self.root.join(path)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.failed("remove", path, &error)),
            _ => Ok(()),
        }
    }

    /// Removes folders that became empty, upwards; a folder that holds something refuses, which is the end.
    pub(crate) fn prune(&self, path: &str) {
        let mut current = Some(path);
        while let Some(path) = current.filter(|path| !path.is_empty()) {
            let Ok((Some(folder), name)) = self.holder(path, false) else { return };
            if folder.remove_folder(name).is_err() {
                return;
            }
            current = parent(path);
        }
    }

    /// Makes a folder, and those above it.
    pub(crate) fn create_folder(&self, path: &str) -> Result<(), Failure> {
        self.folder(path, true).map(drop)
    }

    /// Flushes the names of a folder to the disk. Not every system can; where it cannot, the order of the steps still
    /// holds for a killed process.
    pub(crate) fn flush(&self, path: &str) {
        if let Ok(Some(folder)) = self.folder(path, false) {
            folder.flush();
        }
    }

    /// The nearest folder above a path that is there, as a path of the system.
    pub(crate) fn nearest(&self, path: &str) -> Result<PathBuf, Failure> {
        self.check(path)?;
        let mut current = path;
        while let Some(above) = parent(current) {
            if self.kind(above)?.is_some() {
                return Ok(self.root.join(above));
            }
            current = above;
        }
        Ok(self.root.clone())
    }

    fn regular(&self, path: &str) -> Result<Option<File>, Failure> {
        let (folder, name) = self.holder(path, false)?;
        let Some(folder) = folder else { return Ok(None) };
        match folder.kind(name).map_err(|error| self.failed("inspect", path, &error))? {
            None => return Ok(None),
            Some(Kind::Link) => return Err(linked(&self.root.join(path))),
            Some(Kind::Folder) => return Err(self.failed("read", path, &ErrorKind::IsADirectory.into())),
            Some(Kind::Other) => return Err(self.failed("read", path, &no_file())),
            Some(Kind::File) => {}
        }
        let file = folder.open(name).map_err(|error| self.failed("read", path, &error))?;
        // It may have been exchanged since.
        match file.metadata() {
            Ok(metadata) if metadata.is_file() => Ok(Some(file)),
            Ok(_) => Err(self.failed("read", path, &no_file())),
            Err(error) => Err(self.failed("inspect", path, &error)),
        }
    }

    /// The folder that holds a path, and the last part; `None` where there is no such folder.
    fn holder<'a>(&self, path: &'a str, create: bool) -> Result<(Option<Folder>, &'a str), Failure> {
        let name = path.rsplit('/').next().unwrap_or(path);
        Ok((self.folder(parent(path).unwrap_or_default(), create)?, name))
    }

    /// The same, of a folder that is made where it is missing.
    fn made<'a>(&self, path: &'a str) -> Result<(Folder, &'a str), Failure> {
        let (folder, name) = self.holder(path, true)?;
        let folder = folder.ok_or_else(|| self.failed("create", path, &ErrorKind::NotFound.into()))?;
        Ok((folder, name))
    }

    fn folder(&self, path: &str, create: bool) -> Result<Option<Folder>, Failure> {
        let mut below = None;
        let parts = path.split('/').filter(|part| !part.is_empty());
        for (depth, part) in parts.clone().enumerate() {
            if matches!(part, "." | "..") {
                return Err(self.failed("open", path, &ErrorKind::InvalidInput.into()));
            }
            let reached = || self.root.join(parts.clone().take(depth + 1).collect::<PathBuf>());
            let failed = |error: &io::Error| Failure::file("open", &reached(), error);
            let current = below.as_ref().unwrap_or(&self.folder);
            below = match current.kind(part).map_err(|error| failed(&error))? {
                Some(Kind::Folder) => Some(current.child(part).map_err(|error| failed(&error))?),
                Some(Kind::Link) => return Err(linked(&reached())),
                Some(_) => return Err(failed(&ErrorKind::NotADirectory.into())),
                None if !create => return Ok(None),
                None => {
                    current.make(part).map_err(|error| Failure::file("create", &reached(), &error))?;
                    Some(current.child(part).map_err(|error| failed(&error))?)
                }
            };
        }
        let root = || self.folder.again().map_err(|error| self.failed("open", "", &error));
        below.map_or_else(root, Ok).map(Some)
    }

    fn failed(&self, action: &str, path: &str, error: &io::Error) -> Failure {
        Failure::file(action, &self.root.join(path), error)
    }
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(above, _)| above)
}

fn no_file() -> io::Error {
    io::Error::other("it is not a regular file")
}

fn linked(path: &Path) -> Failure {
    Failure::new(
        Exit::Files,
        "files/link",
        format!("{} is a symbolic link; nothing is read or written through it", path.display()),
        "replace the link by a folder or file, and run the command again",
    )
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
