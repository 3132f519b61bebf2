//! Connections, and their bodies.

pub(crate) mod address;
pub(crate) mod body;
mod clients;
mod flow;
mod proxy;
mod retry_after;
mod stream;
mod tls;

use std::{
    error::Error as StdError,
    io,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use rustls::AlertDescription;
use secrecy::{ExposeSecret, SecretString};
use tokio::runtime::{Handle, RuntimeFlavor};
use url::Url;

pub(crate) use self::flow::{Flow, silent};
use self::{address::PlainHosts, clients::Clients, proxy::Route};
pub use self::{flow::MinThroughput, stream::ByteStream, tls::Certificates};
pub(crate) use self::{
    proxy::{Proxy, ProxyChoice},
    retry_after::retry_after,
    tls::Tls,
};
use crate::{
    clock::{LONGEST, Until},
    error::{Error, Kind},
    json::charset,
};

/// The largest body that is decoded, in bytes, unless configured.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The longest part of an error's body that is read, in bytes.
pub(crate) const ERROR_LIMIT: usize = 64 * 1024;

/// The longest silence of an issuer within a response.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// The time for which an idle connection stays open, unless configured. Usual balancers close it after 60 s and nginx
/// after 75 s: the client has to be the first one, or a request may be lost on its way.
const POOL_IDLE: Duration = Duration::from_secs(45);
const _: () = assert!(POOL_IDLE.as_secs() < 60);

/// Changes the connections of a client beyond its configuration: see `ClientBuilder::with_reqwest`.
pub(crate) type Customise = Arc<dyn Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder + Send + Sync>;

/// The settings of a client's connections.
#[derive(Clone, Default)]
pub(crate) struct Connections {
    pub(crate) tls: Tls,
    pub(crate) proxy: ProxyChoice,
    /// Hosts that `http` is allowed to.
    pub(crate) plain: PlainHosts,
    pub(crate) idle_per_host: Option<usize>,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) customise: Option<Customise>,
}

/// The connections of one client: to the service, and to its issuer. They are created with the first call.
pub(crate) struct Transport {
    user_agent: HeaderValue,
    connect: Duration,
    connections: Connections,
    /// The proxy of the connections, once it is determined.
    proxy: OnceLock<Route>,
    plain: Clients,
    secure: Clients,
    #[cfg(feature = "graphql")]
    upgrade: Clients,
}

/// A whole response of an issuer.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// In UTF-8.
    pub(crate) body: Bytes,
    pub(crate) retry_after: Option<Duration>,
}

impl Transport {
    pub(crate) fn new(user_agent: HeaderValue, connect: Duration, connections: Connections) -> Self {
        Self {
            user_agent,
            connect,
            connections,
            proxy: OnceLock::new(),
            plain: Clients::new(),
            secure: Clients::new(),
            #[cfg(feature = "graphql")]
            upgrade: Clients::new(),
        }
    }

    /// Returns the client for an address of the service.
    pub(crate) fn client(&self, url: &Url) -> Result<reqwest::Client, Error> {
        self.client_where(url, &self.connections.plain)
    }

    /// Returns the client for an address; `plain` has the hosts that `http` is allowed to. The client for `http` trusts
    /// no certificate; that for `https` never falls back to the other.
    fn client_where(&self, url: &Url, plain: &PlainHosts) -> Result<reqwest::Client, Error> {
        if url.scheme() == "http" && plain.allow(url) {
            self.plain.here(tls::plain, |tls| self.build(tls, |builder| Ok(builder.no_proxy())))
        } else {
            self.secure.here(|| self.connections.tls.secure(), |tls| self.build(tls, |builder| self.https(builder)))
        }
    }

    /// Returns the client for a request that upgrades its connection, which works differently in HTTP/2.
    #[cfg(feature = "graphql")]
    pub(crate) fn upgrade_client(&self, url: &Url) -> Result<reqwest::Client, Error> {
        if cfg!(not(feature = "http2")) || url.scheme() == "http" {
            return self.client(url);
        }
        let build = |tls| self.build(tls, |builder| Ok(self.https(builder)?.http1_only()));
        self.upgrade.here(|| self.connections.tls.secure(), build)
    }

