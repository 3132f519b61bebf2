//! Clock, issuer, contract and reset over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::reset::{Part, Resets};
use super::{done, read, refuse, send};
use crate::clock;
use crate::issuer::{ApiTokenFormat, ErrorStyle, Issuer, IssuerControl, RefreshPolicy};
use crate::problem;
use crate::publication::Publication;
use crate::state::Store;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetClock {
    hold: Option<bool>,
    pace: Option<f64>,
    set: Option<String>,
    advance_milliseconds: Option<u64>,
    reset: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetIssuer {
    token_lifetime_seconds: Option<u64>,
    refresh_lifetime_seconds: Option<u64>,
    refresh_policy: Option<String>,
    refresh_leeway_seconds: Option<u64>,
    error_style: Option<String>,
    api_token_format: Option<String>,
    clock_skew_seconds: Option<i64>,
    rotate_key: Option<bool>,
    retire_old_keys: Option<bool>,
    revoke_refresh_tokens: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MakeApiToken {
    user: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetContract {
    requires_token: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResetOnly {
    only: Option<Vec<Part>>,
}

/// Everything, or what is named.
pub(super) async fn reset(State(resets): State<Resets>, body: Bytes) -> Response {
    match read(&body) {
        Ok(ResetOnly { only }) => match resets.reset(only.as_deref().unwrap_or(&Part::ALL)) {
            Ok(()) => StatusCode::NO_CONTENT.into_response(),
            Err(error) => problem::response(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        },
        Err(message) => refuse(&message),
    }
}

pub(super) async fn clock(State(store): State<Arc<Store>>) -> Response {
    let clock = store.clock();
    let now = clock::timestamp_of(clock.now());
    send(StatusCode::OK, &json!({ "now": now, "pace": clock.pace(), "isHeld": clock.pace() == 0.0 }))
}

/// First the reset, then the moment, then the pace, then the advance.
pub(super) async fn set_clock(State(store): State<Arc<Store>>, body: Bytes) -> Response {
    done(read(&body).and_then(|wanted: SetClock| {
        let clock = store.clock();
        let moment = match &wanted.set {
            Some(text) => Some(
                clock::milliseconds_of(text)
                    .ok_or("set has to be a moment as RFC 3339 writes it, such as 2030-01-31T12:00:00Z")?,
            ),
            None => None,
        };
        if wanted.pace.is_some_and(|pace| !pace.is_finite() || pace < 0.0) {
            return Err("pace has to be 0 or more".to_owned());
        }
        if wanted.reset == Some(true) {
            clock.reset();
        }
        if let Some(moment) = moment {
            clock.set_milliseconds(moment);
        }
        match (wanted.pace, wanted.hold) {
            (Some(pace), _) => clock.set_pace(pace),
            (None, Some(true)) => clock.hold(),
            (None, Some(false)) => clock.set_pace(1.0),
            (None, None) => {}
        }
        if let Some(by) = wanted.advance_milliseconds {
            clock.advance(Duration::from_millis(by));
        }
        Ok(())
    }))
}

pub(super) async fn set_contract(State(publication): State<Publication>, body: Bytes) -> Response {
    done(read(&body).map(|wanted: SetContract| publication.set_requires_token(wanted.requires_token)))
}

pub(super) async fn make_api_token(State(issuer): State<Arc<Issuer>>, body: Bytes) -> Response {
    let MakeApiToken { user, name } = match read(&body) {
        Ok(wanted) => wanted,
        Err(message) => return refuse(&message),
    };
    match IssuerControl(&issuer).create_api_token(&user, &name) {
        Ok(Some(token)) => send(StatusCode::CREATED, &json!({ "token": token })),
        Ok(None) => refuse("the seed has no user of this name"),
        Err(error) => problem::response(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

pub(super) async fn set_issuer(State(issuer): State<Arc<Issuer>>, body: Bytes) -> Response {
    done(read(&body).and_then(|wanted: SetIssuer| {
        let issuer = IssuerControl(&issuer);
        let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
        seconds(wanted.token_lifetime_seconds).into_iter().for_each(|lifetime| issuer.set_token_lifetime(lifetime));
        seconds(wanted.refresh_lifetime_seconds).into_iter().for_each(|lifetime| issuer.set_refresh_lifetime(lifetime));
        let leeway = seconds(wanted.refresh_leeway_seconds).unwrap_or(Duration::from_secs(30));
        match wanted.refresh_policy.as_deref() {
            Some("reused") => issuer.set_refresh_policy(RefreshPolicy::Reused),
            Some("rolling") => issuer.set_refresh_policy(RefreshPolicy::Rolling { leeway }),
            Some(_) => return Err("refreshPolicy is reused or rolling".to_owned()),
            None => {}
        }
        match wanted.error_style.as_deref() {
            Some("duende") => issuer.set_error_style(ErrorStyle::Duende),
            Some("openiddict") => issuer.set_error_style(ErrorStyle::OpenIddict),
            Some(_) => return Err("errorStyle is duende or openiddict".to_owned()),
            None => {}
        }
        match wanted.api_token_format.as_deref() {
            Some("opaque") => issuer.set_api_token_format(ApiTokenFormat::Opaque),
            Some("jwt") => issuer.set_api_token_format(ApiTokenFormat::Jwt),
            Some(_) => return Err("apiTokenFormat is opaque or jwt".to_owned()),
            None => {}
        }
        wanted.clock_skew_seconds.into_iter().for_each(|skew| issuer.set_clock_skew(skew));
        if wanted.rotate_key == Some(true) {
            issuer.rotate_key().map_err(|error| error.to_string())?;
        }
        if wanted.retire_old_keys == Some(true) {
            issuer.retire_old_keys();
        }
        if wanted.revoke_refresh_tokens == Some(true) {
            issuer.revoke_refresh_tokens().map_err(|error| error.to_string())?;
        }
        Ok(())
    }))
}
