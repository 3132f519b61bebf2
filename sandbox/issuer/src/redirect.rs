//! The redirect addresses of a client.

use http::Uri;

use crate::realm::Redirects;

/// Returns whether a code may be sent to an address. A registered loopback address matches any port (RFC 8252 §7.3); every other has to
/// be the same text.
pub(crate) fn is_allowed(redirects: &Redirects, address: &str) -> bool {
    match redirects {
        Redirects::Registered(known) => known.iter().any(|known| known == address || is_same_loopback(known, address)),
        Redirects::Loopback => loopback(address).is_some(),
    }
}

/// The address with more parameters in its query.
pub fn with_parameters(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    let separator = if address.contains('?') { '&' } else { '?' };
    format!("{address}{separator}{}", query.finish())
}

fn is_same_loopback(known: &str, address: &str) -> bool {
    let (Some(known), Some(address)) = (loopback(known), loopback(address)) else { return false };
    let is_number = |uri: &Uri| uri.host() != Some("localhost");
    is_number(&known)
        && is_number(&address)
        && known.host() == address.host()
        && known.path_and_query() == address.path_and_query()
}

/// An address of loopback, over HTTP.
fn loopback(address: &str) -> Option<Uri> {
    // A header has room for ASCII only.
    if !address.is_ascii() || address.contains(['#', '@', '\\']) {
        return None;
    }
    let uri = address.parse::<Uri>().ok()?;
    let is_loopback = matches!(uri.host(), Some("127.0.0.1" | "[::1]" | "localhost"));
    (uri.scheme_str() == Some("http") && is_loopback).then_some(uri)
}

#[cfg(test)]
mod tests {
    use super::{Redirects, is_allowed, with_parameters};

    #[test]
    fn loopback_addresses_fit_with_any_port_and_nothing_else_differs() {
        let registered = vec!["http://127.0.0.1/callback".to_owned(), "https://app.example/cb".to_owned()];
        let registered = Redirects::Registered(registered);
        for good in ["http://127.0.0.1/callback", "http://127.0.0.1:51000/callback", "https://app.example/cb"] {
            assert!(is_allowed(&registered, good), "{good}");
        }
        for bad in [
            "http://localhost:51000/callback",
            "https://127.0.0.1:51000/callback",
            "http://127.0.0.1:51000/callback/",
            "http://127.0.0.1:51000/callback?x=1",
            "http://127.0.0.1:51000/callback#x",
            "http://user@127.0.0.1/callback",
            "http://127.0.0.1.evil.example/callback",
            "http://127.0.0.1:80@evil.example/callback",
            "https://app.example:444/cb",
            "https://app.example/cb/..",
            "",
        ] {
            assert!(!is_allowed(&registered, bad), "{bad}");
        }
    }

    #[test]
    fn without_registered_addresses_only_those_of_loopback_get_a_code() {
        for good in ["http://127.0.0.1:51000/callback?x=1", "http://localhost/", "http://[::1]:80/a"] {
            assert!(is_allowed(&Redirects::Loopback, good), "{good}");
        }
        for bad in [
            "https://app.example/cb",
            "https://127.0.0.1/callback",
            "http://localhost.evil.example/callback",
            "http://localhost:80@evil.example/callback",
            "http://127.0.0.1:80\\@evil.example/callback",
            "http://127.0.0.1/callback#x",
            "//127.0.0.1/",
            "javascript:alert(1)",
            "http://127.0.0.1/ä",
            "http://127.0.0.1/?x=ä",
            "/callback",
            "",
        ] {
            assert!(!is_allowed(&Redirects::Loopback, bad), "{bad}");
        }
    }

    #[test]
    fn parameters_are_encoded_and_joined() {
        assert_eq!(with_parameters("http://a/b", &[("state", "x&y=z ü")]), "http://a/b?state=x%26y%3Dz+%C3%BC");
        assert_eq!(with_parameters("http://a/b?c=d", &[("e", "f")]), "http://a/b?c=d&e=f");
    }
}
