//! A credential that is configured outside the program: by environment variables, or by the keys of a file.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use super::{
    Lookup,
    parts::{CredentialSettings, Part, SecretFiles, SecretPlace},
    wrong,
};
use crate::{
    auth::{
        ClientAuthentication, ClientCredentials, Credential, RefreshFolder, RefreshToken, Registration, SecretCommand,
        SecretEnv, SecretFile, SecretSource, SecretString, StaticToken,
    },
    error::Error,
};

/// Environment variables whose names begin alike.
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

    pub(super) fn credential(&self) -> Result<CredentialSettings, Error> {
        // Its name is kept, and not the value: the source reads it when a token is needed.
        let present = |end: &str| Ok::<_, Error>(self.text(end)?.map(|_| self.name(end)));
        let (token_file, secret_file) = (self.path("TOKEN_FILE"), self.path("SECRET_FILE"));
        let named_by = |file: &Option<PathBuf>, end: &str| file.as_ref().map(|_| self.name(end));
        Ok(CredentialSettings {
            token: SecretPlace {
                env: present("TOKEN")?,
                named_by: named_by(&token_file, "TOKEN_FILE"),
                file: token_file,
                command: None,
                keyring: self.text("TOKEN_KEYRING")?,
            },
            issuer: self.text("ISSUER")?,
            client_id: self.text("CLIENT_ID")?,
            secret: SecretPlace {
                env: present("CLIENT_SECRET")?,
                named_by: named_by(&secret_file, "SECRET_FILE"),
                file: secret_file,
                command: None,
                keyring: self.text("SECRET_KEYRING")?,
            },
            refresh_folder: self.path("REFRESH_FOLDER"),
            files: self.files()?,
            scope: self.text("SCOPE")?,
            audience: self.text("AUDIENCE")?,
            token_endpoint: self.text("TOKEN_ENDPOINT")?,
            client_authentication: self.text("CLIENT_AUTHENTICATION")?,
            variables: self.prefix.to_owned(),
        })
    }
}

impl SecretFiles {
    fn or(self, other: Self) -> Self {
        Self { links: self.links.or(other.links), mounted: self.mounted.or(other.mounted) }
    }
}

impl CredentialSettings {
    /// Fails where one of these keys would not be used, whatever the environment variables say. `key_file`: the rules of files
    /// are for the key of a client certificate, too.
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

    /// What the environment variables say; what they leave open, `self` says, whose keys are checked. Another secret takes the place of one that is
    /// configured. `None`: nothing is configured, or keys alone lack what a variable may give.
    ///
    /// # Errors
    ///
    /// A variable holds what cannot be meant, or something is set that would not be used.
    pub fn with_variables(self, key_file: bool) -> Result<Option<Self>, Error> {
        if self.variables.is_empty() {
            return Ok(Some(self).filter(Self::has_any));
        }
        let set = Variables { lookup: &|name| std::env::var_os(name), prefix: &self.variables }.credential()?;
        let is_any_set = set.has_any();
        let of_variables = set.clone();
        let (token, secret, refresh_folder) = match set.has_secret() {
            true => (set.token, set.secret, set.refresh_folder),
            false => (self.token, self.secret, self.refresh_folder),
        };
        let whole = Self {
            token,
            secret,
            refresh_folder,
            issuer: set.issuer.or(self.issuer),
            client_id: set.client_id.or(self.client_id),
            files: set.files.or(self.files),
            scope: set.scope.or(self.scope),
            audience: set.audience.or(self.audience),
            token_endpoint: set.token_endpoint.or(self.token_endpoint),
            client_authentication: set.client_authentication.or(self.client_authentication),
            variables: self.variables,
        };
        of_variables.check(Some(&whole.variables), &whole, key_file)?;
        // An issuer or a client among the keys is not an intent to use them on this machine.
        let is_meant = is_any_set || whole.has_secret();
        Ok(Some(whole).filter(|_| is_meant))
    }

