//! The meaning of a server's error status, and the next steps.

use driftless_runtime::StatusCode;

use super::address::stripped;
use super::answer::{Answer, clip, is_busy, seconds};
use super::failed::OFFLINE;
use super::http::{CredentialPlace, Http};
use crate::failure::{Exit, Failure};

impl Http<'_> {
    /// The failure by which an error status ends the work.
    pub(crate) fn refused(&self, answer: &Answer) -> Failure {
        let address = stripped(&answer.url);
        let (code, hint) = match answer.status {
            StatusCode::UNAUTHORIZED => ("download/unauthorized", self.unauthorized(answer)),
            StatusCode::FORBIDDEN => {
                ("download/forbidden", "the caller may not read the contract: check its scope and roles".to_owned())
            }
            status if is_busy(status) => {
                ("download/busy", "try again later, or allow a longer wait with --timeout".to_owned())
            }
            status if status.is_server_error() => {
                ("download/failed", "correct the service, or try again later".to_owned())
            }
            _ => (
                "download/status",
                "check the address; [[source.document]] in specs/codegen.toml names the contract's".to_owned(),
            ),
        };
        let pause = answer.retry_after.filter(|_| is_busy(answer.status));
        let pause = pause.map(|pause| format!(", and asks for a pause of {}", seconds(pause))).unwrap_or_default();
        let challenge = answer.challenge.as_deref().map(|text| format!(" ({})", clip(text))).unwrap_or_default();
        let words = if answer.status.is_server_error() { answer.words() } else { String::new() };
        Failure::new(
            Exit::Download,
            code,
            format!("{address} answered {}{challenge}{pause}{words}", answer.status),
            format!("{hint}\n{OFFLINE}"),
        )
    }

    /// The settings that let the caller in.
    fn unauthorized(&self, answer: &Answer) -> String {
        if self.is_authorized_for(&answer.url) {
            return format!(
                "the service does not accept the token, key or password that was sent: check {}, and what it may read (scope, roles)",
                self.sent()
            );
        }
        let CredentialPlace { variables, table, origin } = self.place();
        if self.has_credentials() {
            return "the credentials are for the origin of the base URL, which this is not: name the contract's own base URL and \
                    [source.document.token] in [[source.document]] of specs/codegen.toml"
                .to_owned();
        }
        if origin.as_ref().is_some_and(|origin| *origin != answer.url.origin()) {
            return "the contract needs credentials of its own, as it is not at the origin of the base URL: name their places in \
                    [source.document.token], below its [[source.document]] of specs/codegen.toml"
                .to_owned();
        }
        let beside = match origin {
            None => ", and --base-url, whose origin they are sent to",
            Some(_) => "",
        };
        if variables.is_empty() {
            return format!(
                "the contract needs a token, an API key, or a user with a password: name its place in {table} in specs/codegen.toml, \
                 or write `variables` there to have variables read{beside}"
            );
        }
        let mut ways = [
            format!(
                "a token: {variables}TOKEN, or {variables}ISSUER with {variables}CLIENT_ID and {variables}SECRET_FILE"
            ),
            format!(
                "an API key: {variables}API_KEY, with {variables}API_KEY_HEADER or {variables}API_KEY_QUERY for its place"
            ),
            format!("HTTP Basic: {variables}BASIC_USER with {variables}BASIC_PASSWORD"),
        ];
        let challenge = answer.challenge.as_deref().unwrap_or_default().trim_start().to_ascii_lowercase();
        if challenge.starts_with("basic") {
            ways.rotate_right(1);
        }
        format!(
            "the contract needs credentials; set{beside}\n{}\nor name their places in {table} in specs/codegen.toml",
            ways.join("\nor ")
        )
    }
}
