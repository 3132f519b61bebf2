//! Pages of other origins that may call the sandbox from a browser (CORS of the Fetch standard).

use std::time::Duration;

use driftless_sandbox_control::server::is_host;
use http::header::{ALLOW, CONTENT_DISPOSITION, ETAG, LOCATION, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Uri};
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};

use crate::error::Error;

const ANY: &str = "*";
/// Response headers that a page may read, in addition to the safelisted ones.
const EXPOSED: [HeaderName; 6] = [ALLOW, CONTENT_DISPOSITION, ETAG, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE];
/// The time for which a browser caches a preflight.
const KEPT: Duration = Duration::from_secs(600);

/// Lets pages of these origins call the sandbox. Without an origin, which is the default, there is no layer.
pub(crate) fn layer(origins: &[String]) -> Result<Option<CorsLayer>, Error> {
    if origins.is_empty() {
        return Ok(None);
    }
    let is_any = origins.iter().any(|origin| origin == ANY);
    if is_any && origins.len() > 1 {
        return Err(refused(ANY, "it stands alone, since it names the others as well"));
    }
    if !is_any {
        origins.iter().try_for_each(|origin| check(origin))?;
    }
    let named = origins.to_vec();
    let is_allowed = move |origin: &HeaderValue, parts: &Parts| match is_any {
        true => !is_page(parts.uri.path()) && !is_control(parts.uri.path()),
        false => !is_page(parts.uri.path()) && named.iter().any(|named| named.as_bytes() == origin.as_bytes()),
    };
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_allowed))
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(EXPOSED)
        .vary([ORIGIN])
        .max_age(KEPT);
    // Credentials are allowed for named origins only, never for `*`.
    Ok(Some(layer.allow_credentials(!is_any)))
}

/// The issuer's pages are for navigation: no script of another origin may read them (RFC 9700, section 2.6).
fn is_page(path: &str) -> bool {
    ["/identity/connect/authorize", "/identity/account/", "/identity/profile/"]
        .iter()
        .any(|page| path.starts_with(page))
}

/// Paths that control the sandbox or issue tokens.
fn is_control(path: &str) -> bool {
    path == "/sandbox" || path.starts_with("/sandbox/")
}

/// Refuses an origin that no browser sends, since it would match no page.
fn check(origin: &str) -> Result<(), Error> {
    let uri: Uri = origin.parse().map_err(|error: http::uri::InvalidUri| refused(origin, &error.to_string()))?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(refused(origin, "write scheme, host and port, such as http://localhost:5173"));
    };
    if authority.as_str().contains('@') || format!("{scheme}://{authority}") != origin {
        return Err(refused(origin, "an origin ends with its host or port: leave the path out"));
    }
    if origin.contains(ANY) {
        return Err(refused(origin, "name each origin in full"));
    }
    if origin.contains(|letter: char| letter.is_ascii_uppercase()) {
        return Err(refused(origin, "browsers write origins in lower case"));
    }
    if !is_host(authority.host()) {
        return Err(refused(origin, "its host is neither a name nor an address"));
    }
    let usual = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    // Browsers write a port as a number, and leave out the default port of the scheme.
    match authority.as_str().strip_prefix(authority.host()).and_then(|rest| rest.strip_prefix(':')) {
        None => Ok(()),
        Some(port) => match port.parse::<u16>() {
            Ok(number) if Some(number) == usual => Err(refused(origin, "browsers leave the port of the scheme out")),
            Ok(number) if number > 0 && number.to_string() == port => Ok(()),
            _ => Err(refused(origin, "a port is a number from 1 to 65535")),
        },
    }
}

fn refused(origin: &str, message: &str) -> Error {
    Error::Cors { origin: origin.to_owned(), message: message.to_owned() }
}
