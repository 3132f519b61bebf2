//! The caller of a request, and its rights in each team (platform document §4.1, §5.9).

use uuid::Uuid;

use crate::directory::{Membership, Subject};

/// The user or client behind a token.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The `sub` of the token.
    pub(crate) sub: String,
    /// The user's GUID; clients have none.
    pub(crate) user: Option<Uuid>,
    /// The team that new resources belong to, unless the request names another one.
    pub(crate) team_id: Uuid,
    /// The expiry of the token, in seconds since the epoch.
    pub(crate) expires: Option<i64>,
    memberships: Vec<Membership>,
}

impl Caller {
    pub(crate) fn new(subject: Subject<'_>, expires: Option<i64>) -> Self {
        let user = match subject {
            Subject::User(user) => Some(user.id),
            Subject::Client(_) => None,
        };
        Self {
            sub: subject.sub(),
            user,
            team_id: subject.team_id().unwrap_or_default(),
            expires,
            memberships: subject.memberships().to_vec(),
        }
    }

    /// A caller that acts for one team.
    pub(crate) fn for_team(sub: String, membership: Membership) -> Self {
        Self { sub, user: None, team_id: membership.team_id, expires: None, memberships: vec![membership] }
    }

    pub(crate) fn membership(&self, team: Uuid) -> Option<&Membership> {
        self.memberships.iter().find(|membership| membership.team_id == team)
    }

    pub(crate) fn memberships(&self) -> &[Membership] {
        &self.memberships
    }
}