    /// Which files hold secrets, as the environment variables and `self` say.
    ///
    /// # Errors
    ///
    /// A variable holds what cannot be meant.
    pub fn files_with_variables(&self) -> Result<SecretFiles, Error> {
        if self.variables.is_empty() {
            return Ok(self.files);
        }
        let set = Variables { lookup: &|name| std::env::var_os(name), prefix: &self.variables }.files()?;
        Ok(set.or(self.files))
    }

    /// Whether a token, or what one is obtained by, has a place.
    fn has_secret(&self) -> bool {
        self.has(&[Part::Token, Part::Secret, Part::Folder])
    }

    /// The credential of `of`, whose issuer may be `http` on the hosts `plain`; `None` where nothing is configured.
    ///
    /// # Errors
    ///
    /// Something is missing, or contradicts something else.
    pub fn credential(self, of: &str, plain: &[String]) -> Result<Option<Box<dyn Credential>>, Error> {
        let set = |variables: &[&str], keys: &str| {
            if self.variables.is_empty() {
                return format!("set {keys}");
            }
            let names: Vec<String> = variables.iter().map(|end| format!("{}{end}", self.variables)).collect();
            format!("set {}, or {keys}", names.join(" and "))
        };
        let files = Files { allowed: self.files, how: set(&["SECRET_FILE_MOUNTED=1"], "`secret_file_mounted = true`") };
        let token = self.token.source(&format!("the token of {of}"), &files)?;
        let secret = self.secret.source(&format!("the secret of {of}"), &files)?;
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
                        lacks.push(set(&[variable], key));
                    }
                }
                let what = format!("the credential of {of} lacks its issuer or its client");
                return Err(wrong(&what, &lacks.join("; ")));
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
        Ok(Some(match self.refresh_folder {
            Some(folder) => Box::new(RefreshToken::of(registration, RefreshFolder::new(folder))),
            None if registration.secret.is_none() => {
                let what = format!("the credential of {of} lacks the client's secret");
                return Err(wrong(&what, &set(&["SECRET_FILE"], "`secret_file`, to a protected file")));
            }
            None => Box::new(ClientCredentials::of(registration)),
        }))
    }
}

/// The rules of secret files, and how a user says that a container mounts them.
struct Files {
    allowed: SecretFiles,
    how: String,
}

impl SecretPlace {
    /// The source that is named, if any; `what` is what it holds.
    fn source(&self, what: &str, files: &Files) -> Result<Option<Box<dyn SecretSource>>, Error> {
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
                    return Err(wrong(&format!("the command for {what} is empty"), "name a program"));
                };
                Some(Box::new(arguments.iter().fold(SecretCommand::new(program), |command, word| command.arg(word))))
            }
            (None, None, None, Some(entry)) => Some(keyring(what, entry)?),
            _ => return Err(wrong(&format!("{what} has several sources"), "keep one of them")),
        };
        Ok(match (source, &self.named_by) {
            (Some(source), Some(by)) => Some(Box::new(Named { source, by: by.clone() })),
            (source, _) => source,
        })
    }
}

/// A source whose place somebody wrote down: errors say where.
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
fn keyring(what: &str, entry: &str) -> Result<Box<dyn SecretSource>, Error> {
    match entry.split_once('/') {
        Some((service, user)) if !service.is_empty() && !user.is_empty() => {
            Ok(Box::new(crate::auth::SecretKeyring::new(service, user)))
        }
        _ => Err(wrong(&format!("the keyring's entry for {what} is incomplete"), "write it as SERVICE/USER")),
    }
}

#[cfg(not(feature = "keyring"))]
fn keyring(what: &str, _entry: &str) -> Result<Box<dyn SecretSource>, Error> {
    Err(wrong(
        &format!("{what} is in the keyring, which this program cannot read"),
        "build it with the feature `keyring`, or use another source",
    ))
}
