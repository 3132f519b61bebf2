//! The HTTP servers: the routes of the main one, and their life.

use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef, Request};
use axum::middleware::{self, Next};
use axum::response::Response;
use http::header::HOST;
use http::{StatusCode, Version};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::compliance::{self, Compliance};
use crate::control::{self, Places, Resets};
use crate::error::Error;
use crate::fault::{self, Connection, Lines, Rules};
use crate::graphql;
use crate::handlers::{self, Api};
use crate::issuer::{self, Issuer};
use crate::problem;
use crate::publication::{self, Publication};
use crate::requests::{self, Log};
use crate::state::Store;
use crate::ui::{self, Graphiql};

/// All state of the handlers. Each handler extracts the parts that it needs.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) api: Api,
    pub(crate) issuer: Arc<Issuer>,
    pub(crate) store: Arc<Store>,
    pub(crate) publication: Publication,
    pub(crate) faults: Arc<Rules>,
    pub(crate) log: Arc<Log>,
    pub(crate) resets: Resets,
    pub(crate) places: Places,
    pub(crate) compliance: Compliance,
    pub(crate) graphql: graphql::Service,
    pub(crate) graphiql: Option<Arc<Graphiql>>,
}

macro_rules! parts {
    ($($field:ident: $part:ty,)*) => {
        $(impl FromRef<App> for $part {
            fn from_ref(app: &App) -> Self {
                app.$field.clone()
            }
        })*
    };
}

parts! {
    api: Api,
    issuer: Arc<Issuer>,
    store: Arc<Store>,
    publication: Publication,
    faults: Arc<Rules>,
    log: Arc<Log>,
    resets: Resets,
    places: Places,
    compliance: Compliance,
    graphql: graphql::Service,
    graphiql: Option<Arc<Graphiql>>,
}

impl fmt::Debug for App {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("App").field("issuer", &self.issuer.url).finish_non_exhaustive()
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
pub(crate) fn main(app: App) -> Router {
    let routes = Router::new()
        .merge(publication::routes())
        .merge(ui::routes())
        .merge(control::routes())
        .merge(issuer::routes())
        .merge(graphql::routes())
        .merge(handlers::routes())
        .layer(DefaultBodyLimit::max(handlers::BODY_LIMIT));
    observed(routes, app)
}

/// The compliance resource server.
pub(crate) fn separate(app: App) -> Router {
    observed(compliance::routes(), app)
}

/// Routes behind what applies faults and what records requests.
fn observed(routes: Router<App>, app: App) -> Router {
    routes
        .layer(middleware::from_fn(one_host))
        .layer(middleware::from_fn_with_state(Arc::clone(&app.faults), fault::apply))
        .layer(middleware::from_fn_with_state(Arc::clone(&app.log), requests::record))
        .with_state(app)
}

/// RFC 9112, section 3.2: a request that names no host, or two of them, is malformed. HTTP/1.0 has none.
async fn one_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11 {
        return problem::response(StatusCode::BAD_REQUEST, "A request names its host once.");
    }
    next.run(request).await
}
