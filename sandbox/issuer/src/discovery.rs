//! The discovery document (OpenID Connect Discovery; the same document serves RFC 8414) and the key set (RFC 7517).

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::{Value, json};

use crate::{Issuer, Visit};

pub(crate) fn document(visit: &Visit<'_>) -> Response {
    let url = &visit.url;
    cacheable(&json!({
        "issuer": url,
        "jwks_uri": format!("{url}/.well-known/openid-configuration/jwks"),
        "authorization_endpoint": format!("{url}/connect/authorize"),
        "token_endpoint": format!("{url}/connect/token"),
        "revocation_endpoint": format!("{url}/connect/revocation"),
        "introspection_endpoint": format!("{url}/connect/introspect"),
        "userinfo_endpoint": format!("{url}/connect/userinfo"),
        "grant_types_supported": ["client_credentials", "authorization_code", "refresh_token"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "form_post"],
        "prompt_values_supported": ["none", "login", "consent", "select_account"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "scopes_supported": visit.issuer.realm.scopes(),
        "claims_supported": [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "name", "preferred_username", "email",
            "email_verified",
        ],
        "claims_parameter_supported": false,
        "request_parameter_supported": false,
        "request_uri_parameter_supported": false,
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
    }))
}

pub(crate) fn keys(issuer: &Issuer) -> Response {
    cacheable(&json!({ "keys": issuer.keys.public() }))
}

fn cacheable(body: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json; charset=UTF-8"), (CACHE_CONTROL, "no-cache")], body.to_string()).into_response()
}
