//! The issuer's own description: OpenID Connect Discovery 1.0.

use serde_json::Value;
use url::Url;

use crate::{
    address,
    clock::Until,
    error::{Error, Kind},
    session::Transport,
};

/// What a discovery document says.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) token: Url,
    pub(super) authorization: Option<Url>,
    pub(super) names_itself: bool,
}

/// The endpoints of an issuer: those that its discovery document names, else `{issuer}/connect/token` (platform document
/// §4.5) and no other.
pub(super) async fn discover(issuer: &Url, transport: &Transport, deadline: Until) -> Result<Found, Error> {
    let root = issuer.as_str().trim_end_matches('/');
    let fallback = || {
        let token = address::server("the token endpoint", &format!("{root}/connect/token"))?;
        Ok(Found { token, authorization: None, names_itself: false })
    };
    let place = address::server("the issuer", &format!("{root}/.well-known/openid-configuration"))?;
    let reply = transport.get(&place, deadline).await?;
    // A failure that passes must not settle the endpoint for good.
    if reply.status.is_server_error() || reply.status.as_u16() == 429 {
        let what = format!("the issuer's discovery document cannot be had: status {}", reply.status.as_u16());
        return Err(Error::new(Kind::Token, what)
            .hint("call again later, or set the `token_endpoint`")
            .passing(true)
            .with_retry_after(reply.retry_after));
    }
    if !reply.status.is_success() {
        return fallback();
    }
    let Ok(Value::Object(document)) = serde_json::from_slice(&reply.body) else { return fallback() };
    let refuse =
        |rule: &str, hint: &str| Error::new(Kind::Token, format!("the issuer's discovery document {rule}")).hint(hint);
    // Without this check, one issuer could send a client's secret to another's endpoint.
    match document.get("issuer").and_then(Value::as_str) {
        Some(named) if named.trim_end_matches('/') == root => {}
        Some(_) => {
            return Err(refuse("names another issuer", "configure the issuer exactly as its document writes it"));
        }
        None => return Err(refuse("names no issuer", "check the issuer's address")),
    }
    let endpoint = |member: &str, what: &str, setter: &str| {
        let Some(url) = document.get(member).and_then(Value::as_str) else { return Ok(None) };
        let url = address::server(what, url)?;
        if url.origin() != issuer.origin() {
            let hint = format!("set that endpoint with `{setter}` if it is right");
            return Err(refuse(&format!("puts {what} on another server"), &hint));
        }
        Ok(Some(url))
    };
    let token = match endpoint("token_endpoint", "the token endpoint", "token_endpoint")? {
        Some(url) => url,
        None => fallback()?.token,
    };
    let authorization =
        endpoint("authorization_endpoint", "the authorization endpoint", "authorization_endpoint").unwrap_or_default();
    let names_itself = document.get("authorization_response_iss_parameter_supported") == Some(&Value::Bool(true));
    Ok(Found { token, authorization, names_itself })
}
