//! The nine route families (platform document §4.2), one per file, large ones in two.

mod agent;
mod client_db;
mod compliance;
mod components;
mod devops;
mod files;
mod forum;
mod machines;
mod marketplace;
mod moderation;
mod projects;
mod teams;
mod terraform;

use super::operation::Operation;
use super::schema::Schema;

/// The operations of a family and the components that they bring along.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) operations: Vec<Operation>,
    pub(super) schemas: Vec<(&'static str, Schema)>,
}

pub(super) fn all() -> Vec<Family> {
    vec![
        projects::family(),
        components::family(),
        teams::family(),
        marketplace::family(),
        devops::family(),
        files::family(),
        terraform::family(),
        machines::family(),
        agent::family(),
        forum::family(),
        moderation::family(),
        client_db::family(),
        compliance::family(),
    ]
}
