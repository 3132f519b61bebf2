//! A fixed token.

use std::{fmt, sync::Arc};

use secrecy::{ExposeSecret, SecretString};

use super::{Credential, SecretSource, Token, TokenFuture, TokenRequest};
use crate::error::{Error, Kind};

/// A token that was created elsewhere, such as an API token of the dashboard.
///
/// ```
/// use driftless_runtime::auth::{SecretEnv, StaticToken};
///
/// let credential = StaticToken::from_source(SecretEnv::new("SERVICE_TOKEN"));
/// # let _ = credential;
/// ```
///
/// `Bearer x`, as in a header, is the token `x`.
pub struct StaticToken(Arc<dyn SecretSource>);

impl StaticToken {
    /// Creates a credential from a token in memory.
    pub fn new(token: impl Into<SecretString>) -> Self {
        Self(Arc::new(Fixed(token.into())))
    }

    /// Creates a credential that reads its token from a source whenever the session needs one, so that it can be
    /// rotated.
    pub fn from_source(source: impl SecretSource) -> Self {
        Self(Arc::new(source))
    }
}

impl Credential for StaticToken {
    fn token<'a>(&'a self, _request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async {
            let secret = super::secret::read(&self.0).await?;
            let token = bare(secret.expose_secret());
            match fault(token) {
                None => Ok(Token::new(token.to_owned())),
                Some(fault) => Err(Error::with(
                    Kind::Secret,
                    format!("{} contains no valid token: it has {fault}", self.0.describe()),
                )
                .hint("a token is visible ASCII characters on one line: give the token alone")),
            }
        })
    }

    fn describe(&self) -> String {
        format!("the token from {}", self.0.describe())
    }
}

/// The token in a text that was copied as the header's value, `Bearer x`. No token has a space in it.
fn bare(text: &str) -> &str {
    match text.trim().split_once(char::is_whitespace) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim_start(),
        _ => text,
    }
}

/// Returns the reason that a text is not a token.
fn fault(text: &str) -> Option<&'static str> {
    let odd = text.chars().find(|character| !character.is_ascii_graphic())?;
    Some(match odd {
        '\n' | '\r' => "a line break",
        ' ' | '\t' => "a space",
        _ => "a character that no token has",
    })
}

impl fmt::Debug for StaticToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StaticToken").field(&self.0.describe()).finish()
    }
}

struct Fixed(SecretString);

impl SecretSource for Fixed {
    fn read(&self) -> Result<SecretString, Error> {
        Ok(self.0.clone())
    }

    fn describe(&self) -> String {
        "memory".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{bare, fault};

    #[test]
    fn a_token_may_be_written_as_in_its_header() {
        for (text, token) in [
            ("abc", "abc"),
            ("Bearer abc", "abc"),
            ("bearer\tabc", "abc"),
            (" BEARER  abc\n", "abc"),
            ("Bearer", "Bearer"),
            ("Bearerabc", "Bearerabc"),
            ("Basic abc", "Basic abc"),
            // A text that is not a token stays as it is, and is refused when it is used.
            ("Bearer two words", "two words"),
            (" abc", " abc"),
        ] {
            assert_eq!(bare(text), token, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_token_is_told_by_its_first_fault() {
        for (text, says) in [
            ("abc.d-e_f~+/=", None),
            ("", None),
            ("ab\ncd ef", Some("a line break")),
            ("ab\r\ncd", Some("a line break")),
            ("two words\n", Some("a space")),
            ("a\u{7f}b", Some("a character that no token has")),
            ("\u{201c}abc\u{201d}", Some("a character that no token has")),
        ] {
            assert_eq!(fault(text), says, "{text:?}");
        }
    }
}
