//! One download: size limit, origins, redirects, and errors that name the step which failed. Connections, certificates,
//! proxies and tokens are the runtime's, as in a program that uses the client.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use driftless_codegen::line;
use driftless_runtime::auth::ExposeSecret as _;
use driftless_runtime::download::{ConnectionSettings, Credentials, Download, secrets};
use driftless_runtime::{Client, Method};
use url::{Origin, Url};

use super::address::{may_lead, stripped};
use super::answer::{Answer, is_busy, is_failing, seconds};
use super::credential::Network;
use super::encoding;
use super::failed::{Redirect, bomb, failure, no_token, packed_wrongly, redirected, repeats_no_secret};
use crate::bounded::LIMIT;
use crate::console::{Steps, hide};
use crate::failure::Failure;

const REDIRECTS: usize = 5;
/// Longest tag that is kept, in bytes: the lock holds it.
const LONGEST_TAG: usize = 512;
const ACCEPT: &str = "application/json, application/yaml;q=0.9, */*;q=0.1";

/// Number of requests to one place, if it asks for a pause or its server fails.
const ATTEMPTS: usize = 3;
/// Number of retries of a run because servers fail, and the pause before each.
const SECOND_CHANCES: u32 = 2;
const BREATH: Duration = Duration::from_millis(250);
/// The longest time that a run waits because servers ask for it, however long it may take.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

/// A client for downloads, and the one credential that it may send.
#[derive(Debug)]
pub(crate) struct Http<'s> {
    steps: &'s Steps,
    connect_timeout: Duration,
    timeout: Duration,
    network: Network,
    /// The rest of the time for pauses that servers ask for, all places together.
    patience: Mutex<Duration>,
    /// The client without a credential.
    open: OnceLock<Client>,
    /// The rest of the retries after failures of servers, all places together.
    second_chances: AtomicU32,
    authorized: Option<Authorized>,
    /// The place that configures credentials for it.
    place: CredentialPlace,
}

/// The place that configures a credential, for messages.
#[derive(Clone, Debug)]
pub(super) struct CredentialPlace {
    /// The prefix of the variables; empty: none is read.
    pub(super) variables: String,
    /// The table of the configuration.
    pub(super) table: String,
    /// The origin that credentials of the place are sent to; `None`: none is known.
    pub(super) origin: Option<Origin>,
}

/// A client with credentials, which go to one origin only.
#[derive(Debug)]
struct Authorized {
    client: Client,
    origin: Origin,
    /// The source of the credentials.
    described: String,
}

impl<'s> Http<'s> {
    pub(crate) fn new(steps: &'s Steps, connect_timeout: Duration, timeout: Duration, network: Network) -> Self {
        let patience = Mutex::new(timeout.min(LONGEST_WAIT));
        let (table, variables) = ("[source.token]".to_owned(), network.variables.clone());
        Self {
            steps,
            connect_timeout,
            timeout,
            network,
            patience,
            open: OnceLock::new(),
            second_chances: AtomicU32::new(SECOND_CHANCES),
            authorized: None,
            place: CredentialPlace { variables, table, origin: None },
        }
    }

    /// The same for a document with credentials of its own.
    pub(super) fn of_document(self, name: &str, variables: Option<&str>) -> Self {
        let table = format!("[source.document.token] of the document {name:?}");
        let place = CredentialPlace { variables: variables.unwrap_or_default().to_owned(), table, origin: None };
        Self { place, ..self }
    }

    /// The origin that credentials are sent to, whether or not there are any.
    pub(super) fn set_origin(&mut self, base: &Url) {
        self.place.origin = Some(base.origin());
    }

    /// Gets the credentials, and lets them go to the origin of `base`, and nowhere else.
    pub(crate) async fn authorize(&mut self, base: &Url, credentials: Credentials) -> Result<(), Failure> {
        let described = line(&credentials.describe()).into_owned();
        let client = self.client(base, Some(credentials))?;
        let secrets = secrets(&client, self.timeout).await.map_err(|error| no_token(&error))?;
        secrets.iter().for_each(|secret| hide(secret.expose_secret()));
        self.authorized = Some(Authorized { client, origin: base.origin(), described });
        Ok(())
    }

    /// The source of the credentials that are sent.
    pub(super) fn sent(&self) -> &str {
        self.authorized.as_ref().map(|authorized| authorized.described.as_str()).unwrap_or_default()
    }

