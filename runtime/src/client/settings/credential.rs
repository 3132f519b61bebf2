//! Credentials that are configured outside the program: by environment variables, or by the keys of a file.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf, sync::Arc};

use super::{
    Lookup,
    given::{Credentials, Given, GivenKind},
    table::{
        CredentialSettings, KEY_SETTINGS, KeySettings, OF_CLIENT, SETTINGS, SecretFiles, SecretPlace, SettingPart,
        SettingSlot, key_variable,
    },
    wrong,
};
use crate::{
    auth::{
        ClientAuthentication, ClientCredentials, Credential, RefreshFolder, RefreshToken, Registration, SecretCommand,
        SecretEnv, SecretFile, SecretSource, SecretString, StaticToken,
    },
    error::Error,
};

/// Environment variables with the same prefix.
pub(super) struct Variables<'a> {
    pub(super) lookup: Lookup<'a>,
    pub(super) prefix: &'a str,
}

impl Variables<'_> {
    /// An empty variable counts as not set.
    pub(super) fn text(&self, end: &str) -> Result<Option<String>, Error> {
        match (self.lookup)(&self.name(end)).map(OsString::into_string) {
            Some(Ok(text)) if !text.is_empty() => Ok(Some(text)),
            Some(Err(_)) => {
                Err(wrong(&format!("the environment variable `{}` is not text", self.name(end)), "correct it"))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn path(&self, end: &str) -> Option<PathBuf> {
        (self.lookup)(&self.name(end)).filter(|path| !path.is_empty()).map(PathBuf::from)
    }

    pub(super) fn name(&self, end: &str) -> String {
        format!("{}{end}", self.prefix)
    }

    fn flag(&self, end: &str) -> Result<Option<bool>, Error> {
        match self.text(end)?.as_deref() {
            Some("1") => Ok(Some(true)),
            Some("0") => Ok(Some(false)),
            None => Ok(None),
            Some(_) => Err(wrong(&format!("`{}` is neither 0 nor 1", self.name(end)), "set it to 1, or not at all")),
        }
    }

    fn files(&self) -> Result<SecretFiles, Error> {
        Ok(SecretFiles { links: self.flag("FOLLOW_LINKS")?, mounted: self.flag("SECRET_FILE_MOUNTED")? })
    }

    /// Returns the settings of the variables; `names` are those of the keys that can have a variable of their own.
    pub(super) fn credential<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<CredentialSettings, Error> {
        let mut settings = CredentialSettings { variables: self.prefix.to_owned(), ..CredentialSettings::default() };
        for setting in &SETTINGS {
            if let Some(end) = setting.variable {
                self.fill((setting.slot)(&mut settings), end)?;
            }
        }
        for (source, end) in [
            (&mut settings.token, "TOKEN_FILE"),
            (&mut settings.secret, "SECRET_FILE"),
            (&mut settings.key.secret, "API_KEY_FILE"),
            (&mut settings.password, "BASIC_PASSWORD_FILE"),
        ] {
            source.named_by = source.file.as_ref().map(|_| self.name(end));
        }
        // Two names can map to the same variable.
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        for name in names {
            let beginning = key_variable(name);
            let mut key = KeySettings::default();
            for setting in &KEY_SETTINGS {
                let Some(end) = setting.variable.map(|end| format!("{beginning}{end}")) else { continue };
                let mut slot = (setting.slot)(&mut key);
                self.fill(slot.again(), &end)?;
                let variable = self.name(&end);
                let other = taken.insert(end, name).filter(|other| *other != name && slot.is_set());
                if let Some(other) = other {
                    let message = format!("`{variable}` is the variable of two keys: `{other}` and `{name}`");
                    return Err(wrong(&message, "give both in the program, with `api_key`, and unset it"));
                }
            }
            key.secret.named_by = key.secret.file.as_ref().map(|_| self.name(&format!("{beginning}_FILE")));
            if key.secret.is_set() {
                settings.keys.insert(name.to_owned(), key);
            }
        }
        Ok(settings)
    }

    fn fill(&self, slot: SettingSlot<'_>, end: &str) -> Result<(), Error> {
        match slot {
            SettingSlot::Text(value) => *value = self.text(end)?,
            // Its name is kept instead of the value: the source reads it when a secret is needed.
            SettingSlot::Env(value) => *value = self.text(end)?.map(|_| self.name(end)),
            SettingSlot::Path(value) => *value = self.path(end),
            SettingSlot::Flag(value) => *value = self.flag(end)?,
            // A variable cannot contain them.
            SettingSlot::Words(_) | SettingSlot::Keys(_) => {}
        }
        Ok(())
    }
}

/// A token, or the secrets that obtain one.
const SECRETS: [SettingPart; 3] = [SettingPart::Token, SettingPart::Secret, SettingPart::Folder];

impl SecretFiles {
    fn or(self, other: Self) -> Self {
        Self { links: self.links.or(other.links), mounted: self.mounted.or(other.mounted) }
    }
}

impl CredentialSettings {
    /// Checks that each of these keys has an effect, whatever the environment variables are. `key_file`: the rules of
    /// files also apply to the key of a client certificate.
    ///
    /// # Errors
    ///
    /// They name several credentials, or have no effect.
    pub fn check_keys(&self, key_file: bool) -> Result<(), Error> {
        match self.variables.is_empty() {
            true => self.check(None, self, key_file),
            false => self.check_one(None),
        }
    }

    /// Returns the settings of the environment variables; those that are not set are taken from `self`, whose keys are
    /// checked. A secret in the variables replaces a configured one. Keys that need a variable which is not set on this
    /// machine are left out.
    ///
    /// # Errors
    ///
    /// A variable has an invalid value, or a setting has no effect.
    pub fn with_variables(self, key_file: bool) -> Result<Self, Error> {
        if self.variables.is_empty() {
            return Ok(self);
        }
        let mut set = Variables { lookup: &|name| std::env::var_os(name), prefix: &self.variables }
            .credential(self.keys.keys().map(String::as_str))?;
        let of_variables = set.clone();
        let mut whole = self;
        if set.has(&SECRETS) {
            (whole.token, whole.secret) = (set.token.clone(), set.secret.clone());
            whole.refresh_folder.clone_from(&set.refresh_folder);
        }
        if set.has(&[SettingPart::Key]) {
            whole.key.secret = set.key.secret.clone();
        }
        if set.has(&[SettingPart::KeyPlace]) {
            (whole.key.header, whole.key.query) = (None, None);
        }
        if set.has(&[SettingPart::Password]) {
            whole.password = set.password.clone();
        }
        for (name, key) in &mut whole.keys {
            if let Some(of_variable) = set.keys.remove(name) {
                key.secret = of_variable.secret;
            }
        }
        for setting in &SETTINGS {
            (setting.slot)(&mut whole).take((setting.slot)(&mut set));
        }
        of_variables.check(Some(&whole.variables), &whole, key_file)?;
        // An issuer, the place of a key or a user alone does not mean that the keys are to be used on this machine.
        if !(of_variables.has(&OF_CLIENT) || whole.has(&SECRETS)) {
            (whole.issuer, whole.client_id) = (None, None);
        }
        whole.keys.retain(|_, key| key.secret.is_set());
        if !whole.has(&[SettingPart::Password]) {
            whole.user = None;
        }
        Ok(whole)
    }

    /// Returns the rules of secret files from the environment variables and `self`.
    ///
    /// # Errors
    ///
    /// A variable has an invalid value.
    pub fn files_with_variables(&self) -> Result<SecretFiles, Error> {
        if self.variables.is_empty() {
            return Ok(self.files);
        }
        let set = Variables { lookup: &|name| std::env::var_os(name), prefix: &self.variables }.files()?;
        Ok(set.or(self.files))
    }

    /// Creates the credentials of `owner`, whose issuer may use `http` on the hosts `plain`.
    ///
    /// # Errors
    ///
    /// A setting is missing, or contradicts another.
    pub fn credentials(self, owner: &str, plain: &[String]) -> Result<Credentials, Error> {
        let files =
            Files { allowed: self.files, how: self.set_by(&["SECRET_FILE_MOUNTED=1"], "`secret_file_mounted = true`") };
        let named = |settings: &[(&str, &str)]| {
            let prefix = self.variables.as_str();
            let name = |(variable, key): &(&str, &str)| match prefix {
                "" => format!("`{key}`"),
                prefix => format!("{prefix}{variable}"),
            };
            settings.iter().map(name).collect::<Vec<_>>().join(" or ")
        };
        let mut given = Vec::new();
        if let Some(source) = self.key.secret.source(&format!("the API key of {owner}"), &files)? {
            let KeySettings { header, query, .. } = self.key.clone();
            let setting = named(&[("API_KEY_HEADER", "api_key_header"), ("API_KEY_QUERY", "api_key_query")]);
            given.push(Given { kind: GivenKind::Key { name: None, header, query }, source: source.into(), setting });
        }
        for (name, key) in &self.keys {
            let description = format!("the API key `{name}` of {owner}");
            let places = usize::from(key.header.is_some()) + usize::from(key.query.is_some());
            if places > 1 {
                return Err(wrong(
                    &format!("{description} has a header and a parameter of the query"),
                    "keep one of them",
                ));
            }
            let Some(source) = key.secret.source(&description, &files)? else {
                return Err(wrong(&format!("{description} has no source"), "name one: `env`, `file` or `command`"));
            };
            let KeySettings { header, query, .. } = key.clone();
            let setting = format!("`header` or `query` of the key `{name}`");
            given.push(Given {
                kind: GivenKind::Key { name: Some(name.clone()), header, query },
                source: source.into(),
                setting,
            });
        }
        match (&self.user, self.password.source(&format!("the password of {owner}"), &files)?) {
            (Some(user), Some(source)) => {
                let setting = named(&[("BASIC_USER", "basic_user")]);
                given.push(Given { kind: GivenKind::Basic { user: user.clone() }, source: source.into(), setting });
            }
            (None, Some(_)) => {
                let lacks = self.set_by(&["BASIC_USER"], "`basic_user`");
                return Err(wrong(&format!("the password of {owner} lacks its user"), &lacks));
            }
            (_, None) => {}
        }
        Ok(Credentials { token: self.credential(owner, plain, &files)?, given, variables: self.variables })
    }

    /// Describes how to set these variables, or these keys.
    fn set_by(&self, variables: &[&str], keys: &str) -> String {
        if self.variables.is_empty() {
            return format!("set {keys}");
        }
        let names: Vec<String> = variables.iter().map(|end| format!("{}{end}", self.variables)).collect();
        format!("set {}, or {keys}", names.join(" and "))
    }

    fn credential(&self, owner: &str, plain: &[String], files: &Files) -> Result<Option<Box<dyn Credential>>, Error> {
        let token = self.token.source(&format!("the token of {owner}"), files)?;
        let secret = self.secret.source(&format!("the secret of {owner}"), files)?;
        if let Some(token) = token {
            return Ok(Some(Box::new(StaticToken::from_source(token))));
        }
        let (issuer, client) = match (&self.issuer, &self.client_id) {
            (Some(issuer), Some(client)) => (issuer.clone(), client.clone()),
            (None, None) if secret.is_none() && self.refresh_folder.is_none() => return Ok(None),
            (issuer, client) => {
                let mut lacks = Vec::new();
                let parts = [
                    (issuer.is_none(), "ISSUER", "`issuer`"),
                    (client.is_none(), "CLIENT_ID", "`client_id`"),
                    (secret.is_none() && self.refresh_folder.is_none(), "SECRET_FILE", "`secret_file`"),
                ];
                for (is_missing, variable, key) in parts {
                    if is_missing {
                        lacks.push(self.set_by(&[variable], key));
                    }
                }
                let message = format!("the credential of {owner} lacks its issuer or its client");
                return Err(wrong(&message, &lacks.join("; ")));
            }
        };
        let mut registration = Registration::new(issuer, client, secret.map(Arc::from));
        match self.scope.clone() {
            Some(scope) => registration.scope = scope,
            // The token keeps the scopes that it was granted with.
            None if self.refresh_folder.is_some() => registration.scope.clear(),
            None => {}
        }
        registration.audience = self.audience.clone();
        registration.endpoints.token = self.token_endpoint.clone();
        registration.endpoints.variables.clone_from(&self.variables);
        registration.authentication = match self.client_authentication.as_deref() {
            None => None,
            Some("form") => Some(ClientAuthentication::Form),
            Some("basic") => Some(ClientAuthentication::Basic),
            Some(_) => {
                let setting = registration.endpoints.setting("client_authentication");
                return Err(wrong(&format!("{setting} is neither `form` nor `basic`"), "set one of them, or neither"));
            }
        };
        registration.endpoints.plain = plain.to_vec();
        registration.endpoints.check()?;
        Ok(Some(match &self.refresh_folder {
            Some(folder) => Box::new(RefreshToken::from_registration(registration, RefreshFolder::new(folder))),
            None if registration.secret.is_none() => {
                let message = format!("the credential of {owner} lacks the client's secret");
                return Err(wrong(&message, &self.set_by(&["SECRET_FILE"], "`secret_file`, to a protected file")));
            }
            None => Box::new(ClientCredentials::from_registration(registration)),
        }))
    }
}

/// The rules of secret files, and how a user declares that a container mounts them.
struct Files {
    allowed: SecretFiles,
    how: String,
}

impl SecretPlace {
    /// The source that is configured, if any; `name` is that of its secret.
    fn source(&self, name: &str, files: &Files) -> Result<Option<Box<dyn SecretSource>>, Error> {
        let source: Option<Box<dyn SecretSource>> = match (&self.env, &self.file, &self.command, &self.keyring) {
            (None, None, None, None) => None,
            (Some(name), None, None, None) => Some(Box::new(SecretEnv::new(name))),
            (None, Some(path), None, None) => {
                let file = SecretFile::new(path).mounted_by(files.how.clone());
                let file = if files.allowed.links == Some(true) { file.follow_links() } else { file };
                Some(Box::new(if files.allowed.mounted == Some(true) { file.mounted() } else { file }))
            }
            (None, None, Some(words), None) => {
                let Some((program, arguments)) = words.split_first() else {
                    return Err(wrong(&format!("the command for {name} is empty"), "name a program"));
                };
                Some(Box::new(arguments.iter().fold(SecretCommand::new(program), |command, word| command.arg(word))))
            }
            (None, None, None, Some(entry)) => Some(keyring(name, entry)?),
            _ => return Err(wrong(&format!("{name} has several sources"), "keep one of them")),
        };
        Ok(match (source, &self.named_by) {
            (Some(source), Some(by)) => Some(Box::new(Named { source, by: by.clone() })),
            (source, _) => source,
        })
    }
}

/// A source that a configuration names: errors contain the variable or line.
pub(super) struct Named {
    source: Box<dyn SecretSource>,
    by: String,
}

impl Named {
    pub(super) fn new(source: impl SecretSource, by: String) -> Self {
        Self { source: Box::new(source), by }
    }
}

impl SecretSource for Named {
    fn read(&self) -> Result<SecretString, Error> {
        self.source.read().map_err(|error| error.and(&format!("{} names it", self.by)))
    }

    fn describe(&self) -> String {
        format!("{}, which {} names", self.source.describe(), self.by)
    }
}

#[cfg(feature = "keyring")]
fn keyring(name: &str, entry: &str) -> Result<Box<dyn SecretSource>, Error> {
    match entry.split_once('/') {
        Some((service, user)) if !service.is_empty() && !user.is_empty() => {
            Ok(Box::new(crate::auth::SecretKeyring::new(service, user)))
        }
        _ => Err(wrong(&format!("the keyring's entry for {name} is incomplete"), "write it as SERVICE/USER")),
    }
}

#[cfg(not(feature = "keyring"))]
fn keyring(name: &str, _entry: &str) -> Result<Box<dyn SecretSource>, Error> {
    Err(wrong(
        &format!("{name} is in the keyring, which this program cannot read"),
        "build it with the feature `keyring`, or use another source",
    ))
}
