//! The platform's side of the issuer: the clients and users of the seed, the scopes, and the claims of platform document §2.

use std::sync::Arc;

use driftless_sandbox_control::ui::Frame;
use driftless_sandbox_issuer::{
    EMAIL, OFFLINE, OPENID, PROFILE, Realm, RealmClient, RealmUser, Redirects, Secret, TokenGrant, TokenSubject, html,
};
use http::HeaderMap;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::api_token::ApiTokens;
use super::claims::{API, add_claims};
use super::{PATH, PROFILE_PATH};
use crate::directory::{Client, Directory, Grant, Subject, User};
use crate::menu;

/// All scopes, as discovery lists them. The one for a refresh token, which the platform document does not show (§5), is assumed.
const ALL: [&str; 5] = [API, OFFLINE, OPENID, PROFILE, EMAIL];

/// The platform, as the issuer knows it.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) base_url: String,
    pub(super) directory: Arc<Directory>,
    pub(super) api_tokens: ApiTokens,
}

pub(super) fn user(user: &User) -> RealmUser {
    let password = Secret::Is(user.password().to_owned());
    RealmUser { sub: user.id.to_string(), name: user.name.clone(), password }
}

fn client(client: &Client) -> RealmClient {
    let grant = |grant: &Grant| match grant {
        Grant::ClientCredentials => TokenGrant::ClientCredentials,
        Grant::AuthorizationCode => TokenGrant::AuthorizationCode,
        Grant::RefreshToken => TokenGrant::RefreshToken,
    };
    RealmClient {
        client_id: client.client_id.clone(),
        secret: client.secret.clone().map(Secret::Is),
        grants: client.grants.iter().map(grant).collect(),
        redirects: Redirects::Registered(client.redirect_uris.clone()),
    }
}

impl Realm for Platform {
    fn origin(&self, _: &HeaderMap) -> String {
        self.base_url.clone()
    }

    fn is_own_issuer(&self, iss: &str) -> bool {
        iss.strip_prefix(&self.base_url) == Some(PATH)
    }

    fn client(&self, client_id: &str) -> Option<RealmClient> {
        self.directory.client(client_id).map(client)
    }

    fn user(&self, sub: &str) -> Option<RealmUser> {
        Uuid::try_parse(sub).ok().and_then(|id| self.directory.user(id)).map(user)
    }

    fn user_named(&self, name: &str) -> Option<RealmUser> {
        self.directory.user_named(name).map(user)
    }

    fn scopes(&self) -> Vec<&str> {
        ALL.to_vec()
    }

    fn granted(&self, client: &RealmClient, grant: TokenGrant, asked: Option<&str>) -> Result<String, &'static str> {
        let scopes: Vec<&str> = asked.unwrap_or(API).split_whitespace().collect();
        if grant == TokenGrant::ClientCredentials {
            let is_known = scopes.iter().all(|scope| *scope == API);
            return is_known.then(|| API.to_owned()).ok_or("the only scope of this grant is api");
        }
        let has_refresh = client.grants.contains(&TokenGrant::RefreshToken);
        let may = |name: &&str| ALL.contains(name) && (*name != OFFLINE || has_refresh);
        let is_for_something = scopes.contains(&API) || scopes.contains(&OPENID);
        let is_granted = is_for_something && scopes.iter().all(may);
        is_granted
            .then(|| scopes.join(" "))
            .ok_or("the scopes are api or openid or both, offline_access, profile and email")
    }

    fn add_claims(
        &self,
        claims: &mut Map<String, Value>,
        client: &RealmClient,
        subject: TokenSubject<'_>,
        scope: &str,
    ) {
        let Some(client) = self.directory.client(&client.client_id) else { return };
        let user = match subject {
            TokenSubject::Client => None,
            TokenSubject::User(user) => Uuid::try_parse(&user.sub).ok().and_then(|id| self.directory.user(id)),
        };
        add_claims(claims, Some(client), user.map_or(Subject::Client(client), Subject::User), scope);
    }

    fn introspected(&self, token: &str, now: i64, iss: &str) -> Option<Value> {
        let user = self.api_tokens.user(token, now).and_then(|id| self.directory.user(id))?;
        Some(json!({ "active": true, "sub": user.id, "username": user.name, "iss": iss, "scope": API }))
    }

    fn frame(&self) -> Frame {
        menu::FRAME
    }

    fn home(&self) -> &str {
        PROFILE_PATH
    }

    fn login_notes(&self) -> String {
        let user =
            |user: &User| format!("<li><code>{}</code> {}</li>", html::escape(&user.name), html::escape(&user.about));
        let users: String = self.directory.users.iter().map(user).collect();
        format!(
            "<p>Passwords are new in every sandbox, unless the seed fixes them. The program prints in which files they lie, and \
             <a href=\"/sandbox#/addresses\">Addresses</a> shows it.</p>\n<h2>Users</h2>\n<ul>{users}</ul>"
        )
    }
}