    /// Only `https`, through the proxy.
    fn https(&self, builder: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, Error> {
        // By itself, `reqwest` ignores invalid settings in the environment.
        let builder = builder.https_only(true).no_proxy();
        match self.connections.proxy.find()? {
            Some((proxy, except)) => {
                let _ = self.proxy.set(proxy.route(&except));
                proxy.install(&except, builder)
            }
            None => Ok(builder),
        }
    }

    /// Closes the connections that a runtime opened that has ended.
    pub(crate) fn forget(&self, runtime: tokio::runtime::Id) {
        self.plain.forget(runtime);
        self.secure.forget(runtime);
    }

    fn build(
        &self,
        tls: rustls::ClientConfig,
        with: impl FnOnce(reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, Error>,
    ) -> Result<reqwest::Client, Error> {
        let Connections { idle_per_host, idle_timeout, customise, .. } = &self.connections;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(self.user_agent.clone());
        // Without a limit, that of the operating system applies.
        if self.connect <= LONGEST {
            builder = builder.connect_timeout(self.connect);
        }
        if let Some(most) = idle_per_host {
            builder = builder.pool_max_idle_per_host(*most);
        }
        let idle = idle_timeout.unwrap_or(POOL_IDLE);
        builder = builder.pool_idle_timeout(Some(idle).filter(|time| *time <= LONGEST));
        builder = with(builder)?;
        if let Some(customise) = customise {
            // A builder that the program creates has no TLS of ours: without a provider in the process, `reqwest`
            // panics.
            let _ = rustls::crypto::ring::default_provider().install_default();
            builder = customise(builder);
        }
        builder.build().map_err(|cause| tls::unusable(&chain(&cause)))
    }

    /// Gets a document of an issuer, without a credential.
    pub(crate) async fn get(&self, url: &Url, plain: &PlainHosts, deadline: Until) -> Result<Reply, Error> {
        let client = self.client_where(url, plain)?;
        let request = client.get(url.clone()).header(header::ACCEPT, "application/json");
        self.whole(request, url, deadline).await
    }

    /// Posts a form to an issuer.
    pub(crate) async fn post_form(
        &self,
        url: &Url,
        plain: &PlainHosts,
        form: SecretString,
        authorization: Option<&SecretString>,
        deadline: Until,
    ) -> Result<Reply, Error> {
        let mut request = self
            .client_where(url, plain)?
            .post(url.clone())
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.expose_secret().to_owned());
        if let Some(authorization) = authorization {
            let mut value = HeaderValue::try_from(authorization.expose_secret())
                .map_err(|_| Error::with(Kind::Secret, "the client's secret cannot stand in a header"))?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        self.whole(request, url, deadline).await
    }

    async fn whole(&self, request: reqwest::RequestBuilder, url: &Url, deadline: Until) -> Result<Reply, Error> {
        let exchange = async {
            let mut response = request.send().await.map_err(|cause| self.broken(cause))?;
            let body =
                body::read(&mut response, ERROR_LIMIT, Flow::new(LONGEST_SILENCE, MinThroughput::default())).await?;
            let body = charset::json_bytes(response.headers().get(header::CONTENT_TYPE), &body);
            let retry_after = retry_after(response.headers(), SystemTime::now());
            Ok::<_, Error>(Reply { status: response.status(), body, retry_after })
        };
        let issuer = || format!("the issuer at {}", url.origin().ascii_serialization());
        match deadline.limit(exchange).await {
            Ok(Ok(reply)) => Ok(reply),
            // The issuer, or a server in its place, did answer.
            Ok(Err(error)) if error.is_too_large() => {
                Err(Error::with(Kind::Token, format!("the answer of {} is too large", issuer()))
                    .hint("something else answers at this address: check the issuer's address")
                    .cause(error))
            }
            Ok(Err(error)) => {
                let kind = if error.is_connect() { Kind::Connect } else { Kind::Token };
                Err(Error::with(kind, format!("{} did not answer", issuer()))
                    .because(error.reason())
                    .hint("check the issuer's address, the network and the certificates")
                    .passing(error.is_retryable())
                    .cause(error))
            }
            Err(_) => {
                Err(Error::with(Kind::Timeout, format!("{} did not answer in time", issuer())).hint("call again"))
            }
        }
    }

    /// The error of a connection, with the proxy that refused it.
    pub(crate) fn broken(&self, cause: reqwest::Error) -> Error {
        let proxy = cause.url().and_then(|url| self.proxy.get()?.to(url));
        // Behind a proxy that connects, TLS is between the client and the server.
        let proxy = proxy.filter(|_| cause.is_connect() && !is_tls(&cause));
        let cause = cause.without_url();
        match proxy {
            Some(proxy) => {
                let message = format!("no connection through {proxy}: {}", chain(&cause));
                Error::with(Kind::Connect, message)
                    .because("connect/proxy")
                    .hint("check the proxy's address, user, password and rules; nothing was sent")
            }
            _ => broken(&cause),
        }
    }
}

/// Lets a runtime of one thread notice connections that were closed while it was not driven. Otherwise the request is
/// sent on one of them and lost, and it is unknown whether it took effect.
///
/// The first pause ends after the runtime has polled the system for events, the second after the connections have read
/// them.
pub(crate) async fn notice_closed() {
    if Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::CurrentThread) {
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
    }
}

/// The error of a connection.
pub(crate) fn broken(cause: &reqwest::Error) -> Error {
    let (kind, reason, message, hint) = if wants_certificate(cause) {
        (
            Kind::Connect,
            "connect/certificate",
            "the server requires a client certificate that it accepts",
            "give one to the builder with `client_certificate`, or renew it; the request was not processed".to_owned(),
        )
    } else if cause.is_connect() {
        let (reason, message, hint) = if cause.is_dns() {
            (
                "connect/dns",
                "no connection, because the server's name cannot be resolved",
                "check the name and the network",
            )
        } else if is_tls(cause) {
            (
                "connect/tls",
                "no TLS connection",
                "check the scheme and the port; a private CA goes into `root_certificates`, or SSL_CERT_FILE",
            )
        } else if cause.is_timeout() {
            ("connect/timeout", "no connection in time", "check the address, or allow more time")
        } else {
            ("connect/refused", "no connection", "check the address, the network and that the service runs")
        };
        (Kind::Connect, reason, message, format!("{hint}; nothing was sent"))
    } else if cause.is_timeout() {
        (Kind::Timeout, "", "no answer in time", "call again, or set a longer deadline".to_owned())
    } else if is_large_head(cause) {
        (
            Kind::TooLarge,
            "",
            "the headers of the response are too large",
            "the service, or a proxy on the way, sends too many: correct it there".to_owned(),
        )
    } else {
        (Kind::Transport, "", "the connection broke", "call again".to_owned())
    };
    Error::with(kind, format!("{message}: {}", chain(cause))).because(reason).hint(hint)
}

/// Returns whether a server ended the handshake because of the client's certificate. With TLS 1.3, the client has sent
/// its request by then; the server has not read it.
fn wants_certificate(error: &reqwest::Error) -> bool {
    let alert = |cause: &rustls::Error| {
        matches!(
            cause,
            rustls::Error::AlertReceived(
                AlertDescription::CertificateRequired
                    | AlertDescription::BadCertificate
                    | AlertDescription::UnsupportedCertificate
                    | AlertDescription::CertificateRevoked
                    | AlertDescription::CertificateExpired
                    | AlertDescription::CertificateUnknown
                    | AlertDescription::UnknownCA
                    | AlertDescription::DecryptError
                    | AlertDescription::AccessDenied
            )
        )
    };
    any_cause(error, &mut |cause| cause.downcast_ref::<rustls::Error>().is_some_and(alert))
}

/// Returns whether the connection was established and TLS failed: an alert, or a peer that closes after the greeting.
fn is_tls(error: &reqwest::Error) -> bool {
    any_cause(error, &mut |cause| {
        let hung_up = cause
            .downcast_ref::<io::Error>()
            .is_some_and(|io| matches!(io.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset));
        hung_up || cause.is::<rustls::Error>()
    })
}

/// Returns whether a response arrived whose headers exceed the limit.
fn is_large_head(error: &reqwest::Error) -> bool {
    // `is_parse_too_large` only exists with hyper's feature `server`, which would compile a server into every program.
    let is_large = |error: &hyper::Error| error.is_parse() && error.to_string().contains("too large");
    any_cause(error, &mut |cause| cause.downcast_ref::<hyper::Error>().is_some_and(is_large))
}

/// Returns whether one of the causes is of a kind. `source` skips the error inside an I/O error.
fn any_cause(error: &reqwest::Error, is: &mut dyn FnMut(&(dyn StdError + 'static)) -> bool) -> bool {
    let mut next = error.source();
    while let Some(cause) = next {
        if is(cause) {
            return true;
        }
        let inside = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match inside {
            Some(inside) => Some(inside),
            None => cause.source(),
        };
    }
    false
}

/// The causes of an error, in one text. The first is left out if it only repeats the action.
fn chain(error: &dyn StdError) -> String {
    let mut text = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push(cause.to_string());
        next = cause.source();
    }
    text.pop().unwrap_or_else(|| error.to_string())
}
