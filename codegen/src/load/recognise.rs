//! Recognises contracts, and their dialect.

use serde_json::{Map, Value};

use super::{Fault, Note};
use crate::{Dialect, Loss};

/// Keys at the top of documents that are often served in place of a contract.
const STRANGERS: &[(&str, &str)] = &[
    ("access_token", "a token response"),
    ("asyncapi", "an AsyncAPI document"),
    ("configUrl", "the configuration of a Swagger UI: give the address of one of the documents that it lists"),
    ("data", "the answer of an API, perhaps of its GraphQL endpoint"),
    ("error", "an error response"),
    ("errors", "an error response"),
    ("issuer", "a discovery document of an identity issuer"),
    ("item", "a Postman collection"),
    ("swaggerVersion", "a Swagger 1.x document: convert it to OpenAPI 3 first"),
    ("traceId", "an error response"),
    ("urls", "the configuration of a Swagger UI: give the address of one of the documents that it lists"),
    ("$schema", "a JSON Schema"),
];

/// The dialect of a contract, by major and minor version.
pub(super) fn dialect(tree: &Value, notes: &mut Vec<Note>) -> Result<Dialect, Fault> {
    let Value::Object(root) = tree else {
        return Err(Fault::new(
            "contract/not-a-contract",
            format!("{}, but a contract is an object", kind(tree)),
            "check the address, and that the service publishes its contract in this environment",
        ));
    };
    if let Some(version) = root.get("openapi") {
        return openapi(root, version, notes);
    }
    let Some(version) = root.get("swagger") else {
        return Err(stranger(root));
    };
    if parts(version) != Some((2, 0)) {
        return Err(unknown("swagger", version));
    }
    require(root, &["paths", "definitions", "x-ms-paths"])?;
    Ok(Dialect::Swagger2)
}

fn openapi(root: &Map<String, Value>, version: &Value, notes: &mut Vec<Note>) -> Result<Dialect, Fault> {
    let dialect = match parts(version) {
        Some((3, 0)) => Dialect::OpenApi30,
        Some((3, 1)) => Dialect::OpenApi31,
        Some((3, 2)) => Dialect::OpenApi32,
        Some((3, minor)) => {
            notes.push(Note {
                pass: "load/version",
                pointer: "/openapi".to_owned(),
                what: format!("read OpenAPI 3.{minor} as 3.2, the newest version known"),
                loss: Loss::Documentation("additions of the newer version".to_owned()),
            });
            Dialect::OpenApi32
        }
        _ => return Err(unknown("openapi", version)),
    };
    let keys: &[&str] =
        if dialect == Dialect::OpenApi30 { &["paths", "components"] } else { &["paths", "components", "webhooks"] };
    require(root, keys)?;
    Ok(dialect)
}

fn require(root: &Map<String, Value>, keys: &[&str]) -> Result<(), Fault> {
    if keys.iter().any(|key| root.get(*key).is_some_and(Value::is_object)) {
        return Ok(());
    }
    Err(Fault::new(
        "contract/not-a-contract",
        format!("a version and no content: none of {} is an object", keys.join(", ")),
        "check that the document is complete",
    ))
}

fn unknown(key: &str, version: &Value) -> Fault {
    let version: String = version.to_string().chars().take(40).collect();
    let hint = "Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are read: ask the service for one of these";
    Fault::new("contract/unknown-version", format!("`{key}: {version}` is not a known version"), hint)
        .within(&format!("/{key}"))
}

fn stranger(root: &Map<String, Value>) -> Fault {
    const SHOWN: usize = 8;
    let hint = STRANGERS.iter().find(|(key, _)| root.contains_key(*key));
    let problem = root.contains_key("status") && root.contains_key("title");
    let hint = match hint {
        Some((_, what)) => format!("it looks like {what}"),
        None if problem => "it looks like an error response".to_owned(),
        None => "check the address: a contract has `openapi` or `swagger` at its top".to_owned(),
    };
    let keys: Vec<String> = root.keys().take(SHOWN).map(|key| format!("`{}`", key.escape_debug())).collect();
    let more = root.len().saturating_sub(SHOWN);
    let message = match (keys.is_empty(), more) {
        (true, _) => "an empty object".to_owned(),
        (false, 0) => format!("no `openapi` and no `swagger` at the top, but {}", keys.join(", ")),
        (false, more) => format!("no `openapi` and no `swagger` at the top, but {} and {more} more", keys.join(", ")),
    };
    Fault::new("contract/not-a-contract", message, hint)
}

/// Major and minor version: `"3.0.1"`, `"3.1"` and the number `2.0` are all written in the wild.
fn parts(version: &Value) -> Option<(u32, u32)> {
    let text = match version {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let text = text.strip_prefix(['v', 'V']).unwrap_or(&text);
    let mut parts = text.split(['.', '-']);
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next().map_or(Ok(0), str::parse).ok()?;
    Some((major, minor))
}

fn kind(tree: &Value) -> &'static str {
    match tree {
        Value::Null => "null, or nothing but comments",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "plain text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A member of `info` as text.
pub(super) fn info(tree: &Value, member: &str) -> String {
    match tree.get("info").and_then(|info| info.get(member)) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}
