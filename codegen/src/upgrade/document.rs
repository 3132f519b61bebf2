//! Members of the root that OpenAPI 3.0 does not have.

use serde_json::{Map, Value};

use super::journal::Journal;

/// Drops members that OpenAPI 3.0 does not have, and adds those that it demands.
pub(super) fn tidy(tree: &mut Value, journal: &mut Journal<'_>) {
    let Value::Object(root) = tree else { return };
    if root.remove("webhooks").is_some() {
        let lost = "calls that the service makes to its subscribers";
        journal.prose("upgrade/webhooks", "/webhooks", "dropped the webhooks", lost);
    }
    if let Some(base) = root.remove("$self") {
        let at = "/$self";
        match base.as_str() {
            Some(_) => journal.same("upgrade/self", at, "dropped `$self`: references are read within the document"),
            None => journal.degraded("upgrade/self", at, "dropped `$self`", "it is not text"),
        }
    }
    if root.remove("jsonSchemaDialect").is_some() {
        let lost = "a dialect of JSON Schema other than OpenAPI's own, should it name one";
        journal.prose("upgrade/schema-dialect", "/jsonSchemaDialect", "dropped `jsonSchemaDialect`", lost);
    }
    if !root.get("paths").is_some_and(Value::is_object) {
        if root.contains_key("paths") {
            journal.degraded("upgrade/paths", "/paths", "read `paths` as empty", "`paths` is not an object");
        }
        root.insert("paths".to_owned(), Value::Object(Map::new()));
    }
}
