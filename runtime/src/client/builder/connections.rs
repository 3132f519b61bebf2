//! Network settings: certificates, proxy, connections, headers of every request.

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;

use super::ClientBuilder;
use crate::{auth::SecretSource, client::network::ChosenProxy, transport::Certificates};

impl<P> ClientBuilder<P> {
    /// Trusts these root certificates in addition to those of the system: a company's own authority. They are read by
    /// [`build`](Self::build).
    ///
    /// ```
    /// use driftless_runtime::{Certificates, Client};
    ///
    /// let builder = Client::builder("https://service.example")
    ///     .root_certificates(Certificates::file("/etc/ssl/company.pem"));
    /// # let _ = builder;
    /// ```
    pub fn root_certificates(mut self, certificates: Certificates) -> Self {
        self.network.roots.push((certificates, false));
        self
    }

    /// Trusts only these root certificates, and those of further calls, instead of those of the system.
    pub fn only_root_certificates(mut self, certificates: Certificates) -> Self {
        self.network.roots.push((certificates, true));
        self
    }

    /// Presents a certificate to servers that ask for one (mutual TLS), including the issuer. The chain begins with the
    /// client's own certificate; the key is PEM, in a [`SecretFile`](crate::auth::SecretFile) or another
    /// [source](crate::auth::SecretSource). Both are read by [`build`](Self::build): build a new client when the
    /// certificate is renewed.
    ///
    /// ```no_run
    /// # fn run() -> Result<(), driftless_runtime::Error> {
    /// use driftless_runtime::{Certificates, Client, auth::SecretFile};
    ///
    /// let client = Client::builder("https://service.example")
    ///     .client_certificate(Certificates::file("/etc/client/tls.crt"), SecretFile::new("/etc/client/tls.key"))
    ///     .build()?;
    /// # let _ = client;
    /// # Ok(()) }
    /// ```
    pub fn client_certificate(mut self, chain: Certificates, key: impl SecretSource) -> Self {
        self.network.identity = Some((chain, Box::new(key)));
        self
    }

    /// Sends requests to `https` addresses through this proxy instead of that of the environment:
    /// `http://user:password@proxy.example:3128`. Loopback and the hosts of [`proxy_except`](Self::proxy_except) are
    /// reached directly.
    ///
    /// Unless it is set, the variables `HTTPS_PROXY` and `ALL_PROXY` name the proxy, and `NO_PROXY` the hosts that are
    /// reached without it. Errors and logs do not contain its user and password.
    pub fn proxy(mut self, address: impl Into<SecretString>) -> Self {
        self.network.proxy = ChosenProxy::Address(address.into());
        self
    }

    /// Names hosts that are reached without the proxy of [`proxy`](Self::proxy), as `NO_PROXY` does: `internal.example` with its
    /// subdomains, `10.0.0.0/8`, `*`.
    pub fn proxy_except(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.network.except.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Uses no proxy, even if the environment names one.
    pub fn no_proxy(mut self) -> Self {
        self.network.proxy = ChosenProxy::Direct;
        self
    }

    /// Sets the limit of idle connections per host; unlimited unless set. Zero keeps none.
    pub fn pool_max_idle_per_host(mut self, connections: usize) -> Self {
        self.network.idle_per_host = Some(connections);
        self
    }

    /// Sets the time after which an idle connection is closed; 45 s unless set, which is less than the limit of usual
    /// servers and balancers (60 s). Set less than yours use: a request on a connection that the server is closing may
    /// be lost. `Duration::MAX` keeps connections until the server closes them.
    pub fn pool_idle_timeout(mut self, time: Duration) -> Self {
        self.network.idle_timeout = Some(time);
        self
    }

    /// Adds a header to every request to the main server, unless the request sets it. Additional servers have [headers
    /// of their own](crate::ServerSettings::default_header); the issuer gets none of them.
    ///
    /// [`build`](Self::build) refuses `Authorization`, which the credential sets, `Accept` and `Content-Type`, which each
    /// operation sets, and `Host`, `Content-Length`, `Transfer-Encoding` and `Connection`, which the connection sets.
    pub fn default_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.network.headers.push((name.into(), value.into()));
        self
    }

    /// Allows `http` for the service and its additional servers on these hosts, such as an address inside a cluster.
    /// **Tokens go over the network in clear text**: anyone who sees the connection can use them. Name whole hosts,
    /// without scheme and port; loopback needs no permission.
    ///
    /// For an issuer on such a host, set this on its credential, as with
    /// [`ClientCredentials::danger_allow_http_to`](crate::auth::ClientCredentials::danger_allow_http_to).
    pub fn danger_allow_http_to(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.network.plain.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Changes the [`reqwest::ClientBuilder`] of every connection, after all other settings: for settings without a
    /// method here.
    ///
    /// The program is responsible for its changes, such as to redirects (not followed by default), certificates and
    /// proxies. Deadlines, body limits and retries stay those of the client. The function is called more than once: for
    /// each tokio runtime that calls, and separately for `http` and `https`.
    ///
    /// ```
    /// use driftless_runtime::Client;
    ///
    /// let builder = Client::builder("https://service.example").with_reqwest(|reqwest| reqwest.tcp_nodelay(true));
    /// # let _ = builder;
    /// ```
    pub fn with_reqwest(
        mut self,
        change: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder + Send + Sync + 'static,
    ) -> Self {
        self.network.customise = Some(Arc::new(change));
        self
    }
}
