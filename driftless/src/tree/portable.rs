//! Folders as paths, where the system has no operations relative to an open folder. Each part is looked at right before
//! it is used.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Kind;

/// A folder by its path.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        Ok(Self(path.to_path_buf()))
    }

    pub(super) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.clone()))
    }

    pub(super) fn kind(&self, name: &str) -> io::Result<Option<Kind>> {
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(about) => Ok(Some(match about.file_type() {
                kind if kind.is_symlink() => Kind::Link,
                kind if kind.is_dir() => Kind::Folder,
                kind if kind.is_file() => Kind::File,
                _ => Kind::Other,
            })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn child(&self, name: &str) -> io::Result<Self> {
        Ok(Self(self.0.join(name)))
    }

    pub(super) fn make(&self, name: &str) -> io::Result<()> {
        match fs::create_dir(self.0.join(name)) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    pub(super) fn open(&self, name: &str) -> io::Result<File> {
        File::open(self.0.join(name))
    }

    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    pub(super) fn lock_file(&self, name: &str) -> io::Result<File> {
        File::options().create(true).truncate(false).write(true).open(self.0.join(name))
    }

    pub(super) fn rename(&self, name: &str, to: &Self, new: &str) -> io::Result<()> {
        fs::rename(self.0.join(name), to.0.join(new))
    }

    pub(super) fn remove_file(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(super) fn remove_folder(&self, name: &str) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    pub(super) fn flush(&self) {
        if let Ok(folder) = File::open(&self.0) {
            // The caller says why this may fail.
            let _ = folder.sync_all();
        }
    }
}
