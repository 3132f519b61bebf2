//! Clock, issuer, contract and reset over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::reset::{Part, Resets};
use super::taken::{ControlAnswer, ControlRefusal, Count, INT32, Sent, Whole};
use super::{done, send};
use crate::issuer::{ApiTokenFormat, ErrorStyle, Issuer, IssuerControl, PresentSettings, RefreshPolicy};
use crate::publication::Publication;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SetIssuer {
    token_lifetime_seconds: Option<Count<u64>>,
    refresh_lifetime_seconds: Option<Count<u64>>,
    refresh_policy: Option<Refresh>,
    refresh_leeway_seconds: Option<Count<u64>>,
    error_style: Option<ErrorStyle>,
    api_token_format: Option<ApiTokenFormat>,
    clock_skew_seconds: Option<Whole<i64, { -INT32 }, INT32>>,
    rotate_key: Option<bool>,
    retire_old_keys: Option<bool>,
    revoke_refresh_tokens: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeginSession {
    user: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Refresh {
    Reused,
    Rolling,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MakeApiToken {
    user: Option<String>,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SetContract {
    requires_token: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResetOnly {
    only: Option<Vec<Part>>,
}

/// Resets everything, or the named parts.
pub(super) async fn reset(State(resets): State<Resets>, Sent(wanted): Sent<ResetOnly>) -> ControlAnswer {
    resets.reset(wanted.only.as_deref().unwrap_or(&Part::ALL))?;
    Ok(done())
}

pub(super) async fn set_contract(
    State(publication): State<Publication>,
    Sent(wanted): Sent<SetContract>,
) -> ControlAnswer {
    let required = wanted.requires_token.ok_or_else(|| ControlRefusal::at("$.requiresToken", "write true or false"))?;
    publication.set_requires_token(required);
    Ok(done())
}

pub(super) async fn make_api_token(
    State(issuer): State<Arc<Issuer>>,
    Sent(MakeApiToken { user, name }): Sent<MakeApiToken>,
) -> ControlAnswer {
    let unknown =
        || ControlRefusal::at("$.user", "write the name of a user of the seed, as /sandbox/directory lists them");
    let token = IssuerControl(&issuer).create_api_token(&user.ok_or_else(unknown)?, &name)?;
    Ok(send(StatusCode::CREATED, &json!({ "token": token.ok_or_else(unknown)? })))
}

/// Signs a user in: the cookie of a session with the issuer, for the browser that asks.
pub(super) async fn begin_session(
    State(issuer): State<Arc<Issuer>>,
    Sent(BeginSession { user }): Sent<BeginSession>,
) -> ControlAnswer {
    let unknown =
        || ControlRefusal::at("$.user", "write the name of a user of the seed, as /sandbox/directory lists them");
    let cookie = issuer.begin_session(&user)?.ok_or_else(unknown)?;
    let mut response = done();
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}

pub(super) async fn issuer(State(issuer): State<Arc<Issuer>>) -> Response {
    let PresentSettings { shared: settings, api_tokens } = issuer.settings();
    let (policy, leeway) = match settings.refresh {
        RefreshPolicy::Reused => (Refresh::Reused, None),
        RefreshPolicy::Rolling { leeway } => (Refresh::Rolling, Some(leeway.as_secs())),
    };
    send(
        StatusCode::OK,
        &json!({
            "tokenLifetimeSeconds": settings.lifetime.as_secs(),
            "refreshLifetimeSeconds": settings.refresh_lifetime.as_secs(),
            "refreshPolicy": policy,
            "refreshLeewaySeconds": leeway,
            "errorStyle": settings.errors,
            "apiTokenFormat": api_tokens,
            "clockSkewSeconds": settings.skew,
        }),
    )
}

pub(super) async fn set_issuer(State(issuer): State<Arc<Issuer>>, Sent(wanted): Sent<SetIssuer>) -> ControlAnswer {
    if wanted.refresh_leeway_seconds.is_some() && !matches!(wanted.refresh_policy, Some(Refresh::Rolling)) {
        return Err(ControlRefusal::at(
            "$.refreshLeewaySeconds",
            "write `\"refreshPolicy\": \"rolling\"` as well: it has the leeway",
        ));
    }
    let issuer = IssuerControl(&issuer);
    let seconds = |seconds: Option<Count<u64>>| seconds.map(|seconds| Duration::from_secs(seconds.0));
    seconds(wanted.token_lifetime_seconds).into_iter().for_each(|lifetime| issuer.set_token_lifetime(lifetime));
    seconds(wanted.refresh_lifetime_seconds).into_iter().for_each(|lifetime| issuer.set_refresh_lifetime(lifetime));
    let leeway = seconds(wanted.refresh_leeway_seconds).unwrap_or(Duration::from_secs(30));
    match wanted.refresh_policy {
        Some(Refresh::Reused) => issuer.set_refresh_policy(RefreshPolicy::Reused),
        Some(Refresh::Rolling) => issuer.set_refresh_policy(RefreshPolicy::Rolling { leeway }),
        None => {}
    }
    wanted.error_style.into_iter().for_each(|style| issuer.set_error_style(style));
    wanted.api_token_format.into_iter().for_each(|format| issuer.set_api_token_format(format));
    wanted.clock_skew_seconds.into_iter().for_each(|skew| issuer.set_clock_skew(skew.0));
    if wanted.rotate_key == Some(true) {
        issuer.rotate_key()?;
    }
    if wanted.retire_old_keys == Some(true) {
        issuer.retire_old_keys();
    }
    if wanted.revoke_refresh_tokens == Some(true) {
        issuer.revoke_refresh_tokens()?;
    }
    Ok(done())
}
