//! A credential that is configured outside the program: by environment variables, or by the keys of a file.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use super::{Lookup, wrong};
use crate::{
    auth::{
        ClientAuthentication, ClientCredentials, Credential, RefreshFolder, RefreshToken, Registration, SecretCommand,
        SecretEnv, SecretFile, SecretSource, SecretString, StaticToken,
    },
    error::Error,
};

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

    pub(super) fn credential(&self) -> Result<CredentialSettings, Error> {
        // Its name is kept, and not the value: the source reads it when a token is needed.
        let present = |end: &str| Ok::<_, Error>(self.text(end)?.map(|_| self.name(end)));
        let flag = |end: &str| match self.text(end)?.as_deref() {
            Some("1") => Ok(Some(true)),
            Some("0") => Ok(Some(false)),
            None => Ok(None),
            Some(_) => Err(wrong(&format!("`{}` is neither 0 nor 1", self.name(end)), "set it to 1, or not at all")),
        };
        let path = |end: &str| self.path(end);
        let (token_file, secret_file) = (path("TOKEN_FILE"), path("SECRET_FILE"));
        let named_by = |file: &Option<PathBuf>, end: &str| file.as_ref().map(|_| self.name(end));
        let found = CredentialSettings {
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
            refresh_folder: path("REFRESH_FOLDER"),
            files: SecretFiles { links: flag("FOLLOW_LINKS")?, mounted: flag("SECRET_FILE_MOUNTED")? },
            scope: self.text("SCOPE")?,
            audience: self.text("AUDIENCE")?,
            token_endpoint: self.text("TOKEN_ENDPOINT")?,
            client_authentication: self.text("CLIENT_AUTHENTICATION")?,
            variables: self.prefix.to_owned(),
        };
        alone(&found.token_names(Some(self.prefix)), &found.client_names(Some(self.prefix)))?;
        Ok(found)
    }
}

impl CredentialSettings {
    /// What the environment variables say; what they leave open, `self` says. Another secret takes the place of one that is
    /// configured.
    ///
    /// # Errors
    ///
    /// A variable holds what cannot be meant.
    pub fn with_variables(self) -> Result<Self, Error> {
        let keys = self.token_names(None);
        alone(&keys, &self.client_names(None))?;
        if self.variables.is_empty() {
            return Ok(self);
        }
        let set = Variables { lookup: &|name| std::env::var_os(name), prefix: &self.variables }.credential()?;
        if !set.has_secret() {
            alone(&keys, &set.client_names(Some(&self.variables)))?;
        }
        let (token, secret, refresh_folder) = match set.has_secret() {
            true => (set.token, set.secret, set.refresh_folder),
            false => (self.token, self.secret, self.refresh_folder),
        };
        Ok(Self {
            token,
            secret,
            refresh_folder,
            issuer: set.issuer.or(self.issuer),
            client_id: set.client_id.or(self.client_id),
            files: SecretFiles {
                links: set.files.links.or(self.files.links),
                mounted: set.files.mounted.or(self.files.mounted),
            },
            scope: set.scope.or(self.scope),
            audience: set.audience.or(self.audience),
            token_endpoint: set.token_endpoint.or(self.token_endpoint),
            client_authentication: set.client_authentication.or(self.client_authentication),
            variables: self.variables,
        })
    }

    /// What names a token: the variables that begin with this, or the keys.
    fn token_names(&self, variables: Option<&str>) -> Vec<String> {
        self.token.names("TOKEN", "TOKEN", variables)
    }

    /// What names a client.
    fn client_names(&self, variables: Option<&str>) -> Vec<String> {
        let mut names = Vec::new();
        for (is_set, end) in [(self.issuer.is_some(), "ISSUER"), (self.client_id.is_some(), "CLIENT_ID")] {
            names.extend(is_set.then(|| written(end, variables)));
        }
        names.extend(self.secret.names("SECRET", "CLIENT_SECRET", variables));
        names.extend(self.refresh_folder.is_some().then(|| written("REFRESH_FOLDER", variables)));
        names
    }

    /// Whether a token, or what one is obtained by, has a place.
    pub fn has_secret(&self) -> bool {
        self.token.is_named() || self.secret.is_named() || self.refresh_folder.is_some()
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
        if self.variables.is_empty() {
            alone(&self.token_names(None), &self.client_names(None))?;
        }
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

/// A token needs no client: what would not be used beside it is said.
fn alone(token: &[String], client: &[String]) -> Result<(), Error> {
    let (Some(token), false) = (token.first(), client.is_empty()) else { return Ok(()) };
    let what = format!("{token} gives a token, and {} would not be used: they are for a client", client.join(", "));
    Err(wrong(&what, "keep the token or the client, and unset the other"))
}

/// A variable, or a key.
fn written(end: &str, variables: Option<&str>) -> String {
    variables.map_or_else(|| format!("`{}`", end.to_lowercase()), |prefix| format!("`{prefix}{end}`"))
}

/// The rules of secret files, and how a user says that a container mounts them.
struct Files {
    allowed: SecretFiles,
    how: String,
}

impl SecretPlace {
    /// The variables, or the keys, that name it: they begin with `what`, but for the variable `own` that holds it.
    fn names(&self, what: &str, own: &str, variables: Option<&str>) -> Vec<String> {
        let env = if variables.is_some() { own.to_owned() } else { format!("{what}_ENV") };
        let places = [
            (self.env.is_some(), env),
            (self.file.is_some(), format!("{what}_FILE")),
            (self.command.is_some(), format!("{what}_COMMAND")),
            (self.keyring.is_some(), format!("{what}_KEYRING")),
        ];
        places.iter().filter(|(is_set, _)| *is_set).map(|(_, end)| written(end, variables)).collect()
    }

    fn is_named(&self) -> bool {
        self.env.is_some() || self.file.is_some() || self.command.is_some() || self.keyring.is_some()
    }

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
