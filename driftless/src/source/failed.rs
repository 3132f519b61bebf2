//! Failures of a download, each with its cause and the next steps.

use std::borrow::Cow;

use driftless_codegen::line;
use driftless_runtime::Error;
use driftless_runtime::download::summary;
use url::Url;

use super::address::stripped;
use crate::bounded::{LIMIT, too_large};
use crate::console::{redacted, size};
use crate::failure::{Exit, Failure};

pub(super) const OFFLINE: &str = "or work from the pinned contracts: `cargo xtask regenerate --offline`";

/// The failure for a small body that holds more than a contract does.
pub(super) fn bomb(address: &str, received: usize) -> Failure {
    let (packed, limit) = (size(received), size(LIMIT));
    Failure::new(
        Exit::Contract,
        "contract/too-large",
        format!("{address} sent {packed}, which hold more than {limit} once they are unpacked"),
        "check that it is the place of the contract",
    )
}

pub(super) fn packed_wrongly(address: &str, why: &str) -> Failure {
    Failure::new(
        Exit::Download,
        "download/encoding",
        format!("the answer of {address} cannot be unpacked: {}", line(why)),
        format!("try again; check the server's `Content-Encoding`\n{OFFLINE}"),
    )
}

/// The reason that a redirect is not followed.
pub(super) enum Redirect {
    /// To another server, which is not to see the credential.
    Elsewhere,
    /// From the network to this machine.
    Here,
    /// To nowhere, or on and on.
    Lost,
}

pub(super) fn redirected(from: &Url, to: &str, why: Redirect) -> Failure {
    let (why, hint) = match why {
        Redirect::Elsewhere => (
            ", another server, which is not sent the credentials",
            "check that the credentials are accepted; where the contract lies there, configure the final address",
        ),
        Redirect::Here => (", and no service leads to this machine", "configure the final address"),
        Redirect::Lost => ("", "configure the final address"),
    };
    Failure::new(
        Exit::Download,
        "download/redirect",
        format!("{} redirects to {to}{why}", stripped(from)),
        format!("{hint}\n{OFFLINE}"),
    )
}

/// The step of a request that failed, and the next steps.
pub(super) fn failure(url: &Url, error: &Error) -> Failure {
    let (cause, address) = (summary(error), stripped(url));
    let host = url.host_str().unwrap_or_default();
    let (code, message, hint) = match cause.code {
        "too-large" => return too_large(&address),
        // The name of the proxy, then: it resolves the other one.
        "connect/proxy" => ("download/proxy", format!("{address}: {}", cause.what), cause.hint.as_str()),
        "connect/certificate" => (
            "download/certificate",
            format!("{address}: {}", cause.what),
            "name a client certificate and its key: `client_certificate_file` and `client_key_file` in [source]",
        ),
        "connect/dns" => {
            ("download/dns", format!("the name {host} cannot be resolved"), "check the host name and the network")
        }
        "connect/tls" => (
            "download/tls",
            format!("{address}: {}", cause.what),
            "check the scheme and port; a private CA goes into SSL_CERT_FILE",
        ),
        "connect/timeout" => (
            "download/timeout",
            format!("no connection to {address} in time"),
            "check the address, or raise --connect-timeout",
        ),
        "connect/refused" | "connect" => {
            ("download/connect", format!("{address}: {}", cause.what), "check the address and that the service runs")
        }
        "timeout" => ("download/timeout", format!("{address} did not answer in time"), "try again, or raise --timeout"),
        "transport" => ("download/broken", format!("the answer of {address} broke off: {}", cause.what), "try again"),
        // A token that was replaced on the way.
        _ => return no_token(error),
    };
    Failure::new(Exit::Download, code, message, format!("{hint}\n{OFFLINE}"))
}

/// The reason that no token was obtained: the configuration, the secret, or the issuer.
pub(super) fn no_token(error: &Error) -> Failure {
    let cause = summary(error);
    let code = match cause.code {
        "configuration" | "request" => "configuration/credential",
        "secret" => "secret/unreadable",
        "connect/dns" => "download/dns",
        "connect/tls" => "download/tls",
        "timeout" | "connect/timeout" => "download/timeout",
        "connect/refused" | "connect" => "download/connect",
        "connect/proxy" => "download/proxy",
        "connect/certificate" => "download/certificate",
        "transport" => "download/broken",
        "token" => "token/refused",
        code => code,
    };
    // A failure whose cause lies on this machine.
    if ["secret/", "configuration/", "certificate/", "proxy/"].iter().any(|kind| code.starts_with(kind)) {
        return Failure::configuration(code, cause.what, cause.hint);
    }
    let message = format!("the identity issuer returned no token: {}", cause.what);
    Failure::new(Exit::Download, code, message, format!("{}\n{OFFLINE}", cause.hint))
}

/// The received bytes are something else than a contract.
pub(crate) fn not_a_contract(described: &str, reason: &str) -> Failure {
    Failure::new(
        Exit::Contract,
        "contract/not-usable",
        format!("{reason}: {described}"),
        "the pinned contract is untouched\n\
         check the address and the credential, or save the contract and name it with --contract FILE",
    )
}

/// Fails where a text that is to be written holds a secret of this run: a service that repeats one must not bring it into the
/// repository.
pub(crate) fn repeats_no_secret(address: &str, text: &str) -> Result<(), Failure> {
    if matches!(redacted(text), Cow::Borrowed(_)) {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Contract,
        "download/token-repeated",
        format!("the answer of {address} holds the token, key or password that it was asked with"),
        "nothing was written: have the service leave it out of what it serves",
    ))
}
