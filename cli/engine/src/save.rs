//! The file of `--output`: it has its old or its new contents, and a download shows its progress.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tempfile::NamedTempFile;

use crate::failure::{Exit, Failure};

/// A file that is being written.
pub(crate) struct OutputFile {
    path: PathBuf,
    place: FilePlace,
    bar: ProgressBar,
    length: u64,
}

enum FilePlace {
    /// Beside the file, which it replaces at the end.
    Beside(NamedTempFile),
    /// A pipe or a device, which nothing can replace.
    Itself(File),
    /// `-`: standard output.
    Standard(io::Stdout),
}

impl OutputFile {
    /// Begins to write. `length` is the number of bytes that are expected; `shows` draws a bar on standard error.
    pub(crate) fn create(path: &Path, length: Option<u64>, shows: bool) -> Result<Self, Failure> {
        if path == Path::new("-") {
            let place = FilePlace::Standard(io::stdout());
            return Ok(Self { path: path.to_owned(), place, bar: ProgressBar::hidden(), length: 0 });
        }
        let is_special = path.metadata().is_ok_and(|metadata| !metadata.is_file());
        let leads_nowhere = path.is_symlink() && !path.exists();
        let place = match is_special || leads_nowhere {
            true => File::options().write(true).create(true).truncate(false).open(path).map(FilePlace::Itself),
            false => beside(path).map(FilePlace::Beside),
        };
        let place = place.map_err(|error| not_written(path, &error))?;
        Ok(Self { path: path.to_owned(), place, bar: bar(length, shows), length: 0 })
    }

    /// Finds out before a call whether the file can be written. A pipe or a device is opened once only.
    pub(crate) fn check(path: &Path) -> Result<(), Failure> {
        let is_special = path.metadata().is_ok_and(|metadata| !metadata.is_file());
        if path == Path::new("-") || path.is_symlink() || is_special && !path.is_dir() {
            return Ok(());
        }
        Self::create(path, None, false)
            .map(drop)
            .map_err(|failure| Failure::usage(failure.message, "nothing was sent; name another file"))
    }

    /// Appends a part.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.place {
            FilePlace::Beside(file) => file.write_all(bytes),
            FilePlace::Itself(file) => file.write_all(bytes),
            FilePlace::Standard(out) => return crate::output::written(out.write_all(bytes)),
        };
        written.map_err(|error| not_written(&self.path, &error))?;
        self.length += bytes.len() as u64;
        self.bar.set_position(self.length);
        Ok(())
    }

    /// Gives the file its name, and returns its length in bytes.
    pub(crate) fn finish(self) -> Result<u64, Failure> {
        self.bar.finish_and_clear();
        let done = match self.place {
            // A link of the user stays one.
            FilePlace::Beside(file) => {
                let target = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
                file.persist(target).map(drop).map_err(|error| error.error)
            }
            FilePlace::Itself(mut file) => file.flush(),
            FilePlace::Standard(mut out) => return crate::output::written(out.flush()).map(|()| self.length),
        };
        done.map_err(|error| not_written(&self.path, &error))?;
        Ok(self.length)
    }
}

fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // Without this, only its owner could read it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder)?;
    // A private file stays private.
    if let Ok(metadata) = target.metadata() {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(file)
}

/// A bar for a known length, otherwise a count of bytes.
fn bar(length: Option<u64>, shows: bool) -> ProgressBar {
    if !shows {
        return ProgressBar::hidden();
    }
    let (bar, template) = match length {
        Some(length) => (ProgressBar::new(length), "{wide_bar} {binary_bytes}/{binary_total_bytes} {eta}"),
        None => (ProgressBar::no_length(), "{spinner} {binary_bytes} {elapsed}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{} cannot be written: {error}", path.display());
    Failure::new(Exit::Failed, message, "the call has been made; name another file, if repeating it does no harm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_file_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image.png");
        std::fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path, Some(9), false).unwrap();
        file.write(b"new").unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        let mut file = OutputFile::create(&path, None, false).unwrap();
        file.write(b"new").unwrap();
        file.write(b"er").unwrap();
        assert_eq!(file.finish().unwrap(), 5);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "newer");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_others_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let mut file = OutputFile::create(&link, None, false).unwrap();
        file.write(b"new").unwrap();
        file.finish().unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        // The mask of the process takes bits away, as for every new file.
        let probe = folder.path().join("probe");
        File::create(&probe).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&target), mode(&probe));
        let missing = OutputFile::create(&folder.path().join("a/b"), None, false).err().unwrap();
        assert!(missing.message.contains("a/b cannot be written"), "{missing}");
    }
}
