//! Clients that are configured outside the program: by environment variables, or by a profile.

#[cfg(feature = "profiles")]
mod profiles;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use uuid::Uuid;

use super::{Client, ClientBuilder, GeneratedClient, ServerSettings};
use crate::{
    auth::{
        ClientCredentials, Credential, RefreshFolder, RefreshToken, Registration, SecretCommand, SecretEnv, SecretFile,
        SecretSource, StaticToken,
    },
    error::{Error, Kind},
};

impl Client {
    /// A client that environment variables configure.
    ///
    /// | variable | what it is |
    /// |---|---|
    /// | `PLATFORM_BASE_URL` | the address of the service; required, unless a profile is chosen |
    /// | `PLATFORM_TOKEN` | a token, such as an API token of the dashboard |
    /// | `PLATFORM_TOKEN_FILE` | the protected file that holds one |
    /// | `PLATFORM_TOKEN_KEYRING` | with the feature `keyring`: `SERVICE/USER`, the entry that holds one |
    /// | `PLATFORM_ISSUER`, `PLATFORM_CLIENT_ID` | the issuer, and the client that is registered with it |
    /// | `PLATFORM_SECRET_FILE` | the protected file with the client's secret: the client-credentials grant |
    /// | `PLATFORM_CLIENT_SECRET` | the secret itself |
    /// | `PLATFORM_SECRET_KEYRING` | with the feature `keyring`: `SERVICE/USER`, its entry in the keyring of the system |
    /// | `PLATFORM_REFRESH_FOLDER` | the folder with a refresh token of the client: the refresh-token grant |
    /// | `PLATFORM_SECRET_FILE_MOUNTED` | `1`: a container mounts the protected files, see [`SecretFile::mounted`] |
    /// | `PLATFORM_FOLLOW_LINKS` | `1`: protected files may be links |
    /// | `PLATFORM_SCOPE` | the scopes to ask for; `api` unless set |
    /// | `PLATFORM_AUDIENCE` | the audience to ask for |
    /// | `PLATFORM_TOKEN_ENDPOINT` | the token endpoint, where discovery does not name it |
    /// | `PLATFORM_COMPLIANCE_URL` | the address of the compliance resource server; likewise of other servers, by their names |
    /// | `PLATFORM_COMPLIANCE_…` | its credential: `TOKEN` to `TOKEN_ENDPOINT`, as above |
    /// | `PLATFORM_TEAM_ID` | the team that the compliance resource server is configured for |
    /// | `PLATFORM_PROFILE` | with the feature `profiles`: a profile of `PLATFORM_PROFILES`, instead of all the others |
    /// | `PLATFORM_PROFILES` | the file of profiles; `~/.config/platform/profiles.toml` unless set |
    ///
    /// A variable that is empty counts as not set. Without any credential, requests are sent without a token.
    ///
    /// ```no_run
    /// # fn run() -> Result<(), platform_runtime::Error> {
    /// let platform = platform_runtime::Client::from_env()?;
    /// # let _ = platform;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// A variable is missing, contradicts another, or holds what cannot work.
    pub fn from_env() -> Result<Self, Error> {
        ClientBuilder::<Self>::from_env()?.build()
    }

    /// A client that a profile configures. The file is TOML, and names where secrets are, never what they are:
    ///
    /// ```toml
    /// default = "staging"               # for `Client::from_env` without PLATFORM_BASE_URL and PLATFORM_PROFILE
    ///
    /// [profile.staging]
    /// base_url = "https://platform.example"
    /// issuer = "https://issuer.example"
    /// client_id = "my-service"
    /// secret_command = ["pass", "show", "platform/my-service"]   # or secret_file, secret_env, refresh_folder,
    ///                                                            # secret_keyring = "SERVICE/USER"
    /// # secret_file_mounted = true                               # a container mounts secret_file or token_file
    /// # token_file = "…"                                         # or token_env, token_command, token_keyring: a token
    ///
    /// [profile.staging.server.compliance]
    /// base_url = "https://compliance.example"
    /// team_id = "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b"
    /// issuer = "https://issuer.example"
    /// client_id = "my-auditor"
    /// secret_file = "/run/secrets/auditor"
    /// ```
    ///
    /// # Errors
    ///
    /// The file cannot be read, holds no such profile, or one that cannot work.
    #[cfg(feature = "profiles")]
    pub fn from_profile(file: impl AsRef<std::path::Path>, name: &str) -> Result<Self, Error> {
        ClientBuilder::<Self>::from_profile(file, name)?.build()
    }
}

impl<P: GeneratedClient> ClientBuilder<P> {
    /// The configuration of [`Client::from_env`], to go on with.
    ///
    /// # Errors
    ///
    /// As for [`Client::from_env`].
    pub fn from_env() -> Result<Self, Error> {
        builder(from_lookup(P::SERVERS, &|name| std::env::var_os(name))?)
    }

