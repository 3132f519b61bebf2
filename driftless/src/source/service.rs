//! A running service that is asked with the credentials of programs: within bounds, without redirects, and never more than it is asked.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use driftless_codegen::line;
use driftless_runtime::Method;
use driftless_runtime::download::SecretPlace;
use url::Url;

use super::credential;
use super::http::Http;
use crate::console::{Steps, address};
use crate::failure::Failure;
use crate::files::Files;
use crate::settings::{Settings, TokenSource};
use crate::workspace::Workspace;

/// The limits of all requests together.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most requests.
    pub requests: usize,
    /// The time between the beginnings of two requests.
    pub pause: Duration,
    /// The time after which no request is sent.
    pub time: Duration,
    /// The time for one request.
    pub timeout: Duration,
    /// The largest body, in bytes.
    pub body: usize,
}

/// A header that carries a secret, which is in a variable or in a protected file.
#[derive(Clone, Debug)]
pub struct SecretHeader {
    /// The header.
    pub name: String,
    /// The variable.
    pub env: Option<String>,
    /// The file.
    pub file: Option<PathBuf>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct ServiceAnswer {
    /// The status.
    pub status: u16,
    /// The header `Content-Type`; empty if it is missing.
    pub content_type: String,
    /// The body, decoded.
    pub body: Vec<u8>,
}

/// A service. Credentials go to its origin only, and those of the workspace only if it is the origin of a configured base URL.
#[derive(Debug)]
pub struct LiveService {
    http: Http<'static>,
    base: Url,
    bounds: Bounds,
    begun: Instant,
    /// The number of requests, and the time of the next one.
    sent: Mutex<(usize, Instant)>,
}

impl LiveService {
    /// Gets the credentials that the configuration, the variables or a header name.
    ///
    /// # Errors
    ///
    /// The address is not one of http(s), the credentials cannot be had, or they are for another service.
    pub async fn connect(
        workspace: &Workspace,
        base: &str,
        header: Option<&SecretHeader>,
        bounds: Bounds,
    ) -> Result<Self, Failure> {
        let refused = |why: &str| {
            let hint = "write an http(s) URL without user, query and fragment";
            Failure::configuration("conformance/against", format!("{}: {why}", address(base)), hint)
        };
        let base = Url::parse(base).map_err(|error| refused(&error.to_string()))?;
        let is_plain = base.username().is_empty()
            && base.password().is_none()
            && base.query().is_none()
            && base.fragment().is_none();
        if !is_plain || !["http", "https"].contains(&base.scheme()) {
            return Err(refused("not the base URL of a service"));
        }
        let mut settings = Settings::from_files(&Files::read(workspace)?)?;
        let token = &mut settings.source.token;
        if token.variables.is_none() && !token.begins() {
            *token = TokenSource {
                variables: Some(settings.codegen.config.client.variables.clone()),
                ..TokenSource::default()
            };
        }
        if let Some(SecretHeader { name, env, file }) = header {
            let secret = SecretPlace { env: env.clone(), file: file.clone(), ..SecretPlace::default() };
            *token = TokenSource::default();
            (token.keys.key.secret, token.keys.key.header) = (secret, Some(name.clone()));
        }
        let is_configured = {
            let names = [
                settings.source.base_url_env.clone(),
                token.variables.as_ref().map(|begin| format!("{begin}BASE_URL")),
            ];
            let named = names.into_iter().flatten().filter_map(|name| std::env::var(name).ok());
            let mut urls = named.chain(settings.source.base_url.clone());
            urls.any(|url| Url::parse(&url).is_ok_and(|url| url.origin() == base.origin()))
        };
        let mut http = Http::new(&NO_STEPS, bounds.timeout, bounds.timeout, credential::network(workspace, &settings)?);
        let credentials = credential::resolve(&settings, &settings.source.token, "/source/token", http.connections())?;
        http.set_origin(&base);
        if let Some(credentials) = credentials {
            if header.is_none() && !is_configured {
                let origin = base.origin().ascii_serialization();
                return Err(Failure::configuration(
                    "conformance/credentials",
                    format!("{origin} is not the origin of a configured base URL, and does not get its credentials"),
                    "name credentials for it: --header-env HEADER=VARIABLE or --header-file HEADER=FILE",
                ));
            }
            http.authorize(&base, credentials).await?;
        }
        let begun = Instant::now();
        Ok(Self { http, base, bounds, begun, sent: Mutex::new((0, begun)) })
    }

    /// Sends a request that changes nothing. `None`: a bound is reached, and nothing was sent.
    ///
    /// # Errors
    ///
    /// The request is not one of GET or HEAD below the base URL, or the service does not answer.
    pub async fn ask(&self, method: &str, target: &str, accept: &str) -> Result<Option<ServiceAnswer>, Failure> {
        let refused = || {
            let message = format!("{} {}: only GET and HEAD below the base URL are sent", line(method), line(target));
            Failure::configuration("conformance/unsafe", message, "this is a defect of driftless: please report it")
        };
        let method = match method {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            _ => return Err(refused()),
        };
        let url = below(&self.base, target).ok_or_else(refused)?;
        let start = {
            let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
            let start = sent.1.max(Instant::now());
            if sent.0 >= self.bounds.requests || start.duration_since(self.begun) >= self.bounds.time {
                return Ok(None);
            }
            *sent = (sent.0 + 1, start + self.bounds.pause);
            start
        };
        tokio::time::sleep_until(start.into()).await;
        let answer = self.http.once(method, &url, accept, self.bounds.body).await?;
        Ok(Some(ServiceAnswer { status: answer.status.as_u16(), content_type: answer.content_type, body: answer.body }))
    }
}

/// The URL of a target, which begins with a slash. `None`: it would lead elsewhere, or a parser changes its path.
fn below(base: &Url, target: &str) -> Option<Url> {
    let url = Url::parse(&(base.as_str().trim_end_matches('/').to_owned() + target)).ok()?;
    let path = target.split(['?', '#']).next().filter(|path| path.starts_with('/'))?;
    let is_same = url.path() == base.path().trim_end_matches('/').to_owned() + path;
    (is_same && url.origin() == base.origin()).then_some(url)
}

/// No step of it is shown.
static NO_STEPS: Steps = Steps::silent();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_stays_below_the_base_url() {
        let base = Url::parse("https://a.example/api/").unwrap();
        let url = |target: &str| below(&base, target).map(|url| url.to_string());
        assert_eq!(url("/pets/a%20b?q=/../x").as_deref(), Some("https://a.example/api/pets/a%20b?q=/../x"));
        for target in ["/../x", "/pets/..", "/%2e%2E/x", "/.", "/a\\..\\..\\x", "x", "@b.example/", ".b.example/x", ""]
        {
            assert_eq!(url(target), None, "{target}");
        }
    }
}
