//! Reads the seed: a TOML file with teams, clients, users and resources. `sandbox/seed.toml` is the one that is built in.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Directory;
use super::client::{Client, Grant, TeamClaim};
use super::role::{Membership, Role};
use super::team::Team;
use super::user::User;
use crate::error::Error;

const BUILT_IN: &str = include_str!("../../seed.toml");

/// The contents of a seed file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seed {
    team: Vec<Team>,
    #[serde(default)]
    client: Vec<SeedClient>,
    #[serde(default)]
    user: Vec<SeedUser>,
    #[serde(default)]
    resource: Vec<SeedResource>,
}

/// A resource that exists from the start, in addition to those of every team.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) team_id: Uuid,
    pub(crate) collection: String,
    pub(crate) key: String,
    pub(crate) fields: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedClient {
    client_id: String,
    about: String,
    team: String,
    role: Role,
    grants: Vec<Grant>,
    #[serde(default)]
    public: bool,
    #[serde(default)]
    redirect_uris: Vec<String>,
    #[serde(default)]
    team_claim: TeamClaim,
    #[serde(default = "yes")]
    optional_claims: bool,
    /// Random if unset.
    secret: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedUser {
    id: Uuid,
    name: String,
    about: String,
    member: Vec<SeedMembership>,
    /// Random if unset.
    password: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedMembership {
    team: String,
    role: Role,
    #[serde(default)]
    projects: Vec<Uuid>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedResource {
    team: String,
    collection: String,
    key: String,
    fields: Map<String, Value>,
}

fn with_line(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    format!("line {line}: {}", error.message())
}

/// Returns whether a name can be the name of a secret file.
fn is_file_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    !name.is_empty() && !name.starts_with('.') && name.len() <= 100 && name.chars().all(is_plain)
}

fn yes() -> bool {
    true
}

impl Seed {
    /// Reads the seed from a file, or the built-in one.
    pub(crate) fn read(path: Option<&Path>) -> Result<Self, Error> {
        let refuse = |message: String| Error::Seed { path: path.map(Path::to_owned), message };
        let text = match path {
            Some(path) => std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?,
            None => BUILT_IN.to_owned(),
        };
        let seed: Self = toml::from_str(&text).map_err(|error| refuse(with_line(&error, &text)))?;
        if seed.team.len() < 2 {
            return Err(refuse("at least two teams are needed, so that one can be hidden from the other".to_owned()));
        }
        let named: Vec<&str> = seed.team_names().filter(|name| seed.team_id(name).is_none()).collect();
        match named.first() {
            Some(name) => Err(refuse(format!("no [[team]] has the name {name:?}"))),
            None => Ok(seed),
        }
    }

    /// Refuses duplicates, invalid secrets, and resources of collections that the contract does not have.
    pub(crate) fn check(&self, path: Option<&Path>, has_collection: impl Fn(&Resource) -> bool) -> Result<(), Error> {
        let refuse = |message: String| Err(Error::Seed { path: path.map(Path::to_owned), message });
        let teams = self.team.iter().flat_map(|team| [format!("team {:?}", team.name), format!("id {}", team.id)]);
        let clients = self.client.iter().map(|client| format!("client {:?}", client.client_id));
        let users = self.user.iter().flat_map(|user| [format!("user {:?}", user.name), format!("id {}", user.id)]);
        let resources =
            self.resource.iter().map(|resource| format!("resource {:?} of {}", resource.key, resource.collection));
        let mut seen = HashSet::new();
        if let Some(twice) = teams.chain(clients).chain(users).chain(resources).find(|name| !seen.insert(name.clone()))
        {
            return refuse(format!("{twice} occurs twice; remove one of them"));
        }
        for client in &self.client {
            if !is_file_name(&client.client_id) {
                return refuse(format!(
                    "client {:?}: the name may only have letters, digits and -._",
                    client.client_id
                ));
            }
            if client.public && client.secret.is_some() {
                return refuse(format!(
                    "client {:?} is public and has a secret; leave one of them out",
                    client.client_id
                ));
            }
        }
        for user in &self.user {
            if !is_file_name(&user.name) {
                return refuse(format!("user {:?}: the name may only have letters, digits and -._", user.name));
            }
        }
        let secrets = self.client.iter().filter_map(|client| client.secret.as_deref());
        let passwords = self.user.iter().filter_map(|user| user.password.as_deref());
        if secrets.chain(passwords).any(|secret| secret.is_empty() || secret.contains(char::is_control)) {
            return refuse("a secret or password is empty or has control characters".to_owned());
        }
        match self.resources().iter().find(|resource| !has_collection(resource)) {
            Some(unknown) => refuse(format!("the contract has no collection {:?}", unknown.collection)),
            None => Ok(()),
        }
    }

    /// Builds the directory of the seed, with secrets and passwords from `secret`, which gets the owner's name.
    pub(crate) fn directory(&self, mut secret: impl FnMut(&str) -> Result<String, Error>) -> Result<Directory, Error> {
        let mut clients = Vec::new();
        for client in &self.client {
            let team_id = self.team_id(&client.team).unwrap_or_default();
            let secret = match client.public {
                true => None,
                false => match &client.secret {
                    Some(secret) => Some(secret.clone()),
                    None => Some(secret(&format!("client {}", client.client_id))?),
                },
            };
            clients.push(Client {
                client_id: client.client_id.clone(),
                about: client.about.clone(),
                team_id,
                roles: vec![client.role.name().to_owned()],
                client_credentials: client.grants.contains(&Grant::ClientCredentials),
                grants: client.grants.clone(),
                redirect_uris: client.redirect_uris.clone(),
                team_claim: client.team_claim,
                optional_claims: client.optional_claims,
                membership: Membership { team_id, role: client.role, projects: Vec::new() },
                secret,
            });
        }
        let mut users = Vec::new();
        for user in &self.user {
            let membership = |member: &SeedMembership| Membership {
                team_id: self.team_id(&member.team).unwrap_or_default(),
                role: member.role,
                projects: member.projects.clone(),
            };
            users.push(User {
                id: user.id,
                name: user.name.clone(),
                about: user.about.clone(),
                memberships: user.member.iter().map(membership).collect(),
                password: match &user.password {
                    Some(password) => password.clone(),
                    None => secret(&format!("user {}", user.name))?,
                },
            });
        }
        Ok(Directory { teams: self.team.clone(), clients, users })
    }

    /// The resources that the seed lists.
    pub(crate) fn resources(&self) -> Vec<Resource> {
        let resource = |seeded: &SeedResource| Resource {
            team_id: self.team_id(&seeded.team).unwrap_or_default(),
            collection: seeded.collection.clone(),
            key: seeded.key.clone(),
            fields: seeded.fields.clone(),
        };
        self.resource.iter().map(resource).collect()
    }

    fn team_names(&self) -> impl Iterator<Item = &str> {
        let clients = self.client.iter().map(|client| &client.team);
        let users = self.user.iter().flat_map(|user| &user.member).map(|member| &member.team);
        clients.chain(users).chain(self.resource.iter().map(|resource| &resource.team)).map(String::as_str)
    }

    fn team_id(&self, name: &str) -> Option<Uuid> {
        self.team.iter().find(|team| team.name == name).map(|team| team.id)
    }
}
