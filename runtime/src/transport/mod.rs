//! Connections, and bodies that come over them.

pub(crate) mod address;
pub(crate) mod body;
mod clients;
mod retry_after;
mod stream;

use std::{
    error::Error as StdError,
    io,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use rustls_platform_verifier::BuilderVerifierExt as _;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use self::clients::Clients;
pub(crate) use self::retry_after::retry_after;
pub use self::stream::ByteStream;
use crate::{
    clock::{LONGEST, Until},
    error::{Error, Kind},
};

/// The most that is read of a body that is decoded, in bytes, unless the client is told otherwise.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The most that is read of the body of an error, in bytes.
pub(crate) const ERROR_LIMIT: usize = 64 * 1024;

/// How long an issuer may be silent within an answer.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// The connections of one client: to the service, and to its issuer. They come about with the first call.
pub(crate) struct Transport {
    user_agent: HeaderValue,
    connect: Duration,
    plain: Clients,
    secure: Clients,
    #[cfg(feature = "graphql")]
    upgrade: Clients,
}

/// A whole response of an issuer.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
    pub(crate) retry_after: Option<Duration>,
}

impl Transport {
    pub(crate) fn new(user_agent: HeaderValue, connect: Duration) -> Self {
        Self {
            user_agent,
            connect,
            plain: Clients::new(),
            secure: Clients::new(),
            #[cfg(feature = "graphql")]
            upgrade: Clients::new(),
        }
    }

    /// The client for an address. That for `http` speaks to loopback only and needs no certificates; that for `https` never
    /// falls back to the other.
    pub(crate) fn client(&self, url: &Url) -> Result<reqwest::Client, Error> {
        let client = if url.scheme() == "http" && address::is_loopback(url) {
            self.plain.here(plain_tls, |tls| self.build(tls, |builder| builder.no_proxy()))
        } else {
            self.secure.here(secure_tls, |tls| self.build(tls, |builder| builder.https_only(true)))
        };
        client.map_err(|cause| unusable(&cause))
    }

    /// The client for a request that upgrades its connection, which HTTP/2 does otherwise.
    #[cfg(feature = "graphql")]
    pub(crate) fn upgrade_client(&self, url: &Url) -> Result<reqwest::Client, Error> {
        if cfg!(not(feature = "http2")) || url.scheme() == "http" {
            return self.client(url);
        }
        let build = |tls| self.build(tls, |builder| builder.https_only(true).http1_only());
        self.upgrade.here(secure_tls, build).map_err(|cause| unusable(&cause))
    }

    /// Closes the connections that a runtime opened which has ended.
    pub(crate) fn forget(&self, runtime: tokio::runtime::Id) {
        self.plain.forget(runtime);
        self.secure.forget(runtime);
    }

    fn build(
        &self,
        tls: rustls::ClientConfig,
        with: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
    ) -> Result<reqwest::Client, String> {
        let builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(self.user_agent.clone());
        // Without a limit, that of the operating system counts.
        let builder = if self.connect > LONGEST { builder } else { builder.connect_timeout(self.connect) };
        with(builder).build().map_err(|cause| chain(&cause))
    }

    /// Gets a document of an issuer, without a credential.
    pub(crate) async fn get(&self, url: &Url, deadline: Until) -> Result<Reply, Error> {
        let request = self.client(url)?.get(url.clone()).header(header::ACCEPT, "application/json");
        self.whole(request, url, deadline).await
    }

    /// Posts a form to an issuer.
    pub(crate) async fn post_form(
        &self,
        url: &Url,
        form: SecretString,
        authorization: Option<&SecretString>,
        deadline: Until,
    ) -> Result<Reply, Error> {
        let mut request = self
            .client(url)?
            .post(url.clone())
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.expose_secret().to_owned());
        if let Some(authorization) = authorization {
            let mut value = HeaderValue::try_from(authorization.expose_secret())
                .map_err(|_| Error::of(Kind::Secret, "the client's secret cannot stand in a header"))?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        self.whole(request, url, deadline).await
    }

