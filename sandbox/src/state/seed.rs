//! The initial resources of every team, and those of the seed.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Item, State};
use crate::directory::{Directory, Resource, Team};

/// The contents of a new state.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub(crate) directory: Arc<Directory>,
    pub(crate) resources: Vec<Resource>,
}

impl Beginning {
    /// Adds the initial resources of the teams. Resources that no operation creates (the team itself, a virtual machine, a
    /// database connection) must be here.
    pub(super) fn plant(&self, state: &mut State) {
        for team in &self.directory.teams {
            plant_team(state, team);
        }
        for Resource { team_id, collection, key, fields } in &self.resources {
            state.put(*team_id, collection, key, fields.clone());
        }
    }
}

fn plant_team(state: &mut State, team: &Team) {
    let team_path = format!("/api/teams/v1/teams/{}", team.id);
    let items_path = "/api/marketplace/v1/store-items";
    let connection_path = format!("/api/client-db/v1/connections/{}", team.connection_id);
    let mut put = |collection: &str, key: &dyn ToString, fields: Value| {
        state.put(team.id, collection, &key.to_string(), item(fields));
    };
    put("/api/teams/v1/teams", &team.id, json!({ "id": team.id, "name": team.name, "slug": team.name.to_lowercase() }));
    put(
        &format!("{team_path}/billing-accounts"),
        &team.billing_account_id,
        json!({ "id": team.billing_account_id, "teamId": team.id, "name": "Main", "currency": "EUR", "status": "Active" }),
    );
    put(
        items_path,
        &team.store_item_id,
        json!({
            "id": team.store_item_id, "name": "Static site", "category": "web", "tags": ["site", "starter"],
            "rating": 4.5, "isPublished": true,
        }),
    );
    put(
        &format!("{items_path}/{}/payment-plans", team.store_item_id),
        &team.payment_plan_id,
        json!({ "id": team.payment_plan_id, "name": "Monthly", "price": 9.5, "currency": "EUR", "period": 1 }),
    );
    put(
        "/api/virtual-machines",
        &team.virtual_machine_id,
        json!({
            "id": team.virtual_machine_id, "name": "builder", "state": "Stopped", "cores": 2, "memoryMegabytes": 4096,
            "address": "192.0.2.10",
        }),
    );
    put(
        "/api/client-db/v1/connections",
        &team.connection_id,
        json!({
            "id": team.connection_id, "name": "customers", "engine": 0, "host": "db.example", "port": 5432,
            "database": "customers",
        }),
    );
    put(&format!("{connection_path}/schema/tables"), &"customers", table());
    state.put_single(
        &format!("{connection_path}/schema"),
        item(json!({ "id": team.connection_id, "tables": [table()] })),
    );
}

fn table() -> Value {
    json!({
        "name": "customers",
        "columns": [
            { "name": "id", "type": "uuid", "isNullable": false },
            { "name": "email", "type": "text", "isNullable": true },
        ],
        "rowEstimate": 128,
    })
}

fn item(fields: Value) -> Item {
    match fields {
        Value::Object(fields) => fields,
        _ => Item::new(),
    }
}
