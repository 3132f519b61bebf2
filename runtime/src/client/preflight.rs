//! The check of a token's claim before a request.

use uuid::Uuid;

use super::Session;
use crate::{
    auth::CachedToken,
    error::{Error, Kind},
};

impl Session {
    /// Compares the claim of the token with the configured value. A token without the claim, or one that cannot be
    /// read, is sent: the server decides.
    pub(super) fn preflight(&self, token: Option<&CachedToken>) -> Result<(), Error> {
        let (Some(check), Some(token)) = (&self.claim, token) else { return Ok(()) };
        let mut claims = check.names.iter().filter_map(|name| Some((name, token.claims.as_ref()?.text(name)?)));
        let Some((name, value)) = claims.next() else { return Ok(()) };
        let uuid = |text: &str| Uuid::try_parse(text.trim()).ok();
        let value_of_token = match (uuid(value), uuid(&check.value)) {
            (Some(token), Some(configured)) if token == configured => return Ok(()),
            (None, None) if value == check.value => return Ok(()),
            (Some(token), _) => token.to_string(),
            // The text of a token's claim is not printed.
            (None, _) => "another value".to_owned(),
        };
        let credential =
            self.credential.as_ref().map(|cache| crate::auth::token_of(cache.credential())).unwrap_or_default();
        let message =
            format!("{credential} has {value_of_token} as its claim `{name}`, and the server requires {}", check.value);
        Err(Error::with(Kind::Configuration, message)
            .hint("nothing was sent: use a credential with that claim, or correct the configured value"))
    }
}
