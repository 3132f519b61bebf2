//! The files that hold the clients' secrets.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::client::Client;
use crate::error::Error;

/// A file that holds the secret of one client, readable by its owner only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretFile {
    /// The owner of the secret.
    pub client_id: String,
    /// The path of the file.
    pub path: PathBuf,
}

/// Writes one file for each client that has a secret into a directory, which is created if it is missing.
pub(crate) fn write(clients: &[Client], directory: &Path) -> Result<Vec<SecretFile>, Error> {
    make_directory(directory).map_err(|source| Error::SecretFile { path: directory.to_owned(), source })?;
    let write = |client: &Client| {
        let path = write_one(directory, &name_of_client(client), client.secret())?;
        Ok(SecretFile { client_id: client.client_id.clone(), path })
    };
    clients.iter().filter(|client| !client.is_public()).map(write).collect()
}

/// The name of the file that holds the secret of a client.
pub(super) fn name_of_client(client: &Client) -> String {
    format!("{}.secret", client.client_id)
}

/// Writes the file `name` with mode 0600 into a directory.
pub(crate) fn write_one(directory: &Path, name: &str, secret: &str) -> Result<PathBuf, Error> {
    let path = directory.join(name);
    let written = make_directory(directory).and_then(|()| write_secret(&path, secret));
    written.map_err(|source| Error::SecretFile { path: path.clone(), source })?;
    Ok(path)
}

pub(super) fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Replaces the file instead of opening it: an old file may be a link, or readable by others.
fn write_secret(path: &Path, secret: &str) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => create(path, secret),
    }
}

/// Creates a file that only its owner may read. Fails if the file exists.
pub(super) fn create(path: &Path, secret: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // No newline at the end: tools such as `curl --data-urlencode client_secret@FILE` send the file as it is.
    options.open(path)?.write_all(secret.as_bytes())
}
