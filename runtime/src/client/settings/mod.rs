//! Clients that are configured outside the program: by environment variables, or by a profile.

mod connections;
mod credential;
mod declared;
mod given;
mod parts;
#[cfg(feature = "profiles")]
mod profiles;
mod read;
mod table;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use std::ffi::OsString;

#[cfg(feature = "profiles")]
pub use self::profiles::path as profiles_path;
#[cfg(feature = "profiles")]
use self::table::{KEY_SETTINGS, SETTINGS};
pub use self::{
    connections::{ConnectionSettings, NamedFile},
    declared::{DeclaredServer, RequiredClaim},
    given::Credentials,
    read::{Table, table},
    table::{CredentialSettings, SecretFiles, SecretPlace, SettingSlot, key_variable, secret_variables},
};
use self::{credential::Variables, parts::unused, table::SettingPart};
use super::{Client, ClientBuilder, GeneratedClient, ServerSettings};
use crate::{
    error::{Error, Kind},
    protocol::Scheme,
};

impl Client {
    /// Creates a client that environment variables configure.
    ///
    /// | variable | value |
    /// |---|---|
    /// | `SERVICE_BASE_URL` | the address of the service; required, unless a profile is chosen |
    /// | `SERVICE_TOKEN` | a token, such as an API token of the dashboard |
    /// | `SERVICE_TOKEN_FILE` | the protected file that contains one |
    /// | `SERVICE_TOKEN_KEYRING` | with the feature `keyring`: `SERVICE/USER`, the entry that contains one |
    /// | `SERVICE_ISSUER`, `SERVICE_CLIENT_ID` | the issuer, and the client that is registered with it |
    /// | `SERVICE_SECRET_FILE` | the protected file with the client's secret: the client-credentials grant |
    /// | `SERVICE_CLIENT_SECRET` | the secret itself |
    /// | `SERVICE_SECRET_KEYRING` | with the feature `keyring`: `SERVICE/USER`, its entry in the keyring of the system |
    /// | `SERVICE_REFRESH_FOLDER` | the folder with a refresh token of the client: the refresh-token grant |
    /// | `SERVICE_SECRET_FILE_MOUNTED` | `1`: a container mounts the protected files, see [`SecretFile::mounted`](crate::auth::SecretFile::mounted) |
    /// | `SERVICE_FOLLOW_LINKS` | `1`: protected files may be links |
    /// | `SERVICE_SCOPE` | the scopes to ask for; `api` unless set |
    /// | `SERVICE_AUDIENCE` | the audience to ask for |
    /// | `SERVICE_TOKEN_ENDPOINT` | the token endpoint, if discovery does not name it |
    /// | `SERVICE_CLIENT_AUTHENTICATION` | `form` or `basic`: the place of the client's secret in a token request, see [`ClientAuthentication`](crate::auth::ClientAuthentication) |
    /// | `SERVICE_API_KEY` | the API key of the contract; of several, the one that `SERVICE_API_KEY_HEADER` or `…_QUERY` names |
    /// | `SERVICE_API_KEY_FILE` | the protected file that contains it |
    /// | `SERVICE_API_KEY_KEYRING` | with the feature `keyring`: `SERVICE/USER`, its entry |
    /// | `SERVICE_API_KEY_HEADER`, `SERVICE_API_KEY_QUERY` | the header, or the query parameter, that carries it; required if the contract declares no security scheme |
    /// | `SERVICE_KEY_…` | the key of one of several security schemes, by its name in upper case, with `_` for characters other than letters and digits: `SERVICE_KEY_APP_ID` is that of `app-id`; likewise with the suffixes `_FILE` and `_KEYRING` |
    /// | `SERVICE_BASIC_USER` | the user of HTTP Basic |
    /// | `SERVICE_BASIC_PASSWORD` | the password |
    /// | `SERVICE_BASIC_PASSWORD_FILE` | the protected file that contains it |
    /// | `SERVICE_BASIC_PASSWORD_KEYRING` | with the feature `keyring`: `SERVICE/USER`, its entry |
    /// | `SERVICE_CA_FILE` | additional root certificates in PEM |
    /// | `SERVICE_CLIENT_CERTIFICATE_FILE`, `SERVICE_CLIENT_KEY_FILE` | a client certificate in PEM, and the protected file with its key |
    /// | `SERVICE_DANGER_ALLOW_HTTP_TO` | hosts, separated by commas, that may be `http`: tokens go to them in clear text |
    /// | `SERVICE_ARCHIVE_URL` | the address of the additional server `archive`; likewise of others, by their names |
    /// | `SERVICE_ARCHIVE_…` | its credentials: `TOKEN` to `BASIC_PASSWORD_KEYRING`, as above |
    /// | `SERVICE_TENANT_ID` | the value of the claim that tokens for the server must have, if the client declares one; it also declares the variable's name |
    /// | `SERVICE_PROFILE` | with the feature `profiles`: a profile of `SERVICE_PROFILES`, instead of all other variables |
    /// | `SERVICE_PROFILES` | the file of profiles; `~/.config/service/profiles.toml` unless set |
    ///
    /// A token, API keys and HTTP Basic can be set together: an operation sends those of the first alternative in the
    /// contract for which all are configured. An empty variable counts as not set. Without any credential, requests are
    /// sent without a token. A variable without an effect is an error, such as `SERVICE_SCOPE` together with
    /// `SERVICE_TOKEN`, or one of a server without its address. If a profile is chosen, a warning names the variables
    /// that it overrides.
    ///
    /// ```no_run
    /// # fn run() -> Result<(), driftless_runtime::Error> {
    /// let client = driftless_runtime::Client::from_env()?;
    /// # let _ = client;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// A variable is missing, contradicts another, or has an invalid value.
    pub fn from_env() -> Result<Self, Error> {
        ClientBuilder::<Self>::from_env()?.build()
    }

