//! The HTTP servers: the routes of the main one, and their life.

use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::compliance::Compliance;
use crate::contract::{self, Contract, Rendered};
use crate::directory::Resource;
use crate::engine::{self, Store};
use crate::error::Error;
use crate::face::Graphiql;
use crate::fault::{Connection, Lines, Rules};
use crate::issuer::{self, Issuer};
use crate::requests::Log;
use crate::{admin, face, fault, graphql, problem, reply, requests};

/// What the handlers share.
pub(crate) struct Shared {
    pub(crate) issuer: Issuer,
    pub(crate) store: Arc<Store>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) contract: &'static Contract,
    pub(crate) contract_requires_token: AtomicBool,
    pub(crate) faults: Rules,
    pub(crate) requests: Log,
    pub(crate) compliance: Compliance,
    /// Milliseconds that a step of asynchronous work takes.
    pub(crate) step: i64,
    pub(crate) graphql: graphql::Schema,
    pub(crate) graphiql: Option<Graphiql>,
}

impl Shared {
    /// Forgets everything that was stored, and seeds again.
    pub(crate) fn reset(&self) -> Result<(), Error> {
        self.store.reset(|state| engine::plant(state, &self.issuer.directory.teams, &self.resources))
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("issuer", &self.issuer.url).finish_non_exhaustive()
    }
}

/// A running server. Dropping it lets the running requests end and closes the listener.
#[derive(Debug)]
pub(crate) struct Server {
    stop: oneshot::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

/// Listens on the loopback address.
pub(crate) async fn bind(port: u16) -> Result<TcpListener, Error> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|source| Error::Bind { port, source })
}

/// The address of a listener as a URL without a slash at the end.
pub(crate) fn address(listener: &TcpListener) -> io::Result<String> {
    Ok(format!("http://{}", listener.local_addr()?))
}

impl Server {
    pub(crate) fn start(listener: TcpListener, router: Router) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let service = router.into_make_service_with_connect_info::<Connection>();
        let serve = axum::serve(Lines(listener), service).with_graceful_shutdown(async {
            // An error says that the sender was dropped, which means to stop as well.
            let _ = stopped.await;
        });
        Self { stop, task: tokio::spawn(serve.into_future()) }
    }

    pub(crate) async fn stop(self) {
        const PATIENCE: Duration = Duration::from_secs(5);
        let Self { stop, mut task } = self;
        drop(stop);
        if timeout(PATIENCE, &mut task).await.is_err() {
            task.abort();
        }
    }
}

/// The main server.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route(contract::JSON_PATH, get(contract_json))
        .route(contract::YAML_PATH, get(contract_yaml))
        .merge(face::routes())
        .merge(admin::routes())
        .merge(issuer::routes())
        .merge(graphql::routes())
        .fallback(engine::serve)
        .layer(DefaultBodyLimit::max(engine::BODY_LIMIT))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), fault::apply))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), requests::record))
        .with_state(shared)
}

async fn contract_json(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    send_contract(&shared, &headers, shared.contract.json())
}

async fn contract_yaml(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    send_contract(&shared, &headers, shared.contract.yaml())
}

fn send_contract(shared: &Shared, headers: &HeaderMap, form: Result<&'static Rendered, &'static str>) -> Response {
    if shared.contract_requires_token.load(Ordering::Relaxed)
        && let Err(response) = shared.issuer.caller(headers)
    {
        return *response;
    }
    let form = match form {
        Ok(form) => form,
        Err(message) => return problem::response(StatusCode::INTERNAL_SERVER_ERROR, message),
    };
    let validators = [(ETAG, form.etag.as_str()), (CACHE_CONTROL, "no-cache")];
    if reply::matches(headers.get_all(IF_NONE_MATCH), &form.etag) {
        return (StatusCode::NOT_MODIFIED, validators).into_response();
    }
    (validators, [(CONTENT_TYPE, form.media_type)], form.body.clone()).into_response()
}
