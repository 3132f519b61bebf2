//! One download: time limits, size limit, origins, and errors that name the step which failed.

use std::error::Error as _;
use std::io::{self, ErrorKind};
use std::time::Duration;

use platform_codegen::line;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, LOCATION};
use reqwest::{Client, Method, StatusCode, redirect};
use url::{Origin, Url};

use super::address::{is_loopback, may_lead, shown};
use super::secret::Secret;
use crate::console::{SHORTEST, hide, redacted};
use crate::failure::{Exit, Failure};

/// Largest body that is read, in bytes.
pub(super) const LIMIT: usize = 64 * 1024 * 1024;
const REDIRECTS: usize = 5;
/// Longest tag that is kept, in bytes: the lock holds it.
const LONGEST_TAG: usize = 512;
const OFFLINE: &str = "or work from the pinned contracts: `cargo xtask regenerate --offline`";

/// A client for downloads, and the one credential that it may send.
#[derive(Debug)]
pub(crate) struct Http {
    connect_timeout: Duration,
    timeout: Duration,
    bearer: Option<Bearer>,
}

/// A bearer token, and the only origin that it is sent to.
#[derive(Debug)]
struct Bearer {
    origin: Origin,
    // Marked as sensitive, which keeps it out of every debug output.
    value: HeaderValue,
    token: Secret,
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
        Self { connect_timeout, timeout, bearer: None }
    }

    /// Lets `token` go to the origin of `base`, and nowhere else.
    pub(crate) fn authorize(&mut self, base: &Url, token: &str) -> Result<(), Failure> {
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| {
            Failure::new(
                Exit::Download,
                "token/malformed",
                "the token holds characters that no header can carry",
                "check the token's source: a line break inside it is a common cause",
            )
        })?;
        value.set_sensitive(true);
        hide(token);
        self.bearer = Some(Bearer { origin: base.origin(), value, token: Secret::from_environment(token) });
        Ok(())
    }

    fn bearer_for(&self, url: &Url) -> Option<&HeaderValue> {
        self.bearer.as_ref().filter(|bearer| bearer.origin == url.origin()).map(|bearer| &bearer.value)
    }

    /// Whether a request to this place carries the credential.
    pub(crate) fn is_authorized_for(&self, url: &Url) -> bool {
        self.bearer_for(url).is_some()
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
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static("application/json, application/yaml;q=0.9, */*;q=0.1"));
            if let Some(etag) = etag.and_then(|etag| HeaderValue::from_str(etag).ok()) {
                headers.insert(IF_NONE_MATCH, etag);
            }
            let bearer = self.bearer_for(&url);
            if let Some(value) = bearer {
                headers.insert(AUTHORIZATION, value.clone());
            }
            let answer = self.send(Method::GET, &url, headers, None, received).await?;
            let next = answer.location.as_deref().filter(|_| answer.status.is_redirection());
            let Some(next) = next else { return Ok(answer) };
            let next = url.join(next).map_err(|_| redirected(&url, "an address that is not a URL"))?;
            if bearer.is_some() || !may_lead(&url, &next) {
                return Err(redirected(&url, &shown(&next)));
            }
            url = next;
        }
        Err(redirected(&url, "ever more redirects"))
    }

    /// Sends a form; it holds a secret, so no redirect is followed.
    pub(crate) async fn post_form(&self, url: &Url, form: String) -> Result<Answer, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let answer = self.send(Method::POST, url, headers, Some(form), &mut |_| {}).await?;
        match &answer.location {
            Some(next) if answer.status.is_redirection() => {
                let next =
                    url.join(next).map_or_else(|_| "an address that is not a URL".to_owned(), |next| shown(&next));
                Err(redirected(url, &next))
            }
            _ => Ok(answer),
        }
    }

    /// Asks with a JSON body. No redirect is followed.
    pub(crate) async fn post_json(&self, url: &Url, body: String) -> Result<Answer, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(value) = self.bearer_for(url) {
            headers.insert(AUTHORIZATION, value.clone());
        }
        self.send(Method::POST, url, headers, Some(body), &mut |_| {}).await
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: Option<String>,
        received: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Answer, Failure> {
        let failed = |error: &reqwest::Error| failure(url, error);
        let mut request = self.client(url)?.request(method, url.clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let mut response = request.send().await.map_err(|error| failed(&error))?;
        let header = |name: reqwest::header::HeaderName| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let mut answer = Answer {
            url: url.clone(),
            status: response.status(),
            content_type: header(CONTENT_TYPE).unwrap_or_default(),
            etag: header(ETAG).filter(|tag| tag.len() <= LONGEST_TAG),
            challenge: header(reqwest::header::WWW_AUTHENTICATE),
            location: header(LOCATION),
            body: Vec::new(),
        };
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error))? {
            if answer.body.len() + chunk.len() > LIMIT {
                return Err(too_large(&shown(url)));
            }
            answer.body.extend_from_slice(&chunk);
            received(answer.body.len());
        }
        self.repeats_no_token(&answer)?;
        Ok(answer)
    }

    /// What is received is written into the repository: a service that repeats the token must not bring it there.
    fn repeats_no_token(&self, answer: &Answer) -> Result<(), Failure> {
        let Some(bearer) = &self.bearer else { return Ok(()) };
        let token = bearer.token.expose().as_bytes();
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

    fn client(&self, url: &Url) -> Result<Client, Failure> {
        let mut builder = Client::builder()
            .user_agent("platform-xtask")
            .redirect(redirect::Policy::none())
            .connect_timeout(self.connect_timeout)
            .timeout(self.timeout);
        match url.scheme() {
            "https" => {}
            // Nothing on loopback goes through a proxy, or needs the system's certificates.
            "http" if is_loopback(url) => builder = builder.no_proxy().tls_certs_only([]),
            "http" => {
                return Err(Failure::configuration(
                    "configuration/plain-http",
                    format!("{} is plain http, which is for loopback only", shown(url)),
                    "use https, or save the contract by other means and name it with --contract FILE",
                ));
            }
            other => {
                return Err(Failure::configuration(
                    "configuration/scheme",
                    format!("{}: {other} is not a scheme that can be downloaded from", shown(url)),
                    "use an https URL",
                ));
            }
        }
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            // A provider that was installed in the meantime serves as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        builder.build().map_err(|error| {
            Failure::new(
                Exit::Download,
                "download/tls",
                format!("TLS cannot be set up: {}", chain(&error)),
                format!("install the system's CA certificates, or name them with SSL_CERT_FILE\n{OFFLINE}"),
            )
        })
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
fn failure(url: &Url, error: &reqwest::Error) -> Failure {
    let host = url.host_str().unwrap_or_default();
    let place = shown(url);
    let (code, message, hint) = if error.is_dns() {
        ("download/dns", format!("the name {host} cannot be resolved"), "check the host name and the network")
    } else if is_tls(url, error) {
        (
            "download/tls",
            format!("no TLS connection to {place}: {}", chain(error)),
            "check the scheme and port; a private CA goes into SSL_CERT_FILE",
        )
    } else if error.is_timeout() && error.is_connect() {
        (
            "download/timeout",
            format!("no connection to {place} in time"),
            "check the address, or raise --connect-timeout",
        )
    } else if error.is_timeout() {
        ("download/timeout", format!("{place} did not answer in time"), "try again, or raise --timeout")
    } else if error.is_connect() {
        (
            "download/connect",
            format!("no connection to {place}: {}", chain(error)),
            "check the address and that the service runs",
        )
    } else {
        ("download/broken", format!("the answer of {place} broke off: {}", chain(error)), "try again")
    };
    Failure::new(Exit::Download, code, message, format!("{hint}\n{OFFLINE}"))
}

/// Whether the connection stood and TLS did not: an alert, or a peer that hangs up on the greeting.
fn is_tls(url: &Url, error: &reqwest::Error) -> bool {
    let greeted = url.scheme() == "https" && error.is_connect();
    let mut cause = error.source();
    while let Some(current) = cause {
        if current.is::<rustls::Error>() {
            return true;
        }
        // An I/O error hides the error that it was made of from `source`.
        let mut inside = current.downcast_ref::<io::Error>();
        while let Some(io) = inside {
            let hung_up = greeted && matches!(io.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset);
            if hung_up || io.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
                return true;
            }
            inside = io.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
        }
        cause = current.source();
    }
    false
}

/// The innermost reason; the outer ones repeat the URL.
fn chain(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
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
