//! Ways to authenticate. The client sends the bearer token of its credential; other schemes of a contract are only
//! recorded.

use serde_json::Value;

use super::journal::Journal;
use crate::pointer;
use crate::walk::{self, NodeKind};

const PASS: &str = "upgrade/security";

/// Notes every security scheme other than a bearer token, and every operation that needs no token.
pub(super) fn note(tree: &mut Value, journal: &mut Journal<'_>) {
    schemes(tree, journal);
    let is_secured =
        tree.pointer("/components/securitySchemes").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    walk::each(tree, &mut |kind, value, pointer| {
        let Some(needs) = value.get("security").and_then(Value::as_array).filter(|_| kind == NodeKind::Operation)
        else {
            return;
        };
        let is_open = |need: &Value| need.as_object().is_some_and(serde_json::Map::is_empty);
        if is_secured && (needs.is_empty() || needs.iter().any(is_open)) {
            let what = "the operation needs no token; the client sends the one that it has";
            journal.prose(PASS, &pointer::join(pointer, "security"), what, "that it needs no token");
        }
    });
}

fn schemes(tree: &Value, journal: &mut Journal<'_>) {
    let schemes = tree.pointer("/components/securitySchemes").and_then(Value::as_object);
    for (name, scheme) in schemes.into_iter().flatten() {
        let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        let what = match text("type") {
            "oauth2" | "openIdConnect" | "" => continue,
            "http" if text("scheme").eq_ignore_ascii_case("bearer") => continue,
            // An API key in the header `Authorization` is how Swagger 2.0 describes a bearer token.
            "apiKey" if text("in") == "header" && text("name").eq_ignore_ascii_case("authorization") => continue,
            "apiKey" => format!("`{name}` is a key in the {} `{}`", text("in"), text("name")),
            "http" => format!("`{name}` is HTTP authentication of the scheme `{}`", text("scheme")),
            other => format!("`{name}` is a scheme of the type `{other}`"),
        };
        let pointer = pointer::join("/components/securitySchemes", name);
        let what = format!("{what}; the client sends a bearer token");
        journal.prose(PASS, &pointer, what, "another way to authenticate");
    }
}
