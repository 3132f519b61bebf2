//! Which addresses are spoken to.

use url::{Host, Url};

use crate::error::{Error, Kind};

/// Parses the address of a server: `https`, or `http` on loopback; no user info, query or fragment.
pub(crate) fn server(what: &str, text: &str) -> Result<Url, Error> {
    let refuse = |rule: &str, hint: &str| Err(Error::of(Kind::Configuration, format!("{what} {rule}")).hint(hint));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("is not an address", "write it in full: https://host.example");
    };
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("holds a user or a password", "take it out, and give a credential instead");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("has a query or a fragment", "end it with the path");
    }
    match url.scheme() {
        "https" if url.host().is_some() => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => refuse("would send tokens in the clear", "use https; http is for loopback addresses only"),
        _ => refuse("is not a web address", "write it in full: https://host.example"),
    }
}

/// Whether the host is this machine, whatever name servers say.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

/// Whether two addresses belong to one server: scheme, host and port are the same.
pub(crate) fn is_same_origin(one: &Url, other: &Url) -> bool {
    let port = Url::port_or_known_default;
    one.scheme() == other.scheme() && one.host() == other.host() && port(one) == port(other)
}