    /// The configuration of [`Client::from_profile`], to go on with.
    ///
    /// # Errors
    ///
    /// As for [`Client::from_profile`].
    #[cfg(feature = "profiles")]
    pub fn from_profile(file: impl AsRef<std::path::Path>, name: &str) -> Result<Self, Error> {
        builder(profiles::read(file.as_ref(), Some(name))?)
    }
}

/// What configures a client.
#[derive(Debug, Default)]
struct Settings {
    base_url: String,
    main: Source,
    servers: Vec<Beside>,
}

/// What configures a server beside the main one.
#[derive(Debug)]
struct Beside {
    name: String,
    base_url: String,
    team: Option<Uuid>,
    source: Source,
}

/// Where a secret is: in one of these places.
#[derive(Debug, Default)]
struct Place {
    env: Option<String>,
    file: Option<PathBuf>,
    command: Option<Vec<String>>,
    keyring: Option<String>,
}

/// Which files hold secrets.
#[derive(Clone, Copy, Debug, Default)]
struct Files {
    links: bool,
    mounted: bool,
}

/// What a credential is made of.
#[derive(Debug, Default)]
struct Source {
    token: Place,
    issuer: Option<String>,
    client_id: Option<String>,
    secret: Place,
    refresh_folder: Option<PathBuf>,
    files: Files,
    scope: Option<String>,
    audience: Option<String>,
    token_endpoint: Option<String>,
}

type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

fn from_lookup(servers: &[&str], lookup: Lookup<'_>) -> Result<Settings, Error> {
    let text = |name: &str| match lookup(name).map(OsString::into_string) {
        Some(Ok(text)) if !text.is_empty() => Ok(Some(text)),
        Some(Err(_)) => Err(wrong(&format!("the environment variable `{name}` is not text"), "correct it")),
        _ => Ok(None),
    };
    let profile = text("PLATFORM_PROFILE")?;
    let base_url = text("PLATFORM_BASE_URL")?;
    #[cfg(feature = "profiles")]
    if profile.is_some() || base_url.is_none() {
        let file = profiles::place(lookup);
        if profile.is_some() || file.as_ref().is_some_and(|file| file.exists()) {
            let Some(file) = file else {
                return Err(wrong("there is no place for profiles", "set PLATFORM_PROFILES to their file"));
            };
            return profiles::read(&file, profile.as_deref());
        }
    }
    if profile.is_some() {
        return Err(wrong(
            "PLATFORM_PROFILE is set, and this program knows no profiles",
            "build it with the feature `profiles`, or set PLATFORM_BASE_URL instead",
        ));
    }
    let Some(base_url) = base_url else {
        return Err(wrong("PLATFORM_BASE_URL is not set", "set it to the address of the service"));
    };
    let source = |prefix: &str| -> Result<Source, Error> {
        let name = |end: &str| format!("{prefix}{end}");
        let get = |end: &str| text(&name(end));
        // Its name is kept, and not the value: the source reads it when a token is needed.
        let present = |end: &str| Ok::<_, Error>(get(end)?.map(|_| name(end)));
        let flag = |end: &str| match get(end)?.as_deref() {
            Some("1") => Ok(true),
            None | Some("0") => Ok(false),
            Some(_) => Err(wrong(&format!("`{}` is neither 0 nor 1", name(end)), "set it to 1, or not at all")),
        };
        let path = |end: &str| lookup(&name(end)).filter(|path| !path.is_empty()).map(PathBuf::from);
        Ok(Source {
            token: Place {
                env: present("TOKEN")?,
                file: path("TOKEN_FILE"),
                command: None,
                keyring: get("TOKEN_KEYRING")?,
            },
            issuer: get("ISSUER")?,
            client_id: get("CLIENT_ID")?,
            secret: Place {
                env: present("CLIENT_SECRET")?,
                file: path("SECRET_FILE"),
                command: None,
                keyring: get("SECRET_KEYRING")?,
            },
            refresh_folder: path("REFRESH_FOLDER"),
            files: Files { links: flag("FOLLOW_LINKS")?, mounted: flag("SECRET_FILE_MOUNTED")? },
            scope: get("SCOPE")?,
            audience: get("AUDIENCE")?,
            token_endpoint: get("TOKEN_ENDPOINT")?,
        })
    };
    let mut found = Vec::new();
    for name in servers {
        let prefix = format!("PLATFORM_{}_", name.to_uppercase());
        let Some(base_url) = text(&format!("{prefix}URL"))? else { continue };
        let team = match *name {
            "compliance" => text("PLATFORM_TEAM_ID")?.map(|text| team("PLATFORM_TEAM_ID", &text)).transpose()?,
            _ => None,
        };
        found.push(Beside { name: (*name).to_owned(), base_url, team, source: source(&prefix)? });
    }
    Ok(Settings { base_url, main: source("PLATFORM_")?, servers: found })
}