    /// Creates a client that a profile configures. The file is TOML, and names the sources of secrets, never the
    /// secrets themselves:
    ///
    /// ```toml
    /// default = "staging"               # for `Client::from_env` without SERVICE_BASE_URL and SERVICE_PROFILE
    ///
    /// [profile.staging]
    /// base_url = "https://service.example"
    /// issuer = "https://issuer.example"
    /// client_id = "my-service"
    /// secret_command = ["pass", "show", "service/my-service"]   # or secret_file, secret_env, refresh_folder,
    ///                                                            # secret_keyring = "SERVICE/USER"
    /// # api_key_env = "…"                                        # or api_key_file, api_key_command, api_key_keyring
    /// # basic_user = "…"                                         # with basic_password_env, …_file, …_command, …_keyring
    /// # key.app-id = { file = "…" }                              # one of several API keys, by the name of its scheme
    /// # secret_file_mounted = true                               # a container mounts the protected files
    /// # token_file = "…"                                         # or token_env, token_command, token_keyring: a token
    /// # ca_file = "…"                                            # root certificates beside those of the system
    /// # client_certificate_file = "…"                            # with client_key_file, a protected file
    /// # danger_allow_http_to = ["service.svc"]                  # tokens go there in clear text
    ///
    /// [profile.staging.server.archive]
    /// base_url = "https://archive.example"
    /// required_claim = "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b"   # if the client declares a claim for the server
    /// issuer = "https://issuer.example"
    /// client_id = "my-archivist"
    /// secret_file = "/run/secrets/archivist"
    /// ```
    ///
    /// # Errors
    ///
    /// The file cannot be read, has no such profile, or has an invalid one.
    #[cfg(feature = "profiles")]
    pub fn from_profile(file: impl AsRef<std::path::Path>, name: &str) -> Result<Self, Error> {
        ClientBuilder::<Self>::from_profile(file, name)?.build()
    }
}

impl<P: GeneratedClient> ClientBuilder<P> {
    /// Returns the configuration of [`Client::from_env`], for further changes.
    ///
    /// # Errors
    ///
    /// As for [`Client::from_env`].
    pub fn from_env() -> Result<Self, Error> {
        builder_from_lookup(&|name| std::env::var_os(name))
    }

    /// Returns the configuration of [`Client::from_profile`], for further changes.
    ///
    /// # Errors
    ///
    /// As for [`Client::from_profile`].
    #[cfg(feature = "profiles")]
    pub fn from_profile(file: impl AsRef<std::path::Path>, name: &str) -> Result<Self, Error> {
        builder(profiles::read(P::VARIABLES, P::SERVERS, file.as_ref(), Some(name))?)
    }
}

/// The settings of a client.
#[derive(Debug, Default)]
struct Settings {
    base_url: String,
    connections: ConnectionSettings,
    main: CredentialSettings,
    servers: Vec<Beside>,
    /// Variables that are set, but overridden by a profile or an address.
    unread: Vec<String>,
}

/// The settings of an additional server.
#[derive(Debug)]
struct Beside {
    name: String,
    base_url: String,
    claim: Option<(RequiredClaim, String)>,
    credential: CredentialSettings,
}

