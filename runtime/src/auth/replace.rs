//! Replaces a file atomically: after a crash at any instant, it has its old or its new contents.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write as _},
    path::Path,
    time::Duration,
};

use crate::clock::unique;

/// The age from which a part counts as left by a killed program. Writing one takes no time.
const STALE: Duration = Duration::from_secs(10 * 60);

/// The operations on a disk that replacing a file needs. The tests have a disk whose power fails.
trait Disk {
    type File;

    /// Creates a file that does not exist yet.
    fn create(&self, path: &Path) -> io::Result<Self::File>;
    fn write(&self, file: &mut Self::File, bytes: &[u8]) -> io::Result<()>;
    /// Returns once the file's contents survive a crash.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Returns once the names in the folder survive a crash.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// Writes `folder/name`. Once this returns, a crash does not lose it.
pub(crate) fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    sweep(folder, name);
    replace_on(&System, folder, name, bytes)
}

fn replace_on<D: Disk>(disk: &D, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let (part, mut file) = loop {
        // The name is unique, even against a killed program with the same process id, as in a container.
        let part = folder.join(format!("{name}.{}.part", unique()));
        match disk.create(&part) {
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {}
            created => break (part, created?),
        }
    };
    let written = disk
        .write(&mut file, bytes)
        .and_then(|()| disk.sync(&file))
        .and_then(|()| disk.rename(&part, &folder.join(name)));
    if let Err(cause) = written {
        // A part that remains does no harm: it is as private as the file itself.
        let _ = disk.remove(&part);
        return Err(cause);
    }
    disk.sync_folder(folder)
}

