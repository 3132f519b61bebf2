//! The routes of the two HTTP servers.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef, Request};
use axum::middleware::{self, Next};
use axum::response::Response;
use driftless_sandbox_control::interface::{Control, Overview};
use http::header::HOST;
use http::{StatusCode, Version};
use tower_http::cors::CorsLayer;

use crate::compliance::{self, Compliance};
use crate::control::{self, Places, Resets, StoredResources};
use crate::fault::{self, Rules};
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

impl FromRef<App> for Arc<StoredResources> {
    fn from_ref(app: &App) -> Self {
        let (store, publication, places) = (Arc::clone(&app.store), app.publication.clone(), app.places.clone());
        Self::new(StoredResources { store, publication, places })
    }
}

impl FromRef<App> for Control {
    fn from_ref(app: &App) -> Self {
        let (log, faults, clock) = (Arc::clone(&app.log), Arc::clone(&app.faults), app.store.clock().clone());
        let overview: Arc<dyn Overview> = Arc::<Store>::clone(&app.store);
        Self { log, faults, clock, overview }
    }
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

/// The main server.
pub(crate) fn main(app: App, cors: Option<&CorsLayer>) -> Router {
    let routes = Router::new()
        .merge(publication::routes())
        .merge(control::routes(ui::routes(), app.places.base_url()))
        .merge(issuer::routes())
        .merge(graphql::routes())
        .merge(handlers::routes())
        .layer(DefaultBodyLimit::max(handlers::BODY_LIMIT));
    observed(routes, app, "platform", cors)
}

/// The compliance resource server.
pub(crate) fn separate(app: App, cors: Option<&CorsLayer>) -> Router {
    observed(compliance::routes(), app, "compliance", cors)
}

/// Routes behind the layers for faults and for the journal. CORS is outside of the faults, so that pages of other origins can
/// read them. It answers every `OPTIONS`, so the faults of these are outside of it.
fn observed(routes: Router<App>, app: App, name: &'static str, cors: Option<&CorsLayer>) -> Router {
    let routes = routes
        .layer(middleware::from_fn(one_host))
        .layer(middleware::from_fn_with_state(Arc::clone(&app.faults), fault::apply));
    let routes = match cors {
        Some(cors) => routes.layer(cors.clone()),
        None => routes,
    };
    routes
        .layer(middleware::from_fn_with_state(Arc::clone(&app.faults), fault::apply_to_options))
        .layer(middleware::from_fn_with_state((Arc::clone(&app.log), name), requests::record))
        .with_state(app)
}

/// RFC 9112, section 3.2: a request with no host or two of them is malformed. HTTP/1.0 has none.
async fn one_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11 {
        return problem::response(StatusCode::BAD_REQUEST, "A request names its host once.");
    }
    next.run(request).await
}
