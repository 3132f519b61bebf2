//! `login`: gets a credential, tries it, and writes a profile that uses it.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::ArgMatches;
use driftless_runtime::{
    Client, ClientBuilder, Error,
    auth::{
        ExposeSecret as _, RefreshFolder, RefreshKey, RefreshLock, RefreshStore, RefreshToken, SecretString,
        StaticToken,
    },
    codegen::GeneratedClient,
    program::{self, ClientSource},
};

use super::{
    access::TOKEN_TIME,
    document::ProfileDocument,
    grants::{Grant, Registered},
    place::{Place, path_text},
    storage::{self, ProfileFile, TokenFolders},
};
use crate::{Exit, Failure, failure::failure};

/// The longest name of a profile, in bytes.
const LONGEST_NAME: usize = 64;

/// The time that a user has for a sign-in.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// The source of a profile's tokens.
enum Way {
    /// A user signs in with a browser, or on another device.
    User,
    /// The client-credentials grant, with a secret in this file.
    Secret(PathBuf),
    /// A token in this file of the user.
    TokenFile(PathBuf),
    /// A token from standard input.
    Token(SecretString),
}

/// The profile that is written when the credential works.
struct Plan {
    name: String,
    base_url: String,
    way: Way,
    issuer: Option<String>,
    client_id: Option<String>,
    scope: Option<String>,
    /// Settings of token requests that the profile has already.
    kept: Vec<(&'static str, String)>,
    /// The service of the keyring that has the tokens, if no file has them.
    service: Option<String>,
}

/// The tokens to store.
enum Tokens {
    /// None: the credential is in a file of the user.
    Elsewhere,
    /// A refresh token.
    Refresh(SecretString),
    /// A token that is used until it expires.
    Access(SecretString),
}

/// Runs the command.
pub(super) async fn run<P>(place: &mut Place<'_>, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let path = place.profiles()?;
    let document = storage::read(&path)?;
    let mut plan = plan(place, matches, &document)?;
    let folders = TokenFolders::new(place.state()?);
    let folder = folders.next(&plan.name);
    if cfg!(feature = "keyring") && matches.get_flag("keyring") {
        // Of each sign-in its own, as the folder is: an interrupted one changes nothing.
        let number = folder.file_name().unwrap_or_default().display();
        plan.service = Some(format!("{}.{}.{number}", place.program.name, plan.name));
    }
    let folder_text = path_text(&folder)?;
    // The settings are checked as those of the profile before anything is sent.
    let entries = plan.entries(&folder_text, matches!(plan.way, Way::Token(_)));
    let builder = candidate::<P>(&path, &document, &plan, &entries)?;
    let (subject, tokens) = match &plan.way {
        Way::User => user(place, matches, &document, &plan, builder).await?,
        Way::Secret(_) | Way::TokenFile(_) => (authenticate(builder).await?, Tokens::Elsewhere),
        Way::Token(token) => {
            let subject = authenticate(builder.credential(StaticToken::new(token.clone()))).await?;
            (subject, Tokens::Access(token.clone()))
        }
    };
    let entries = plan.entries(&folder_text, matches!(tokens, Tokens::Access(_)));
    let file = ProfileFile::lock(&path).await?;
    let default = file.change(|document| {
        // Another program may have changed the file during the sign-in.
        candidate::<P>(&path, document, &plan, &entries).map(drop)?;
        store(&folders, &folder, &plan, &tokens)?;
        document.sign_in(&plan.name, &plan.base_url, &entries);
        Ok(document.default().map(str::to_owned))
    });
    let except = match (&default, &tokens) {
        (Ok(_), Tokens::Elsewhere) => None,
        (Ok(_), _) => Some(folder.as_path()),
        (Err(_), _) => {
            // The tokens of a sign-in that failed are of no use. The failure itself is what the user has to see.
            let _ = storage::discard(&folder);
            let _ = std::fs::remove_dir_all(&folder);
            return default.map(drop);
        }
    };
    folders.remove(&plan.name, except).await?;
    drop(file);
    report(place, &path, &plan, subject.as_deref(), default?.as_deref());
    Ok(())
}

fn report(place: &Place<'_>, path: &Path, plan: &Plan, subject: Option<&str>, default: Option<&str>) {
    let subject = subject.map(|subject| format!(" as {subject}")).unwrap_or_default();
    let name = &plan.name;
    place.tell(&format!("signed in{subject}: profile `{name}` of `{}`", path.display()));
    let is_chosen = match place.source() {
        Ok(ClientSource::Profile { name: Some(chosen), .. }) => chosen == *name,
        Ok(ClientSource::Profile { name: None, .. }) => default == Some(name),
        Ok(ClientSource::Variables { .. }) => {
            let prefix = place.prefix;
            place.tell(&format!(
                "note: {prefix}BASE_URL is set, so commands use the variables: unset it, or pass --profile {name}"
            ));
            true
        }
        Ok(ClientSource::Nothing) | Err(_) => true,
    };
    if !is_chosen {
        let command = place.command(&format!("profiles use {name}"));
        place.tell(&format!(
            "note: another profile is used by default: pass --profile {name}, or choose it with {command}"
        ));
    }
}

fn plan(place: &mut Place<'_>, matches: &ArgMatches, document: &ProfileDocument) -> Result<Plan, Failure> {
    let given = |name: &str| matches.get_one::<String>(name).cloned();
    let absolute = |name: &str| {
        let Some(path) = matches.get_one::<PathBuf>(name) else { return Ok(None) };
        std::path::absolute(path)
            .map(Some)
            .map_err(|cause| Failure::usage(format!("the path `{}` is not valid: {cause}", path.display()), ""))
    };
    let name = given("profile").or_else(|| place.text("PROFILE"));
    let name = name.or_else(|| document.default().map(str::to_owned)).unwrap_or_else(|| "default".to_owned());
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) || name.starts_with(['-', '.']) {
        let message = format!("`{name}` is not a name for a profile");
        return Err(Failure::usage(message, "choose up to 64 letters, digits, `-`, `_` and `.`"));
    }
    // The command line, else the profile, else the variables.
    let setting = |option: &str, key: &str, variable: &str| {
        given(option).or_else(|| document.value(&name, key).map(str::to_owned)).or_else(|| place.text(variable))
    };
    let Some(base_url) = setting("base-url", "base_url", "BASE_URL") else {
        let hint = format!("pass --base-url, or set {}BASE_URL", place.prefix);
        return Err(Failure::usage("the address of the service is not known", hint));
    };
    let (issuer, client_id) = (setting("issuer", "issuer", "ISSUER"), setting("client-id", "client_id", "CLIENT_ID"));
    let is_same_issuer = issuer.is_some() && issuer.as_deref() == document.value(&name, "issuer");
    let scope = given("scope")
        .or_else(|| document.value(&name, "scope").filter(|_| is_same_issuer).map(str::to_owned))
        .or_else(|| place.text("SCOPE"));
    let way = match (absolute("secret-file")?, absolute("token-file")?, matches.get_flag("with-token")) {
        (Some(path), ..) => Way::Secret(path),
        (_, Some(path), _) => Way::TokenFile(path),
        (_, _, true) => Way::Token(place.read_token()?),
        (None, None, false) => Way::User,
    };
    if matches!(way, Way::User | Way::Secret(_)) && (issuer.is_none() || client_id.is_none()) {
        let what =
            if issuer.is_none() { ("issuer", "--issuer", "ISSUER") } else { ("client", "--client-id", "CLIENT_ID") };
        let hint = format!("pass {}, or set {}{}; for an API token, pass --with-token", what.1, place.prefix, what.2);
        return Err(Failure::usage(format!("the {} is not known", what.0), hint));
    }
    let mut kept = Vec::new();
    if is_same_issuer {
        for key in ["audience", "token_endpoint", "client_authentication"] {
            let is_used = key != "client_authentication" || matches!(way, Way::Secret(_));
            kept.extend(document.value(&name, key).filter(|_| is_used).map(|value| (key, value.to_owned())));
        }
    }
    Ok(Plan { name, base_url, way, issuer, client_id, scope, kept, service: None })
}

