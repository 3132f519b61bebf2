//! The network of a client: certificates, proxy, connections, headers of every request.

use std::time::Duration;

use http::{HeaderMap, header};
use secrecy::SecretString;

use crate::{
    auth::SecretSource,
    error::{Error, Kind},
    protocol::set_header,
    transport::{Certificates, Connections, Customise, Proxy, ProxyChoice, address::PlainHosts},
};

/// The settings of connections, before their files are read.
#[derive(Default)]
pub(super) struct Network {
    pub(super) roots: Vec<(Certificates, bool)>,
    pub(super) identity: Option<(Certificates, Box<dyn SecretSource>)>,
    pub(super) proxy: ChosenProxy,
    pub(super) except: Vec<String>,
    pub(super) plain: Vec<String>,
    pub(super) idle_per_host: Option<usize>,
    pub(super) idle_timeout: Option<Duration>,
    pub(super) customise: Option<Customise>,
    pub(super) headers: Vec<(String, String)>,
}

/// The proxy that was set last.
#[derive(Default)]
pub(super) enum ChosenProxy {
    #[default]
    Environment,
    Direct,
    Address(SecretString),
}

impl Network {
    /// Reads the configured files, and returns their errors before anything is sent.
    pub(super) fn read(self) -> Result<Connections, Error> {
        let mut connections = Connections {
            proxy: match self.proxy {
                ChosenProxy::Environment => ProxyChoice::Environment,
                ChosenProxy::Direct => ProxyChoice::Direct,
                ChosenProxy::Address(address) => {
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

/// The headers of every request to a server. Those of the connection and of the credential are refused.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        set_header(&mut headers, name, value).map_err(|error| {
            let (message, _) = error.parts();
            Error::with(Kind::Configuration, message).hint("correct the default header, or leave it out")
        })?;
        if headers.contains_key(header::AUTHORIZATION) || headers.contains_key(header::PROXY_AUTHORIZATION) {
            let message = format!("the default header `{name}` authenticates the client");
            return Err(Error::with(Kind::Configuration, message)
                .hint("give a credential to the builder with `credential`, and a proxy its user with `proxy`"));
        }
        // They describe the body of each call, so each call sets them, and a default would have no effect.
        if headers.contains_key(header::ACCEPT) || headers.contains_key(header::CONTENT_TYPE) {
            let message = format!("the default header `{name}` is set by each call");
            return Err(
                Error::with(Kind::Configuration, message).hint("set it on the call, with `header`, or leave it out")
            );
        }
    }
    for value in headers.values_mut() {
        // It may be the key of a gateway.
        value.set_sensitive(true);
    }
    Ok(headers)
}
