//! The settings of a credential: one table for the variables of programs, the keys of profiles, and the downloads of the tool.

use std::{collections::BTreeMap, path::PathBuf};

/// The possible sources of a secret.
#[derive(Clone, Debug, Default)]
pub struct SecretPlace {
    /// The variable that contains it.
    pub env: Option<String>,
    /// The protected file that contains it.
    pub file: Option<PathBuf>,
    /// The program that prints it, and its arguments.
    pub command: Option<Vec<String>>,
    /// `SERVICE/USER`, its entry in the system's keyring.
    pub keyring: Option<String>,
    /// The variable, or the line of a file, that names the source.
    pub named_by: Option<String>,
}

impl SecretPlace {
    pub(super) fn is_set(&self) -> bool {
        self.env.is_some() || self.file.is_some() || self.command.is_some() || self.keyring.is_some()
    }
}

/// The rules of secret files. Anything that is not set is not allowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SecretFiles {
    /// They may be links.
    pub links: Option<bool>,
    /// A container mounts them.
    pub mounted: Option<bool>,
}

/// An API key, and its place in requests.
#[derive(Clone, Debug, Default)]
pub struct KeySettings {
    /// The key itself.
    pub secret: SecretPlace,
    /// The header that carries it.
    pub header: Option<String>,
    /// The query parameter that carries it.
    pub query: Option<String>,
}

/// The parts of a credential.
#[derive(Clone, Debug, Default)]
pub struct CredentialSettings {
    /// A token that was created elsewhere.
    pub token: SecretPlace,
    /// The issuer of the client.
    pub issuer: Option<String>,
    /// The client that is registered with it.
    pub client_id: Option<String>,
    /// The secret of the client.
    pub secret: SecretPlace,
    /// The folder with a refresh token of the client.
    pub refresh_folder: Option<PathBuf>,
    /// The rules of files with secrets.
    pub files: SecretFiles,
    /// The scopes to ask for.
    pub scope: Option<String>,
    /// The audience to ask for.
    pub audience: Option<String>,
    /// The token endpoint, if discovery does not name it.
    pub token_endpoint: Option<String>,
    /// The client authentication at the token endpoint: `form` or `basic`.
    pub client_authentication: Option<String>,
    /// The API key.
    pub key: KeySettings,
    /// API keys by the names of their security schemes, if there are several.
    pub keys: BTreeMap<String, KeySettings>,
    /// The user of HTTP Basic.
    pub user: Option<String>,
    /// The password of HTTP Basic.
    pub password: SecretPlace,
    /// The prefix of the variables of these settings; empty if there are none.
    pub variables: String,
}

/// The credential that a setting is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettingPart {
    /// A token that was created elsewhere.
    Token,
    /// The client that gets tokens.
    Client,
    /// Its secret.
    Secret,
    /// The folder with its refresh token.
    Folder,
    /// The settings of its token requests.
    Request,
    /// The way its secret is sent.
    Authentication,
    /// The rules of protected files.
    Files,
    /// The API key.
    Key,
    /// The place of the API key in a request.
    KeyPlace,
    /// API keys by their names.
    Keys,
    /// The user of HTTP Basic.
    User,
    /// The password of HTTP Basic.
    Password,
}

impl SettingPart {
    pub(super) const ALL: [Self; 12] = [
        Self::Token,
        Self::Client,
        Self::Secret,
        Self::Folder,
        Self::Request,
        Self::Authentication,
        Self::Files,
        Self::Key,
        Self::KeyPlace,
        Self::Keys,
        Self::User,
        Self::Password,
    ];
}

