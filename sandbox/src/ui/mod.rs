//! Pages for people: the contract in Swagger UI, queries and subscriptions, and the console. Everything is
//! served by the program; nothing comes from elsewhere.

mod graphiql;

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use driftless_sandbox_control::ui;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use swagger_ui_dist::{ApiDefinition, OpenApiSource, generate_routes};

use crate::menu;

pub(crate) use graphiql::Graphiql;

/// The path of the contract's page below the base address.
const CONTRACT_PATH: &str = "/swagger/index.html";
/// Only the pages' own scripts are allowed. The page of the contract names the contract in an inline script, which is where tools
/// that know Swashbuckle's page look for it.
const POLICY: &str = "default-src 'none'; script-src 'self' 'sha256-CONFIG'; style-src 'self'; connect-src 'self'; \
                      img-src data:; font-src data:; base-uri 'none'; frame-ancestors 'none'";
const CONFIG: &str = r#"var configObject = JSON.parse('{"urls":[{"url":"v1/swagger.json","name":"Platform API v1"}],"deepLinking":false}');"#;

/// The path of the files of Swagger UI.
const SWAGGER_UI: &str = "/sandbox/ui/swagger-ui";

/// The path of the files of GraphiQL.
const GRAPHIQL_FILES: &str = "/sandbox/ui/graphiql";

/// A page, and the name of its script.
struct Page {
    title: &'static str,
    script: &'static str,
    library: Option<Library>,
    /// Its address in the menu.
    address: &'static str,
}

/// The library of a page, which is loaded before its script.
#[derive(Clone, Copy)]
enum Library {
    SwaggerUi,
    Graphiql,
}

const CONSOLE: Page = Page { title: "Overview", script: "console", library: None, address: "/sandbox" };
const CALLBACK: Page = Page { title: "Logging in", script: "callback", library: None, address: "" };
const CONTRACT: Page =
    Page { title: "Contract", script: "contract", library: Some(Library::SwaggerUi), address: CONTRACT_PATH };
const CONTROL: Page =
    Page { title: "Control", script: "control", library: Some(Library::SwaggerUi), address: "/sandbox/control" };
const GRAPHQL: Page = Page { title: "GraphQL", script: "graphql", library: None, address: "/graphiql" };
const GRAPHIQL: Page =
    Page { title: "GraphQL", script: "graphiql", library: Some(Library::Graphiql), address: "/graphiql" };

macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        /// The scripts of the pages: their names and texts.
        const SCRIPTS: &[(&str, &str)] = &[$(($name, include_str!($name))),*];
    };
}

scripts!(
    "addresses.js",
    "callback.js",
    "common.js",
    "contract.js",
    "control.js",
    "graphiql.js",
    "graphql.js",
    "issuer.js",
    "operations.js",
    "own.js",
    "parts.js",
    "swagger.js",
    "work.js",
);

pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Option<Arc<Graphiql>>: FromRef<S>,
{
    let swagger_ui = generate_routes(ApiDefinition {
        uri_prefix: SWAGGER_UI,
        api_definition: OpenApiSource::Uri("/swagger/v1/swagger.json"),
        title: Some("Contract"),
    });
    ui::routes(SCRIPTS)
        .route("/", get(|| to("/sandbox")))
        .route("/swagger", get(|| to(CONTRACT_PATH)))
        .route(CONTRACT_PATH, get(|| page(&CONTRACT)))
        .route("/graphiql", get(graphql))
        .route("/sandbox", get(|| page(&CONSOLE)))
        .route("/sandbox/control", get(|| page(&CONTROL)))
        .route("/sandbox/callback", get(|| page(&CALLBACK)))
        .route("/sandbox/ui/graphiql/{file}", get(graphiql_file))
        .merge(swagger_ui.with_state(()))
}

async fn to(path: &'static str) -> Response {
    (StatusCode::FOUND, [(LOCATION, path)]).into_response()
}

/// The page of GraphiQL if it is installed, else a plain page.
async fn graphql(State(graphiql): State<Option<Arc<Graphiql>>>) -> Response {
    page(if graphiql.is_some() { &GRAPHIQL } else { &GRAPHQL }).await
}

async fn graphiql_file(State(graphiql): State<Option<Arc<Graphiql>>>, Path(file): Path<String>) -> Response {
    match graphiql.as_ref().and_then(|graphiql| graphiql.file(&file)) {
        Some((media_type, bytes)) => ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-cache")], bytes).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

impl Library {
    /// The library's styles, an inline script, and its scripts.
    fn parts(self) -> (String, &'static str, String) {
        let style = |path: String| format!("<link rel=\"stylesheet\" href=\"{path}\">\n");
        let script = |path: String| format!("<script src=\"{path}\"></script>\n");
        match self {
            Self::SwaggerUi => (
                style(format!("{SWAGGER_UI}/swagger-ui.css")),
                CONFIG,
                script(format!("{SWAGGER_UI}/swagger-ui-bundle.js")),
            ),
            Self::Graphiql => {
                let address = |name| format!("{GRAPHIQL_FILES}/{name}");
                let styles = Graphiql::names(".css").map(address).map(style).collect();
                (styles, "", Graphiql::names(".js").map(address).map(script).collect())
            }
        }
    }
}

/// The style of a page without a library.
fn own_parts() -> (String, &'static str, String) {
    ("<link rel=\"stylesheet\" href=\"/sandbox/ui/console.css\">\n".to_owned(), "", String::new())
}

async fn page(page: &'static Page) -> Response {
    let Page { title, script, library, address } = page;
    let (style, config, scripts) = library.map_or_else(own_parts, Library::parts);
    let inline = if config.is_empty() { String::new() } else { format!("<script>{config}</script>\n") };
    let scripts = format!("{inline}{scripts}");
    let html = menu::FRAME.html(&ui::Page { title, address, script, styles: &style, scripts: &scripts });
    ui::page(html, &POLICY.replace("CONFIG", &digest(config)))
}

/// The digest with which a policy allows an inline script.
fn digest(script: &str) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    STANDARD.encode(Sha256::digest(script.as_bytes()))
}
