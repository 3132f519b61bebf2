//! Ways to authenticate. The client sends the bearer token of its credential; what else a contract asks for is only put on
//! the record.

use serde_json::Value;

use super::Place;
use crate::ledger::{Entry, Ledger, Loss};
use crate::walk;

/// Notes every security scheme that is no bearer token.
pub(super) fn pass(tree: &Value, place: &Place<'_>, ledger: &mut Ledger) {
    let schemes = tree.pointer("/components/securitySchemes").and_then(Value::as_object);
    for (name, scheme) in schemes.into_iter().flatten() {
        let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        let what = match text("type") {
            "oauth2" | "openIdConnect" | "" => continue,
            "http" if text("scheme").eq_ignore_ascii_case("bearer") => continue,
            // A token in the header of tokens is what Swagger 2.0 makes of a bearer token.
            "apiKey" if text("in") == "header" && text("name").eq_ignore_ascii_case("authorization") => continue,
            "apiKey" => format!("`{name}` is a key in the {} `{}`", text("in"), text("name")),
            "http" => format!("`{name}` is HTTP authentication of the scheme `{}`", text("scheme")),
            other => format!("`{name}` is a scheme of the type `{other}`"),
        };
        let pointer = walk::join("/components/securitySchemes", name);
        ledger.push(Entry {
            document: place.document.to_owned(),
            pointer: place.origins.source(&pointer, place.published),
            pass: "normalise/security",
            what: format!("{what}; the client sends a bearer token"),
            loss: Loss::Documentation("another way to authenticate".to_owned()),
        });
    }
}