/// Reads environment variables.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The names of the API keys among these schemes.
fn key_names<'s>(schemes: &'s [Scheme]) -> impl Iterator<Item = &'static str> + use<'s> {
    let keys = schemes.iter().filter(|scheme| !matches!(scheme, Scheme::Basic { .. }));
    keys.filter_map(|scheme| scheme.scheme())
}

fn from_lookup(
    variables: &str,
    servers: &[DeclaredServer],
    schemes: &[Scheme],
    lookup: Lookup<'_>,
) -> Result<Settings, Error> {
    let main = Variables { lookup, prefix: variables };
    let base_url = match source(variables, lookup)? {
        #[cfg(feature = "profiles")]
        ClientSource::Profile { file, name } => {
            let mut settings = profiles::read(variables, servers, &file, name.as_deref())?;
            settings.unread = beside_profile(variables, servers, schemes, lookup, &settings);
            return Ok(settings);
        }
        ClientSource::Variables { base_url } => Some(base_url),
        ClientSource::Nothing => None,
    };
    let Some(base_url) = base_url else {
        return Err(wrong(&format!("{variables}BASE_URL is not set"), "set it to the address of the service"));
    };
    let mut additional = Vec::new();
    for DeclaredServer { name, claim } in servers {
        let prefix = prefix(variables, name);
        let own = Variables { lookup, prefix: &prefix };
        let (base_url, credential) = (own.text("URL")?, own.credential(key_names(schemes))?);
        let value = claim.map(|claim| main.text(claim.variable)).transpose()?.flatten();
        let claim = claim.zip(value);
        let Some(base_url) = base_url else {
            let mut names = credential.names(&SettingPart::ALL, Some(&prefix));
            names.extend(claim.map(|(claim, _)| format!("`{variables}{}`", claim.variable)));
            if names.is_empty() {
                continue;
            }
            let hint = format!("set {prefix}URL to its address, or unset {}", names.join(", "));
            return Err(unused(&names, &format!("for the server `{name}`, whose address is not set"), &hint));
        };
        claim.iter().try_for_each(|(claim, value)| claim.check(&format!("{variables}{}", claim.variable), value))?;
        additional.push(Beside { name: (*name).to_owned(), base_url, claim, credential });
    }
    let unread = set([format!("{variables}PROFILES")], lookup);
    Ok(Settings {
        base_url,
        connections: main.connections()?,
        main: main.credential(key_names(schemes))?,
        servers: additional,
        unread,
    })
}

/// The configuration that [`Client::from_env`] takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientSource {
    /// A profile of this file: the one of this name, else its default.
    #[cfg(feature = "profiles")]
    Profile {
        /// The path of the file. It exists, or the name is set.
        file: std::path::PathBuf,
        /// The profile that a variable names.
        name: Option<String>,
    },
    /// Environment variables.
    Variables {
        /// The address of the service.
        base_url: String,
    },
    /// Neither an address nor a file of profiles.
    Nothing,
}

/// Returns the configuration that these variables choose.
///
/// # Errors
///
/// A variable is not text, or names a profile that cannot be read.
pub fn source(variables: &str, lookup: Lookup<'_>) -> Result<ClientSource, Error> {
    let main = Variables { lookup, prefix: variables };
    let (name, base_url) = (main.text("PROFILE")?, main.text("BASE_URL")?);
    #[cfg(feature = "profiles")]
    if name.is_some() || base_url.is_none() {
        let file = profiles::path(variables, lookup);
        if name.is_some() || file.as_ref().is_some_and(|file| file.exists()) {
            let Some(file) = file else {
                return Err(wrong(
                    "no place is known for the file of profiles",
                    &format!("set {variables}PROFILES to its path"),
                ));
            };
            return Ok(ClientSource::Profile { file, name });
        }
    }
    if name.is_some() {
        return Err(wrong(
            &format!("{variables}PROFILE is set, but this program cannot read profiles"),
            &format!("build it with the feature `profiles`, or set {variables}BASE_URL instead"),
        ));
    }
    Ok(base_url.map_or(ClientSource::Nothing, |base_url| ClientSource::Variables { base_url }))
}

/// Returns the configuration that these variables, or the profile that they choose, contain.
///
/// # Errors
///
/// As for [`Client::from_env`].
pub fn builder_from_lookup<P: GeneratedClient>(lookup: Lookup<'_>) -> Result<ClientBuilder<P>, Error> {
    builder(from_lookup(P::VARIABLES, P::SERVERS, P::SCHEMES, lookup)?)
}

