//! Roles, and their holders in each team. The platform document names no roles (§5): these are the sandbox's own.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A role of the sandbox, weakest first. The `roles` claim lists these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// Reads everything of the team except credentials.
    Viewer,
    /// Reads and writes everything except the administration of the team.
    Member,
    /// Does everything.
    Admin,
}

impl Role {
    /// The role with a name in the `roles` claim.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Viewer, Self::Member, Self::Admin].into_iter().find(|role| role.name() == name)
    }

    /// Returns the name in the `roles` claim.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

/// A role in a team, optionally limited to some of its projects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Membership {
    /// The team.
    pub team_id: Uuid,
    /// The role in the team.
    pub role: Role,
    /// The projects that the membership is limited to; empty for all of them.
    pub projects: Vec<Uuid>,
}
