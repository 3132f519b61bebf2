//! The device authorization grant (RFC 8628).

use std::{
    fmt,
    io::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use super::{
    Credential, RefreshMemory, RefreshStore, TokenFuture, TokenRequest,
    grant::{DEVICE_CODE, Granted, Registration, options},
    presented::PresentedSignIns,
    refresh::Keeper,
};
use crate::{
    clock::{self, Until},
    error::{Error, Kind},
    transport::Reply,
};

/// The interval between token requests if the issuer states none, and the time that `slow_down` adds (RFC 8628 §3.5).
const INTERVAL: Duration = Duration::from_secs(5);

/// The shortest interval, for issuers that state 0.
const SHORTEST: Duration = Duration::from_millis(100);

/// The longest code that a user enters, in bytes.
const LONGEST: usize = 64;

type Presenter = Arc<dyn Fn(&DevicePrompt) + Send + Sync>;

/// The address and the code that a user needs to sign in on another device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DevicePrompt {
    /// The address to open.
    pub address: String,
    /// The code to enter there.
    pub code: String,
    /// An address that contains the code, if the issuer gives one.
    pub address_with_code: Option<String>,
}

/// Gets tokens by letting a user sign in with the browser of another device: the device authorization grant, for
/// programs without a browser (RFC 8628).
///
/// The issuer's discovery document names its endpoint. Refresh tokens are used as by
/// [`AuthorizationCode`](super::AuthorizationCode).
///
/// ```no_run
/// # async fn run() -> Result<(), driftless_runtime::Error> {
/// use std::time::Duration;
/// use driftless_runtime::{Client, auth::{DeviceCode, RefreshFolder}};
///
/// let credential = DeviceCode::new("https://issuer.example", "my-app")
///     .scope("api offline_access")
///     .store(RefreshFolder::new("/var/lib/my-app"));
/// let client = Client::builder("https://service.example").credential(credential).build()?;
/// client.authenticate(Duration::from_secs(900)).await?;
/// # Ok(()) }
/// ```
pub struct DeviceCode {
    registration: Registration,
    keeper: Keeper,
    present: Presenter,
    patience: Duration,
    presented: PresentedSignIns,
}

options!(DeviceCode, registration, optional secret);

impl DeviceCode {
    /// Creates a credential for the client `client_id`, registered with `issuer`. The scope is `api` unless another is
    /// set.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            registration: Registration::new(issuer.into(), client_id.into(), None),
            keeper: Keeper::new(Arc::new(RefreshMemory::new())),
            present: Arc::new(print),
            patience: Duration::from_secs(15 * 60),
            presented: PresentedSignIns::default(),
        }
    }

    /// Sets the device authorization endpoint. Without one, the issuer's discovery document names it.
    #[must_use]
    pub fn device_authorization_endpoint(mut self, url: impl Into<String>) -> Self {
        self.registration.endpoints.device = Some(url.into());
        self
    }

    /// Sets the store for the refresh token; in memory unless set.
    #[must_use]
    pub fn store(mut self, store: impl RefreshStore) -> Self {
        self.keeper = Keeper::new(Arc::new(store));
        self
    }

    /// Sets the function that presents address and code to the user. Unless set, they are written to standard error.
    #[must_use]
    pub fn present_with(mut self, present: impl Fn(&DevicePrompt) + Send + Sync + 'static) -> Self {
        self.present = Arc::new(present);
        self
    }

    /// Sets the user's time limit for the sign-in; 15 minutes unless set. The code may expire earlier.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    async fn sign_in(&self, request: TokenRequest<'_>) -> Result<Granted, Error> {
        let registration = &self.registration;
        let secret = registration.secret().await?;
        let reply = registration.device_code(request, secret.as_ref()).await?;
        let Authorization { code, prompt, mut polling } = self.authorization(&reply)?;
        self.presented.begin(self.patience);
        let present = Arc::clone(&self.present);
        // A failure to present it ends with the time limit, as if the user had not looked.
        let _ = tokio::task::spawn_blocking(move || present(&prompt)).await;
        loop {
            clock::sleep(polling.next(Instant::now())?).await;
            let fields = [("device_code", code.expose_secret())];
            let polled = match registration.ask(request, DEVICE_CODE, &fields, secret.as_ref()).await {
                Ok(Ok(granted)) => Polled::Granted(granted),
                Ok(Err(refused)) => match refused.code.as_str() {
                    "authorization_pending" => Polled::Pending,
                    "slow_down" => Polled::SlowDown,
                    _ => Polled::Failed(refused.error),
                },
                Err(error) => Polled::Failed(error),
            };
            if let Some(granted) = polling.advance(polled)? {
                break Ok(granted);
            }
        }
    }

    /// Reads the response of the device authorization endpoint (RFC 8628 §3.2).
    fn authorization(&self, reply: &Reply) -> Result<Authorization, Error> {
        let refuse = |rule: &str| {
            Error::with(Kind::Token, format!("the device authorization endpoint {rule}"))
                .because("token/response")
                .hint("check the issuer's address and its registration")
        };
        let Ok(Value::Object(members)) = serde_json::from_slice(&reply.body) else {
            return Err(refuse("answered with something that is not JSON"));
        };
        let text = |name: &str| members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let address = |text: &str| match Url::parse(text) {
            // The page may be on another server than the issuer, and may have a query.
            Ok(url) if url.scheme() == "https" => Some(url.to_string()),
            Ok(url)
                if url.scheme() == "http"
                    && self.registration.endpoints.plain().is_ok_and(|hosts| hosts.allow(&url)) =>
            {
                Some(url.to_string())
            }
            _ => None,
        };
        let Some(code) = text("device_code") else { return Err(refuse("returned no `device_code`")) };
        let is_readable =
            |code: &&str| code.len() <= LONGEST && code.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
        let Some(user_code) = text("user_code").filter(is_readable) else {
            return Err(refuse("returned no `user_code` that a person can enter"));
        };
        // Some issuers write `verification_url`, as in early drafts.
        let Some(page) = text("verification_uri").or(text("verification_url")).and_then(address) else {
            return Err(refuse("returned no `verification_uri` that can be opened"));
        };
        let seconds = |name: &str| members.get(name).and_then(Value::as_f64).filter(|seconds| *seconds >= 0.0);
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let Some(lifetime) = seconds("expires_in").map(time) else {
            return Err(refuse("returned no `expires_in`"));
        };
        let interval = seconds("interval").map_or(INTERVAL, time);
        Ok(Authorization {
            code: code.into(),
            prompt: DevicePrompt {
                address: page,
                code: user_code.to_owned(),
                address_with_code: text("verification_uri_complete").and_then(address),
            },
            polling: Polling::new(interval, Until::after(lifetime)),
        })
    }
}

