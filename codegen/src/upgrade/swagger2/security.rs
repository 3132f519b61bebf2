//! `securityDefinitions`.

use serde_json::{Value, json};

use super::{Journal, Object, object};
use crate::pointer;

const PASS: &str = "upgrade/security";

/// Turns the definitions into security schemes.
pub(super) fn convert(root: &mut Object, components: &mut Object, journal: &mut Journal<'_>) {
    let Some(definitions) = root.remove("securityDefinitions") else { return };
    let definitions = object(Some(definitions), "/securityDefinitions", journal);
    journal.origins.record("/securityDefinitions", "/components/securitySchemes");
    let mut schemes = Object::new();
    for (name, value) in definitions {
        let pointer = pointer::join("/securityDefinitions", &name);
        match value {
            Value::Object(scheme) => {
                schemes.insert(name, Value::Object(convert_scheme(scheme, &pointer, journal)));
            }
            _ => journal.degraded(PASS, &pointer, "dropped a security scheme", "it is not an object"),
        }
    }
    components.insert("securitySchemes".to_owned(), Value::Object(schemes));
}

fn convert_scheme(mut scheme: Object, pointer: &str, journal: &mut Journal<'_>) -> Object {
    match scheme.get("type").and_then(Value::as_str) {
        Some("basic") => {
            scheme.insert("type".to_owned(), Value::from("http"));
            scheme.insert("scheme".to_owned(), Value::from("basic"));
        }
        Some("oauth2") => {
            let flow = scheme.remove("flow");
            let name = match flow.as_ref().and_then(Value::as_str) {
                Some("implicit") => "implicit",
                Some("password") => "password",
                Some("application") => "clientCredentials",
                Some("accessCode") => "authorizationCode",
                _ => {
                    journal.degraded(PASS, pointer, "read the scheme as one without flows", "its `flow` is unknown");
                    scheme.insert("flows".to_owned(), json!({}));
                    return scheme;
                }
            };
            let mut details = Object::new();
            for key in ["authorizationUrl", "tokenUrl", "scopes"] {
                if let Some(value) = scheme.remove(key) {
                    details.insert(key.to_owned(), value);
                }
            }
            let scopes = details.entry("scopes").or_insert_with(|| json!({}));
            if let Value::Object(scopes) = scopes {
                // Extensions may stand among the scopes; in OpenAPI 3.0 every member is a scope.
                scopes.retain(|name, value| !name.starts_with("x-") && value.is_string());
            } else {
                *scopes = json!({});
            }
            scheme.insert("flows".to_owned(), json!({ name: details }));
        }
        _ => {}
    }
    scheme
}
