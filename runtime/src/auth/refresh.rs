//! The refresh-token grant.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use secrecy::{ExposeSecret, SecretString};

use super::{
    Credential, RefreshKey, RefreshLock, RefreshStore, Token, TokenFuture, TokenRequest,
    grant::{Granted, Registration, options},
    presented::PresentedSignIns,
};
use crate::{
    clock::{self, Until},
    error::{Error, Kind},
};

/// The interval between checks for the end of another process's refresh.
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// Gets tokens with a refresh token.
///
/// If the issuer gives a new refresh token with each access token, the new one is stored durably before anything is
/// used. A program that is killed between the issuer's response and the disk has to sign in again, unless the issuer
/// accepts the old token for a while. If it cannot be stored, the program keeps it in memory, logs a warning, and
/// stores it as soon as possible; until then it keeps the entry's lock, so that no other process sends the token that
/// is used up.
///
/// ```
/// use driftless_runtime::auth::{RefreshFolder, RefreshToken};
///
/// let store = RefreshFolder::new("/var/lib/my-app/tokens");
/// let credential = RefreshToken::new("https://issuer.example", "my-app", store);
/// # let _ = credential;
/// ```
pub struct RefreshToken {
    registration: Registration,
    keeper: Keeper,
}

options!(RefreshToken, registration, optional secret);

impl RefreshToken {
    /// Creates a credential for the client `client_id`, registered with `issuer`, and the store of its refresh token.
    /// No scope is asked for unless one is set: the token keeps the scopes that it was granted with.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>, store: impl RefreshStore) -> Self {
        let mut registration = Registration::new(issuer.into(), client_id.into(), None);
        registration.scope = String::new();
        Self::from_registration(registration, store)
    }

    pub(crate) fn from_registration(registration: Registration, store: impl RefreshStore) -> Self {
        Self { registration, keeper: Keeper::new(Arc::new(store)) }
    }

    /// Returns the key of the store's entry that this credential uses: write a first refresh token there.
    pub fn key(&self) -> RefreshKey {
        self.registration.refresh_key()
    }
}

impl Credential for RefreshToken {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async move {
            let token = self.keeper.token(&self.registration, request).await?;
            token.ok_or_else(|| {
                Error::with(Kind::Secret, format!("{} has no refresh token", self.keeper.store.describe()))
                    .hint("sign in first, and store the refresh token there")
            })
        })
    }

    fn describe(&self) -> String {
        self.registration.describe()
    }

    fn check(&self) -> Result<(), Error> {
        self.registration.endpoints.check()
    }
}

impl fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefreshToken")
            .field("issuer", &self.registration.endpoints.issuer)
            .field("client_id", &self.registration.client)
            .field("store", &self.keeper.store.describe())
            .finish_non_exhaustive()
    }
}

/// Uses and updates the refresh token of a store.
pub(super) struct Keeper {
    pub(super) store: Arc<dyn RefreshStore>,
    pending: Arc<Mutex<Option<Pending>>>,
}

/// The lock of an entry, kept while any part of it is in use.
type Lock = Arc<Mutex<RefreshLock>>;

/// A token that is not stored yet. It is the only one that works now, whatever the store has.
#[derive(Clone)]
struct Pending {
    token: SecretString,
    lock: Lock,
}

impl Keeper {
    pub(super) fn new(store: Arc<dyn RefreshStore>) -> Self {
        Self { store, pending: Arc::default() }
    }

    /// Gets a token with the refresh token of the store; `None` if the store has none.
    pub(super) async fn token(
        &self,
        registration: &Registration,
        request: TokenRequest<'_>,
    ) -> Result<Option<Token>, Error> {
        let key = registration.refresh_key();
        let waiting = pending(&self.pending).clone();
        let (lock, refresh) = match waiting {
            Some(Pending { token, lock }) => {
                self.keep(&key, token.clone(), &lock).await;
                (lock, token)
            }
            None => {
                let lock = self.lock(&key, request.deadline).await?;
                let (store, entry) = (Arc::clone(&self.store), key.clone());
                let Some(refresh) = blocking(move || store.load(&entry)).await? else { return Ok(None) };
                (lock, refresh)
            }
        };
        registration.refusals.check(Some(&refresh))?;
        let secret = registration.secret().await?;
        let mut fields = vec![("refresh_token", refresh.expose_secret())];
        fields.extend(registration.range());
        let granted =
            registration.exchange(request, "refresh_token", &fields, secret.as_ref()).await.inspect_err(|error| {
                registration.refusals.remember(Some(&refresh), error);
                // The grant has ended: the token in the store, or a sign-in, is next.
                if error.is_refusal() {
                    pending(&self.pending).take();
                }
            })?;
        match granted.refresh {
            Some(next) if next.expose_secret() != refresh.expose_secret() => self.keep(&key, next, &lock).await,
            _ => {}
        }
        Ok(Some(granted.token))
    }

    /// Gets a token with the refresh token of the store. Without one, or if its grant has ended, the user signs in, and the store gets the
    /// refresh token of that.
    pub(super) async fn token_or_sign_in(
        &self,
        registration: &Registration,
        request: TokenRequest<'_>,
        presented: &PresentedSignIns,
        sign_in: impl Future<Output = Result<Granted, Error>>,
    ) -> Result<Token, Error> {
        match self.token(registration, request).await {
            Ok(Some(token)) => return Ok(token),
            Ok(None) => {}
            // The grant has ended: the user has to sign in again.
            Err(error) if error.is_refusal() => tracing::debug!("the refresh token is refused: signing in again"),
            Err(error) => return Err(error),
        }
        let sign_in = async {
            let granted = sign_in.await?;
            if let Some(refresh) = granted.refresh {
                let key = registration.refresh_key();
                let lock = self.lock(&key, request.deadline).await?;
                self.keep(&key, refresh, &lock).await;
            }
            Ok(granted.token)
        };
        presented.once(sign_in).await
    }

    /// Stores a new refresh token. It stays in memory if this future is dropped, or if storing fails.
    async fn keep(&self, key: &RefreshKey, token: SecretString, lock: &Lock) {
        *pending(&self.pending) = Some(Pending { token: token.clone(), lock: Arc::clone(lock) });
        let (store, waiting, key) = (Arc::clone(&self.store), Arc::clone(&self.pending), key.clone());
        let stored = blocking(move || {
            store.save(&key, &token)?;
            pending(&waiting).take();
            Ok(())
        });
        if let Err(error) = stored.await {
            tracing::warn!(%error, "a new refresh token is kept in memory only, until it can be stored");
        }
    }

    /// Returns the lock of an entry: that of a token that waits to be stored, else a new one.
    async fn lock(&self, key: &RefreshKey, deadline: Until) -> Result<Lock, Error> {
        loop {
            if let Some(waiting) = &*pending(&self.pending) {
                return Ok(Arc::clone(&waiting.lock));
            }
            let (store, entry) = (Arc::clone(&self.store), key.clone());
            if let Some(lock) = blocking(move || store.lock(&entry)).await? {
                return Ok(Arc::new(Mutex::new(lock)));
            }
            if deadline.is_over(Instant::now()) {
                let message = format!("another process has locked {} for too long", self.store.describe());
                return Err(Error::with(Kind::Timeout, message).hint("find the program that refreshes the same token"));
            }
            clock::sleep(LOOK_AGAIN).await;
        }
    }
}

fn pending(slot: &Mutex<Option<Pending>>) -> MutexGuard<'_, Option<Pending>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        Err(Error::with(Kind::Secret, "the store of refresh tokens ended without an answer")
            .hint("check whether it panics"))
    })
}