impl Plan {
    /// The keys of the profile. `is_token`: the tokens are one that is used until it expires.
    fn entries(&self, folder: &str, is_token: bool) -> Vec<(&'static str, String)> {
        let file = |path: &Path| path.display().to_string();
        let source = match &self.way {
            _ if is_token => {
                return vec![match &self.service {
                    Some(service) => ("token_keyring", format!("{service}/{}", storage::TOKEN)),
                    None => ("token_file", file(&Path::new(folder).join(storage::TOKEN))),
                }];
            }
            Way::TokenFile(path) => return vec![("token_file", file(path))],
            Way::Secret(path) => ("secret_file", file(path)),
            Way::User | Way::Token(_) => ("refresh_folder", folder.to_owned()),
        };
        let mut entries = Vec::new();
        for (key, value) in [("issuer", &self.issuer), ("client_id", &self.client_id), ("scope", &self.scope)] {
            entries.extend(value.clone().map(|value| (key, value)));
        }
        entries.push(source);
        entries.extend(self.kept.iter().cloned());
        entries
    }

    fn kept(&self, key: &str) -> Option<&str> {
        self.kept.iter().find(|(kept, _)| *kept == key).map(|(_, value)| value.as_str())
    }
}

/// The configuration of the profile as it will be.
fn candidate<P: GeneratedClient>(
    path: &Path,
    document: &ProfileDocument,
    plan: &Plan,
    entries: &[(&'static str, String)],
) -> Result<ClientBuilder<P>, Failure> {
    let mut document = document.clone();
    document.sign_in(&plan.name, &plan.base_url, entries);
    program::builder_from_text(path, &document.text(), Some(&plan.name)).map_err(|error| failure(&error))
}

/// Tries a credential. Returns the subject of its token.
async fn authenticate<P>(builder: ClientBuilder<P>) -> Result<Option<String>, Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let client = builder.build().map_err(|error| failure(&error))?;
    let claims = client.authenticate(TOKEN_TIME).await.map_err(|error| failure(&error))?;
    Ok(claims.and_then(|claims| claims.subject))
}

/// Lets the user sign in. Returns the subject, and the tokens.
async fn user<P>(
    place: &Place<'_>,
    matches: &ArgMatches,
    document: &ProfileDocument,
    plan: &Plan,
    builder: ClientBuilder<P>,
) -> Result<(Option<String>, Tokens), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let limit = matches.get_one::<u64>("time-limit").map_or(PATIENCE, |seconds| Duration::from_secs(*seconds));
    let (received, presented) = (Received::default(), Arc::new(AtomicBool::new(false)));
    let registered = Registered {
        issuer: plan.issuer.clone().unwrap_or_default(),
        client_id: plan.client_id.clone().unwrap_or_default(),
        scope: plan.scope.clone(),
        audience: plan.kept("audience").map(str::to_owned),
        token_endpoint: plan.kept("token_endpoint").map(str::to_owned),
        plain: document.list(&plan.name, "danger_allow_http_to"),
        limit,
    };
    let grant = Grant::new(place, matches, &registered, &received, &presented);
    let client = builder.credential(grant).build().map_err(|error| failure(&error))?;
    let token = program::access_token(&client, limit.saturating_add(TOKEN_TIME)).await.map_err(|error| {
        if error.is_timeout() && presented.load(Ordering::SeqCst) {
            let message = format!("the sign-in was not finished within {} s", limit.as_secs());
            return Failure::new(Exit::Authentication, message, format!("run {} again", place.command("login")));
        }
        let mut failure = failure(&error);
        failure.hint =
            failure.hint.replace("choose another port with `redirect`", "choose another one with --redirect-port");
        failure
    })?;
    let subject = program::claims(&token).and_then(|claims| Some(claims.get("sub")?.as_str()?.to_owned()));
    if let Some(refresh) = received.take() {
        return Ok((subject, Tokens::Refresh(refresh)));
    }
    place.tell(
        "note: the issuer gave no refresh token, so this sign-in ends when its token expires: pass the scope for one with --scope",
    );
    Ok((subject, Tokens::Access(token)))
}

