//! Clients of a sandbox, with credentials as a consumer has them.

use std::path::Path;

use platform_client::auth::{ClientCredentials, SecretFile};
use platform_client::{Platform, PlatformBuilder};
use platform_sandbox::Sandbox;
use tempfile::TempDir;

/// The secrets of a sandbox's clients, in protected files that are deleted with the folder.
pub(crate) fn secret_files(sandbox: &Sandbox) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    sandbox.write_secret_files(folder.path()).unwrap();
    folder
}

/// A client of the sandbox with the credential of this number: 0 for the first team, 1 for the other one, 2 for the one that may
/// not use the grant.
pub(crate) fn client(sandbox: &Sandbox, secrets: &Path, number: usize) -> Platform {
    builder(sandbox, secrets, number).build().unwrap()
}

/// A builder of such a client.
pub(crate) fn builder(sandbox: &Sandbox, secrets: &Path, number: usize) -> PlatformBuilder {
    let id = &sandbox.clients()[number].client_id;
    let secret = SecretFile::new(secrets.join(format!("{id}.secret")));
    let credential = ClientCredentials::new(sandbox.auth_url(), id, secret);
    Platform::builder(sandbox.base_url()).credential(credential)
}

/// The variables that `cargo xtask sandbox` prints, for the credential of the first team.
pub(crate) fn variables(sandbox: &Sandbox, secrets: &Path) -> Vec<(&'static str, String)> {
    let id = &sandbox.clients()[0].client_id;
    vec![
        ("PLATFORM_BASE_URL", sandbox.base_url().to_owned()),
        ("PLATFORM_ISSUER", sandbox.auth_url().to_owned()),
        ("PLATFORM_CLIENT_ID", id.clone()),
        ("PLATFORM_SECRET_FILE", secrets.join(format!("{id}.secret")).display().to_string()),
    ]
}

/// A sandbox, the folder of its secrets, and a client of its first team.
pub(crate) async fn sandbox() -> (Sandbox, TempDir, Platform) {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    (sandbox, secrets, platform)
}
