//! The claims of an access token that only the platform has (platform document §2).

use serde_json::{Map, Value};

use crate::directory::{Client, Subject, TeamClaim};

/// The only scope that the platform document names (§4.5).
pub(super) const API: &str = "api";

/// Adds the optional claims and the team claim. `client` is the client of the request; `None` for an API token.
pub(super) fn add_claims(claims: &mut Map<String, Value>, client: Option<&Client>, subject: Subject<'_>, scope: &str) {
    if client.is_none_or(|client| client.optional_claims) {
        claims.insert("scope".to_owned(), scope.into());
        claims.insert("roles".to_owned(), subject.roles().into());
    }
    let name = match client.map_or(TeamClaim::TeamId, |client| client.team_claim) {
        TeamClaim::TeamId => "team_id",
        TeamClaim::TenantId => "tenant_id",
        TeamClaim::None => return,
    };
    if let Some(team) = subject.team_id() {
        claims.insert(name.to_owned(), team.to_string().into());
    }
}
