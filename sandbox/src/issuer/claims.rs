//! The claims of an access token: those of platform document §2, and those that RFC 9068 requires.

use serde_json::{Value, json};
use uuid::Uuid;

use super::Issuer;
use crate::directory::{Client, Subject, TeamClaim};

/// `client` is the client of the request; `None` for an API token.
pub(super) fn access_token(
    issuer: &Issuer,
    client: Option<&Client>,
    subject: Subject<'_>,
    scope: &str,
    lifetime: u64,
) -> Value {
    let now = issuer.now();
    let mut claims = json!({
        "iss": issuer.url,
        "aud": "api",
        "sub": subject.sub(),
        "iat": now,
        "exp": now.saturating_add_unsigned(lifetime),
        "jti": Uuid::new_v4(),
    });
    if let Some(client) = client {
        claims["client_id"] = client.client_id.clone().into();
    }
    if client.is_none_or(|client| client.optional_claims) {
        claims["scope"] = scope.into();
        claims["roles"] = subject.roles().into();
    }
    let name = match client.map_or(TeamClaim::TeamId, |client| client.team_claim) {
        TeamClaim::TeamId => "team_id",
        TeamClaim::TenantId => "tenant_id",
        TeamClaim::None => return claims,
    };
    if let Some(team) = subject.team_id() {
        claims[name] = team.to_string().into();
    }
    claims
}
