//! One download: size limit, origins, redirects, and errors that name the step which failed. Connections, certificates,
//! proxies and tokens are the runtime's, as in a program that uses the client.

use std::sync::OnceLock;
use std::time::Duration;

use platform_codegen::line;
use platform_runtime::auth::{Credential, ExposeSecret as _, SecretString};
use platform_runtime::download::{Download, said, token};
use platform_runtime::{Client, Error, Method, StatusCode};
use url::{Origin, Url};

use super::address::{is_loopback, may_lead, shown};
use crate::console::{SHORTEST, hide, redacted};
use crate::failure::{Exit, Failure};

/// Largest body that is read, in bytes.
pub(super) const LIMIT: usize = 64 * 1024 * 1024;
const REDIRECTS: usize = 5;
/// Longest tag that is kept, in bytes: the lock holds it.
const LONGEST_TAG: usize = 512;
const OFFLINE: &str = "or work from the pinned contracts: `cargo xtask regenerate --offline`";
const ACCEPT: &str = "application/json, application/yaml;q=0.9, */*;q=0.1";

/// A client for downloads, and the one credential that it may send.
#[derive(Debug)]
pub(crate) struct Http {
    connect_timeout: Duration,
    timeout: Duration,
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
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Where the answer came from, after redirects.
    pub(crate) url: Url,
    pub(crate) status: StatusCode,
    pub(crate) content_type: String,
    pub(crate) etag: Option<String>,
    pub(crate) body: Vec<u8>,
    pub(crate) challenge: Option<String>,
    location: Option<String>,
}

impl Http {
    pub(crate) fn new(connect_timeout: Duration, timeout: Duration) -> Self {
        Self { connect_timeout, timeout, open: OnceLock::new(), authorized: None }
    }

    /// Gets a token, and lets it go to the origin of `base`, and nowhere else.
    pub(crate) async fn authorize(&mut self, base: &Url, credential: Box<dyn Credential>) -> Result<(), Failure> {
        let client = self.client(base, Some(credential))?;
        let token = token(&client, self.timeout).await.map_err(|error| no_token(&error))?;
        if let Some(token) = token {
            hide(token.expose_secret());
            self.authorized = Some(Authorized { client, origin: base.origin(), token });
        }
        Ok(())
    }

    /// Whether a request to this place carries the credential.
    pub(crate) fn is_authorized_for(&self, url: &Url) -> bool {
        self.authorized.as_ref().is_some_and(|authorized| authorized.origin == url.origin())
    }

