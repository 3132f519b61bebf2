//! The file of profiles.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{
    Beside, ConnectionSettings, CredentialSettings, Lookup, NamedFile, SecretFiles, SecretPlace, Settings, parse_team,
    parts::unused, wrong,
};
use crate::error::{Error, mask};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    default: Option<String>,
    #[serde(default)]
    profile: BTreeMap<String, Profile>,
}

/// One deployment. There is no key for a secret: an unknown one is an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    base_url: String,
    token_env: Option<String>,
    token_file: Option<PathBuf>,
    token_command: Option<Vec<String>>,
    token_keyring: Option<String>,
    issuer: Option<String>,
    client_id: Option<String>,
    secret_env: Option<String>,
    secret_file: Option<PathBuf>,
    secret_command: Option<Vec<String>>,
    secret_keyring: Option<String>,
    refresh_folder: Option<PathBuf>,
    #[serde(default)]
    follow_links: bool,
    #[serde(default)]
    secret_file_mounted: bool,
    scope: Option<String>,
    audience: Option<String>,
    token_endpoint: Option<String>,
    client_authentication: Option<String>,
    team_id: Option<String>,
    ca_file: Option<PathBuf>,
    client_certificate_file: Option<PathBuf>,
    client_key_file: Option<PathBuf>,
    #[serde(default)]
    danger_allow_http_to: Vec<String>,
    #[serde(default)]
    server: BTreeMap<String, Profile>,
}

impl Profile {
    fn connections(&mut self) -> ConnectionSettings {
        let file = |path: &mut Option<PathBuf>| path.take().map(|path| NamedFile { path, named_by: None });
        ConnectionSettings {
            roots: file(&mut self.ca_file),
            certificate: file(&mut self.client_certificate_file),
            key: file(&mut self.client_key_file),
            plain: std::mem::take(&mut self.danger_allow_http_to),
        }
    }

    fn has_connections(&self) -> bool {
        self.ca_file.is_some()
            || self.client_certificate_file.is_some()
            || self.client_key_file.is_some()
            || !self.danger_allow_http_to.is_empty()
    }

    fn credential(self) -> CredentialSettings {
        CredentialSettings {
            token: SecretPlace {
                env: self.token_env,
                file: self.token_file,
                command: self.token_command,
                keyring: self.token_keyring,
                named_by: None,
            },
            issuer: self.issuer,
            client_id: self.client_id,
            secret: SecretPlace {
                env: self.secret_env,
                file: self.secret_file,
                command: self.secret_command,
                keyring: self.secret_keyring,
                named_by: None,
            },
            refresh_folder: self.refresh_folder,
            files: SecretFiles { links: Some(self.follow_links), mounted: Some(self.secret_file_mounted) },
            scope: self.scope,
            audience: self.audience,
            token_endpoint: self.token_endpoint,
            client_authentication: self.client_authentication,
            variables: String::new(),
        }
    }
}

/// Where the file is, whether or not it exists.
pub(super) fn place(lookup: Lookup<'_>) -> Option<PathBuf> {
    let set = |name: &str| lookup(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("PLATFORM_PROFILES").or_else(|| {
        let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
        Some(folder.join("platform").join("profiles.toml"))
    })
}

/// The settings of the profile of this name, or of the default one.
pub(super) fn read(file: &Path, name: Option<&str>) -> Result<Settings, Error> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|cause| {
        wrong(&format!("the profiles in `{shown}` cannot be read: {cause}"), "set PLATFORM_PROFILES")
    })?;
    let document: ProfileFile = toml::from_str(&text).map_err(|cause| {
        let line = cause.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
        // The message of the parser alone: the line that it would show may hold what should not be there.
        let what = format!("`{shown}`, line {line}: {}", mask(cause.message()));
        wrong(&what, "correct the profile; it names where secrets are, never what they are")
    })?;
    let ProfileFile { default, mut profile } = document;
    let Some(name) = name.map(str::to_owned).or(default) else {
        return Err(wrong(
            &format!("`{shown}` names no default profile"),
            "set PLATFORM_PROFILE, or `default` in the file",
        ));
    };
    let Some(mut found) = profile.remove(&name) else {
        let known: Vec<_> = profile.keys().map(String::as_str).collect();
        let what = format!("`{shown}` has no profile `{name}`");
        return Err(wrong(&what, &format!("choose one of these: {}", known.join(", "))));
    };
    if found.team_id.is_some() {
        let hint = format!("move it to [profile.{name}.server.compliance], or remove it");
        return Err(unused(&["`team_id`".to_owned()], "for a server of the profile", &hint));
    }
    let mut servers = Vec::new();
    for (name, server) in std::mem::take(&mut found.server) {
        if !server.server.is_empty() {
            let what = format!("the server `{name}` has servers of its own");
            return Err(wrong(&what, "name them in the profile itself"));
        }
        if server.has_connections() {
            let what = format!("the server `{name}` has certificates or addresses of its own");
            return Err(wrong(&what, "name them in the profile itself: all of its servers share the connections"));
        }
        let team = server.team_id.as_deref().map(|text| parse_team("team_id", text)).transpose()?;
        servers.push(Beside { name, base_url: server.base_url.clone(), team, credential: server.credential() });
    }
    let connections = found.connections();
    Ok(Settings {
        base_url: found.base_url.clone(),
        connections,
        main: found.credential(),
        servers,
        unread: Vec::new(),
    })
}
