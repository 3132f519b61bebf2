//! The grants with which a user signs in.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::ArgMatches;
use driftless_runtime::{
    Error,
    auth::{AuthorizationCode, Credential, DeviceCode, RefreshStore, TokenFuture, TokenRequest},
    download::summary,
};

use super::place::Place;
use crate::terminal::plain;

/// A client that is registered with an issuer, and the settings of its token requests.
pub(super) struct Registered {
    pub(super) issuer: String,
    pub(super) client_id: String,
    pub(super) scope: Option<String>,
    pub(super) audience: Option<String>,
    pub(super) token_endpoint: Option<String>,
    /// Hosts that `http` is allowed to.
    pub(super) plain: Vec<String>,
    /// The time that the user has.
    pub(super) limit: Duration,
}

/// A user's sign-in: with a browser here, on another device, or the first of them that the issuer offers.
pub(super) struct Grant {
    device: Option<DeviceCode>,
    browser: Option<AuthorizationCode>,
}

impl Grant {
    /// `presented` becomes true when the user has been asked.
    pub(super) fn new(
        place: &Place<'_>,
        matches: &ArgMatches,
        registered: &Registered,
        store: &(impl RefreshStore + Clone),
        presented: &Arc<AtomicBool>,
    ) -> Self {
        let (is_device, is_printed) = (matches.get_flag("device"), matches.get_flag("no-browser"));
        let device = (is_device || !(is_printed || place.has_screen()))
            .then(|| device(place, registered, presented).store(store.clone()));
        let browser = (!is_device).then(|| {
            let port = matches.get_one::<u16>("redirect-port").copied().unwrap_or_default();
            let path = matches.get_one::<String>("redirect-path").map_or("/callback", String::as_str);
            browser(place, registered, presented, !is_printed).redirect(port, path).store(store.clone())
        });
        Self { device, browser }
    }

    async fn sign_in(&self, request: TokenRequest<'_>) -> Result<driftless_runtime::auth::Token, Error> {
        match (&self.device, &self.browser) {
            (Some(device), None) => device.token(request).await,
            (Some(device), Some(browser)) => match device.token(request).await {
                // Without a screen and without this grant, the user opens the printed address.
                Err(error) if summary(&error).code == "token/device" => browser.token(request).await,
                outcome => outcome,
            },
            (None, Some(browser)) => browser.token(request).await,
            (None, None) => Err(Error::new(
                driftless_runtime::ErrorKind::Configuration,
                "this issuer offers no sign-in that the test knows",
            )),
        }
    }
}

impl Credential for Grant {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(self.sign_in(request))
    }

    fn describe(&self) -> String {
        let device = self.device.as_ref().map(Credential::describe);
        device.or(self.browser.as_ref().map(Credential::describe)).unwrap_or_default()
    }

    fn patience(&self) -> Duration {
        let device = self.device.as_ref().map(Credential::patience);
        device.or(self.browser.as_ref().map(Credential::patience)).unwrap_or_default()
    }

    fn check(&self) -> Result<(), Error> {
        self.device.as_ref().map_or(Ok(()), Credential::check)?;
        self.browser.as_ref().map_or(Ok(()), Credential::check)
    }
}

/// Sets the settings that both grants have.
macro_rules! registered {
    ($grant:expr, $registered:expr) => {{
        let mut grant = $grant.time_limit($registered.limit).danger_allow_http_to(&$registered.plain);
        if let Some(scope) = &$registered.scope {
            grant = grant.scope(scope);
        }
        if let Some(audience) = &$registered.audience {
            grant = grant.audience(audience);
        }
        if let Some(endpoint) = &$registered.token_endpoint {
            grant = grant.token_endpoint(endpoint);
        }
        grant
    }};
}

fn browser(place: &Place<'_>, registered: &Registered, presented: &Arc<AtomicBool>, opens: bool) -> AuthorizationCode {
    let (tell, open, presented) = (Arc::clone(&place.tell), Arc::clone(&place.open), Arc::clone(presented));
    let opens = opens && place.has_screen();
    registered!(AuthorizationCode::new(&registered.issuer, &registered.client_id), registered).open_with(
        move |address| {
            presented.store(true, Ordering::SeqCst);
            let is_open = opens && open(address);
            let how = if is_open { "The browser opens to sign in. If it does not, open" } else { "To sign in, open" };
            tell(&format!("{how} this address:\n\n  {}\n", plain(address)));
        },
    )
}

fn device(place: &Place<'_>, registered: &Registered, presented: &Arc<AtomicBool>) -> DeviceCode {
    let (tell, presented) = (Arc::clone(&place.tell), Arc::clone(presented));
    registered!(DeviceCode::new(&registered.issuer, &registered.client_id), registered).present_with(move |prompt| {
        presented.store(true, Ordering::SeqCst);
        let (address, code) = (plain(&prompt.address), plain(&prompt.code));
        tell(&format!("To sign in, open this address on any device:\n\n  {address}\n\nand enter the code {code}\n"));
    })
}
