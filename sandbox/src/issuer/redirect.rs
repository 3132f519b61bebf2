//! The redirect addresses of a client.

use http::Uri;

/// Returns whether an address is a registered one. A loopback address matches any port (RFC 8252 §7.3); every other has to be the
/// same text.
pub(super) fn is_registered(registered: &[String], address: &str) -> bool {
    registered.iter().any(|known| known == address || is_same_loopback(known, address))
}

/// The address with more parameters in its query.
pub(super) fn with_parameters(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    let separator = if address.contains('?') { '&' } else { '?' };
    format!("{address}{separator}{}", query.finish())
}

fn is_same_loopback(known: &str, address: &str) -> bool {
    if address.contains(['#', '@', '\\']) {
        return false;
    }
    let (Ok(known), Ok(address)) = (known.parse::<Uri>(), address.parse::<Uri>()) else { return false };
    let is_loopback = |uri: &Uri| uri.scheme_str() == Some("http") && matches!(uri.host(), Some("127.0.0.1" | "[::1]"));
    is_loopback(&known)
        && is_loopback(&address)
        && known.host() == address.host()
        && known.path_and_query() == address.path_and_query()
}

#[cfg(test)]
mod tests {
    use super::{is_registered, with_parameters};

    #[test]
    fn loopback_addresses_fit_with_any_port_and_nothing_else_differs() {
        let registered = ["http://127.0.0.1/callback".to_owned(), "https://app.example/cb".to_owned()];
        for good in ["http://127.0.0.1/callback", "http://127.0.0.1:51000/callback", "https://app.example/cb"] {
            assert!(is_registered(&registered, good), "{good}");
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
            assert!(!is_registered(&registered, bad), "{bad}");
        }
    }

    #[test]
    fn parameters_are_encoded_and_joined() {
        assert_eq!(with_parameters("http://a/b", &[("state", "x&y=z ü")]), "http://a/b?state=x%26y%3Dz+%C3%BC");
        assert_eq!(with_parameters("http://a/b?c=d", &[("e", "f")]), "http://a/b?c=d&e=f");
    }
}
