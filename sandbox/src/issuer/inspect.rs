//! Introspection (RFC 7662) and revocation (RFC 7009) of tokens.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::Issuer;
use super::fields::Fields;
use super::grant::client;
use super::refusal::{Refusal, send};

/// Introspects a token for a confidential client: an access token or an API token of any client, or its own refresh token.
pub(super) async fn introspect(State(issuer): State<Arc<Issuer>>, headers: HeaderMap, body: Body) -> Response {
    let issuer = issuer.as_ref();
    let introspected = async {
        let fields = Fields::of_body(&headers, body).await?;
        let client = client(issuer, &headers, &fields)?;
        if client.is_public() {
            return Err(Refusal("invalid_client", "a client without a secret may not ask about tokens"));
        }
        let token = fields.get("token").ok_or(Refusal("invalid_request", "token is missing"))?;
        Ok(known(issuer, token, &client.client_id).unwrap_or_else(|| json!({ "active": false })))
    };
    match introspected.await {
        Ok(body) => send(StatusCode::OK, &body),
        Err(refusal) => refusal.response(issuer.settings().errors),
    }
}

fn known(issuer: &Issuer, token: &str, client_id: &str) -> Option<Value> {
    let now = issuer.now();
    if let Some(user) = issuer.api_tokens.user(token, now).and_then(|id| issuer.directory.user(id)) {
        return Some(
            json!({ "active": true, "sub": user.id, "username": user.name, "iss": issuer.url, "scope": "api" }),
        );
    }
    if let Some(entry) = issuer.refresh.valid(token, client_id, now) {
        return Some(json!({
            "active": true, "client_id": client_id, "sub": entry.user, "scope": entry.scope, "exp": entry.expires(),
            "iss": issuer.url,
        }));
    }
    let mut claims = issuer.own_claims(token)?;
    claims["active"] = true.into();
    claims["token_type"] = "Bearer".into();
    Some(claims)
}

/// Revokes a token of the client. An unknown token, or that of another client, counts as revoked.
pub(super) async fn revoke(State(issuer): State<Arc<Issuer>>, headers: HeaderMap, body: Body) -> Response {
    let issuer = issuer.as_ref();
    let revoked = async {
        let fields = Fields::of_body(&headers, body).await?;
        let client = client(issuer, &headers, &fields)?;
        let token = fields.get("token").ok_or(Refusal("invalid_request", "token is missing"))?;
        if issuer.refresh.revoke(token, &client.client_id).map_err(|_data| Refusal::RANDOM)? {
            return Ok::<_, Refusal>(());
        }
        let claims = issuer.own_claims(token).filter(|claims| claims["client_id"] == client.client_id);
        if let Some(claims) = claims
            && let (Some(id), Some(expires)) = (claims["jti"].as_str(), claims["exp"].as_i64())
        {
            issuer.revoke_access(id, expires).map_err(|_data| Refusal::RANDOM)?;
        }
        Ok(())
    };
    match revoked.await {
        Ok(()) => send(StatusCode::OK, &json!({})),
        Err(refusal) => refusal.response(issuer.settings().errors),
    }
}
