//! The file of profiles.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, de::MapAccess};

use super::{
    Beside, ConnectionSettings, CredentialSettings, DeclaredServer, Lookup, NamedFile, SettingSlot, Settings, Table,
    parts::unused, table, wrong,
};
use crate::error::{Error, mask};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    default: Option<String>,
    #[serde(default)]
    profile: BTreeMap<String, Profile>,
}

/// One deployment. There is no key for a secret: an unknown key is an error.
#[derive(Default)]
struct Profile {
    base_url: Option<String>,
    credential: CredentialSettings,
    required_claim: Option<String>,
    ca_file: Option<PathBuf>,
    client_certificate_file: Option<PathBuf>,
    client_key_file: Option<PathBuf>,
    danger_allow_http_to: Option<Vec<String>>,
    server: BTreeMap<String, Profile>,
}

impl Table for Profile {
    fn keys() -> Vec<&'static str> {
        let own = [
            "base_url",
            "required_claim",
            "ca_file",
            "client_certificate_file",
            "client_key_file",
            "danger_allow_http_to",
            "server",
        ];
        own.into_iter().chain(CredentialSettings::table_keys()).collect()
    }

    fn slot(&mut self, key: &str) -> Option<SettingSlot<'_>> {
        match key {
            "base_url" => Some(SettingSlot::Text(&mut self.base_url)),
            "required_claim" => Some(SettingSlot::Text(&mut self.required_claim)),
            "ca_file" => Some(SettingSlot::Path(&mut self.ca_file)),
            "client_certificate_file" => Some(SettingSlot::Path(&mut self.client_certificate_file)),
            "client_key_file" => Some(SettingSlot::Path(&mut self.client_key_file)),
            "danger_allow_http_to" => Some(SettingSlot::Words(&mut self.danger_allow_http_to)),
            key => self.credential.slot(key),
        }
    }

    /// Its servers.
    fn own<'de, A: MapAccess<'de>>(&mut self, _key: &str, map: &mut A) -> Result<(), A::Error> {
        self.server = map.next_value()?;
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        table(deserializer)
    }
}

impl Profile {
    fn connections(&mut self) -> ConnectionSettings {
        let file = |path: &mut Option<PathBuf>| path.take().map(|path| NamedFile { path, named_by: None });
        ConnectionSettings {
            roots: file(&mut self.ca_file),
            certificate: file(&mut self.client_certificate_file),
            key: file(&mut self.client_key_file),
            plain: self.danger_allow_http_to.take().unwrap_or_default(),
        }
    }

    fn has_connections(&self) -> bool {
        self.ca_file.is_some()
            || self.client_certificate_file.is_some()
            || self.client_key_file.is_some()
            || self.danger_allow_http_to.as_ref().is_some_and(|hosts| !hosts.is_empty())
    }

    fn address(&self, owner: &str) -> Result<String, Error> {
        let missing = || wrong(&format!("{owner} has no `base_url`"), "set it to the address of the service");
        self.base_url.clone().ok_or_else(missing)
    }
}

/// Returns the path of the file, whether or not it exists.
pub fn path(variables: &str, lookup: Lookup<'_>) -> Option<PathBuf> {
    let set = |name: &str| lookup(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set(&format!("{variables}PROFILES")).or_else(|| {
        let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
        Some(folder.join(variables.trim_end_matches('_').to_lowercase()).join("profiles.toml"))
    })
}

/// Reads the settings of the profile of this name, or of the default one.
pub(super) fn read(
    variables: &str,
    declared: &[DeclaredServer],
    file: &Path,
    name: Option<&str>,
) -> Result<Settings, Error> {
    let text = std::fs::read_to_string(file).map_err(|cause| {
        let message = format!("the profiles in `{}` cannot be read: {cause}", file.display());
        wrong(&message, &format!("set {variables}PROFILES"))
    })?;
    parse(variables, declared, file, &text, name)
}

/// Reads the same from the text of the file.
pub(super) fn parse(
    variables: &str,
    declared: &[DeclaredServer],
    file: &Path,
    text: &str,
    name: Option<&str>,
) -> Result<Settings, Error> {
    let path_text = file.display();
    let document: ProfileFile = toml::from_str(text).map_err(|cause| {
        let line = cause.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
        // Only the parser's message: the line that it would print may contain a secret.
        let message = format!("`{path_text}`, line {line}: {}", mask(cause.message()));
        wrong(&message, "correct the profile; it names the sources of secrets, never the secrets")
    })?;
    let ProfileFile { default, mut profile } = document;
    let Some(name) = name.map(str::to_owned).or(default) else {
        return Err(wrong(
            &format!("`{path_text}` names no default profile"),
            &format!("set {variables}PROFILE, or `default` in the file"),
        ));
    };
    let Some(mut settings) = profile.remove(&name) else {
        let known: Vec<_> = profile.keys().map(String::as_str).collect();
        let message = format!("`{path_text}` has no profile `{name}`");
        return Err(wrong(&message, &format!("choose one of these: {}", known.join(", "))));
    };
    let unused_claim = |why: &str, hint: &str| unused(&["`required_claim`".to_owned()], why, hint);
    if settings.required_claim.is_some() {
        let hint = format!("move it to [profile.{name}.server.NAME], or remove it");
        return Err(unused_claim("for a server of the profile", &hint));
    }
    let mut servers = Vec::new();
    for (name, server) in std::mem::take(&mut settings.server) {
        if !server.server.is_empty() {
            let message = format!("the server `{name}` has servers of its own");
            return Err(wrong(&message, "name them in the profile itself"));
        }
        if server.has_connections() {
            let message = format!("the server `{name}` has certificates or addresses of its own");
            return Err(wrong(&message, "name them in the profile itself: all of its servers share the connections"));
        }
        let claim = match server.required_claim.clone() {
            None => None,
            Some(value) => {
                let claim = declared.iter().find(|declared| declared.name == name).and_then(|declared| declared.claim);
                let Some(claim) = claim else {
                    let why = "for a server with a declared claim, and this one has none";
                    return Err(unused_claim(why, "remove it, or declare the claim in the generator's configuration"));
                };
                claim.check("required_claim", &value)?;
                Some((claim, value))
            }
        };
        let base_url = server.address(&format!("the server `{name}`"))?;
        servers.push(Beside { name, base_url, claim, credential: server.credential });
    }
    let connections = settings.connections();
    let base_url = settings.address(&format!("the profile `{name}` of `{path_text}`"))?;
    Ok(Settings { base_url, connections, main: settings.credential, servers, unread: Vec::new() })
}
