//! The console of a sandbox for any contract.

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use driftless_sandbox_control::ui::{self, Frame, Group, Page};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_FRAME_OPTIONS};

/// Only the scripts of the console are allowed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; frame-ancestors 'none'";

const MENU: [Group; 1] = [(
    "Sandbox",
    &[
        ("/sandbox#/", "Overview"),
        ("/sandbox#/state", "State"),
        ("/sandbox#/explain", "Operations"),
        ("/sandbox#/requests", "Requests"),
        ("/sandbox#/faults", "Faults"),
        ("/sandbox#/clock", "Clock"),
    ],
)];

const FRAME: Frame = Frame { brand: "driftless-sandbox", menu: &MENU };

/// The scripts that only this console has: their names and texts.
const SCRIPTS: [(&str, &str); 3] = [
    ("explain.js", include_str!("../ui/explain.js")),
    ("own.js", include_str!("../ui/own.js")),
    ("parts.js", include_str!("../ui/parts.js")),
];

pub(super) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/sandbox", get(console))
        .route("/sandbox/ui/style.css", get(async || ui::asset("text/css", ui::STYLE)))
        .route("/sandbox/ui/console.css", get(async || ui::asset("text/css", ui::CONTENT_STYLE)))
        .route("/sandbox/ui/{file}", get(script))
}

async fn script(Path(file): Path<String>) -> Response {
    let own = SCRIPTS.iter().find(|(name, _)| *name == file).map(|(_, text)| *text);
    match own.or_else(|| ui::script(&file)) {
        Some(text) => ui::asset("text/javascript", text),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn console() -> Response {
    let styles = "<link rel=\"stylesheet\" href=\"/sandbox/ui/console.css\">\n";
    let html = FRAME.html(&Page { title: "Overview", address: "/sandbox", script: "console", styles, scripts: "" });
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_FRAME_OPTIONS, "DENY"),
    ];
    (headers, html).into_response()
}
