//! How a client reaches its servers: certificates, proxy, connections, headers of every request.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, header};
use secrecy::SecretString;

use super::ClientBuilder;
use crate::{
    auth::SecretSource,
    error::{Error, Kind},
    protocol::set_header,
    transport::{Certificates, Connections, Customise, Proxy, ProxyChoice, address::PlainHosts},
};

/// What is configured of connections, before it is read.
#[derive(Default)]
pub(super) struct Network {
    roots: Vec<(Certificates, bool)>,
    identity: Option<(Certificates, Box<dyn SecretSource>)>,
    proxy: Named,
    except: Vec<String>,
    plain: Vec<String>,
    idle_per_host: Option<usize>,
    idle_timeout: Option<Duration>,
    customise: Option<Customise>,
    pub(super) headers: Vec<(String, String)>,
}

/// The proxy that was chosen last.
#[derive(Default)]
enum Named {
    #[default]
    Environment,
    Direct,
    Address(SecretString),
}

impl Network {
    /// Reads the files that are named. What is wrong with them comes out here, before anything is sent.
    pub(super) fn read(self) -> Result<Connections, Error> {
        let mut connections = Connections {
            proxy: match self.proxy {
                Named::Environment => ProxyChoice::Environment,
                Named::Direct => ProxyChoice::Direct,
                Named::Address(address) => {
                    ProxyChoice::Given(Proxy::read(&address, "the builder".to_owned())?, self.except.join(","))
                }
            },
            plain: PlainHosts::read(&self.plain)?,
            idle_per_host: self.idle_per_host,
            idle_timeout: self.idle_timeout,
            customise: self.customise,
            ..Connections::default()
        };
        for (certificates, only) in &self.roots {
            connections.tls.trust(certificates, *only)?;
        }
        if let Some((chain, key)) = &self.identity {
            connections.tls.identify(chain, &key.read()?, &key.describe())?;
        }
        Ok(connections)
    }
}

/// Headers of every request to a server. Those of the connection and of the credential are refused.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        set_header(&mut headers, name, value).map_err(|error| {
            let (what, _) = error.parts();
            Error::of(Kind::Configuration, what).hint("correct the default header, or leave it out")
        })?;
        if headers.contains_key(header::AUTHORIZATION) || headers.contains_key(header::PROXY_AUTHORIZATION) {
            let what = format!("the default header `{name}` says who the client is");
            return Err(Error::of(Kind::Configuration, what)
                .hint("give a credential to the builder with `credential`, and a proxy its user with `proxy`"));
        }
    }
    for value in headers.values_mut() {
        // It may be the key of a gateway.
        value.set_sensitive(true);
    }
    Ok(headers)
}

impl<P> ClientBuilder<P> {
    /// Trusts these root certificates beside those of the system: a company's own authority. They are read by
    /// [`build`](Self::build).
    ///
    /// ```
    /// use platform_runtime::{Certificates, Client};
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
    /// # fn run() -> Result<(), platform_runtime::Error> {
    /// use platform_runtime::{Certificates, Client, auth::SecretFile};
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
        self.network.proxy = Named::Address(address.into());
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
        self.network.proxy = Named::Direct;
        self
    }

    /// Sets how many connections to one host are kept open while no request uses them; unlimited unless set. Zero keeps none.
    pub fn pool_max_idle_per_host(mut self, connections: usize) -> Self {
        self.network.idle_per_host = Some(connections);
        self
    }

    /// Sets how long a connection is kept open while no request uses it; 90 s unless set. `Duration::MAX` keeps it until the
    /// server closes it.
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
    /// use platform_runtime::Client;
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
