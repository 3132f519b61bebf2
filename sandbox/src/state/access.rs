//! Access to resources (platform document §4.1, §5.9): decided by the owning team, the caller's role in it, the projects that the
//! role is limited to, and access grants on components.

use serde_json::Value;
use uuid::Uuid;

use super::{Item, State};
use crate::caller::Caller;
use crate::clock;
use crate::directory::Role;

const PROJECTS: &str = "/api/projects/v1/projects/";

impl State {
    /// The caller's role for a resource of a team. `None`: the resource is invisible.
    pub(super) fn role(&self, caller: &Caller, owner: Uuid, address: &str) -> Option<Role> {
        match caller.membership(owner) {
            Some(member) if member.projects.is_empty() => Some(member.role),
            Some(member) => match project(address) {
                Some(project) if member.projects.contains(&project) => Some(member.role),
                Some(_) => self.granted(caller, address),
                // Members with limited projects can read resources that belong to no project.
                None => Some(Role::Viewer),
            },
            None => self.granted(caller, address),
        }
    }

    /// The role that an access grant on the component of an address gives.
    fn granted(&self, caller: &Caller, address: &str) -> Option<Role> {
        let user = caller.user?.to_string();
        let component = component(address)?;
        let collection = format!("{component}/access-grants");
        let grants = self.items(&collection).map(|(_, _, grant)| grant);
        let lasts =
            |grant: &&Item| grant.get("expiresAt").and_then(Value::as_str).is_none_or(|moment| !clock::is_past(moment));
        let levels = grants.filter(lasts);
        let mine = levels.filter(|grant| grant.get("userId").and_then(Value::as_str) == Some(&user));
        mine.filter_map(|grant| match grant.get("level").and_then(Value::as_str) {
            Some("Read") => Some(Role::Viewer),
            Some("Write") => Some(Role::Member),
            Some("Admin") => Some(Role::Admin),
            _ => None,
        })
        .max()
    }
}

fn project(address: &str) -> Option<Uuid> {
    let rest = address.strip_prefix(PROJECTS)?;
    Uuid::try_parse(rest.split('/').next()?).ok()
}

/// The component at an address or above it.
fn component(address: &str) -> Option<&str> {
    let rest = address.strip_prefix(PROJECTS)?;
    let mut segments = rest.split('/');
    let (project, word, component) = (segments.next()?, segments.next()?, segments.next()?);
    let length = PROJECTS.len() + project.len() + 1 + word.len() + 1 + component.len();
    (word == "components").then(|| address.get(..length)).flatten()
}
