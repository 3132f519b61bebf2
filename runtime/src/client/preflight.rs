//! The check before a request to the compliance resource server.

use uuid::Uuid;

use super::Session;
use crate::{
    auth::CachedToken,
    error::{Error, Kind},
};

impl Session {
    /// Compares the team of the token with the configured one (platform document §5.7). A token without a team, or one
    /// that cannot be read, is sent: the server decides.
    pub(super) fn preflight(&self, token: Option<&CachedToken>) -> Result<(), Error> {
        let (Some(team), Some(token)) = (self.team, token) else { return Ok(()) };
        match &token.team {
            None => Ok(()),
            Some(Ok(token_team)) if *token_team == team => Ok(()),
            Some(Ok(token_team)) => Err(self.mismatch(team, &format!("for the team {token_team}"))),
            Some(Err(_)) => Err(self.mismatch(team, "for a team that is not a GUID")),
        }
    }

    fn mismatch(&self, team: Uuid, token_team: &str) -> Error {
        let credential =
            self.credential.as_ref().map(|cache| crate::auth::token_of(cache.credential())).unwrap_or_default();
        Error::of(Kind::Configuration, format!("{credential} is {token_team}, and the server's team is {team}"))
            .hint("nothing was sent: use a credential of that team, or correct the configured team")
    }
}
