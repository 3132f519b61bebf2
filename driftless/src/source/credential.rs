//! The credentials for the download, as `[source.token]` and the environment name it: the runtime makes it, so that the
//! variables and rules of programs hold.

use std::path::PathBuf;

use driftless_runtime::download::{
    ConnectionSettings, CredentialSettings, Credentials, NamedFile, SecretFiles, SecretPlace,
};

use super::failed::no_token;
use crate::failure::Failure;
use crate::settings::{Settings, TokenSource};
use crate::workspace::Workspace;

/// The credentials that are configured at a pointer into the configuration; `None` where there are none, or none of them is set
/// on this machine. The issuer may be `http` on the hosts that `connections` allows.
pub(super) fn resolve(
    settings: &Settings,
    source: &TokenSource,
    pointer: &str,
    connections: &ConnectionSettings,
) -> Result<Option<Credentials>, Failure> {
    let refused = |error| no_token(&error);
    let mut keys = configured(source);
    let location = |key: &str| settings.location(&format!("{pointer}/{key}"));
    name_places(&mut keys, location);
    // If a key begins a credential, the table lacks the rest of it.
    let began = source.begins();
    let main = "/source/token";
    let has_key_file = pointer == main && connections.key.is_some();
    let placed = |failure: Failure| {
        let table = if pointer == main { "[source.token]" } else { "[source.document.token]" };
        Failure { message: format!("{}: {table}: {}", settings.location(pointer), failure.message), ..failure }
    };
    keys.check_keys(has_key_file).map_err(|error| placed(no_token(&error)))?;
    let whole = keys.with_variables(has_key_file).map_err(refused)?;
    let credentials =
        whole.credentials("the download", &connections.plain).map_err(|error| match no_token(&error) {
            failure if began && failure.code == "configuration/credential" => placed(failure),
            failure => failure,
        })?;
    Ok(Some(credentials).filter(|credentials| !credentials.is_empty()))
}

/// Says of each secret which key names its place.
fn name_places(keys: &mut CredentialSettings, at: impl Fn(&str) -> String) {
    let named = |secret: &mut SecretPlace, prefix: &str| {
        let set =
            [("env", secret.env.is_some()), ("file", secret.file.is_some()), ("command", secret.command.is_some())];
        secret.named_by = set.iter().find(|(_, is_set)| *is_set).map(|(key, _)| at(&format!("{prefix}{key}")));
    };
    named(&mut keys.token, "token_");
    named(&mut keys.secret, "secret_");
    named(&mut keys.key.secret, "api_key_");
    named(&mut keys.password, "basic_password_");
    for (name, key) in &mut keys.keys {
        named(&mut key.secret, &format!("key/{}/", name.replace('~', "~0").replace('/', "~1")));
    }
}

/// Certificates and proxies of a download.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// The certificates that are trusted and the one that is shown, and the hosts that may be `http`.
    pub(super) connections: ConnectionSettings,
    /// The rules for files that contain a key.
    pub(super) files: SecretFiles,
    /// The prefix of the variables that were read; empty: none was.
    pub(super) variables: String,
    /// The prefix of the variables that programs read.
    pub(super) programs: String,
}

/// The certificates, and the hosts that may be `http`, as the configuration and the variables name them.
pub(super) fn network(workspace: &Workspace, settings: &Settings) -> Result<Network, Failure> {
    let refused = |error| no_token(&error);
    let source = &settings.source;
    let file = |key: &str, path: &Option<PathBuf>| {
        let path = workspace.root().join(path.as_ref()?);
        Some(NamedFile { path, named_by: Some(settings.location(&format!("/source/{key}"))) })
    };
    let connections = ConnectionSettings {
        roots: file("ca_file", &source.ca_file),
        certificate: file("client_certificate_file", &source.client_certificate_file),
        key: file("client_key_file", &source.client_key_file),
        plain: Vec::new(),
    };
    let variables = source.token.variables.as_deref().unwrap_or_default();
    let connections = connections.with_variables(variables).map_err(refused)?;
    let files = configured(&source.token).files_with_variables().map_err(refused)?;
    let programs = settings.codegen.config.client.variables.clone();
    Ok(Network { connections, files, variables: variables.to_owned(), programs })
}

fn configured(source: &TokenSource) -> CredentialSettings {
    CredentialSettings { variables: source.variables.clone().unwrap_or_default(), ..source.keys.clone() }
}
