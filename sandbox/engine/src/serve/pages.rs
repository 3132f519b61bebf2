//! The console of a sandbox for any contract.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use driftless_sandbox_control::ui::{self, Frame, Group, Page};

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

/// The frame of every page.
pub(super) const FRAME: Frame = Frame { brand: "driftless-sandbox", menu: &MENU };

/// The scripts that only this console has: their names and texts.
static SCRIPTS: [(&str, &str); 3] = [
    ("explain.js", include_str!("../ui/explain.js")),
    ("own.js", include_str!("../ui/own.js")),
    ("parts.js", include_str!("../ui/parts.js")),
];

pub(super) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    ui::routes(&SCRIPTS).route("/sandbox", get(console))
}

async fn console() -> Response {
    let styles = "<link rel=\"stylesheet\" href=\"/sandbox/ui/console.css\">\n";
    let page = Page { title: "Overview", address: "/sandbox", script: "console", styles, scripts: "" };
    ui::page(FRAME.html(&page), POLICY)
}
