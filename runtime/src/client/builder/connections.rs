//! What a program says of the network: certificates, proxy, connections, headers of every request.

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;

use super::ClientBuilder;
use crate::{auth::SecretSource, client::network::ChosenProxy, transport::Certificates};

impl<P> ClientBuilder<P> {
    /// Trusts these root certificates beside those of the system: a company's own authority. They are read by
    /// [`build`](Self::build).
    ///
    /// ```
    /// use driftless_runtime::{Certificates, Client};
    ///
    /// let builder = Client::builder("https://platform.example")
    ///     .root_certificates(Certificates::file("/etc/ssl/company.pem"));
    /// # let _ = builder;
    /// ```
    pub fn root_certificates(mut self, certificates: Certificates) -> Self {
        self.network.roots.push((certificates, false));
        self
    }

    /// Trusts these root certificates, and those of further calls, in place of those of the system.
    pub fn only_root_certificates(mut self, certificates: Certificates) -> Self {
        self.network.roots.push((certificates, true));
        self
    }

    /// Shows a certificate to servers that ask for one (mutual TLS), to the issuer as well. The chain begins with the client's
    /// own certificate; the key is PEM, in a [`SecretFile`](crate::auth::SecretFile) or another
    /// [source](crate::auth::SecretSource). Both are read by [`build`](Self::build), so a program whose certificate is renewed builds
    /// a client anew.
    ///
    /// ```no_run
    /// # fn run() -> Result<(), driftless_runtime::Error> {
    /// use driftless_runtime::{Certificates, Client, auth::SecretFile};
    ///
    /// let client = Client::builder("https://platform.example")
    ///     .client_certificate(Certificates::file("/etc/client/tls.crt"), SecretFile::new("/etc/client/tls.key"))
    ///     .build()?;
    /// # let _ = client;
    /// # Ok(()) }
    /// ```
    pub fn client_certificate(mut self, chain: Certificates, key: impl SecretSource) -> Self {
        self.network.identity = Some((chain, Box::new(key)));
        self
    }

    /// Sends what goes to `https` addresses through this proxy, in place of that of the environment:
    /// `http://user:password@proxy.example:3128`. Loopback is reached directly, and so is what
    /// [`proxy_except`](Self::proxy_except) names.
    ///
    /// Unless it is set, the variables `HTTPS_PROXY` and `ALL_PROXY` name the proxy, and `NO_PROXY` the hosts that are reached
    /// without it. Neither errors nor logs show its user and password.
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

    /// Uses no proxy, whatever the environment says.
    pub fn no_proxy(mut self) -> Self {
        self.network.proxy = ChosenProxy::Direct;
        self
    }

    /// Sets how many connections to one host are kept open while no request uses them; unlimited unless set. Zero keeps none.
    pub fn pool_max_idle_per_host(mut self, connections: usize) -> Self {
        self.network.idle_per_host = Some(connections);
        self
    }

    /// Sets how long a connection is kept open while no request uses it; 45 s unless set, which is less than usual servers and
    /// balancers wait (60 s). Set less than yours do: a request on a connection that the server is closing may be lost.
    /// `Duration::MAX` keeps it until the server closes it.
    pub fn pool_idle_timeout(mut self, time: Duration) -> Self {
        self.network.idle_timeout = Some(time);
        self
    }

    /// Adds a header to every request to the main server, unless the request sets it itself. A server beside has
    /// [headers of its own](crate::ServerSettings::default_header), and the issuer is sent none of them.
    ///
    /// `Authorization` is the credential's, and `Host`, `Content-Length`, `Transfer-Encoding` and `Connection` are the connection's:
    /// [`build`](Self::build) refuses them.
    pub fn default_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.network.headers.push((name.into(), value.into()));
        self
    }

    /// Lets the service, and the servers beside it, be `http` on these hosts, such as an address that only a cluster knows.
    /// **Tokens go over the network in clear text**: whoever sees the connection can use them. Hosts are named whole, without
    /// scheme and port; loopback needs no permission.
    ///
    /// An issuer on such a host is allowed by its credential, as
    /// [`ClientCredentials::danger_allow_http_to`](crate::auth::ClientCredentials::danger_allow_http_to).
    pub fn danger_allow_http_to(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.network.plain.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Changes the [`reqwest::ClientBuilder`] of every connection, after everything else is set on it: for what this builder has
    /// no method for.
    ///
    /// What is changed there is the program's own matter: redirects, which are not followed unless it says so, certificates,
    /// proxies. Deadlines, limits of bodies and retries stay those of the client. It is called more than once: for each tokio
    /// runtime that calls, and for `http` and `https` apart.
    ///
    /// ```
    /// use driftless_runtime::Client;
    ///
    /// let builder = Client::builder("https://platform.example").with_reqwest(|reqwest| reqwest.tcp_nodelay(true));
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