fn builder<P: GeneratedClient>(settings: Settings) -> Result<ClientBuilder<P>, Error> {
    let mut builder = ClientBuilder::new(settings.base_url);
    if let Some(credential) = settings.main.credential("the service")? {
        builder = builder.credential(credential);
    }
    for Beside { name, base_url, team, source } in settings.servers {
        let mut server = ServerSettings::new(base_url);
        if let Some(team) = team {
            server = server.team(team);
        }
        if let Some(credential) = source.credential(&format!("the server `{name}`"))? {
            server = server.credential(credential);
        }
        builder = builder.server(name, server);
    }
    Ok(builder)
}

impl Source {
    fn credential(self, of: &str) -> Result<Option<Box<dyn Credential>>, Error> {
        let token = self.token.source(&format!("the token of {of}"), self.files)?;
        let secret = self.secret.source(&format!("the secret of {of}"), self.files)?;
        if let Some(token) = token {
            if secret.is_some() || self.refresh_folder.is_some() {
                let what = format!("the credential of {of} is both a token and a client's");
                return Err(wrong(&what, "keep one of them"));
            }
            return Ok(Some(Box::new(StaticToken::from_source(token))));
        }
        let (issuer, client) = match (self.issuer, self.client_id) {
            (Some(issuer), Some(client)) => (issuer, client),
            (None, None) if secret.is_none() && self.refresh_folder.is_none() => return Ok(None),
            _ => {
                let what = format!("the credential of {of} lacks its issuer or its client");
                return Err(wrong(
                    &what,
                    "set both: PLATFORM_ISSUER and PLATFORM_CLIENT_ID, or `issuer` and `client_id`",
                ));
            }
        };
        let mut registration = Registration::new(issuer, client, secret.map(Arc::from));
        match self.scope {
            Some(scope) => registration.scope = scope,
            // The token keeps the scopes that it was granted with.
            None if self.refresh_folder.is_some() => registration.scope.clear(),
            None => {}
        }
        registration.audience = self.audience;
        registration.endpoints.token = self.token_endpoint;
        Ok(Some(match self.refresh_folder {
            Some(folder) => Box::new(RefreshToken::of(registration, RefreshFolder::new(folder))),
            None if registration.secret.is_none() => {
                let what = format!("the credential of {of} lacks the client's secret");
                return Err(wrong(
                    &what,
                    "set PLATFORM_SECRET_FILE to a protected file, or `secret_file` in the profile",
                ));
            }
            None => Box::new(ClientCredentials::of(registration)),
        }))
    }
}

impl Place {
    /// The source that is named, if any; `what` is what it holds.
    fn source(self, what: &str, files: Files) -> Result<Option<Box<dyn SecretSource>>, Error> {
        Ok(match (self.env, self.file, self.command, self.keyring) {
            (None, None, None, None) => None,
            (Some(name), None, None, None) => Some(Box::new(SecretEnv::new(name))),
            (None, Some(path), None, None) => {
                let file = SecretFile::new(path);
                let file = if files.links { file.follow_links() } else { file };
                Some(Box::new(if files.mounted { file.mounted() } else { file }))
            }
            (None, None, Some(words), None) => {
                let Some((program, arguments)) = words.split_first() else {
                    return Err(wrong(&format!("the command for {what} is empty"), "name a program"));
                };
                Some(Box::new(arguments.iter().fold(SecretCommand::new(program), |command, word| command.arg(word))))
            }
            (None, None, None, Some(entry)) => Some(keyring(what, &entry)?),
            _ => return Err(wrong(&format!("{what} has several sources"), "keep one of them")),
        })
    }
}

#[cfg(feature = "keyring")]
fn keyring(what: &str, entry: &str) -> Result<Box<dyn SecretSource>, Error> {
    match entry.split_once('/') {
        Some((service, user)) if !service.is_empty() && !user.is_empty() => {
            Ok(Box::new(crate::auth::SecretKeyring::new(service, user)))
        }
        _ => Err(wrong(&format!("the keyring's entry for {what} is none"), "write it as SERVICE/USER")),
    }
}

#[cfg(not(feature = "keyring"))]
fn keyring(what: &str, _entry: &str) -> Result<Box<dyn SecretSource>, Error> {
    Err(wrong(
        &format!("{what} is in the keyring, and this program knows none"),
        "build it with the feature `keyring`, or use another source",
    ))
}

fn team(place: &str, text: &str) -> Result<Uuid, Error> {
    text.parse().map_err(|_| wrong(&format!("`{place}` is not a GUID"), "write it as 8-4-4-4-12 hexadecimal digits"))
}

fn wrong(what: &str, hint: &str) -> Error {
    Error::new(Kind::Configuration, what).hint(hint)
}
