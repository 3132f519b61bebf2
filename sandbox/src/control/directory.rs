//! Addresses, teams, clients and users over HTTP. Secrets are left out; the paths of their files are included.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::send;
use crate::contract::JSON_PATH;
use crate::directory::{Client, Directory, Grant, Membership, SecretFolder, User};
use crate::{graphql, issuer};

/// The addresses of a sandbox, and its directory.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    base_url: String,
    compliance_url: String,
    directory: Arc<Directory>,
    /// Files of secrets and passwords by the names of clients and users, if they were written.
    files: Arc<Mutex<HashMap<String, String>>>,
}

impl Places {
    pub(crate) fn new(base_url: &str, compliance_url: &str, directory: Arc<Directory>) -> Self {
        let (base_url, compliance_url) = (base_url.to_owned(), compliance_url.to_owned());
        Self { base_url, compliance_url, directory, files: Arc::default() }
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Lists the files of secrets and passwords from now on.
    pub(crate) fn publish(&self, folder: &SecretFolder) {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let clients = folder.clients().iter().map(|file| (format!("client {}", file.client_id), text(&file.path)));
        let users = folder.users().iter().map(|(name, path)| (format!("user {name}"), text(path)));
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = clients.chain(users).collect();
    }

    pub(super) fn knows_team(&self, id: Uuid) -> bool {
        self.directory.teams.iter().any(|team| team.id == id)
    }

    /// The first team.
    pub(super) fn first_team(&self) -> Uuid {
        self.directory.teams.first().map(|team| team.id).unwrap_or_default()
    }

    fn file(&self, owner: &str) -> Option<String> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).get(owner).cloned()
    }

    fn memberships(&self, memberships: &[Membership]) -> Value {
        let name = |id: Uuid| self.directory.teams.iter().find(|team| team.id == id).map(|team| &team.name);
        let document = memberships.iter().map(|member| {
            json!({ "teamId": member.team_id, "team": name(member.team_id), "role": member.role.name(), "projects": member.projects })
        });
        document.collect()
    }

    fn client(&self, client: &Client) -> Value {
        let grant = |grant: &Grant| match grant {
            Grant::ClientCredentials => "client_credentials",
            Grant::AuthorizationCode => "authorization_code",
            Grant::RefreshToken => "refresh_token",
        };
        json!({
            "clientId": client.client_id,
            "about": client.about,
            "isPublic": client.is_public(),
            "grants": client.grants.iter().map(grant).collect::<Vec<_>>(),
            "redirectUris": client.redirect_uris,
            "memberships": self.memberships(std::slice::from_ref(&client.membership)),
            "secretFile": self.file(&format!("client {}", client.client_id)),
        })
    }

    fn user(&self, user: &User) -> Value {
        json!({
            "id": user.id,
            "name": user.name,
            "about": user.about,
            "memberships": self.memberships(&user.memberships),
            "passwordFile": self.file(&format!("user {}", user.name)),
        })
    }
}

pub(super) async fn get(State(places): State<Places>) -> Response {
    let (base, directory) = (&places.base_url, &places.directory);
    let teams = directory.teams.iter().map(|team| {
        json!({
            "id": team.id,
            "name": team.name,
            "billingAccountId": team.billing_account_id,
            "paymentPlanId": team.payment_plan_id,
            "storeItemId": team.store_item_id,
            "virtualMachineId": team.virtual_machine_id,
            "connectionId": team.connection_id,
        })
    });
    let document = json!({
        "baseUrl": base,
        "issuer": format!("{base}{}", issuer::PATH),
        "contract": format!("{base}{JSON_PATH}"),
        "graphql": format!("{base}{}", graphql::PATH),
        "compliance": places.compliance_url,
        "version": env!("CARGO_PKG_VERSION"),
        "teams": teams.collect::<Vec<_>>(),
        "clients": directory.clients.iter().map(|client| places.client(client)).collect::<Vec<_>>(),
        "users": directory.users.iter().map(|user| places.user(user)).collect::<Vec<_>>(),
    });
    send(StatusCode::OK, &document)
}
