//! Reads a secret from a protected file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::failure::Failure;

/// Largest secret, in bytes.
const LIMIT: u64 = 64 * 1024;

/// A secret; its debug output does not show it.
pub(crate) struct Secret(String);

impl Secret {
    /// A secret that came from elsewhere; white space around it is not a part of it.
    pub(crate) fn from_environment(text: &str) -> Self {
        Self::of(text.trim())
    }

    fn of(text: &str) -> Self {
        crate::console::hide(text);
        Self(text.to_owned())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Which rules a secret file has to keep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// A container mounts it: it may be a link, belong to anyone, and be readable by all.
    pub(crate) mounted: bool,
    /// How the user says so.
    pub(crate) how: String,
}

impl Rules {
    /// A hint that names the way for files that a container mounts, which cannot be changed from within.
    #[cfg(unix)]
    fn or_mounted(&self, hint: &str) -> String {
        if self.how.is_empty() { hint.to_owned() } else { format!("{hint}\nif a container mounts it: {}", self.how) }
    }
}

/// Reads a secret. The file's kind, owner and permissions are checked on the open file, so that nothing can be exchanged in
/// between; unless a container mounts it, it is opened without following a link.
pub(crate) fn read(path: &Path, rules: &Rules) -> Result<Secret, Failure> {
    let shown = path.display();
    let refuse =
        |code, rule: &str, hint: String| Failure::configuration(code, format!("the secret file {shown} {rule}"), hint);
    let file = open(path, rules)?;
    let metadata = file.metadata().map_err(|error| Failure::file("inspect", path, &error))?;
    if !metadata.is_file() {
        return Err(refuse("secret/kind", "is not a regular file", format!("name a regular file: ls -l '{shown}'")));
    }
    check_access(path, &metadata, rules)?;

    let mut bytes = Vec::new();
    (&file).take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| Failure::file("read", path, &error))?;
    if bytes.len() as u64 > LIMIT {
        let hint = format!("name the file that holds the secret alone: ls -l '{shown}'");
        return Err(refuse("secret/size", "is larger than 64 KiB", hint));
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|_| refuse("secret/text", "is not UTF-8 text", "write the secret as plain text".to_owned()))?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    if text.is_empty() {
        let hint = format!("write the secret into it: (umask 077; cat > '{shown}')");
        return Err(refuse("secret/empty", "is empty", hint));
    }
    Ok(Secret::of(&text))
}

#[cfg(unix)]
fn open(path: &Path, rules: &Rules) -> Result<File, Failure> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;

    // Without NONBLOCK the opening of a named pipe waits for a writer, and a terminal must not become the controlling one.
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    if !rules.mounted {
        flags |= OFlags::NOFOLLOW;
    }
    let shown = path.display();
    let refuse = |code, rule: String, hint: String| {
        Failure::configuration(code, format!("the secret file {shown} {rule}"), hint)
    };
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(Errno::LOOP) if !rules.mounted => Err(refuse(
            "secret/link",
            "is a link, which can be pointed elsewhere".to_owned(),
            rules.or_mounted(&format!("name the file itself: readlink -f '{shown}'")),
        )),
        Err(Errno::NOENT) => Err(refuse(
            "secret/missing",
            "does not exist".to_owned(),
            format!("create it: (umask 077; cat > '{shown}')"),
        )),
        Err(Errno::ACCESS) if rules.mounted => Err(refuse(
            "secret/unreadable",
            "may not be read by this user".to_owned(),
            "run as the user or the group that the mount is for, or mount it with mode 0444".to_owned(),
        )),
        Err(Errno::ACCESS) => Err(refuse(
            "secret/unreadable",
            "may not be read by this user".to_owned(),
            format!("sudo chown \"$(id -u)\" '{shown}' && chmod 600 '{shown}'"),
        )),
        Err(error) => Err(refuse(
            "secret/unreadable",
            format!("cannot be opened: {error}"),
            format!("check the path: ls -l '{shown}'"),
        )),
    }
}

#[cfg(not(unix))]
fn open(path: &Path, _rules: &Rules) -> Result<File, Failure> {
    File::open(path).map_err(|error| {
        let message = format!("the secret file {} cannot be opened: {error}", path.display());
        Failure::configuration("secret/unreadable", message, "check the path")
    })
}