    /// The place that configures credentials.
    pub(super) fn place(&self) -> &CredentialPlace {
        &self.place
    }

    /// The prefix of the variables of the network that are read; empty: none is.
    fn variables(&self) -> &str {
        &self.network.variables
    }

    /// The certificates, and the hosts that may be `http`.
    pub(super) fn connections(&self) -> &ConnectionSettings {
        &self.network.connections
    }

    /// Returns whether a request to this place carries the credential.
    pub(crate) fn is_authorized_for(&self, url: &Url) -> bool {
        self.authorized.as_ref().is_some_and(|authorized| authorized.origin == url.origin())
    }

    /// True if there are credentials, for whatever place.
    pub(crate) fn has_credentials(&self) -> bool {
        self.authorized.is_some()
    }

    /// Reads a place. Redirects are followed; from a place that is sent the credential, within its origin only.
    pub(crate) async fn get(
        &self,
        url: &Url,
        etag: Option<&str>,
        received: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Answer, Failure> {
        let (asked, mut url) = (url, url.clone());
        for _ in 0..=REDIRECTS {
            let mut headers = vec![("accept", ACCEPT.to_owned())];
            headers.extend(etag.map(|etag| ("if-none-match", etag.to_owned())));
            let answer = self.send(Method::Get, &url, headers, None, received).await?;
            let next = answer.location.as_deref().filter(|_| answer.status.is_redirection());
            let Some(next) = next else { return Ok(Answer { asked: asked.clone(), ..answer }) };
            let next = url.join(next).map_err(|_| redirected(&url, "an address that is not a URL", Redirect::Lost))?;
            if self.is_authorized_for(&url) && !self.is_authorized_for(&next) {
                return Err(redirected(&url, &stripped(&next), Redirect::Elsewhere));
            }
            if !may_lead(&url, &next) {
                return Err(redirected(&url, &stripped(&next), Redirect::Here));
            }
            url = next;
        }
        Err(redirected(&url, "ever more redirects", Redirect::Lost))
    }

    /// Asks with a JSON body. No redirect is followed.
    pub(crate) async fn post_json(&self, url: &Url, body: String) -> Result<Answer, Failure> {
        let json = || "application/json".to_owned();
        let headers = vec![("accept", json()), ("content-type", json())];
        self.send(Method::Post, url, headers, Some(body), &mut |_| {}).await
    }

    /// Asks once. No redirect is followed, and a larger body than `limit` is an error.
    pub(crate) async fn once(&self, method: Method, url: &Url, accept: &str, limit: usize) -> Result<Answer, Failure> {
        let headers = vec![("accept", accept.to_owned())];
        self.attempt(method, url, headers, None, limit, &mut |_| {}).await
    }

    /// Asks, and asks again where the server says when, or failed.
    async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: Vec<(&'static str, String)>,
        body: Option<String>,
        received: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Answer, Failure> {
        for _ in 1..ATTEMPTS {
            let answer = self.attempt(method, url, headers.clone(), body.clone(), LIMIT, received).await?;
            let (address, status) = (stripped(url), answer.status.as_u16());
            let pause = match self.pause(&answer) {
                Some(pause) => {
                    self.steps.note(&format!("{address} answered {status}: asking again in {}", seconds(pause)));
                    pause
                }
                None if method.is_safe() && self.has_second_chance(&answer) => {
                    self.steps.note(&format!("{address} answered {status}: asking again"));
                    BREATH
                }
                None => return Ok(answer),
            };
            tokio::time::sleep(pause).await;
        }
        self.attempt(method, url, headers, body, LIMIT, received).await
    }

    /// True if a place whose server failed is asked again. One that wants a longer pause than there is time for is not.
    fn has_second_chance(&self, answer: &Answer) -> bool {
        let less = |left: u32| left.checked_sub(1);
        is_failing(answer.status)
            && answer.retry_after.is_none()
            && self.second_chances.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Returns the pause before the place is asked again. A pause that a run has no time for is not waited for at all.
    fn pause(&self, answer: &Answer) -> Option<Duration> {
        let pause = answer.retry_after.filter(|_| is_busy(answer.status))?;
        let mut patience = self.patience.lock().unwrap_or_else(PoisonError::into_inner);
        *patience = patience.checked_sub(pause)?;
        Some(pause)
    }

    async fn attempt(
        &self,
        method: Method,
        url: &Url,
        mut headers: Vec<(&'static str, String)>,
        body: Option<String>,
        limit: usize,
        received: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Answer, Failure> {
        headers.push(("accept-encoding", encoding::ACCEPTED.to_owned()));
        let client = match &self.authorized {
            Some(authorized) => {
                self.check(url)?;
                &authorized.client
            }
            None => self.open(url)?,
        };
        let body = body.map(Into::into);
        let download = Download { method, url, headers, body, time: self.timeout, limit };
        let came = download.send(client, received).await.map_err(|error| failure(url, &error))?;
        let header = |name: &str| came.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let codings: Vec<&str> =
            came.headers.get_all("content-encoding").iter().flat_map(|value| value.to_str()).collect();
        let body = match encoding::unpack(&codings.join(","), came.body.to_vec(), limit) {
            Ok(body) => body,
            // The limit cuts the body off, and it is for messages only.
            Err(_) if !came.status.is_success() => Vec::new(),
            Err(encoding::Trouble::TooLarge) => return Err(bomb(&stripped(url), came.body.len())),
            Err(encoding::Trouble::Broken(why)) => return Err(packed_wrongly(&stripped(url), &why)),
        };
        let answer = Answer {
            asked: url.clone(),
            url: url.clone(),
            status: came.status,
            retry_after: came.retry_after,
            content_type: header("content-type").unwrap_or_default(),
            etag: header("etag").filter(|tag| tag.len() <= LONGEST_TAG),
            challenge: header("www-authenticate"),
            location: header("location"),
            body,
        };
        // The repository keeps the received bytes.
        if answer.status.is_success() {
            repeats_no_secret(&stripped(url), &String::from_utf8_lossy(&answer.body))?;
            repeats_no_secret(&stripped(url), answer.etag.as_deref().unwrap_or_default())?;
        }
        Ok(answer)
    }

    fn open(&self, url: &Url) -> Result<&Client, Failure> {
        self.check(url)?;
        if let Some(client) = self.open.get() {
            return Ok(client);
        }
        let client = self.client(url, None)?;
        Ok(self.open.get_or_init(|| client))
    }

    fn client(&self, url: &Url, credentials: Option<Credentials>) -> Result<Client, Failure> {
        self.check(url)?;
        let builder = Client::builder(url.origin().ascii_serialization())
            .user_agent(concat!("driftless/", env!("CARGO_PKG_VERSION")))
            .request_id_header("")
            .connect_timeout(self.connect_timeout)
            .body_limit(LIMIT);
        let Network { connections, files, .. } = self.network.clone();
        let builder = connections.apply(builder, files).map_err(|error| no_token(&error))?;
        let builder = match credentials {
            Some(credentials) => credentials.apply(builder).map_err(|error| no_token(&error))?,
            None => builder,
        };
        builder.build().map_err(|error| no_token(&error))
    }

    /// Fails if a place may not be asked at all.
    fn check(&self, url: &Url) -> Result<(), Failure> {
        match url.scheme() {
            "https" => Ok(()),
            "http" if self.network.connections.allow_plain(url).map_err(|error| no_token(&error))? => Ok(()),
            "http" => Err(Failure::configuration(
                "configuration/plain-http",
                format!("{} is plain http, which is for loopback, and for hosts that are allowed to be", stripped(url)),
                format!(
                    "use https; or save the contract by other means and name it with --contract FILE\n\
                     or allow it, where nobody but the two ends can read what is sent, tokens and secrets among it: {}",
                    self.allowing(url.host_str().unwrap_or_default())
                ),
            )),
            other => Err(Failure::configuration(
                "configuration/scheme",
                format!("{}: {other} is not a scheme that can be downloaded from", stripped(url)),
                "use an https URL",
            )),
        }
    }

    /// Describes the settings that allow `http` to a host.
    fn allowing(&self, host: &str) -> String {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let programs = &self.network.programs;
        let read = format!("`variables = \"{programs}\"` in [source.token] has it read");
        match self.variables() {
            "" => format!("set {programs}DANGER_ALLOW_HTTP_TO={host}, which no key names: {read}"),
            prefix => format!("set {prefix}DANGER_ALLOW_HTTP_TO={host}"),
        }
    }
}
