//! Reads a secret from a protected file.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::failure::Failure;

/// Largest secret, in bytes.
const LIMIT: u64 = 64 * 1024;

/// A secret; its debug output does not show it.
pub(crate) struct Secret(String);

impl Secret {
    /// A secret that came from elsewhere; white space around it is no part of it.
    pub(crate) fn from_environment(text: &str) -> Self {
        Self(text.trim().to_owned())
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

/// Reads a secret. The file is opened without following a link, and its kind, owner and permissions are checked on
/// the open file, so that nothing can be exchanged in between.
pub(crate) fn read(path: &Path) -> Result<Secret, Failure> {
    let shown = path.display();
    let refuse = |code, rule: String, hint: String| Failure::configuration(code, rule, hint);
    let file = open(path).map_err(|error| {
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            let rule = format!("the secret file {shown} is a link; a link can be pointed elsewhere");
            return refuse("secret/link", rule, format!("name the file itself: readlink -f {shown}"));
        }
        let hint = match error.kind() {
            io::ErrorKind::NotFound => format!("create it: (umask 077; cat > {shown})"),
            _ => format!("sudo chown \"$(id -u)\" {shown} && chmod 600 {shown}"),
        };
        let code = if error.kind() == io::ErrorKind::NotFound { "secret/missing" } else { "secret/unreadable" };
        refuse(code, format!("the secret file {shown} cannot be opened: {error}"), hint)
    })?;
    let metadata = file.metadata().map_err(|error| Failure::file("inspect", path, &error))?;
    if !metadata.is_file() {
        let rule = format!("the secret file {shown} is no regular file");
        return Err(refuse("secret/kind", rule, format!("name a regular file: ls -l {shown}")));
    }
    check_access(path, &metadata)?;

    let mut bytes = Vec::new();
    (&file).take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| Failure::file("read", path, &error))?;
    if bytes.len() as u64 > LIMIT {
        let rule = format!("the secret file {shown} is larger than 64 KiB");
        return Err(refuse("secret/size", rule, format!("name the file that holds the secret alone: ls -l {shown}")));
    }
    let mut text = String::from_utf8(bytes).map_err(|_| {
        let rule = format!("the secret file {shown} is not UTF-8 text");
        refuse("secret/text", rule, "write the secret as plain text".to_owned())
    })?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    if text.is_empty() {
        let rule = format!("the secret file {shown} is empty");
        return Err(refuse("secret/empty", rule, format!("write the secret into it: (umask 077; cat > {shown})")));
    }
    Ok(Secret(text))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    // Without NONBLOCK the opening of a named pipe waits for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

#[cfg(unix)]
fn check_access(path: &Path, metadata: &std::fs::Metadata) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt as _;

    let shown = path.display();
    let me = rustix::process::geteuid().as_raw();
    if metadata.uid() != me && metadata.uid() != 0 {
        return Err(Failure::configuration(
            "secret/owner",
            format!("the secret file {shown} belongs to user {}, neither to you nor to root", metadata.uid()),
            format!("sudo chown \"$(id -u)\" {shown}"),
        ));
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(Failure::configuration(
            "secret/permissions",
            format!("the secret file {shown} is open to others (mode {mode:04o})"),
            format!("chmod 600 {shown}"),
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_access(_path: &Path, _metadata: &std::fs::Metadata) -> Result<(), Failure> {
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
            let read = read(&path).expect("read");
            assert_eq!(read.expose(), secret);
            assert_eq!(format!("{read:?}"), "Secret(…)");
        }
    }

    #[test]
    fn each_rule_refuses_by_name() {
        let rule = |path: &Path| read(path).expect_err("refused");
        for mode in [0o640, 0o604, 0o620, 0o601] {
            let (_folder, path) = file(b"abc", mode);
            let failure = rule(&path);
            assert_eq!(failure.code, "secret/permissions");
            assert_eq!(failure.hint, format!("chmod 600 {}", path.display()));
        }
        let (folder, path) = file(b"abc", 0o600);
        let link = folder.path().join("link");
        symlink(&path, &link).expect("linked");
        assert_eq!(rule(&link).code, "secret/link");
        assert_eq!(rule(&folder.path().join("absent")).code, "secret/missing");
        assert_eq!(rule(folder.path()).code, "secret/kind");
        let (_folder, path) = file(b"\n", 0o600);
        assert_eq!(rule(&path).code, "secret/empty");
        let (_folder, path) = file(&[0xff, 0xfe], 0o600);
        assert_eq!(rule(&path).code, "secret/text");
        let (_folder, path) = file(&vec![b'a'; 64 * 1024 + 1], 0o600);
        assert_eq!(rule(&path).code, "secret/size");
        let (_folder, path) = file(&vec![b'a'; 64 * 1024], 0o600);
        read(&path).expect("the limit itself is allowed");
    }
}