#[cfg(unix)]
fn check_access(path: &Path, metadata: &std::fs::Metadata, rules: &Rules) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt as _;

    let shown = path.display();
    let mode = metadata.mode() & 0o7777;
    let refuse = |code, rule: String, hint: String| {
        Err(Failure::configuration(code, format!("the secret file {shown} {rule}"), hint))
    };
    if rules.mounted {
        let hint = "mount it with mode 0444 or 0440 (Kubernetes: `defaultMode`)".to_owned();
        return match mode & 0o022 {
            0 => Ok(()),
            _ => refuse("secret/permissions", format!("can be written by group or others (mode {mode:04o})"), hint),
        };
    }
    let me = rustix::process::geteuid().as_raw();
    if metadata.uid() != me && metadata.uid() != 0 {
        let rule = format!("belongs to user {}, neither to you nor to root", metadata.uid());
        return refuse("secret/owner", rule, rules.or_mounted(&format!("sudo chown \"$(id -u)\" '{shown}'")));
    }
    if mode & 0o077 != 0 {
        let rule = format!("is open to group or others (mode {mode:04o})");
        return refuse("secret/permissions", rule, rules.or_mounted(&format!("chmod 600 '{shown}'")));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_access(_path: &Path, _metadata: &std::fs::Metadata, _rules: &Rules) -> Result<(), Failure> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn file(content: &[u8], mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("secret");
        fs::write(&path, content).expect("written");
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("set");
        (folder, path)
    }

    #[test]
    fn one_trailing_newline_is_no_part_of_the_secret() {
        for (content, secret) in [("abc", "abc"), ("abc\n", "abc"), ("abc\r\n", "abc"), (" abc \n\n", " abc \n")] {
            let (_folder, path) = file(content.as_bytes(), 0o600);
            let read = read(&path, &Rules::default()).expect("read");
            assert_eq!(read.expose(), secret);
            assert_eq!(format!("{read:?}"), "Secret(…)");
        }
    }

    #[test]
    fn each_rule_refuses_by_name() {
        let rules = Rules { mounted: false, how: "set MOUNTED=1".to_owned() };
        let rule = |path: &Path| read(path, &rules).expect_err("refused");
        for mode in [0o640, 0o604, 0o620, 0o601] {
            let (_folder, path) = file(b"abc", mode);
            let failure = rule(&path);
            assert_eq!(failure.code, "secret/permissions");
            let mounted = "if a container mounts it: set MOUNTED=1";
            assert_eq!(failure.hint, format!("chmod 600 '{}'\n{mounted}", path.display()));
        }
        let (folder, path) = file(b"abc", 0o600);
        let link = folder.path().join("link");
        symlink(&path, &link).expect("linked");
        assert_eq!(rule(&link).code, "secret/link");
        assert!(rule(&link).hint.ends_with("if a container mounts it: set MOUNTED=1"));
        assert_eq!(rule(&folder.path().join("absent")).code, "secret/missing");
        assert_eq!(rule(folder.path()).code, "secret/kind");
        let (_folder, path) = file(b"\n", 0o600);
        assert_eq!(rule(&path).code, "secret/empty");
        let (_folder, path) = file(&[0xff, 0xfe], 0o600);
        assert_eq!(rule(&path).code, "secret/text");
        let (_folder, path) = file(&vec![b'a'; 64 * 1024 + 1], 0o600);
        assert_eq!(rule(&path).code, "secret/size");
        let (_folder, path) = file(&vec![b'a'; 64 * 1024], 0o600);
        read(&path, &rules).expect("the limit itself is allowed");
    }

    /// As Kubernetes mounts a secret: a link to a file below a link to a folder, readable by all.
    #[test]
    fn what_a_container_mounts_is_read_where_the_user_says_so() {
        let rules = Rules { mounted: true, how: String::new() };
        for mode in [0o400, 0o440, 0o444, 0o600, 0o640, 0o644] {
            let (folder, path) = file(b"abc\n", mode);
            let (data, link) = (folder.path().join("..data"), folder.path().join("link"));
            symlink(folder.path(), &data).expect("linked");
            symlink("..data/secret", &link).expect("linked");
            for path in [&path, &link] {
                assert_eq!(read(path, &rules).expect("read").expose(), "abc", "{mode:o}");
            }
        }
        for mode in [0o660, 0o666, 0o602, 0o420] {
            let (_folder, path) = file(b"abc", mode);
            let failure = read(&path, &rules).expect_err("writable");
            assert_eq!(failure.code, "secret/permissions");
            assert!(failure.hint.contains("0444"), "{}", failure.hint);
        }
        let (folder, _path) = file(b"abc", 0o444);
        assert_eq!(read(folder.path(), &rules).expect_err("a folder").code, "secret/kind");
        let dangling = folder.path().join("dangling");
        symlink("absent", &dangling).expect("linked");
        assert_eq!(read(&dangling, &rules).expect_err("absent").code, "secret/missing");
    }
}
