//! What a credential is configured by, and which settings go with which credential: one table for the variables of programs, the
//! keys of profiles, and the downloads of the tool. What is set and has no effect is an error, so nobody relies on it.

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use std::path::PathBuf;

use super::wrong;
use crate::error::Error;

/// Where a secret is: in one of these places.
#[derive(Clone, Debug, Default)]
pub struct SecretPlace {
    /// The variable that holds it.
    pub env: Option<String>,
    /// The protected file that holds it.
    pub file: Option<PathBuf>,
    /// The program that prints it, and its arguments.
    pub command: Option<Vec<String>>,
    /// `SERVICE/USER`, its entry in the keyring of the system.
    pub keyring: Option<String>,
    /// The variable, or the line of a file, that names the place.
    pub named_by: Option<String>,
}

/// Which files hold secrets. What is not said is not allowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SecretFiles {
    /// They may be links.
    pub links: Option<bool>,
    /// A container mounts them.
    pub mounted: Option<bool>,
}

/// What a credential is made of.
#[derive(Clone, Debug, Default)]
pub struct CredentialSettings {
    /// A token that was made elsewhere.
    pub token: SecretPlace,
    /// The issuer of the client.
    pub issuer: Option<String>,
    /// The client that is registered with it.
    pub client_id: Option<String>,
    /// The secret of the client.
    pub secret: SecretPlace,
    /// The folder with a refresh token of the client.
    pub refresh_folder: Option<PathBuf>,
    /// Which files hold the token and the secret.
    pub files: SecretFiles,
    /// The scopes to ask for.
    pub scope: Option<String>,
    /// The audience to ask for.
    pub audience: Option<String>,
    /// The token endpoint, where discovery does not name it.
    pub token_endpoint: Option<String>,
    /// How the client says who it is at the token endpoint: `form` or `basic`.
    pub client_authentication: Option<String>,
    /// How the names of the variables begin that say the same; none do where it is empty.
    pub variables: String,
}

/// What a setting is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A token that was made elsewhere.
    Token,
    /// The client that gets tokens.
    Client,
    /// Its secret.
    Secret,
    /// The folder with a refresh token of it.
    Folder,
    /// What its token requests say.
    Request,
    /// How its secret is sent.
    Authentication,
    /// The rules of protected files.
    Files,
}

impl Part {
    pub(super) const ALL: [Self; 7] =
        [Self::Token, Self::Client, Self::Secret, Self::Folder, Self::Request, Self::Authentication, Self::Files];
}

/// A setting of a credential.
pub(super) struct Setting {
    /// The end of its variable; empty where it has none.
    pub(super) variable: &'static str,
    pub(super) key: &'static str,
    pub(super) part: Part,
    is_set: fn(&CredentialSettings) -> bool,
}

impl Setting {
    const fn new(
        variable: &'static str,
        key: &'static str,
        part: Part,
        is_set: fn(&CredentialSettings) -> bool,
    ) -> Self {
        Self { variable, key, part, is_set }
    }
}

/// Every setting of a credential. A flag that is not raised counts as not set.
pub(super) const SETTINGS: [Setting; 17] = [
    Setting::new("TOKEN", "token_env", Part::Token, |of| of.token.env.is_some()),
    Setting::new("TOKEN_FILE", "token_file", Part::Token, |of| of.token.file.is_some()),
    Setting::new("", "token_command", Part::Token, |of| of.token.command.is_some()),
    Setting::new("TOKEN_KEYRING", "token_keyring", Part::Token, |of| of.token.keyring.is_some()),
    Setting::new("ISSUER", "issuer", Part::Client, |of| of.issuer.is_some()),
    Setting::new("CLIENT_ID", "client_id", Part::Client, |of| of.client_id.is_some()),
    Setting::new("CLIENT_SECRET", "secret_env", Part::Secret, |of| of.secret.env.is_some()),
    Setting::new("SECRET_FILE", "secret_file", Part::Secret, |of| of.secret.file.is_some()),
    Setting::new("", "secret_command", Part::Secret, |of| of.secret.command.is_some()),
    Setting::new("SECRET_KEYRING", "secret_keyring", Part::Secret, |of| of.secret.keyring.is_some()),
    Setting::new("REFRESH_FOLDER", "refresh_folder", Part::Folder, |of| of.refresh_folder.is_some()),
    Setting::new("SCOPE", "scope", Part::Request, |of| of.scope.is_some()),
    Setting::new("AUDIENCE", "audience", Part::Request, |of| of.audience.is_some()),
    Setting::new("TOKEN_ENDPOINT", "token_endpoint", Part::Request, |of| of.token_endpoint.is_some()),
    Setting::new("CLIENT_AUTHENTICATION", "client_authentication", Part::Authentication, |of| {
        of.client_authentication.is_some()
    }),
    Setting::new("SECRET_FILE_MOUNTED", "secret_file_mounted", Part::Files, |of| of.files.mounted == Some(true)),
    Setting::new("FOLLOW_LINKS", "follow_links", Part::Files, |of| of.files.links == Some(true)),
];