/// The value of a setting.
#[derive(Debug)]
pub enum SettingSlot<'a> {
    /// A text.
    Text(&'a mut Option<String>),
    /// The name of the variable that holds a secret.
    Env(&'a mut Option<String>),
    /// A file or a folder.
    Path(&'a mut Option<PathBuf>),
    /// A program and its arguments.
    Words(&'a mut Option<Vec<String>>),
    /// A flag. `false` counts as not set.
    Flag(&'a mut Option<bool>),
    /// API keys by their names.
    Keys(&'a mut BTreeMap<String, KeySettings>),
}

impl SettingSlot<'_> {
    /// Returns whether it has a value.
    pub fn is_set(&self) -> bool {
        match self {
            Self::Text(text) | Self::Env(text) => text.is_some(),
            Self::Path(path) => path.is_some(),
            Self::Words(words) => words.is_some(),
            Self::Flag(flag) => **flag == Some(true),
            Self::Keys(keys) => !keys.is_empty(),
        }
    }

    /// Reborrows the slot.
    pub(super) fn again(&mut self) -> SettingSlot<'_> {
        match self {
            Self::Text(text) => SettingSlot::Text(text),
            Self::Env(text) => SettingSlot::Env(text),
            Self::Path(path) => SettingSlot::Path(path),
            Self::Words(words) => SettingSlot::Words(words),
            Self::Flag(flag) => SettingSlot::Flag(flag),
            Self::Keys(keys) => SettingSlot::Keys(keys),
        }
    }

    /// Takes the other value, if there is one.
    pub(super) fn take(self, other: SettingSlot<'_>) {
        match (self, other) {
            (Self::Text(own), SettingSlot::Text(other)) | (Self::Env(own), SettingSlot::Env(other)) => {
                *own = other.take().or(own.take())
            }
            (Self::Path(own), SettingSlot::Path(other)) => *own = other.take().or(own.take()),
            (Self::Words(own), SettingSlot::Words(other)) => *own = other.take().or(own.take()),
            (Self::Flag(own), SettingSlot::Flag(other)) => *own = other.or(*own),
            _ => {}
        }
    }
}

/// A setting of a credential, or of one of its keys.
pub(super) struct Setting<T: 'static = CredentialSettings> {
    /// The suffix of its variable, if it has one.
    pub(super) variable: Option<&'static str>,
    pub(super) key: &'static str,
    pub(super) part: SettingPart,
    pub(super) slot: for<'a> fn(&'a mut T) -> SettingSlot<'a>,
}

/// One row: the suffix of the variable, the key, the part, the kind of value, and the field.
macro_rules! row {
    ($variable:expr, $key:literal, $part:ident, $kind:ident, $($field:ident).+) => {
        Setting { variable: $variable, key: $key, part: SettingPart::$part, slot: |settings| SettingSlot::$kind(&mut settings.$($field).+) }
    };
}

/// Every setting of a credential.
pub(super) static SETTINGS: [Setting; 29] = [
    row!(Some("TOKEN"), "token_env", Token, Env, token.env),
    row!(Some("TOKEN_FILE"), "token_file", Token, Path, token.file),
    row!(None, "token_command", Token, Words, token.command),
    row!(Some("TOKEN_KEYRING"), "token_keyring", Token, Text, token.keyring),
    row!(Some("ISSUER"), "issuer", Client, Text, issuer),
    row!(Some("CLIENT_ID"), "client_id", Client, Text, client_id),
    row!(Some("CLIENT_SECRET"), "secret_env", Secret, Env, secret.env),
    row!(Some("SECRET_FILE"), "secret_file", Secret, Path, secret.file),
    row!(None, "secret_command", Secret, Words, secret.command),
    row!(Some("SECRET_KEYRING"), "secret_keyring", Secret, Text, secret.keyring),
    row!(Some("REFRESH_FOLDER"), "refresh_folder", Folder, Path, refresh_folder),
    row!(Some("SCOPE"), "scope", Request, Text, scope),
    row!(Some("AUDIENCE"), "audience", Request, Text, audience),
    row!(Some("TOKEN_ENDPOINT"), "token_endpoint", Request, Text, token_endpoint),
    row!(Some("CLIENT_AUTHENTICATION"), "client_authentication", Authentication, Text, client_authentication),
    row!(Some("API_KEY"), "api_key_env", Key, Env, key.secret.env),
    row!(Some("API_KEY_FILE"), "api_key_file", Key, Path, key.secret.file),
    row!(None, "api_key_command", Key, Words, key.secret.command),
    row!(Some("API_KEY_KEYRING"), "api_key_keyring", Key, Text, key.secret.keyring),
    row!(Some("API_KEY_HEADER"), "api_key_header", KeyPlace, Text, key.header),
    row!(Some("API_KEY_QUERY"), "api_key_query", KeyPlace, Text, key.query),
    row!(None, "key", Keys, Keys, keys),
    row!(Some("BASIC_USER"), "basic_user", User, Text, user),
    row!(Some("BASIC_PASSWORD"), "basic_password_env", Password, Env, password.env),
    row!(Some("BASIC_PASSWORD_FILE"), "basic_password_file", Password, Path, password.file),
    row!(None, "basic_password_command", Password, Words, password.command),
    row!(Some("BASIC_PASSWORD_KEYRING"), "basic_password_keyring", Password, Text, password.keyring),
    row!(Some("SECRET_FILE_MOUNTED"), "secret_file_mounted", Files, Flag, files.mounted),
    row!(Some("FOLLOW_LINKS"), "follow_links", Files, Flag, files.links),
];

/// Every setting of a key that has a name. Its variable begins with [`key_variable`].
pub(super) static KEY_SETTINGS: [Setting<KeySettings>; 6] = [
    row!(Some(""), "env", Key, Env, secret.env),
    row!(Some("_FILE"), "file", Key, Path, secret.file),
    row!(None, "command", Key, Words, secret.command),
    row!(Some("_KEYRING"), "keyring", Key, Text, secret.keyring),
    row!(None, "header", KeyPlace, Text, header),
    row!(None, "query", KeyPlace, Text, query),
];

/// Parts for a token; parts for its client, and not for a token.
pub(super) const OF_CLIENT: [SettingPart; 5] =
    [SettingPart::Client, SettingPart::Secret, SettingPart::Folder, SettingPart::Request, SettingPart::Authentication];

/// Returns the suffixes of the variables that name a secret, or the folder of one.
pub fn secret_variables() -> impl Iterator<Item = &'static str> {
    let parts = [SettingPart::Token, SettingPart::Secret, SettingPart::Folder, SettingPart::Key, SettingPart::Password];
    SETTINGS.iter().filter(move |setting| parts.contains(&setting.part)).filter_map(|setting| setting.variable)
}

