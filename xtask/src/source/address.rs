//! What an address says of where it leads, and what of it can be shown.

use url::{Host, Url};

/// Whether an answer of one place may send a download to the other. No service on the network chooses what is read on this
/// machine.
pub(super) fn may_lead(from: &Url, to: &Url) -> bool {
    is_loopback(from) || !is_loopback(to)
}

/// Whether a URL names this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// A URL without anything that can be a credential.
pub(super) fn shown(url: &Url) -> String {
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
            ("http://127.0.0.1:1/", "http://127.0.0.1:2/", true),
            ("http://127.0.0.1:1/", "https://a.example/", true),
        ] {
            assert_eq!(may_lead(&url(from), &url(to)), may, "{from} {to}");
        }
    }
}
