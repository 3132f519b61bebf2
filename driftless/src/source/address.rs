//! Comparisons of addresses, and their text without secrets.

use std::net::IpAddr;

use url::{Host, Url};

/// Returns whether an answer of one place may send a download to the other. No service on the network chooses the files that
/// are read on this machine.
pub(super) fn may_lead(from: &Url, to: &Url) -> bool {
    is_here(from) || !is_here(to)
}

/// Returns whether a URL names this machine, by any of its names.
fn is_here(url: &Url) -> bool {
    let is_here = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    match url.host() {
        Some(Host::Ipv4(address)) => is_here(address.into()),
        Some(Host::Ipv6(address)) => is_here(address.to_canonical()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
    }
}

/// A URL without anything that can be a credential.
pub(crate) fn stripped(url: &Url) -> String {
    let mut url = url.clone();
    // A URL without a host has no user either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_service_on_the_network_leads_to_this_machine() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        for (from, to, may) in [
            ("https://a.example/", "https://b.example/", true),
            ("https://a.example/", "http://127.0.0.1:8080/", false),
            ("https://a.example/", "https://localhost/", false),
            ("https://a.example/", "http://[::1]/", false),
            ("https://a.example/", "https://[::ffff:127.0.0.1]/", false),
            ("https://a.example/", "http://0.0.0.0:8080/", false),
            ("https://a.example/", "https://localhost./", false),
            ("https://a.example/", "https://x.localhost/", false),
            ("https://localhost.example/", "https://localhost/", false),
            ("http://127.0.0.1:1/", "http://127.0.0.1:2/", true),
            ("http://127.0.0.1:1/", "https://a.example/", true),
        ] {
            assert_eq!(may_lead(&url(from), &url(to)), may, "{from} {to}");
        }
    }
}
