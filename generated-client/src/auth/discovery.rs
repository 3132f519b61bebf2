//! The issuer's own description: OpenID Connect Discovery 1.0.

use std::time::Instant;

use serde_json::Value;
use url::Url;

use crate::{
    address,
    error::{Error, Kind},
    session::Transport,
};

/// The token endpoint of an issuer: the one that its discovery document names, else `{issuer}/connect/token` (platform
/// document §4.5).
pub(crate) async fn token_endpoint(issuer: &Url, transport: &Transport, deadline: Instant) -> Result<Url, Error> {
    let root = issuer.as_str().trim_end_matches('/');
    let fallback = || address::server("the token endpoint", &format!("{root}/connect/token"));
    let place = address::server("the issuer", &format!("{root}/.well-known/openid-configuration"))?;
    let reply = transport.get(&place, deadline).await?;
    // A failure that passes must not settle the endpoint for good.
    if reply.status.is_server_error() || reply.status.as_u16() == 429 {
        let what = format!("the issuer's discovery document cannot be had: status {}", reply.status.as_u16());
        return Err(Error::new(Kind::Token, what).hint("call again later, or set the `token_endpoint`").passing(true));
    }
    if !reply.status.is_success() {
        return fallback();
    }
    let Ok(Value::Object(document)) = serde_json::from_slice(&reply.body) else { return fallback() };
    let refuse = |rule: &str, hint: &str| {
        Err(Error::new(Kind::Token, format!("the issuer's discovery document {rule}")).hint(hint))
    };
    // Without this check, one issuer could send a client's secret to another's endpoint.
    match document.get("issuer").and_then(Value::as_str) {
        Some(named) if named.trim_end_matches('/') == root => {}
        Some(_) => return refuse("names another issuer", "configure the issuer exactly as its document writes it"),
        None => return refuse("names no issuer", "check the issuer's address"),
    }
    let Some(endpoint) = document.get("token_endpoint").and_then(Value::as_str) else { return fallback() };
    let endpoint = address::server("the token endpoint", endpoint)?;
    if endpoint.origin() != issuer.origin() {
        return refuse(
            "names a token endpoint on another server",
            "set that endpoint with `token_endpoint` if it is right",
        );
    }
    Ok(endpoint)
}
