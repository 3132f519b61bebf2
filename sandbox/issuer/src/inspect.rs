//! Introspection (RFC 7662) and revocation (RFC 7009) of tokens.

use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use crate::Visit;
use crate::fields::Fields;
use crate::grant::client;
use crate::refusal::{Refusal, send};

/// Introspects a token for a confidential client: an access token of any client, a token that only the service knows, or its own refresh
/// token.
pub(crate) fn introspect(visit: &Visit<'_>, headers: &HeaderMap, sent: Result<Fields, Refusal>) -> Response {
    let introspected = sent.and_then(|fields| {
        let client = client(visit.issuer, headers, &fields)?;
        if client.is_public() {
            return Err(Refusal("invalid_client", "a client without a secret may not ask about tokens"));
        }
        let token = fields.get("token").ok_or(Refusal("invalid_request", "token is missing"))?;
        Ok(known(visit, token, &client.client_id).unwrap_or_else(|| json!({ "active": false })))
    });
    match introspected {
        Ok(body) => send(StatusCode::OK, &body),
        Err(refusal) => refusal.response(visit.issuer.settings().errors),
    }
}

fn known(visit: &Visit<'_>, token: &str, client_id: &str) -> Option<Value> {
    let (issuer, now) = (visit.issuer, visit.issuer.now());
    if let Some(known) = issuer.realm.introspected(token, now, &visit.url) {
        return Some(known);
    }
    if let Some(entry) = issuer.refresh.valid(token, client_id, now) {
        return Some(json!({
            "active": true, "client_id": client_id, "sub": entry.user, "scope": entry.scope, "exp": entry.expires(),
            "iss": visit.url,
        }));
    }
    let mut claims = Map::clone(&*issuer.claims(token)?);
    claims.insert("active".to_owned(), true.into());
    claims.insert("token_type".to_owned(), "Bearer".into());
    Some(claims.into())
}

/// Revokes a token of the client. An unknown token, or that of another client, counts as revoked.
pub(crate) fn revoke(visit: &Visit<'_>, headers: &HeaderMap, sent: Result<Fields, Refusal>) -> Response {
    let issuer = visit.issuer;
    let revoked = sent.and_then(|fields| {
        let client = client(issuer, headers, &fields)?;
        let token = fields.get("token").ok_or(Refusal("invalid_request", "token is missing"))?;
        if issuer.refresh.revoke(token, &client.client_id).map_err(|_data| Refusal::RANDOM)? {
            return Ok(());
        }
        let claims = issuer.claims(token);
        let claim = |name: &str| claims.as_ref().and_then(|claims| claims.get(name));
        if claim("client_id").and_then(Value::as_str) == Some(&client.client_id)
            && let (Some(id), Some(expires)) =
                (claim("jti").and_then(Value::as_str), claim("exp").and_then(Value::as_i64))
        {
            issuer.revoke_access(id, expires).map_err(|_data| Refusal::RANDOM)?;
        }
        Ok(())
    });
    match revoked {
        Ok(()) => send(StatusCode::OK, &json!({})),
        Err(refusal) => refusal.response(issuer.settings().errors),
    }
}