/// Returns the configuration of a profile in a text, which `file` has or will have.
///
/// # Errors
///
/// As for [`Client::from_profile`].
#[cfg(feature = "profiles")]
pub fn builder_from_text<P: GeneratedClient>(
    file: &std::path::Path,
    text: &str,
    name: Option<&str>,
) -> Result<ClientBuilder<P>, Error> {
    builder(profiles::parse(P::VARIABLES, P::SERVERS, file, text, name)?)
}

/// Returns the prefix of an additional server's variables.
fn prefix(variables: &str, server: &str) -> String {
    format!("{variables}{}_", server.to_uppercase())
}

/// Returns those of these variables that are set.
fn set(names: impl IntoIterator<Item = String>, lookup: Lookup<'_>) -> Vec<String> {
    names.into_iter().filter(|name| lookup(name).is_some_and(|value| !value.is_empty())).collect()
}

/// Returns the variables that are set, but overridden by a profile. Those that the profile itself names are read.
#[cfg(feature = "profiles")]
fn beside_profile(
    variables: &str,
    servers: &[DeclaredServer],
    schemes: &[Scheme],
    lookup: Lookup<'_>,
    settings: &Settings,
) -> Vec<String> {
    let named = key_names(schemes).flat_map(|name| {
        let ends = KEY_SETTINGS.iter().filter_map(|setting| setting.variable);
        ends.map(move |end| format!("{}{end}", key_variable(name)))
    });
    let credential: Vec<String> =
        SETTINGS.iter().filter_map(|setting| setting.variable).map(str::to_owned).chain(named).collect();
    let claims = servers.iter().filter_map(|server| Some(server.claim?.variable));
    let others =
        connections::VARIABLES.iter().copied().chain(["BASE_URL"]).chain(claims).map(|end| format!("{variables}{end}"));
    let own = credential.iter().map(|end| format!("{variables}{end}")).chain(others);
    let beside = servers.iter().flat_map(|server| {
        let prefix = prefix(variables, server.name);
        let url = format!("{prefix}URL");
        credential.iter().map(move |end| format!("{prefix}{end}")).chain([url])
    });
    let credentials: Vec<_> =
        settings.servers.iter().map(|server| &server.credential).chain([&settings.main]).collect();
    let is_read = |name: &String| {
        let places = |credential: &&CredentialSettings| -> Vec<Option<String>> {
            let own = [&credential.token, &credential.secret, &credential.key.secret, &credential.password].into_iter();
            own.chain(credential.keys.values().map(|key| &key.secret)).map(|source| source.env.clone()).collect()
        };
        credentials.iter().flat_map(places).any(|env| env.as_ref() == Some(name))
    };
    set(own.chain(beside).filter(|name| !is_read(name)), lookup)
}

fn builder<P: GeneratedClient>(settings: Settings) -> Result<ClientBuilder<P>, Error> {
    if !settings.unread.is_empty() {
        let variables = settings.unread.join(", ");
        let (profile, base_url) = (format!("{}PROFILE", P::VARIABLES), format!("{}BASE_URL", P::VARIABLES));
        tracing::warn!(variables, "these variables are set, and not read: {profile} and {base_url} choose");
    }
    let plain = settings.connections.plain.clone();
    settings.main.check_whole(settings.connections.key.is_some())?;
    let mut builder = settings.connections.apply(ClientBuilder::new(settings.base_url), settings.main.files)?;
    builder = settings.main.credentials("the service", &plain)?.apply(builder)?;
    for Beside { name, base_url, claim, credential } in settings.servers {
        credential.check_whole(false)?;
        let is_variable = !credential.variables.is_empty();
        let credentials = credential.credentials(&format!("the server `{name}`"), &plain)?;
        let mut server = ServerSettings::new(base_url);
        if let Some((claim, value)) = claim {
            if !credentials.has_token() {
                let variable = is_variable.then(|| format!("`{}{}`", P::VARIABLES, claim.variable));
                let names = [variable.unwrap_or_else(|| "`required_claim`".to_owned())];
                let why = format!("for the token of the server `{name}`, and none is configured");
                return Err(unused(&names, &why, "configure the credential of the server, or unset the claim"));
            }
            server = server.required_claim(claim.names.iter().copied(), value);
        }
        builder = builder.server(name, credentials.apply_to(server, P::SCHEMES)?);
    }
    Ok(builder)
}

fn wrong(message: &str, hint: &str) -> Error {
    Error::with(Kind::Configuration, message).hint(hint)
}