/// Removes the parts that killed programs left. Parts that remain do no harm.
fn sweep(folder: &Path, name: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let is_part = file_name
            .to_str()
            .and_then(|file_name| file_name.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".part"))
            .is_some();
        let age = || entry.metadata().and_then(|about| about.modified()).ok()?.elapsed().ok();
        if is_part && age().is_some_and(|age| age > STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Options for a file that only its owner can read.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The disk of the system.
struct System;

impl Disk for System {
    type File = File;

    fn create(&self, path: &Path) -> io::Result<File> {
        private().create_new(true).open(path)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // On other systems, a folder cannot be opened, and a rename is durable with the file.
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        #[cfg(not(unix))]
        let _ = folder;
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::{cell::RefCell, collections::BTreeMap, path::PathBuf};

    use super::*;

    const OLD: &[u8] = b"old";
    const NEW: &[u8] = b"the new one";

    /// A disk that keeps writes in memory. After a crash, each name and each content is the one that was synced or any
    /// later one, independently.
    #[derive(Default)]
    struct Model {
        state: RefCell<State>,
        /// The step at which the disk fails.
        fails: Option<usize>,
    }

    #[derive(Clone, Default)]
    struct State {
        names: BTreeMap<PathBuf, usize>,
        synced_names: BTreeMap<PathBuf, usize>,
        contents: Vec<Vec<u8>>,
        synced_contents: Vec<Vec<u8>>,
        /// The contents that the file may have after a crash before each step.
        crashes: Vec<Vec<Vec<u8>>>,
    }

    fn target() -> PathBuf {
        Path::new("folder").join("token")
    }

    impl State {
        fn after_crash(&self) -> Vec<Vec<u8>> {
            let file = |names: &BTreeMap<PathBuf, usize>| names.get(&target()).copied();
            [file(&self.names), file(&self.synced_names)]
                .into_iter()
                .flat_map(|file| {
                    let content = |all: &Vec<Vec<u8>>| file.map_or_else(Vec::new, |file| all[file].clone());
                    [content(&self.contents), content(&self.synced_contents)]
                })
                .collect()
        }
    }

    impl Model {
        fn with_old(fails: Option<usize>) -> Self {
            let names = BTreeMap::from([(target(), 0)]);
            let contents = vec![OLD.to_vec()];
            let state = State {
                synced_names: names.clone(),
                names,
                synced_contents: contents.clone(),
                contents,
                crashes: Vec::new(),
            };
            Self { state: RefCell::new(state), fails }
        }

        fn step<T>(&self, does: impl FnOnce(&mut State) -> T) -> io::Result<T> {
            let mut state = self.state.borrow_mut();
            let possible = state.after_crash();
            state.crashes.push(possible);
            if self.fails == Some(state.crashes.len() - 1) {
                return Err(io::Error::other("no space left"));
            }
            Ok(does(&mut state))
        }
    }

    impl Disk for Model {
        type File = usize;

        fn create(&self, path: &Path) -> io::Result<usize> {
            self.step(|state| {
                state.contents.push(Vec::new());
                state.synced_contents.push(Vec::new());
                state.names.insert(path.to_owned(), state.contents.len() - 1);
                state.contents.len() - 1
            })
        }

        fn write(&self, file: &mut usize, bytes: &[u8]) -> io::Result<()> {
            // In two halves, between which the power fails, too.
            let (one, two) = bytes.split_at(bytes.len() / 2);
            self.step(|state| state.contents[*file].extend_from_slice(one))?;
            self.step(|state| state.contents[*file].extend_from_slice(two))
        }

        fn sync(&self, file: &usize) -> io::Result<()> {
            self.step(|state| state.synced_contents[*file] = state.contents[*file].clone())
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.step(|state| {
                let file = state.names.remove(from).unwrap();
                state.names.insert(to.to_owned(), file);
            })
        }

        fn remove(&self, path: &Path) -> io::Result<()> {
            self.state.borrow_mut().names.remove(path);
            Ok(())
        }

        fn sync_folder(&self, _: &Path) -> io::Result<()> {
            self.step(|state| state.synced_names = state.names.clone())
        }
    }

    #[test]
    fn a_crash_leaves_the_old_or_the_new_and_a_return_means_the_new() {
        let disk = Model::with_old(None);
        replace_on(&disk, Path::new("folder"), "token", NEW).unwrap();
        let state = disk.state.into_inner();
        assert!(state.crashes.len() >= 6, "each step can be the last one");
        for (step, possible) in state.crashes.iter().enumerate() {
            assert!(
                possible.iter().all(|file_name| file_name == OLD || file_name == NEW),
                "before step {step}: {possible:?}"
            );
        }
        assert!(state.after_crash().iter().all(|file_name| file_name == NEW), "{:?}", state.after_crash());
        assert_eq!(state.names.len(), 1, "no part stays: {:?}", state.names);
    }

    #[test]
    fn a_disk_that_fails_leaves_the_old_and_no_part() {
        for fails in 0..5 {
            let disk = Model::with_old(Some(fails));
            assert!(replace_on(&disk, Path::new("folder"), "token", NEW).is_err(), "{fails}");
            let state = disk.state.into_inner();
            assert!(state.after_crash().iter().all(|file_name| file_name == OLD), "{fails}: {:?}", state.after_crash());
            assert_eq!(state.names.len(), 1, "{fails}: {:?}", state.names);
        }
        let disk = Model::with_old(Some(5));
        assert!(replace_on(&disk, Path::new("folder"), "token", NEW).is_err(), "a possible loss is reported");
    }

    #[test]
    fn what_killed_programs_left_is_removed_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - STALE - Duration::from_secs(60);
        for (name, age) in [("token.1-0.part", Some(old)), ("token.2-0.part", None), ("other.1-0.part", Some(old))] {
            let file = File::create(folder.path().join(name)).unwrap();
            if let Some(age) = age {
                file.set_modified(age).unwrap();
            }
        }
        replace(folder.path(), "token", NEW).unwrap();
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["other.1-0.part", "token", "token.2-0.part"]);
        assert_eq!(fs::read(folder.path().join("token")).unwrap(), NEW);
    }
}
