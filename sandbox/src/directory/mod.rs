//! Teams, users and clients, and their rights.

mod client;
mod role;
mod secret_file;
mod secret_folder;
mod seed;
mod team;
mod user;

use ring::rand::SecureRandom;
use uuid::Uuid;

pub use client::{Client, Grant, TeamClaim};
pub use role::{Membership, Role};
pub use secret_file::SecretFile;
pub use secret_folder::SecretFolder;
pub use team::Team;
pub use user::User;

pub(crate) use secret_file::{write as write_secret_files, write_one};
pub(crate) use seed::{Resource, Seed};

/// Everyone that the seed names.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) teams: Vec<Team>,
    pub(crate) clients: Vec<Client>,
    pub(crate) users: Vec<User>,
}

/// The subject of a token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject<'a> {
    Client(&'a Client),
    User(&'a User),
}

impl Directory {
    pub(crate) fn client(&self, client_id: &str) -> Option<&Client> {
        self.clients.iter().find(|client| client.client_id == client_id)
    }

    pub(crate) fn user(&self, id: Uuid) -> Option<&User> {
        self.users.iter().find(|user| user.id == id)
    }

    pub(crate) fn user_named(&self, name: &str) -> Option<&User> {
        self.users.iter().find(|user| user.name == name)
    }

    /// The user or client that a `sub` claim names.
    pub(crate) fn subject(&self, sub: &str) -> Option<Subject<'_>> {
        match Uuid::try_parse(sub) {
            Ok(id) => self.user(id).map(Subject::User),
            Err(_) => self.client(sub).map(Subject::Client),
        }
    }
}

impl<'a> Subject<'a> {
    /// The `sub` claim: a user's GUID, or the identifier of the client that acts as a service account.
    pub(crate) fn sub(self) -> String {
        match self {
            Self::Client(client) => client.client_id.clone(),
            Self::User(user) => user.id.to_string(),
        }
    }

    pub(crate) fn memberships(self) -> &'a [Membership] {
        match self {
            Self::Client(client) => std::slice::from_ref(&client.membership),
            Self::User(user) => &user.memberships,
        }
    }

    pub(crate) fn roles(self) -> Vec<String> {
        match self {
            Self::Client(client) => client.roles.clone(),
            Self::User(user) => {
                let mut roles: Vec<_> = user.memberships.iter().map(|membership| membership.role).collect();
                roles.sort_unstable();
                roles.dedup();
                roles.into_iter().map(|role| role.name().to_owned()).collect()
            }
        }
    }

    /// The team of the team claim.
    pub(crate) fn team_id(self) -> Option<Uuid> {
        self.memberships().first().map(|membership| membership.team_id)
    }
}

/// A random text of 256 bits, safe in addresses and forms.
pub(crate) fn random_text(random: &dyn SecureRandom) -> Result<String, crate::error::Error> {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    let mut bytes = [0; 32];
    random.fill(&mut bytes).map_err(|_unspecified| crate::error::Error::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
