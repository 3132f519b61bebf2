//! One download: size limit, origins, redirects, and errors that name the step which failed. Connections, certificates,
//! proxies and tokens are the runtime's, as in a program that uses the client.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use platform_codegen::line;
use platform_runtime::auth::{Credential, ExposeSecret as _, SecretString};
use platform_runtime::download::{ConnectionSettings, Download, token};
use platform_runtime::{Client, Method};
use url::{Origin, Url};

use super::address::{may_lead, shown};
use super::answer::{Answer, is_busy, seconds};
use super::credential::Network;
use super::encoding;
use super::failed::{Redirect, bomb, failure, no_token, packed_wrongly, redirected};
use super::variables::PROGRAMS;
use crate::bounded::LIMIT;
use crate::console::{SHORTEST, Steps, hide};
use crate::failure::{Exit, Failure};

const REDIRECTS: usize = 5;
/// Longest tag that is kept, in bytes: the lock holds it.
const LONGEST_TAG: usize = 512;
const ACCEPT: &str = "application/json, application/yaml;q=0.9, */*;q=0.1";

/// How often one place is asked, where it asks for a pause.
const ATTEMPTS: usize = 3;
/// The longest time that a run waits because servers ask for it, however long it may take.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

/// A client for downloads, and the one credential that it may send.
#[derive(Debug)]
pub(crate) struct Http<'s> {
    steps: &'s Steps,
    connect_timeout: Duration,
    timeout: Duration,
    network: Network,
    /// How long it still waits where servers ask for a pause, all places together.
    patience: Mutex<Duration>,
    /// What asks without a credential.
    open: OnceLock<Client>,
    authorized: Option<Authorized>,
}

/// A client with a credential, which goes to one origin only.
#[derive(Debug)]
struct Authorized {
    client: Client,
    origin: Origin,
    token: SecretString,
    /// Where the token comes from.
    described: String,
}

impl<'s> Http<'s> {
    pub(crate) fn new(steps: &'s Steps, connect_timeout: Duration, timeout: Duration, network: Network) -> Self {
        let patience = Mutex::new(timeout.min(LONGEST_WAIT));
        Self { steps, connect_timeout, timeout, network, patience, open: OnceLock::new(), authorized: None }
    }

    /// Gets a token, and lets it go to the origin of `base`, and nowhere else.
    pub(crate) async fn authorize(&mut self, base: &Url, credential: Box<dyn Credential>) -> Result<(), Failure> {
        let described = line(&credential.describe()).into_owned();
        let client = self.client(base, Some(credential))?;
        let token = token(&client, self.timeout).await.map_err(|error| no_token(&error))?;
        if let Some(token) = token {
            hide(token.expose_secret());
            self.authorized = Some(Authorized { client, origin: base.origin(), token, described });
        }
        Ok(())
    }

    /// Where the token comes from that is sent.
    pub(super) fn sent(&self) -> String {
        let described = self.authorized.as_ref().map(|authorized| authorized.described.as_str()).unwrap_or_default();
        format!("{described}, and what it may read (scope, roles)")
    }

    /// How the names of the variables begin that are read; empty: none is.
    pub(super) fn variables(&self) -> &str {
        &self.network.variables
    }

    /// The certificates, and the hosts that may be `http`.
    pub(super) fn connections(&self) -> &ConnectionSettings {
        &self.network.connections
    }

    /// Whether a request to this place carries the credential.
    pub(crate) fn is_authorized_for(&self, url: &Url) -> bool {
        self.authorized.as_ref().is_some_and(|authorized| authorized.origin == url.origin())
    }

