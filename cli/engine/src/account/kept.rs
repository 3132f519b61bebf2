//! Access tokens that are kept between commands, so that each of them does not ask the issuer for one.

use std::{
    fs::{self, File},
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use driftless_runtime::{
    Error,
    auth::{
        Credential, ExposeSecret as _, SecretFile, SecretSource as _, SecretString, Token, TokenFuture, TokenRequest,
    },
    download::summary,
    program,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    place::{Place, Tell},
    storage::{self, TokenFolders},
};
use crate::{Exit, Failure};

/// The version of the file's format.
const VERSION: u32 = 1;

/// The longest text of the file, in bytes: that of a protected file.
const LONGEST: usize = 64 * 1024;

/// The longest last part of its lifetime in which a token is not used any more; at most a fifth of it. In this part, the
/// session of the runtime would ask for another one.
const LAST: u64 = 5 * 60;

/// A credential of a profile whose access token is kept in a file of its owner.
///
/// The file belongs to the settings of the profile: after any change of them, another token is asked for. A file that
/// cannot be used costs a token request, never the command.
pub(super) struct KeptToken {
    credential: Box<dyn Credential>,
    profile: KeptProfile,
    path: PathBuf,
    /// The token that was given last.
    given: Mutex<Option<SecretString>>,
}

/// A profile, and the folder for its tokens.
#[derive(Clone)]
pub(super) struct KeptProfile {
    file: PathBuf,
    name: String,
    settings: Value,
    folders: TokenFolders,
    tell: Tell,
}

/// The contents of the file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct KeptFile {
    version: u32,
    /// The settings that the token was asked for with.
    profile: Value,
    token: String,
    /// Seconds since 1970.
    received: u64,
    /// Seconds.
    lifetime: u64,
}

impl KeptProfile {
    /// Returns `None` if this machine has no place for tokens.
    pub(super) fn new(place: &Place<'_>, file: PathBuf, name: &str, settings: Value) -> Option<Self> {
        let folders = TokenFolders::new(place.state().ok()?);
        Some(Self { file, name: name.to_owned(), settings, folders, tell: place.teller() })
    }

    /// Returns the credential of the profile, or of one of its servers, with a token that is kept. A credential without
    /// an issuer stays as it is: its token is already where its owner has put it.
    pub(super) fn keep(&self, server: Option<&str>, credential: Box<dyn Credential>) -> Box<dyn Credential> {
        let settings = server.map_or(Some(&self.settings), |server| self.settings.get("server")?.get(server));
        if settings.is_none_or(|settings| settings.get("issuer").is_none()) {
            return credential;
        }
        let path = self.folders.kept(&self.name, server);
        Box::new(KeptToken { credential, profile: self.clone(), path, given: Mutex::default() })
    }
}

impl KeptToken {
    async fn get(&self, request: TokenRequest<'_>) -> Result<Token, Error> {
        let refused = request.replaces().and_then(|_| self.given().clone());
        let token = match self.read(refused.as_ref()).ok().flatten() {
            Some(token) => token,
            None => self.renew(request, refused.as_ref()).await?,
        };
        *self.given() = Some(program::token_parts(&token).0.clone());
        Ok(token)
    }

    /// Returns the token that another program has just kept, else a new one.
    async fn renew(&self, request: TokenRequest<'_>, refused: Option<&SecretString>) -> Result<Token, Error> {
        let lock = self.profile.folders.lock(&self.path).await;
        match self.read(refused) {
            Ok(Some(token)) => return Ok(token),
            Ok(None) => {}
            Err(error) => (self.profile.tell)(&format!("note: {}; it is not used, and replaced", summary(&error).what)),
        }
        // A token that was refused, that is nearly over, or that belongs to other settings.
        let _ = fs::remove_file(&self.path);
        let token = self.credential.token(request).await?;
        if let Err(failure) = lock.and_then(|lock| self.write(&token, &lock)) {
            (self.profile.tell)(&format!("note: the access token is not kept for the next command: {failure}"));
        }
        Ok(token)
    }

    fn given(&self) -> std::sync::MutexGuard<'_, Option<SecretString>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the file. Its token is not used if it is nearly over, the `refused` one, or one for other settings.
    ///
    /// # Errors
    ///
    /// The file is not one that only its owner can read.
    fn read(&self, refused: Option<&SecretString>) -> Result<Option<Token>, Error> {
        let text = match SecretFile::new(&self.path).read() {
            Ok(text) => text,
            Err(error) if summary(&error).code == "secret/missing" => return Ok(None),
            Err(error) => return Err(error),
        };
        let Ok(kept) = serde_json::from_str::<KeptFile>(text.expose_secret()) else { return Ok(None) };
        let is_text = !kept.token.is_empty() && kept.token.bytes().all(|byte| byte.is_ascii_graphic());
        let is_refused = refused.is_some_and(|refused| refused.expose_secret() == kept.token);
        if kept.version != VERSION || kept.profile != self.profile.settings || !is_text || is_refused {
            return Ok(None);
        }
        let left = left(kept.received, kept.lifetime, seconds(SystemTime::now()));
        Ok(left.map(|left| Token::new(kept.token).expires_in(left)))
    }

    /// Writes the file, unless the profile has changed meanwhile: the user may have signed out. `_lock`: of the file.
    fn write(&self, token: &Token, _lock: &File) -> Result<(), Failure> {
        let (secret, Some(lifetime)) = program::token_parts(token) else { return Ok(()) };
        let received = seconds(SystemTime::now());
        let end = program::claims(secret).and_then(|claims| claims.get("exp")?.as_u64());
        let left = end.and_then(|end| end.checked_sub(received)).filter(|left| *left > 0);
        let profile = &self.profile;
        let kept = KeptFile {
            version: VERSION,
            profile: profile.settings.clone(),
            token: secret.expose_secret().to_owned(),
            received,
            lifetime: left.unwrap_or(u64::MAX).min(lifetime.as_secs()),
        };
        // No later command would use it.
        if self::left(kept.received, kept.lifetime, kept.received).is_none() {
            return Ok(());
        }
        if storage::read(&profile.file)?.settings(&profile.name).as_ref() != Some(&profile.settings) {
            return Ok(());
        }
        let text = serde_json::to_string(&kept).unwrap_or_default();
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name().and_then(|name| name.to_str()))
        else {
            return Ok(());
        };
        if text.is_empty() || text.len() > LONGEST {
            return Ok(());
        }
        program::replace(folder, name, text.as_bytes()).map_err(|cause| {
            Failure::new(Exit::Failed, format!("`{}` cannot be written: {cause}", self.path.display()), "")
        })
    }
}

impl Credential for KeptToken {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(self.get(request))
    }

    fn describe(&self) -> String {
        self.credential.describe()
    }

    /// Another program may ask for a token first.
    fn patience(&self) -> Duration {
        self.credential.patience().saturating_add(storage::PATIENCE)
    }

    fn check(&self) -> Result<(), Error> {
        self.credential.check()
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Returns the rest of a token's lifetime; `None` if it is nearly over, or if the clock was changed since.
fn left(received: u64, lifetime: u64, now: u64) -> Option<Duration> {
    let left = lifetime.checked_sub(now.checked_sub(received)?)?;
    // The times are whole seconds.
    (left > LAST.min(lifetime / 5).max(1)).then(|| Duration::from_secs(left))
}
