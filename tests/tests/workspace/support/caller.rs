//! Clients of a sandbox, with credentials as a consumer has them.

use std::path::Path;

use platform_client::Platform;
use platform_client::auth::{ClientCredentials, SecretFile};
use platform_sandbox::Sandbox;
use tempfile::TempDir;

/// The secrets of a sandbox's clients, in protected files that go with the folder.
pub(crate) fn secret_files(sandbox: &Sandbox) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    sandbox.write_secret_files(folder.path()).unwrap();
    folder
}

/// The credential of the client with this number: 0 for the first team, 1 for the other one, 2 for the one that is
/// refused the grant.
pub(crate) fn credential(sandbox: &Sandbox, secrets: &Path, number: usize) -> ClientCredentials {
    let id = &sandbox.clients()[number].client_id;
    ClientCredentials::new(sandbox.auth_url(), id, SecretFile::new(secrets.join(format!("{id}.secret"))))
}

/// A client of the sandbox with the credential of that number.
pub(crate) fn client(sandbox: &Sandbox, secrets: &Path, number: usize) -> Platform {
    Platform::builder(sandbox.base_url()).credential(credential(sandbox, secrets, number)).build().unwrap()
}