    async fn whole(&self, request: reqwest::RequestBuilder, url: &Url, deadline: Until) -> Result<Reply, Error> {
        let exchange = async {
            let mut response = request.send().await.map_err(|cause| broken(&cause.without_url()))?;
            let body = body::read(&mut response, ERROR_LIMIT, LONGEST_SILENCE).await?;
            let retry_after = retry_after(response.headers(), SystemTime::now());
            Ok::<_, Error>(Reply { status: response.status(), body, retry_after })
        };
        let place = || format!("the issuer at {}", url.origin().ascii_serialization());
        match deadline.limit(exchange).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(error)) => {
                let kind = if error.is_connect() { Kind::Connect } else { Kind::Token };
                Err(Error::of(kind, format!("{} did not answer", place()))
                    .because(error.reason())
                    .hint("check the issuer's address, the network and the certificates")
                    .passing(error.is_retryable())
                    .cause(error))
            }
            Err(_) => Err(Error::of(Kind::Timeout, format!("{} did not answer in time", place())).hint("call again")),
        }
    }
}

fn unusable(cause: &str) -> Error {
    Error::of(Kind::Configuration, format!("no connection can be made: {cause}"))
        .hint("check the certificates of the system and the proxy settings")
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// Certificates as the operating system trusts them.
fn secure_tls() -> Result<rustls::ClientConfig, rustls::Error> {
    let mut tls = rustls::ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    let protocols: &[&[u8]] = if cfg!(feature = "http2") { &[b"h2", b"http/1.1"] } else { &[b"http/1.1"] };
    tls.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(tls)
}

/// TLS for another protocol: with these certificates, or as the operating system trusts them.
#[cfg(feature = "postgres")]
pub(crate) fn trusting(
    roots: Option<Vec<rustls::pki_types::CertificateDer<'static>>>,
) -> Result<rustls::ClientConfig, rustls::Error> {
    let builder = rustls::ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
    let Some(certificates) = roots else { return Ok(builder.with_platform_verifier()?.with_no_client_auth()) };
    let mut roots = rustls::RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate)?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// No certificate is trusted: for `http` on loopback.
fn plain_tls() -> Result<rustls::ClientConfig, rustls::Error> {
    Ok(rustls::ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}

/// The error of a connection.
pub(crate) fn broken(cause: &reqwest::Error) -> Error {
    let (kind, reason, what, hint) = if cause.is_connect() {
        let (reason, what, hint) = if cause.is_dns() {
            (
                "connect/dns",
                "no connection, because the server's name cannot be resolved",
                "check the name and the network",
            )
        } else if is_tls(cause) {
            ("connect/tls", "no TLS connection", "check the scheme and the port; a private CA goes into SSL_CERT_FILE")
        } else if cause.is_timeout() {
            ("connect/timeout", "no connection in time", "check the address, or allow more time")
        } else {
            ("connect/refused", "no connection", "check the address, the network and that the service runs")
        };
        (Kind::Connect, reason, what, format!("{hint}; nothing was sent"))
    } else if cause.is_timeout() {
        (Kind::Timeout, "", "no answer in time", "call again, or set a longer deadline".to_owned())
    } else {
        (Kind::Transport, "", "the connection broke", "call again".to_owned())
    };
    Error::of(kind, format!("{what}: {}", chain(cause))).because(reason).hint(hint)
}

/// Whether the connection stood and TLS did not: an alert, or a peer that hangs up on the greeting.
fn is_tls(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(current) = cause {
        if current.is::<rustls::Error>() {
            return true;
        }
        // An I/O error hides the error that it was made of from `source`.
        let mut inside = current.downcast_ref::<io::Error>();
        while let Some(io) = inside {
            let hung_up = matches!(io.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset);
            if hung_up || io.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
                return true;
            }
            inside = io.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
        }
        cause = current.source();
    }
    false
}

/// The causes of an error, in one text. The first is left out where it only repeats what was tried.
fn chain(error: &dyn StdError) -> String {
    let mut text = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push(cause.to_string());
        next = cause.source();
    }
    text.pop().unwrap_or_else(|| error.to_string())
}