    /// Reads a place; without a credential, redirects are followed.
    pub(crate) async fn get(
        &self,
        url: &Url,
        etag: Option<&str>,
        received: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Answer, Failure> {
        let mut url = url.clone();
        for _ in 0..=REDIRECTS {
            let mut headers = vec![("accept", ACCEPT.to_owned())];
            headers.extend(etag.map(|etag| ("if-none-match", etag.to_owned())));
            let answer = self.send(Method::Get, &url, headers, None, received).await?;
            let next = answer.location.as_deref().filter(|_| answer.status.is_redirection());
            let Some(next) = next else { return Ok(answer) };
            let next = url.join(next).map_err(|_| redirected(&url, "an address that is not a URL"))?;
            if self.is_authorized_for(&url) || !may_lead(&url, &next) {
                return Err(redirected(&url, &shown(&next)));
            }
            url = next;
        }
        Err(redirected(&url, "ever more redirects"))
    }

    /// Asks with a JSON body. No redirect is followed.
    pub(crate) async fn post_json(&self, url: &Url, body: String) -> Result<Answer, Failure> {
        let json = || "application/json".to_owned();
        let headers = vec![("accept", json()), ("content-type", json())];
        self.send(Method::Post, url, headers, Some(body), &mut |_| {}).await
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: Vec<(&'static str, String)>,
        body: Option<String>,
        received: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Answer, Failure> {
        let client = match &self.authorized {
            Some(authorized) => {
                check(url)?;
                &authorized.client
            }
            None => self.open(url)?,
        };
        let body = body.map(Into::into);
        let download = Download { method, url, headers, body, time: self.timeout, limit: LIMIT };
        let came = download.send(client, received).await.map_err(|error| failure(url, &error))?;
        let header = |name: &str| came.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let answer = Answer {
            url: url.clone(),
            status: came.status,
            content_type: header("content-type").unwrap_or_default(),
            etag: header("etag").filter(|tag| tag.len() <= LONGEST_TAG),
            challenge: header("www-authenticate"),
            location: header("location"),
            body: came.body.into(),
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
        check(url)?;
        if let Some(client) = self.open.get() {
            return Ok(client);
        }
        let client = self.client(url, None)?;
        Ok(self.open.get_or_init(|| client))
    }

    fn client(&self, url: &Url, credential: Option<Box<dyn Credential>>) -> Result<Client, Failure> {
        check(url)?;
        let builder = Client::builder(url.origin().ascii_serialization())
            .user_agent("platform-xtask")
            .request_id_header("")
            .connect_timeout(self.connect_timeout)
            .body_limit(LIMIT);
        let builder = match credential {
            Some(credential) => builder.credential(credential),
            None => builder,
        };
        builder.build().map_err(|error| no_token(&error))
    }
}

/// Whether a place may be asked at all.
fn check(url: &Url) -> Result<(), Failure> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_loopback(url) => Ok(()),
        "http" => Err(Failure::configuration(
            "configuration/plain-http",
            format!("{} is plain http, which is for loopback only", shown(url)),
            "use https, or save the contract by other means and name it with --contract FILE",
        )),
        other => Err(Failure::configuration(
            "configuration/scheme",
            format!("{}: {other} is not a scheme that can be downloaded from", shown(url)),
            "use an https URL",
        )),
    }
}

/// What to say of a place that holds more than a contract does.
pub(super) fn too_large(place: &str) -> Failure {
    Failure::new(
        Exit::Contract,
        "contract/too-large",
        format!("{place} holds more than {}", crate::console::size(LIMIT)),
        "check that it is the place of the contract",
    )
}

fn redirected(from: &Url, to: &str) -> Failure {
    Failure::new(
        Exit::Download,
        "download/redirect",
        format!("{} redirects to {to}; credentials and endless redirects are not followed there", shown(from)),
        format!("configure the final address, and check that the credential is accepted\n{OFFLINE}"),
    )
}

/// Which step of a request failed, and what to do about it.
fn failure(url: &Url, error: &Error) -> Failure {
    let (said, place) = (said(error), shown(url));
    let host = url.host_str().unwrap_or_default();
    let (code, message, hint) = match said.code {
        "too-large" => return too_large(&place),
        "connect/dns" => {
            ("download/dns", format!("the name {host} cannot be resolved"), "check the host name and the network")
        }
        "connect/tls" => (
            "download/tls",
            format!("{place}: {}", said.what),
            "check the scheme and port; a private CA goes into SSL_CERT_FILE",
        ),
        "connect/timeout" => (
            "download/timeout",
            format!("no connection to {place} in time"),
            "check the address, or raise --connect-timeout",
        ),
        "connect/refused" | "connect" => {
            ("download/connect", format!("{place}: {}", said.what), "check the address and that the service runs")
        }
        "timeout" => ("download/timeout", format!("{place} did not answer in time"), "try again, or raise --timeout"),
        "transport" => ("download/broken", format!("the answer of {place} broke off: {}", said.what), "try again"),
        // A token that was replaced on the way.
        _ => return no_token(error),
    };
    Failure::new(Exit::Download, code, message, format!("{hint}\n{OFFLINE}"))
}

/// Why there is no token: the configuration, the secret, or the issuer.
pub(super) fn no_token(error: &Error) -> Failure {
    let said = said(error);
    let code = match said.code {
        "configuration" | "request" => "configuration/credential",
        "secret" => "secret/unreadable",
        "connect/dns" => "download/dns",
        "connect/tls" => "download/tls",
        "timeout" | "connect/timeout" => "download/timeout",
        "connect/refused" | "connect" => "download/connect",
        "transport" => "download/broken",
        "token" => "token/refused",
        code => code,
    };
    if code.starts_with("secret/") || code.starts_with("configuration/") {
        return Failure::configuration(code, said.what, said.hint);
    }
    let message = format!("the identity issuer gives no token: {}", said.what);
    Failure::new(Exit::Download, code, message, format!("{}\n{OFFLINE}", said.hint))
}

impl Answer {
    /// Status, content type and first line, for messages.
    pub(crate) fn described(&self) -> String {
        let kind = match self.content_type.as_str() {
            "" => "no content type".to_owned(),
            kind => clip(kind),
        };
        format!("{} sent {}, {kind}, {}", shown(&self.url), self.status, first_line(&self.body))
    }

    /// A page for people instead of a document.
    pub(crate) fn is_html(&self) -> bool {
        let start = self.body.trim_ascii_start();
        let starts = |text: &[u8]| start.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text));
        self.content_type.trim_start().to_ascii_lowercase().starts_with("text/html") && !start.starts_with(b"{")
            || starts(b"<!doctype html")
            || starts(b"<html")
    }

    /// Why an error status ends the work.
    pub(crate) fn refused(&self, authorized: bool) -> Failure {
        let place = shown(&self.url);
        let (code, hint) = match self.status {
            StatusCode::UNAUTHORIZED if authorized => {
                ("download/unauthorized", "the service does not accept the token: check issuer, client and scope")
            }
            StatusCode::UNAUTHORIZED => (
                "download/unauthorized",
                "the contract needs a token: set one of the sources that [source.token] in specs/codegen.toml names",
            ),
            StatusCode::FORBIDDEN => {
                ("download/forbidden", "the caller may not read the contract: check its scope and roles")
            }
            _ => {
                ("download/status", "check the address; [[source.document]] in specs/codegen.toml names the contract's")
            }
        };
        let challenge = self.challenge.as_deref().map(|text| format!(" ({})", clip(text))).unwrap_or_default();
        Failure::new(
            Exit::Download,
            code,
            format!("{place} answered {}{challenge}", self.status),
            format!("{hint}\n{OFFLINE}"),
        )
    }
}

/// The first line of a body, clipped, without control characters.
pub(crate) fn first_line(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..65_536).unwrap_or(body));
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("first line: {}", clip(line)),
        None => "an empty body".to_owned(),
    }
}

/// The beginning of a line, without control characters. Secrets go before it is cut: a part of one says too much as well.
pub(super) fn clip(text: &str) -> String {
    const WIDTH: usize = 100;
    let text = redacted(text);
    let text = line(&text);
    let mut clipped: String = text.chars().take(WIDTH).collect();
    if text.chars().count() > WIDTH {
        clipped.push('…');
    }
    clipped
}
