//! Roles, and who has which in which team. The platform document names no roles (§5): these are the sandbox's own.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A role of the sandbox, weakest first. It is what the `roles` claim lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// Reads everything of the team but credentials.
    Viewer,
    /// Reads and writes everything but what administers the team.
    Member,
    /// Does everything.
    Admin,
}

impl Role {
    /// The role of a name in the `roles` claim.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Viewer, Self::Member, Self::Admin].into_iter().find(|role| role.name() == name)
    }

    /// The name in the `roles` claim.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

/// A role in a team, perhaps for some of its projects only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Membership {
    /// The team.
    pub team_id: Uuid,
    /// The role there.
    pub role: Role,
    /// The projects that the membership is limited to; empty for all of them.
    pub projects: Vec<Uuid>,
}
