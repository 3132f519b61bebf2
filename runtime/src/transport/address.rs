//! The rules for addresses.

use url::{Host, Url};

use crate::error::{Error, Kind};

/// Hosts other than loopback for which `http` is allowed, by configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainHosts(Vec<Host>);

impl PlainHosts {
    /// Parses names and addresses of hosts, without scheme and port.
    pub(crate) fn read(hosts: &[String]) -> Result<Self, Error> {
        let parse = |text: &String| {
            let text = text.trim();
            let bare = text.contains(':') && text.parse::<std::net::Ipv6Addr>().is_ok();
            Host::parse(&if bare { format!("[{text}]") } else { text.to_owned() }).ok().filter(|_| !text.contains('*'))
        };
        let read = |text: &String| {
            parse(text).ok_or_else(|| {
                Error::with(Kind::Configuration, format!("`{text}` is not a host that `http` can be allowed to"))
                    .hint("write each host whole, without scheme and port: service.svc.cluster.local")
            })
        };
        hosts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether the address is allowed without TLS.
    pub(crate) fn allow(&self, url: &Url) -> bool {
        is_loopback(url) || url.host().is_some_and(|host| self.0.iter().any(|known| *known == host))
    }
}

/// Parses the address of a server: `https`, or `http` if that is allowed; no user info, query or fragment.
pub(crate) fn server(name: &str, text: &str, plain: &PlainHosts) -> Result<Url, Error> {
    let refuse = |rule: &str, hint: &str| Err(Error::with(Kind::Configuration, format!("{name} {rule}")).hint(hint));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("is not an address", "write it in full: https://host.example");
    };
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("contains a user or a password", "remove it, and set a credential instead");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("has a query or a fragment", "end it with the path");
    }
    match url.scheme() {
        "https" if url.host().is_some() => Ok(url),
        "http" if plain.allow(&url) => Ok(url),
        "http" => refuse(
            "would send tokens in the clear",
            "use https; http is for loopback addresses, and for hosts that `…DANGER_ALLOW_HTTP_TO` or \
             `danger_allow_http_to` names",
        ),
        _ => refuse("is not a web address", "write it in full: https://host.example"),
    }
}

/// Returns whether the host is this machine, whatever DNS answers.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

/// Returns whether two addresses have the same origin: scheme, host and port.
pub(crate) fn is_same_origin(one: &Url, other: &Url) -> bool {
    let port = Url::port_or_known_default;
    one.scheme() == other.scheme() && one.host() == other.host() && port(one) == port(other)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn http_goes_to_loopback_and_to_the_hosts_that_are_named_whole() {
        let named = PlainHosts::read(&["Svc.Cluster.Local".into(), "10.0.0.7".into(), "fd00::7".into()]).unwrap();
        for (address, without, with) in [
            ("http://localhost:1", true, true),
            ("http://127.9.9.9", true, true),
            ("http://svc.cluster.local:8080/x", false, true),
            ("http://10.0.0.7", false, true),
            ("http://[fd00::7]:80", false, true),
            ("http://a.svc.cluster.local", false, false),
            ("http://svc.cluster.local.evil.test", false, false),
            ("http://svc.cluster.local@evil.test", false, false),
            ("http://10.0.0.70", false, false),
            ("https://anywhere.test", true, true),
        ] {
            assert_eq!(server("it", address, &PlainHosts::default()).is_ok(), without, "{address}");
            assert_eq!(server("it", address, &named).is_ok(), with, "{address}");
        }
        for wrong in ["", "http://svc", "svc:80", "*", "*.svc", "a b", "svc/x"] {
            let error = PlainHosts::read(&[wrong.to_owned()]).unwrap_err();
            assert!(error.to_string().contains("without scheme and port"), "{wrong}: {error}");
        }
    }
}