/// The response of the device authorization endpoint.
struct Authorization {
    code: SecretString,
    prompt: DevicePrompt,
    polling: Polling,
}

/// The outcome of a token request.
enum Polled<G = Granted> {
    Granted(G),
    /// The user has not signed in yet.
    Pending,
    SlowDown,
    Failed(Error),
}

/// The pace of the token requests, until the code expires.
struct Polling {
    interval: Duration,
    expires: Until,
}

impl Polling {
    fn new(interval: Duration, expires: Until) -> Self {
        Self { interval: interval.max(SHORTEST), expires }
    }

    /// Returns the time until the next request.
    fn next(&self, now: Instant) -> Result<Duration, Error> {
        match self.expires.left(now) {
            left if left.is_zero() => Err(Error::with(Kind::Token, "the code was not used before it expired")
                .because("token/expired")
                .hint("sign in again")),
            // The last request comes shortly before the end.
            left => Ok(self.interval.min(left.saturating_sub(SHORTEST)).max(SHORTEST)),
        }
    }

    /// Returns the grant, or `None` if another request is to follow.
    fn advance<G>(&mut self, polled: Polled<G>) -> Result<Option<G>, Error> {
        match polled {
            Polled::Granted(granted) => return Ok(Some(granted)),
            Polled::Pending => {}
            Polled::SlowDown => self.interval = self.interval.saturating_add(INTERVAL),
            // RFC 8628 §3.5: an issuer that does not answer is asked less often, not given up.
            Polled::Failed(error) if error.is_retryable() => self.interval = self.interval.saturating_mul(2),
            Polled::Failed(error) => return Err(error),
        }
        Ok(None)
    }
}

fn print(prompt: &DevicePrompt) {
    let DevicePrompt { address, code, .. } = prompt;
    // Without a standard error, nobody sees the code, and the time limit ends the wait.
    let _ =
        writeln!(std::io::stderr(), "Open this address on any device:\n\n  {address}\n\nand enter the code {code}\n");
}

impl Credential for DeviceCode {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        let Self { keeper, registration, presented, .. } = self;
        Box::pin(keeper.token_or_sign_in(registration, request, presented, self.sign_in(request)))
    }

    fn describe(&self) -> String {
        self.registration.describe()
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn check(&self) -> Result<(), Error> {
        self.registration.endpoints.check()
    }
}

impl fmt::Debug for DeviceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceCode")
            .field("issuer", &self.registration.endpoints.issuer)
            .field("client_id", &self.registration.client)
            .field("scope", &self.registration.scope)
            .field("store", &self.keeper.store.describe())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_issuer_sets_the_pace_until_the_code_expires() {
        let start = Instant::now();
        let mut polling = Polling::new(5 * SECOND, Until::from(start, 60 * SECOND));
        assert_eq!(polling.next(start).unwrap(), 5 * SECOND);
        assert_eq!(polling.advance::<u8>(Polled::Pending).unwrap(), None);
        assert_eq!(polling.next(start).unwrap(), 5 * SECOND, "a pending sign-in changes nothing");
        assert_eq!(polling.advance::<u8>(Polled::SlowDown).unwrap(), None);
        assert_eq!(polling.next(start).unwrap(), 10 * SECOND, "`slow_down` adds five seconds");
        let away = Error::with(Kind::Connect, "no connection");
        assert_eq!(polling.advance::<u8>(Polled::Failed(away)).unwrap(), None);
        assert_eq!(polling.next(start).unwrap(), 20 * SECOND, "an issuer that is away is asked half as often");
        let late = polling.next(start + 59 * SECOND).unwrap();
        assert!(late < SECOND, "the last request comes before the end: {late:?}");
        let error = polling.next(start + 60 * SECOND).unwrap_err();
        assert!(error.is_token() && error.to_string().contains("sign in again"), "{error}");
        assert_eq!(polling.advance(Polled::Granted(7)).unwrap(), Some(7));
        let refused = Error::with(Kind::Token, "refused");
        assert!(polling.advance::<u8>(Polled::Failed(refused)).unwrap_err().to_string().contains("refused"));
    }

    #[test]
    fn no_interval_makes_it_hang_or_spin() {
        let start = Instant::now();
        assert_eq!(Polling::new(Duration::ZERO, Until::NEVER).next(start).unwrap(), SHORTEST);
        let mut polling = Polling::new(Duration::MAX, Until::from(start, 60 * SECOND));
        assert!(polling.next(start).unwrap() < 60 * SECOND);
        assert_eq!(polling.advance::<u8>(Polled::SlowDown).unwrap(), None);
        assert!(polling.next(start).unwrap() < 60 * SECOND);
    }
}
