//! The errors of closed sockets.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use tokio_websockets::Error as SocketError;

use crate::{
    clock::seconds,
    error::{Error, Kind, scrub_text},
};

/// RFC 6455 §7.1.5: a close frame without a code.
const NO_CODE: u16 = 1005;

/// The error of a socket that ended without a reason.
pub(super) fn ended() -> Error {
    closed(NO_CODE, "", None)
}

/// The error of a close frame.
pub(super) fn closed(code: u16, reason: &str, secret: Option<&SecretString>) -> Error {
    if code == NO_CODE {
        return Error::with(Kind::Socket, "the service closed the socket")
            .hint("connect again")
            .passing(true)
            .with_close_code(code);
    }
    let (message, hint) = match code {
        4400 => ("reports a malformed message", "the service speaks another protocol: check the transport"),
        4401 => ("does not accept the token", "check the credential, and where the token is sent"),
        4403 => ("forbids the connection", "check the caller's roles, and where the token is sent"),
        4406 => ("does not speak graphql-transport-ws", "use server-sent events"),
        4408 => ("waited too long for the start of the connection", "connect again"),
        4409 => {
            ("reports that the identifier of the subscription is in use", "this is a defect of the client: report it")
        }
        4429 => ("reports too many initialisation requests", "connect again later"),
        1000 | 1001 => ("has ended the connection", "connect again"),
        1009 => ("reports that a message is too long", "send shorter documents and variables"),
        1012 | 1013 => ("restarts or is overloaded", "connect again later"),
        _ => ("closed the socket", "connect again"),
    };
    let reason = secret.map_or_else(|| reason.to_owned(), |secret| scrub_text(reason, secret.expose_secret()));
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    Error::with(Kind::Socket, format!("the service {message} [{code}{reason}]"))
        .hint(hint)
        .passing(is_passing(code))
        .with_close_code(code)
}

/// Returns whether the next connection may succeed.
fn is_passing(code: u16) -> bool {
    !matches!(code, 1002 | 1003 | 1007 | 1008 | 1009 | 1010 | 4400 | 4401 | 4403 | 4406 | 4409)
}

/// The error of a socket that broke.
pub(super) fn broken(cause: &SocketError) -> Error {
    match cause {
        SocketError::PayloadTooLong { max_len, .. } => too_large(*max_len),
        SocketError::Protocol(_) => protocol(&cause.to_string()),
        _ => Error::with(Kind::Socket, format!("the socket broke: {cause}")).hint("connect again").passing(true),
    }
}

/// The error of a service that violates the protocol.
pub(super) fn protocol(message: &str) -> Error {
    Error::with(Kind::Socket, format!("the service violates the protocol: {message}"))
        .hint("check the path, and proxies on the way; server-sent events are the other transport")
}

/// The error of a service that fell silent for this long.
pub(super) fn silent(time: Duration) -> Error {
    Error::with(Kind::Timeout, format!("the service sent nothing for {}, not even a sign of life", seconds(time)))
        .hint("subscribe again; if it is slower than that, set a longer `keep_alive`")
}

/// The error of a stream of events that ended before the subscription did.
pub(super) fn incomplete() -> Error {
    Error::with(Kind::Socket, "the stream of events ended without `complete`").hint("subscribe again").passing(true)
}

/// The error of a subscription whose tasks were dropped.
pub(super) fn gone() -> Error {
    Error::with(Kind::Socket, "the task that feeds the subscription has ended").hint("subscribe again").passing(true)
}

/// The error of a message above the limit.
pub(super) fn too_large(limit: usize) -> Error {
    Error::with(Kind::TooLarge, format!("a message of the service is longer than {limit} bytes"))
        .hint("select less in the document, or raise `message_limit` of the options")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The close codes of `graphql-transport-ws` and RFC 6455 that need action of the caller, with a word of their
    /// error, and whether connecting again may help.
    #[test]
    fn a_close_code_says_what_to_do_next() {
        for (code, says, again) in [
            (4400, "another protocol", false),
            (4401, "check the credential", false),
            (4403, "roles", false),
            (4406, "use server-sent events", false),
            (4408, "connect again", true),
            (4409, "report it", false),
            (4429, "connect again later", true),
            (1000, "connect again", true),
            (1001, "has ended", true),
            (1002, "connect again", false),
            (1009, "shorter documents", false),
            (1011, "connect again", true),
            (1012, "connect again later", true),
            (1013, "overloaded", true),
            (4999, "connect again", true),
        ] {
            let error = closed(code, "", None);
            let text = error.to_string();
            assert!(text.contains(says) && text.contains(&format!("[{code}]")), "{code}: {text}");
            assert_eq!((error.is_retryable(), error.close_code()), (again, Some(code)), "{code}: {text}");
        }
        let error = ended();
        assert!(error.to_string().contains("connect again") && error.close_code() == Some(1005), "{error}");
    }

    #[test]
    fn what_the_service_says_of_the_end_is_shown_without_the_secret() {
        let secret = SecretString::from("canary-token-1");
        let text = closed(4401, "no: canary-token-1", Some(&secret)).to_string();
        assert!(text.contains("4401: no: ") && !text.contains("canary"), "{text}");
    }
}