    /// Whether there is a credential, for whatever place.
    pub(crate) fn has_token(&self) -> bool {
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
                return Err(redirected(&url, &shown(&next), Redirect::Elsewhere));
            }
            if !may_lead(&url, &next) {
                return Err(redirected(&url, &shown(&next), Redirect::Here));
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

    /// Asks, and asks again where the server says when.
    async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: Vec<(&'static str, String)>,
        body: Option<String>,
        received: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Answer, Failure> {
        for _ in 1..ATTEMPTS {
            let answer = self.attempt(method, url, headers.clone(), body.clone(), received).await?;
            let Some(pause) = self.pause(&answer) else { return Ok(answer) };
            let (place, status) = (shown(url), answer.status.as_u16());
            self.steps.note(&format!("{place} answered {status}: asking again in {}", seconds(pause)));
            tokio::time::sleep(pause).await;
        }
        self.attempt(method, url, headers, body, received).await
    }

    /// How long to wait before the place is asked again. A pause that a run has no time for is not waited for at all.
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
        let download = Download { method, url, headers, body, time: self.timeout, limit: LIMIT };
        let came = download.send(client, received).await.map_err(|error| failure(url, &error))?;
        let header = |name: &str| came.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let codings: Vec<&str> =
            came.headers.get_all("content-encoding").iter().flat_map(|value| value.to_str()).collect();
        let body = match encoding::unpack(&codings.join(","), came.body.to_vec(), LIMIT) {
            Ok(body) => body,
            // What is cut off, and for messages only.
            Err(_) if !came.status.is_success() => Vec::new(),
            Err(encoding::Trouble::TooLarge) => return Err(bomb(&shown(url), came.body.len())),
            Err(encoding::Trouble::Broken(why)) => return Err(packed_wrongly(&shown(url), &why)),
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
        self.repeats_no_token(&answer)?;
        Ok(answer)
    }

    /// What is received is written into the repository: a service that repeats the token must not bring it there.
    fn repeats_no_token(&self, answer: &Answer) -> Result<(), Failure> {
        let Some(authorized) = &self.authorized else { return Ok(()) };
        let token = authorized.token.expose_secret().as_bytes();
        let holds = |text: &[u8]| token.len() >= SHORTEST && text.windows(token.len()).any(|part| part == token);
        if answer.status.is_success()
            && (holds(&answer.body) || answer.etag.as_ref().is_some_and(|tag| holds(tag.as_bytes())))
        {
            return Err(Failure::new(
                Exit::Contract,
                "download/token-repeated",
                format!("the answer of {} holds the token that it was asked with", shown(&answer.url)),
                "nothing was written: have the service leave the token out of what it serves",
            ));
        }
        Ok(())
    }

    fn open(&self, url: &Url) -> Result<&Client, Failure> {
        self.check(url)?;
        if let Some(client) = self.open.get() {
            return Ok(client);
        }
        let client = self.client(url, None)?;
        Ok(self.open.get_or_init(|| client))
    }

    fn client(&self, url: &Url, credential: Option<Box<dyn Credential>>) -> Result<Client, Failure> {
        self.check(url)?;
        let builder = Client::builder(url.origin().ascii_serialization())
            .user_agent("platform-xtask")
            .request_id_header("")
            .connect_timeout(self.connect_timeout)
            .body_limit(LIMIT);
        let Network { connections, files, .. } = self.network.clone();
        let builder = connections.apply(builder, files).map_err(|error| no_token(&error))?;
        let builder = match credential {
            Some(credential) => builder.credential(credential),
            None => builder,
        };
        builder.build().map_err(|error| no_token(&error))
    }

    /// Whether a place may be asked at all.
    fn check(&self, url: &Url) -> Result<(), Failure> {
        match url.scheme() {
            "https" => Ok(()),
            "http" if self.network.connections.allow_plain(url).map_err(|error| no_token(&error))? => Ok(()),
            "http" => Err(Failure::configuration(
                "configuration/plain-http",
                format!("{} is plain http, which is for loopback, and for hosts that are allowed to be", shown(url)),
                format!(
                    "use https; or save the contract by other means and name it with --contract FILE\n\
                     or allow it, where nobody but the two ends can read what is sent, tokens and secrets among it: {}",
                    self.allowing(url.host_str().unwrap_or_default())
                ),
            )),
            other => Err(Failure::configuration(
                "configuration/scheme",
                format!("{}: {other} is not a scheme that can be downloaded from", shown(url)),
                "use an https URL",
            )),
        }
    }

    /// How a host is allowed to be `http`.
    fn allowing(&self, host: &str) -> String {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let read = format!("`variables = \"{PROGRAMS}\"` in [source.token] has it read");
        match self.variables() {
            "" => format!("set {PROGRAMS}DANGER_ALLOW_HTTP_TO={host}, which no key names: {read}"),
            prefix => format!("set {prefix}DANGER_ALLOW_HTTP_TO={host}"),
        }
    }
}
