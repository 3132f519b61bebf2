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

/// Returns all headers, with room for those of the credentials and of the connection: growing copies them each time. A
/// later map replaces the values of an earlier one.
pub(crate) fn merged(maps: [Option<&HeaderMap>; 3], ways: usize) -> HeaderMap {
    // The identifier of the call, and the headers of `reqwest`.
    const MORE: usize = 4;
    // A caller's headers may be more than a map can reserve at once.
    const MOST: usize = 256;
    let maps = maps.into_iter().flatten();
    let total: usize = maps.clone().map(HeaderMap::len).sum();
    let mut all = HeaderMap::with_capacity((total + ways + MORE).min(MOST));
    for map in maps {
        for name in map.keys() {
            let mut values = map.get_all(name).iter().cloned();
            if let Some(first) = values.next() {
                all.insert(name, first);
            }
            values.for_each(|value| {
                all.append(name, value);
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_later_map_replaces_all_values_of_a_name_and_keeps_its_own() {
        let map = |lines: &[(&'static str, &'static str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in lines {
                map.append(*name, HeaderValue::from_static(value));
            }
            map
        };
        let first = map(&[("a", "1"), ("a", "2"), ("b", "3")]);
        let (second, third) = (map(&[("a", "4"), ("c", "5"), ("c", "6")]), map(&[("c", "7"), ("d", "8"), ("d", "9")]));
        let expected = map(&[("a", "4"), ("b", "3"), ("c", "7"), ("d", "8"), ("d", "9")]);
        assert_eq!(merged([Some(&first), Some(&second), Some(&third)], 0), expected);
        let expected = map(&[("a", "4"), ("c", "7"), ("d", "8"), ("d", "9")]);
        assert_eq!(merged([None, Some(&second), Some(&third)], 0), expected);
        assert_eq!(merged([Some(&HeaderMap::new()), Some(&first), None], 0), first);
    }
}
