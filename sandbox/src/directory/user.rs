//! The seeded users: people who log in, and stand behind tokens of the authorization-code grant and API tokens.

use std::fmt;

use uuid::Uuid;

use super::role::Membership;

/// A seeded user. The password is random in every sandbox, and `Debug` leaves it out.
#[derive(Clone)]
#[non_exhaustive]
pub struct User {
    /// The user's GUID: the `sub` claim of the user's tokens.
    pub id: Uuid,
    /// The name for the login page.
    pub name: String,
    /// A description of the user, in a sentence.
    pub about: String,
    /// The user's teams. The first one is the team of the `team_id` claim.
    pub memberships: Vec<Membership>,
    pub(crate) password: String,
}

impl User {
    /// The user's password.
    pub fn password(&self) -> &str {
        &self.password
    }
}

impl fmt::Debug for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("User")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("about", &self.about)
            .field("memberships", &self.memberships)
            .finish_non_exhaustive()
    }
}
