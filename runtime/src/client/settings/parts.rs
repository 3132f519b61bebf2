//! The settings that each credential can have. A setting without effect is an error, so that nobody relies on it.

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use super::{
    table::{CredentialSettings, OF_CLIENT, SettingPart},
    wrong,
};
use crate::error::Error;

impl CredentialSettings {
    /// Checks that each of these settings has an effect on the credential that they make.
    pub(super) fn check_whole(&self, key_file: bool) -> Result<(), Error> {
        let variables = Some(self.variables.as_str()).filter(|prefix| !prefix.is_empty());
        self.check(variables, self, key_file)
    }

    /// Checks that these settings belong to one credential.
    pub(super) fn check_one(&self, variables: Option<&str>) -> Result<(), Error> {
        for (part, secret) in [
            (SettingPart::Token, "token"),
            (SettingPart::Secret, "secret"),
            (SettingPart::Key, "API key"),
            (SettingPart::KeyPlace, "API key, as its places"),
            (SettingPart::Password, "password"),
        ] {
            let names = self.names(&[part], variables);
            if names.len() > 1 {
                return Err(wrong(
                    &format!("{} are several sources of one {secret}", names.join(", ")),
                    "keep one of them",
                ));
            }
        }
        match self.names(&[SettingPart::Token], variables).first() {
            Some(token) => self.beside(token, variables),
            None => Ok(()),
        }
    }

    /// Checks that each of these settings has an effect on the credential that `whole` makes. `key_file`: the rules of
    /// files also apply to the key of a client certificate.
    pub(super) fn check(&self, variables: Option<&str>, whole: &Self, key_file: bool) -> Result<(), Error> {
        let names = |parts: &[SettingPart]| Some(self.names(parts, variables)).filter(|names| !names.is_empty());
        let written = |end: &str, key: &str| match variables {
            Some(prefix) => format!("{prefix}{end}"),
            None => format!("`{key}`"),
        };
        self.check_one(variables)?;
        if let Some(token) = whole.names(&[SettingPart::Token], None).first() {
            self.beside(token, variables)?;
        } else if !whole.has(&[SettingPart::Client, SettingPart::Secret, SettingPart::Folder]) {
            if let Some(names) = names(&OF_CLIENT) {
                let [issuer, client, secret] =
                    [("ISSUER", "issuer"), ("CLIENT_ID", "client_id"), ("SECRET_FILE", "secret_file")]
                        .map(|(end, key)| written(end, key));
                let or = format!("set {issuer}, {client} and {secret}, or unset {}", names.join(", "));
                return Err(unused(&names, "for a client, and none is configured", &or));
            }
        } else if whole.has(&[SettingPart::Folder])
            && !whole.has(&[SettingPart::Secret])
            && let Some(names) = names(&[SettingPart::Authentication])
        {
            let or = format!("set {}, or unset {}", written("SECRET_FILE", "secret_file"), names.join(", "));
            return Err(unused(&names, "for a client's secret, and none is configured", &or));
        }
        for (parts, needs, why, (end, key)) in [
            (
                SettingPart::KeyPlace,
                SettingPart::Key,
                "for an API key, and none is configured",
                ("API_KEY", "api_key_file"),
            ),
            (
                SettingPart::User,
                SettingPart::Password,
                "for a password, and none is configured",
                ("BASIC_PASSWORD", "basic_password_file"),
            ),
            (
                SettingPart::Password,
                SettingPart::User,
                "for a user of HTTP Basic, and none is configured",
                ("BASIC_USER", "basic_user"),
            ),
        ] {
            if let Some(names) = names(&[parts]).filter(|_| !whole.has(&[needs])) {
                let or = format!("set {}, or unset {}", written(end, key), names.join(", "));
                return Err(unused(&names, why, &or));
            }
        }
        if let Some(names) = names(&[SettingPart::Files]).filter(|_| !(whole.has_file() || key_file)) {
            let [token, secret] =
                [("TOKEN_FILE", "token_file"), ("SECRET_FILE", "secret_file")].map(|(end, key)| written(end, key));
            let or = format!("set {token} or {secret}, or unset {}", names.join(", "));
            return Err(unused(&names, "for protected files, and none is configured", &or));
        }
        Ok(())
    }

    /// Returns whether one of the secrets is in a protected file.
    fn has_file(&self) -> bool {
        let own = [&self.token, &self.secret, &self.key.secret, &self.password];
        own.into_iter().chain(self.keys.values().map(|key| &key.secret)).any(|place| place.file.is_some())
    }

    /// A token needs no client.
    fn beside(&self, token: &str, variables: Option<&str>) -> Result<(), Error> {
        let names = self.names(&OF_CLIENT, variables);
        if names.is_empty() {
            return Ok(());
        }
        let are = if names.len() == 1 { "it is" } else { "they are" };
        let message = format!("{token} gives a token, and {} would not be used: {are} for a client", names.join(", "));
        Err(wrong(&message, "keep the token or the client, and unset the other"))
    }
}

/// The error of settings without effect.
pub(super) fn unused(names: &[String], why: &str, hint: &str) -> Error {
    let are = if names.len() == 1 { "it is" } else { "they are" };
    wrong(&format!("{} would not be used: {are} {why}", names.join(", ")), hint)
}
