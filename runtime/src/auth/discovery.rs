//! The issuer's own description: OpenID Connect Discovery 1.0.

use serde_json::Value;
use url::Url;

use crate::{
    clock::Until,
    error::{Error, Kind, is_passing_status_of_issuer},
    transport::{Transport, address, address::PlainHosts},
};

/// The contents of a discovery document.
#[derive(Debug)]
pub(super) struct IssuerEndpoints {
    pub(super) token: Url,
    pub(super) authorization: Option<Url>,
    pub(super) device: Option<Url>,
    pub(super) names_itself: bool,
    /// The issuer supports HTTP Basic for client authentication, and not the form.
    pub(super) basic: bool,
}

/// The result of discovery.
#[derive(Debug)]
pub(super) enum Discovered {
    Document(IssuerEndpoints),
    /// The issuer publishes no document at the moment: ask `{issuer}/connect/token` and no other.
    Absent(IssuerEndpoints),
}

/// Asks an issuer for its endpoints. A response that is neither a document nor a clear absence is an error: a proxy, a
/// sign-in page or a deployment in progress says nothing about the issuer.
pub(super) async fn discover(
    issuer: &Url,
    setting: impl Fn(&str) -> String + Send,
    plain: &PlainHosts,
    transport: &Transport,
    deadline: Until,
) -> Result<Discovered, Error> {
    let elsewhere = format!("check the issuer's address, or set {}", setting("token_endpoint"));
    let root = issuer.as_str().trim_end_matches('/');
    let fallback = || address::server("the token endpoint", &format!("{root}/connect/token"), plain);
    let address_of_document =
        address::server("the issuer", &format!("{root}/.well-known/openid-configuration"), plain)?;
    let reply = transport.get(&address_of_document, plain, deadline).await?;
    let status = reply.status.as_u16();
    if matches!(status, 404 | 410) {
        return Ok(Discovered::Absent(IssuerEndpoints {
            token: fallback()?,
            authorization: None,
            device: None,
            names_itself: false,
            basic: false,
        }));
    }
    if !reply.status.is_success() {
        let message = format!("the issuer's discovery document cannot be obtained: status {status}");
        return Err(Error::with(Kind::Token, message)
            .because("token/discovery")
            .hint(elsewhere)
            .passing(is_passing_status_of_issuer(status))
            .with_retry_after(reply.retry_after));
    }
    let refuse = |rule: &str, hint: &str| {
        Error::with(Kind::Token, format!("the issuer's discovery document {rule}"))
            .because("token/discovery")
            .hint(hint)
    };
    let Ok(Value::Object(document)) = serde_json::from_slice(&reply.body) else {
        return Err(refuse("is not a JSON object", &elsewhere));
    };
    // Without this check, one issuer could send a client's secret to another's endpoint.
    match document.get("issuer").and_then(Value::as_str) {
        Some(named) if named.trim_end_matches('/') == root => {}
        Some(_) => {
            return Err(refuse("names another issuer", "configure the issuer exactly as its document writes it"));
        }
        None => return Err(refuse("names no issuer", "check the issuer's address")),
    }
    let endpoint = |member: &str, name: &str, setter: &str| {
        let Some(url) = document.get(member).and_then(Value::as_str) else { return Ok(None) };
        let url = address::server(name, url, plain)?;
        if url.origin() != issuer.origin() {
            let hint = format!("if {} is right, set {}", url.origin().ascii_serialization(), setting(setter));
            return Err(refuse(&format!("puts {name} on another server"), &hint));
        }
        Ok(Some(url))
    };
    let token = match endpoint("token_endpoint", "the token endpoint", "token_endpoint")? {
        Some(url) => url,
        None => fallback()?,
    };
    let authorization =
        endpoint("authorization_endpoint", "the authorization endpoint", "authorization_endpoint").unwrap_or_default();
    let device =
        endpoint("device_authorization_endpoint", "the device authorization endpoint", "device_authorization_endpoint")
            .unwrap_or_default();
    let names_itself = document.get("authorization_response_iss_parameter_supported") == Some(&Value::Bool(true));
    let methods = document.get("token_endpoint_auth_methods_supported").and_then(Value::as_array);
    let takes = |method: &str| methods.is_some_and(|methods| methods.iter().any(|one| one.as_str() == Some(method)));
    let basic = takes("client_secret_basic") && !takes("client_secret_post");
    Ok(Discovered::Document(IssuerEndpoints { token, authorization, device, names_itself, basic }))
}
