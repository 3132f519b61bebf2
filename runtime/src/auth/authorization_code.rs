//! The authorization-code grant with PKCE.

use std::{fmt, net::Ipv4Addr, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom as _, SystemRandom},
};
use secrecy::{ExposeSecret, SecretString};
use tokio::net::TcpListener;

use super::{
    Credential, RefreshMemory, RefreshStore, TokenFuture, TokenRequest, browser,
    grant::{Granted, Registration, options},
    loopback,
    presented::PresentedSignIns,
    refresh::Keeper,
};
use crate::error::{Error, Kind};

type Opener = Arc<dyn Fn(&str) + Send + Sync>;

/// Gets tokens by letting a user sign in with a browser: the authorization-code grant with PKCE, for
/// programs on the user's machine (RFC 8252).
///
/// The authorization response arrives at a port of 127.0.0.1. If the issuer also gives a refresh token (the scope for
/// that depends on the deployment; the document does not name it), later tokens need no browser, and with a
/// [`RefreshFolder`](super::RefreshFolder) neither do later runs.
///
/// ```no_run
/// # async fn run() -> Result<(), driftless_runtime::Error> {
/// use std::time::Duration;
/// use driftless_runtime::{Client, auth::{AuthorizationCode, RefreshFolder}};
///
/// let credential = AuthorizationCode::new("https://issuer.example", "my-app")
///     .scope("api offline_access")
///     .store(RefreshFolder::new("/var/lib/my-app"));
/// let client = Client::builder("https://service.example").credential(credential).build()?;
/// client.authenticate(Duration::from_secs(300)).await?;   // calls would do it, too, within their own deadlines
/// # Ok(()) }
/// ```
pub struct AuthorizationCode {
    registration: Registration,
    keeper: Keeper,
    port: u16,
    path: String,
    open: Option<Opener>,
    patience: Duration,
    presented: PresentedSignIns,
}

options!(AuthorizationCode, registration, optional secret);

impl AuthorizationCode {
    /// Creates a credential for the client `client_id`, registered with `issuer`. The scope is `api` unless another is
    /// set.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            registration: Registration::new(issuer.into(), client_id.into(), None),
            keeper: Keeper::new(Arc::new(RefreshMemory::new())),
            port: 0,
            path: "/callback".to_owned(),
            open: None,
            patience: Duration::from_secs(300),
            presented: PresentedSignIns::default(),
        }
    }

    /// Sets the authorization endpoint. Without one, the issuer's discovery document names it.
    #[must_use]
    pub fn authorization_endpoint(mut self, url: impl Into<String>) -> Self {
        self.registration.endpoints.authorization = Some(url.into());
        self
    }

    /// Sets the store for the refresh token; in memory unless set.
    #[must_use]
    pub fn store(mut self, store: impl RefreshStore) -> Self {
        self.keeper = Keeper::new(Arc::new(store));
        self
    }

    /// Sets the port and the path of the redirect URI, `http://127.0.0.1:{port}{path}`, as registered for the client.
    /// Port 0, the default, is any free port; the path is `/callback` unless set.
    #[must_use]
    pub fn redirect(mut self, port: u16, path: impl Into<String>) -> Self {
        (self.port, self.path) = (port, path.into());
        self
    }

    /// Sets the function that presents the sign-in address to the user. Unless set, the system's browser is opened;
    /// without a browser, the address is written to standard error.
    #[must_use]
    pub fn open_with(mut self, open: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.open = Some(Arc::new(open));
        self
    }

    /// Writes the sign-in address to standard error instead of opening a browser.
    #[must_use]
    pub fn print_address(self) -> Self {
        self.open_with(browser::print)
    }

    /// Sets the user's time limit for the sign-in; 5 minutes unless set. A call that waits for it ends by its own
    /// deadline, and the sign-in goes on.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    async fn sign_in(&self, request: TokenRequest<'_>) -> Result<Granted, Error> {
        let registration = &self.registration;
        // Discovery comes first: the document says whether authorization responses name the issuer.
        let mut address = registration.endpoints.authorization(request.transport, request.deadline).await?;
        registration.endpoints.token(request.transport, request.deadline).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await.map_err(|cause| {
            let message = format!("port {} of 127.0.0.1 cannot be used: {}", self.port, cause.kind());
            Error::with(Kind::Configuration, message)
                .hint("end the program that uses it, or choose another port with `redirect`")
        })?;
        let port = listener.local_addr().map_or(self.port, |address| address.port());
        let redirect = format!("http://127.0.0.1:{port}{}", self.path);
        let (state, verifier) = (random()?, random()?);
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.expose_secret().as_bytes()));
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &registration.client)
            .append_pair("redirect_uri", &redirect)
            .append_pair("state", state.expose_secret())
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            .extend_pairs(registration.range());
        self.presented.begin(self.patience);
        self.present(address.to_string()).await;
        let expected = loopback::Expected {
            path: self.path.clone(),
            state: state.expose_secret().to_owned(),
            issuer: registration.endpoints.issuer.clone(),
            must_name: registration.endpoints.names_itself(),
        };
        let code = loopback::code(&listener, expected).await?;
        let secret = registration.secret().await?;
        let fields =
            [("code", code.as_str()), ("redirect_uri", &redirect), ("code_verifier", verifier.expose_secret())];
        registration.exchange(request, "authorization_code", &fields, secret.as_ref()).await
    }

    async fn present(&self, address: String) {
        let open = self.open.clone().unwrap_or_else(|| {
            Arc::new(|address: &str| {
                if !browser::open(address) {
                    browser::print(address);
                }
            })
        });
        // A failure to present it ends with the time limit, as if the user had not looked.
        let _ = tokio::task::spawn_blocking(move || open(&address)).await;
    }
}

/// 256 random bits as text.
fn random() -> Result<SecretString, Error> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| {
        Error::with(Kind::Configuration, "the operating system returns no random numbers").hint("check the system")
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

impl Credential for AuthorizationCode {
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
        if !self.path.starts_with('/') || self.path.contains(['?', '#', ' ']) {
            return Err(
                Error::with(Kind::Configuration, "the path of the redirect is not valid").hint("begin it with `/`")
            );
        }
        self.registration.endpoints.check()
    }
}

impl fmt::Debug for AuthorizationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationCode")
            .field("issuer", &self.registration.endpoints.issuer)
            .field("client_id", &self.registration.client)
            .field("scope", &self.registration.scope)
            .field("store", &self.keeper.store.describe())
            .finish_non_exhaustive()
    }
}
