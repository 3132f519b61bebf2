//! The seeded OAuth clients.

use std::fmt;

use serde::Deserialize;
use uuid::Uuid;

use super::role::Membership;

/// A grant of the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Grant {
    /// RFC 6749 §4.4; platform document §4.5.
    ClientCredentials,
    /// RFC 6749 §4.1, with PKCE (RFC 7636).
    AuthorizationCode,
    /// RFC 6749 §6, for clients that ask for the offline-access scope (platform document §5).
    RefreshToken,
}

/// The claim of a client's tokens that names the team (platform document §2: either, or none).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TeamClaim {
    /// `team_id`.
    #[default]
    TeamId,
    /// `tenant_id`.
    TenantId,
    /// No claim.
    None,
}

/// A seeded client of the sandbox's issuer. Its secret is random in every sandbox, and `Debug` leaves it out.
#[derive(Clone)]
#[non_exhaustive]
pub struct Client {
    /// The `client_id` of a token request.
    pub client_id: String,
    /// The purpose of the client, in a sentence.
    pub about: String,
    /// The team that the client acts for: the team claim of its tokens.
    pub team_id: Uuid,
    /// The `roles` claim of its tokens.
    pub roles: Vec<String>,
    /// `true` if the client-credentials grant is enabled for it.
    pub client_credentials: bool,
    /// The grants that are enabled for it.
    pub grants: Vec<Grant>,
    /// The registered redirect addresses of the authorization-code grant. A loopback address matches any port (RFC 8252 §7.3).
    pub redirect_uris: Vec<String>,
    /// The claim of its tokens that names the team.
    pub team_claim: TeamClaim,
    /// `true` if its tokens have the claims `scope` and `roles`, which the platform document calls optional (§2).
    pub optional_claims: bool,
    pub(crate) membership: Membership,
    pub(crate) secret: Option<String>,
}

impl Client {
    /// Returns the client's secret, which is empty for a public client.
    pub fn secret(&self) -> &str {
        self.secret.as_deref().unwrap_or_default()
    }

    /// Returns whether the client has no secret (RFC 6749 §2.1).
    pub fn is_public(&self) -> bool {
        self.secret.is_none()
    }

    pub(crate) fn may(&self, grant: Grant) -> bool {
        self.grants.contains(&grant)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("client_id", &self.client_id)
            .field("about", &self.about)
            .field("team_id", &self.team_id)
            .field("roles", &self.roles)
            .field("grants", &self.grants)
            .finish_non_exhaustive()
    }
}
