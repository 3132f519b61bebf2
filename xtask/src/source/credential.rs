//! The credential for the download, as `[source.token]` and the environment name it: the runtime makes it, so that the
//! variables and rules of programs hold.

use std::path::PathBuf;

use platform_runtime::auth::Credential;
use platform_runtime::download::{ConnectionSettings, CredentialSettings, NamedFile, SecretFiles, SecretPlace};

use super::failed::no_token;
use crate::failure::Failure;
use crate::settings::{Settings, TokenSource};
use crate::workspace::Workspace;

/// What is configured at a pointer into the configuration; `None` where nothing is, or nothing that is configured is set on
/// this machine. Its issuer may be `http` on the hosts that `connections` allows.
pub(super) fn resolve(
    settings: &Settings,
    source: &TokenSource,
    pointer: &str,
    connections: &ConnectionSettings,
) -> Result<Option<Box<dyn Credential>>, Failure> {
    let refused = |error| no_token(&error);
    let place = |keys: &[(&str, bool)]| {
        let key = keys.iter().find(|(_, is_set)| *is_set);
        key.map(|(key, _)| settings.place(&format!("{pointer}/{key}")))
    };
    let token = place(&[
        ("token_env", source.token_env.is_some()),
        ("token_file", source.token_file.is_some()),
        ("token_command", source.token_command.is_some()),
    ]);
    let secret = place(&[
        ("secret_env", source.secret_env.is_some()),
        ("secret_file", source.secret_file.is_some()),
        ("secret_command", source.secret_command.is_some()),
    ]);
    // Where keys began something, their table lacks the rest of it.
    let began = source.issuer.is_some()
        || source.client_id.is_some()
        || source.refresh_folder.is_some()
        || token.is_some()
        || secret.is_some();
    let main = "/source/token";
    let has_key_file = pointer == main && connections.key.is_some();
    let placed = |failure: Failure| {
        let table = if pointer == main { "[source.token]" } else { "[source.document.token]" };
        Failure { message: format!("{}: {table}: {}", settings.place(pointer), failure.message), ..failure }
    };
    let keys = configured(source.clone(), token, secret);
    keys.check_keys(has_key_file).map_err(|error| placed(no_token(&error)))?;
    let Some(found) = keys.with_variables(has_key_file).map_err(refused)? else { return Ok(None) };
    found.credential("the download", &connections.plain).map_err(|error| match no_token(&error) {
        failure if began && failure.code == "configuration/credential" => placed(failure),
        failure => failure,
    })
}

/// What a download needs to know of the network.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// The certificates that are trusted and the one that is shown, and the hosts that may be `http`.
    pub(super) connections: ConnectionSettings,
    /// Which files may hold a key.
    pub(super) files: SecretFiles,
    /// How the names of the variables begin that were read; empty: none was.
    pub(super) variables: String,
}

/// The certificates, and the hosts that may be `http`, as the configuration and the variables name them.
pub(super) fn network(workspace: &Workspace, settings: &Settings) -> Result<Network, Failure> {
    let refused = |error| no_token(&error);
    let source = &settings.source;
    let file = |key: &str, path: &Option<PathBuf>| {
        let path = workspace.root().join(path.as_ref()?);
        Some(NamedFile { path, named_by: Some(settings.place(&format!("/source/{key}"))) })
    };
    let connections = ConnectionSettings {
        roots: file("ca_file", &source.ca_file),
        certificate: file("client_certificate_file", &source.client_certificate_file),
        key: file("client_key_file", &source.client_key_file),
        plain: Vec::new(),
    };
    let variables = source.token.variables.as_deref().unwrap_or_default();
    let connections = connections.with_variables(variables).map_err(refused)?;
    let files = configured(source.token.clone(), None, None).files_with_variables().map_err(refused)?;
    Ok(Network { connections, files, variables: variables.to_owned() })
}

fn configured(source: TokenSource, token: Option<String>, secret: Option<String>) -> CredentialSettings {
    let place = |env, file, command, named_by| SecretPlace { env, file, command, keyring: None, named_by };
    CredentialSettings {
        token: place(source.token_env, source.token_file, source.token_command, token),
        issuer: source.issuer,
        client_id: source.client_id,
        secret: place(source.secret_env, source.secret_file, source.secret_command, secret),
        refresh_folder: source.refresh_folder,
        files: SecretFiles { links: source.follow_links, mounted: source.secret_file_mounted },
        scope: source.scope,
        audience: source.audience,
        token_endpoint: source.token_endpoint,
        client_authentication: source.client_authentication,
        variables: source.variables.unwrap_or_default(),
    }
}