/// Stores the tokens of the sign-in where the profile names them.
fn store(folders: &TokenFolders, folder: &Path, plan: &Plan, tokens: &Tokens) -> Result<(), Failure> {
    match (tokens, &plan.service) {
        (Tokens::Elsewhere, _) => Ok(()),
        #[cfg(feature = "keyring")]
        (Tokens::Access(token), Some(service)) => folders.write_to_keyring(folder, service, token),
        (Tokens::Access(token), _) => folders.write(folder, token.expose_secret()),
        (Tokens::Refresh(token), _) => {
            folders.create(folder)?;
            let store = RefreshFolder::new(folder);
            #[cfg(feature = "keyring")]
            let store = match &plan.service {
                Some(service) => store.in_keyring(service),
                None => store,
            };
            let (issuer, client) =
                (plan.issuer.clone().unwrap_or_default(), plan.client_id.clone().unwrap_or_default());
            let mut credential = RefreshToken::new(issuer, client, store.clone());
            if let Some(scope) = &plan.scope {
                credential = credential.scope(scope);
            }
            if let Some(audience) = plan.kept("audience") {
                credential = credential.audience(audience);
            }
            store.save(&credential.key(), token).map_err(|error| failure(&error))
        }
    }
}

/// Keeps the refresh token of a sign-in until the profile is written. It starts empty, so that the user is asked.
#[derive(Clone, Default)]
pub(super) struct Received(Arc<Mutex<Option<SecretString>>>);

impl Received {
    fn take(&self) -> Option<SecretString> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl RefreshStore for Received {
    fn lock(&self, _: &RefreshKey) -> Result<Option<RefreshLock>, Error> {
        Ok(Some(Box::new(())))
    }

    fn load(&self, _: &RefreshKey) -> Result<Option<SecretString>, Error> {
        Ok(None)
    }

    fn save(&self, _: &RefreshKey, token: &SecretString) -> Result<(), Error> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Ok(())
    }
}
