//! What is said of connections that cannot be made, or that broke.

use std::{env, error::Error as StdError, ffi::OsString, fs::File, io, path::Path};

use hyper_util::client::proxy::matcher::Matcher;

use crate::error::{Error, Kind};

/// The variable that names a bundle of certificates, in the place of the system's.
const BUNDLE: &str = "SSL_CERT_FILE";

/// How an error tells that the connection was to go through a proxy.
pub(crate) const THROUGH_PROXY: &str = " (through the proxy ";

/// What keeps a client from being made: certificates that cannot be read, most of all.
pub(super) fn unusable(cause: &str) -> Error {
    let error = |what: String, hint: &str| {
        Error::of(Kind::Configuration, what).because("configuration/certificates").hint(hint)
    };
    if let Some(file) = bundle()
        && let Err(refused) = File::open(&file)
    {
        let what = format!(
            "the certificates in `{}`, which {BUNDLE} names, cannot be read: {refused}",
            Path::new(&file).display()
        );
        return error(what, &format!("correct {BUNDLE}, or unset it to trust what the system trusts"));
    }
    let named: Vec<&str> = [BUNDLE, "SSL_CERT_DIR"].into_iter().filter(|name| is_set(name)).collect();
    let place = match named.as_slice() {
        [] => "the certificates of the system".to_owned(),
        named => format!("the certificates that {} names", named.join(" or ")),
    };
    error(format!("no connection can be made: {cause}"), &format!("check {place}"))
}

/// Whether the bundle of certificates that the environment names is there. The verifier takes one that is missing for an
/// empty one.
pub(super) fn check_bundle() -> Result<(), rustls::Error> {
    match bundle().map(File::open) {
        Some(Err(cause)) => Err(rustls::Error::General(cause.to_string())),
        _ => Ok(()),
    }
}

/// What the environment names, on the systems where that counts.
fn bundle() -> Option<OsString> {
    let counts = cfg!(all(unix, not(target_vendor = "apple"), not(target_os = "android")));
    env::var_os(BUNDLE).filter(|_| counts)
}

/// The error of a connection.
pub(crate) fn broken(cause: reqwest::Error) -> Error {
    // Its address may hold what is not to be shown.
    let proxy = cause.url().filter(|_| cause.is_connect()).and_then(|url| proxy(url.as_str()));
    let cause = &cause.without_url();
    let (kind, reason, what, hint) = if cause.is_connect() {
        let (reason, what, hint) = if cause.is_dns() {
            (
                "connect/dns",
                match proxy {
                    None => "no connection, because the server's name cannot be resolved",
                    Some(_) => "no connection, because the proxy's name cannot be resolved",
                },
                "check the name and the network",
            )
        } else if is_tls(cause) {
            ("connect/tls", "no TLS connection", "check the scheme and the port; a private CA goes into SSL_CERT_FILE")
        } else if cause.is_timeout() {
            ("connect/timeout", "no connection in time", "check the address, or allow more time")
        } else {
            ("connect/refused", "no connection", "check the address, the network and that the service runs")
        };
        let hint = match &proxy {
            None => hint.to_owned(),
            Some(proxy) => format!("{hint}; check {}, or name the host in NO_PROXY", proxy.variable),
        };
        (Kind::Connect, reason, what, format!("{hint}; nothing was sent"))
    } else if cause.is_timeout() {
        (Kind::Timeout, "", "no answer in time", "call again, or set a longer deadline".to_owned())
    } else {
        (Kind::Transport, "", "the connection broke", "call again".to_owned())
    };
    let through = proxy.map(|Proxy { address, variable }| format!("{THROUGH_PROXY}{address} of {variable})"));
    let what = format!("{what}{}: {}", through.unwrap_or_default(), chain(cause));
    Error::of(kind, what).because(reason).hint(hint)
}

/// A proxy that the environment names.
struct Proxy {
    /// Without a user and a password.
    address: String,
    variable: &'static str,
}

/// The proxy that a request to this address goes through.
fn proxy(url: &str) -> Option<Proxy> {
    let url = url.parse::<http::Uri>().ok()?;
    // Without a proxy, as for loopback: a client for `http` has none.
    let found = (url.scheme_str() == Some("https")).then(|| Matcher::from_env().intercept(&url))??;
    let address = format!("{}://{}", found.uri().scheme_str()?, found.uri().authority()?);
    let variable = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].into_iter().find(|name| is_set(name))?;
    Some(Proxy { address, variable })
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether the connection stood and TLS did not: an alert, or a peer that hangs up on the greeting.
fn is_tls(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(current) = cause {
        if current.is::<rustls::Error>() {
            return true;
        }
        // An I/O error hides the error that it was made of from `source`.
        let mut inside = current.downcast_ref::<io::Error>();
        while let Some(io) = inside {
            let hung_up = matches!(io.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset);
            if hung_up || io.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
                return true;
            }
            inside = io.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
        }
        cause = current.source();
    }
    false
}

/// The causes of an error, in one text. The first is left out where it only repeats what was tried.
pub(super) fn chain(error: &dyn StdError) -> String {
    let mut text = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push(cause.to_string());
        next = cause.source();
    }
    text.pop().unwrap_or_else(|| error.to_string())
}
