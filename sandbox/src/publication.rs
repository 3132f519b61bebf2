//! The contract over HTTP, in JSON and in YAML, with conditional requests, and optionally behind a token.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::{FromRef, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};

use crate::contract::{Contract, JSON_PATH, Rendered, YAML_PATH};
use crate::issuer::Issuer;

/// The contract, and the setting whether it requires a token.
#[derive(Clone, Debug)]
pub(crate) struct Publication {
    contract: &'static Contract,
    issuer: Arc<Issuer>,
    requires_token: Arc<AtomicBool>,
    at_start: bool,
}

impl Publication {
    pub(crate) fn new(contract: &'static Contract, issuer: Arc<Issuer>, requires_token: bool) -> Self {
        Self { contract, issuer, requires_token: Arc::new(requires_token.into()), at_start: requires_token }
    }

    pub(crate) fn contract(&self) -> &'static Contract {
        self.contract
    }

    pub(crate) fn requires_token(&self) -> bool {
        self.requires_token.load(Ordering::Relaxed)
    }

    pub(crate) fn set_requires_token(&self, required: bool) {
        self.requires_token.store(required, Ordering::Relaxed);
    }

    /// Resets the requirement of a token to that of the start.
    pub(crate) fn reset(&self) {
        self.set_requires_token(self.at_start);
    }

    fn send(&self, headers: &HeaderMap, form: &'static Rendered) -> Response {
        if self.requires_token()
            && let Err(response) = self.issuer.caller(headers)
        {
            return *response;
        }
        let validators = [(ETAG, form.etag.as_str()), (CACHE_CONTROL, "no-cache")];
        if form.is_known(headers.get_all(IF_NONE_MATCH)) {
            return (StatusCode::NOT_MODIFIED, validators).into_response();
        }
        (validators, [(CONTENT_TYPE, form.media_type)], form.body.clone()).into_response()
    }
}

/// The two addresses of the contract.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Publication: FromRef<S>,
{
    Router::new().route(JSON_PATH, get(json)).route(YAML_PATH, get(yaml))
}

async fn json(State(publication): State<Publication>, headers: HeaderMap) -> Response {
    publication.send(&headers, &publication.contract.document.json)
}

async fn yaml(State(publication): State<Publication>, headers: HeaderMap) -> Response {
    publication.send(&headers, &publication.contract.document.yaml)
}
