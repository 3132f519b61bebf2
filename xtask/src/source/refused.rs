//! What an error status of a server means, and what to do about it.

use platform_runtime::StatusCode;

use super::address::shown;
use super::answer::{Answer, clip, is_busy, seconds};
use super::failed::OFFLINE;
use super::http::Http;
use crate::failure::{Exit, Failure};

impl Http<'_> {
    /// Why an error status ends the work.
    pub(crate) fn refused(&self, answer: &Answer) -> Failure {
        let place = shown(&answer.url);
        let authorized = self.is_authorized_for(&answer.url);
        let (code, hint) = match answer.status {
            StatusCode::UNAUTHORIZED if authorized => {
                ("download/unauthorized", &*format!("the service does not accept the token: check {}", self.sent()))
            }
            StatusCode::UNAUTHORIZED if self.has_token() => (
                "download/unauthorized",
                "the token is for the origin of the base URL, which this is not: name the contract's own base URL and token in \
                 [[source.document]] of specs/codegen.toml",
            ),
            StatusCode::UNAUTHORIZED => (
                "download/unauthorized",
                &*match self.variables() {
                    "" => {
                        "the contract needs a token: name its place in [source.token] of specs/codegen.toml".to_owned()
                    }
                    prefix => format!(
                        "the contract needs a token: set {prefix}TOKEN, or {prefix}ISSUER with a client and its secret, or \
                         name its place in [source.token] of specs/codegen.toml"
                    ),
                },
            ),
            StatusCode::FORBIDDEN => {
                ("download/forbidden", "the caller may not read the contract: check its scope and roles")
            }
            status if is_busy(status) => ("download/busy", "try again later, or allow a longer wait with --timeout"),
            _ => {
                ("download/status", "check the address; [[source.document]] in specs/codegen.toml names the contract's")
            }
        };
        let pause = answer.retry_after.filter(|_| is_busy(answer.status));
        let pause = pause.map(|pause| format!(", and asks for a pause of {}", seconds(pause))).unwrap_or_default();
        let challenge = answer.challenge.as_deref().map(|text| format!(" ({})", clip(text))).unwrap_or_default();
        Failure::new(
            Exit::Download,
            code,
            format!("{place} answered {}{challenge}{pause}", answer.status),
            format!("{hint}\n{OFFLINE}"),
        )
    }
}