/// Returns the suffix of the variable for the key of this name: `KEY_APP_ID` for `app-id`.
pub fn key_variable(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    format!("KEY_{}", name.chars().map(letter).collect::<String>())
}

impl CredentialSettings {
    /// Returns the settings of these parts that are set.
    pub(super) fn set(&self, parts: &[SettingPart]) -> Vec<&'static Setting> {
        let mut copy = self.clone();
        let set = |setting: &&Setting| parts.contains(&setting.part) && (setting.slot)(&mut copy).is_set();
        SETTINGS.iter().filter(set).collect()
    }

    /// Returns the names of the settings of these parts that are set: variables with this prefix, or keys.
    pub(super) fn names(&self, parts: &[SettingPart], variables: Option<&str>) -> Vec<String> {
        let name = |Setting { variable, key, .. }: &Setting| match (variables, variable) {
            (Some(prefix), Some(variable)) => format!("`{prefix}{variable}`"),
            _ => format!("`{key}`"),
        };
        self.set(parts).into_iter().map(name).collect()
    }

    pub(super) fn has(&self, parts: &[SettingPart]) -> bool {
        !self.set(parts).is_empty()
    }

    /// Returns the slot for the value of a key of the table.
    pub fn slot(&mut self, key: &str) -> Option<SettingSlot<'_>> {
        let setting = SETTINGS.iter().find(|setting| setting.key == key)?;
        Some((setting.slot)(self))
    }

    /// Returns every key of the table.
    pub fn table_keys() -> impl Iterator<Item = &'static str> {
        SETTINGS.iter().map(|setting| setting.key)
    }
}