/// What is for a client, and not for a token.
const OF_CLIENT: [Part; 5] = [Part::Client, Part::Secret, Part::Folder, Part::Request, Part::Authentication];

/// The ends of the variables that name a token, or what one is obtained by.
pub fn secret_variables() -> impl Iterator<Item = &'static str> {
    let of_secret = |setting: &&Setting| matches!(setting.part, Part::Token | Part::Secret | Part::Folder);
    SETTINGS.iter().filter(of_secret).map(|setting| setting.variable).filter(|end| !end.is_empty())
}

impl CredentialSettings {
    /// What of these parts is set: the variables that begin with this, or the keys.
    pub(super) fn names(&self, parts: &[Part], variables: Option<&str>) -> Vec<String> {
        let set = SETTINGS.iter().filter(|setting| parts.contains(&setting.part) && (setting.is_set)(self));
        set.map(|Setting { variable, key, .. }| match variables {
            Some(prefix) => format!("`{prefix}{variable}`"),
            None => format!("`{key}`"),
        })
        .collect()
    }

    pub(super) fn has(&self, parts: &[Part]) -> bool {
        SETTINGS.iter().any(|setting| parts.contains(&setting.part) && (setting.is_set)(self))
    }

    /// Whether something of a credential is set: the rules of files do not count.
    pub(super) fn has_any(&self) -> bool {
        self.has(&[Part::Token]) || self.has(&OF_CLIENT)
    }

    /// Fails where one of these settings has no effect on the credential that they make.
    pub(super) fn check_whole(&self, key_file: bool) -> Result<(), Error> {
        let variables = Some(self.variables.as_str()).filter(|prefix| !prefix.is_empty());
        self.check(variables, self, key_file)
    }

    /// Fails where these settings are of several credentials.
    pub(super) fn check_one(&self, variables: Option<&str>) -> Result<(), Error> {
        for (part, what) in [(Part::Token, "token"), (Part::Secret, "secret")] {
            let names = self.names(&[part], variables);
            if names.len() > 1 {
                return Err(wrong(
                    &format!("{} are several sources of one {what}", names.join(", ")),
                    "keep one of them",
                ));
            }
        }
        match self.names(&[Part::Token], variables).first() {
            Some(token) => self.beside(token, variables),
            None => Ok(()),
        }
    }

    /// Fails where one of these settings has no effect on the credential that `whole` makes. `key_file`: the rules of files
    /// are for the key of a client certificate, too.
    pub(super) fn check(&self, variables: Option<&str>, whole: &Self, key_file: bool) -> Result<(), Error> {
        let names = |parts: &[Part]| Some(self.names(parts, variables)).filter(|names| !names.is_empty());
        let written = |end: &str| match variables {
            Some(prefix) => format!("{prefix}{end}"),
            None => format!("`{}`", end.to_lowercase()),
        };
        self.check_one(variables)?;
        if let Some(token) = whole.names(&[Part::Token], None).first() {
            self.beside(token, variables)?;
        } else if !whole.has(&[Part::Client, Part::Secret, Part::Folder]) {
            if let Some(names) = names(&OF_CLIENT) {
                let [issuer, client, secret] = ["ISSUER", "CLIENT_ID", "SECRET_FILE"].map(written);
                let or = format!("set {issuer}, {client} and {secret}, or unset {}", names.join(", "));
                return Err(unused(&names, "for a client, and none is configured", &or));
            }
        } else if whole.has(&[Part::Folder])
            && !whole.has(&[Part::Secret])
            && let Some(names) = names(&[Part::Authentication])
        {
            let or = format!("set {}, or unset {}", written("SECRET_FILE"), names.join(", "));
            return Err(unused(&names, "for a client's secret, and none is configured", &or));
        }
        let file = whole.token.file.is_some() || whole.secret.file.is_some() || key_file;
        if let Some(names) = names(&[Part::Files]).filter(|_| !file) {
            let or =
                format!("set {} or {}, or unset {}", written("TOKEN_FILE"), written("SECRET_FILE"), names.join(", "));
            return Err(unused(&names, "for protected files, and none is configured", &or));
        }
        Ok(())
    }

    /// A token needs no client.
    fn beside(&self, token: &str, variables: Option<&str>) -> Result<(), Error> {
        let names = self.names(&OF_CLIENT, variables);
        if names.is_empty() {
            return Ok(());
        }
        let are = if names.len() == 1 { "it is" } else { "they are" };
        let what = format!("{token} gives a token, and {} would not be used: {are} for a client", names.join(", "));
        Err(wrong(&what, "keep the token or the client, and unset the other"))
    }
}

/// These are set, and have no effect.
pub(super) fn unused(names: &[String], why: &str, hint: &str) -> Error {
    let are = if names.len() == 1 { "it is" } else { "they are" };
    wrong(&format!("{} would not be used: {are} {why}", names.join(", ")), hint)
}
