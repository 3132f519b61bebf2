//! Pages of the issuer: plain HTML forms without scripts.

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use driftless_sandbox_control::ui;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use http::header::{HOST, ORIGIN};
use http::{HeaderMap, StatusCode};
use sha2::{Digest, Sha256};

use crate::realm::Realm;

const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// Submits the form on load; the button is for browsers without scripts.
const SUBMIT: &str = "document.forms[0].submit()";

/// A page that posts parameters to an address (OAuth 2.0 Form Post Response Mode).
pub(crate) fn posting(realm: &dyn Realm, address: &str, parameters: &[(&str, &str)]) -> Response {
    let field = |(name, value): &(&str, &str)| {
        format!("<input type=\"hidden\" name=\"{}\" value=\"{}\">\n", escape(name), escape(value))
    };
    let body = format!(
        "<form method=\"post\" action=\"{}\">\n{}<button>Continue</button>\n</form>\n<script>{SUBMIT}</script>",
        escape(address),
        parameters.iter().map(field).collect::<String>(),
    );
    let digest = STANDARD.encode(Sha256::digest(SUBMIT.as_bytes()));
    let policy = format!("{POLICY}; script-src 'sha256-{digest}'");
    let mut response = page(realm, "", StatusCode::OK, "Back to the application", &body);
    if let Ok(policy) = policy.try_into() {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// A page around a body that is HTML already. `current` is its address in the menu. The page has no scripts, so its menu is always open.
pub fn page(realm: &dyn Realm, current: &str, status: StatusCode, title: &str, body: &str) -> Response {
    let frame = realm.frame();
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"UTF-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} · {brand}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{style}{content}</style>\n</head>\n<body class=\"page plain\">\n\
         <header><a class=\"skip\" href=\"#main\">Skip to the content</a>\
         <a class=\"brand\" href=\"/sandbox\">← {brand}</a></header>\n{menu}\
         <main id=\"main\">\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n",
        title = escape(title),
        style = ui::STYLE,
        content = ui::CONTENT_STYLE,
        brand = frame.brand,
        menu = frame.menu(current),
    );
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "same-origin"),
    ];
    (status, headers, html).into_response()
}

/// A text in which nothing is markup.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Returns whether a form comes from a page of this server. Browsers send the header `Origin` with every posted form.
pub fn is_own_form(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match headers.get(ORIGIN).and_then(|value| value.to_str().ok()) {
        Some(origin) => origin.strip_prefix("http://") == Some(host),
        None => true,
    }
}
