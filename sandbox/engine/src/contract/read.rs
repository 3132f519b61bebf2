//! The reader: bytes to a [`Contract`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::operation::operations;
use super::{Contract, Dialect, Location, Scheme, syntax};
use crate::error::Error;

impl Contract {
    /// Reads a contract as it was published, in JSON or YAML.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Error> {
        let document = syntax::parse(bytes)?;
        let dialect = dialect(&document)?;
        let mut bases = bases(&document, dialect);
        let base_path = if bases.is_empty() { String::new() } else { bases.remove(0) };
        Ok(Self {
            dialect,
            operations: operations(&document, dialect)?,
            other_base_paths: bases,
            base_path,
            schemes: schemes(&document, dialect),
            document: Arc::new(document),
        })
    }
}

fn dialect(document: &Value) -> Result<Dialect, Error> {
    // YAML reads an unquoted 2.0 as a number.
    let version = |key: &str| match document.get(key)? {
        Value::String(version) => Some(version.clone()),
        Value::Number(version) => Some(version.to_string()),
        _ => None,
    };
    let unknown = |pointer: &str, version: &str| {
        let message = format!("version {version:?} of the specification is not known");
        Error::new("contract/version", pointer, message, "pass a document of Swagger 2.0 or OpenAPI 3.0 to 3.2")
    };
    match (version("openapi"), version("swagger")) {
        (Some(version), _) if version == "3.0" || version.starts_with("3.0.") => Ok(Dialect::OpenApi30),
        (Some(version), _) if version.starts_with("3.") => Ok(Dialect::OpenApi31),
        (Some(version), _) => Err(unknown("/openapi", &version)),
        (None, Some(version)) if version == "2" || version.starts_with("2.") => Ok(Dialect::Swagger20),
        (None, Some(version)) => Err(unknown("/swagger", &version)),
        (None, None) => {
            let message = "the file is not a contract: it has neither `openapi` nor `swagger`";
            Err(Error::new("contract/not-a-contract", "", message, "pass a Swagger or OpenAPI document"))
        }
    }
}

/// The paths of the servers, those of single paths and operations last.
fn bases(document: &Value, dialect: Dialect) -> Vec<String> {
    if dialect == Dialect::Swagger20 {
        let base = document.get("basePath").and_then(Value::as_str).unwrap_or_default();
        return vec![cleaned(base)];
    }
    let items = document.get("paths").and_then(Value::as_object).into_iter().flat_map(|paths| paths.values());
    let nested = items.flat_map(|item| {
        let operations = item.as_object().into_iter().flat_map(|item| item.values());
        std::iter::once(item).chain(operations)
    });
    let mut bases = Vec::new();
    for owner in std::iter::once(document).chain(nested) {
        for server in owner.get("servers").and_then(Value::as_array).into_iter().flatten() {
            let base = base(server);
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
        // A document without servers is served at the root.
        if bases.is_empty() {
            bases.push(String::new());
        }
    }
    bases
}

/// The path of a server's URL, with the default values of its variables. Braces in a default value are plain text.
fn base(server: &Value) -> String {
    let mut rest = server.get("url").and_then(Value::as_str).unwrap_or_default();
    let mut url = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        let default = after.split_once('}').and_then(|(name, behind)| {
            let default = server.get("variables")?.get(name)?.get("default").and_then(Value::as_str);
            Some((default.unwrap_or_default(), behind))
        });
        url.push_str(before);
        rest = match default {
            Some((default, behind)) => {
                url.push_str(default);
                behind
            }
            None => {
                url.push('{');
                after
            }
        };
    }
    url.push_str(rest);
    match url.split_once("://") {
        Some((_, rest)) => cleaned(rest.find('/').and_then(|start| rest.get(start..)).unwrap_or_default()),
        None if url.starts_with("//") => {
            cleaned(url.get(2..).and_then(|rest| rest.find('/')).and_then(|at| url.get(at + 2..)).unwrap_or_default())
        }
        None if url.starts_with('/') => cleaned(&url),
        // A relative URL without a slash is relative to the document: the root is as good a place as any.
        None => String::new(),
    }
}

fn cleaned(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
    if path.is_empty() || path.contains('{') { String::new() } else { format!("/{path}") }
}

fn schemes(document: &Value, dialect: Dialect) -> BTreeMap<String, Scheme> {
    let pointer = if dialect == Dialect::Swagger20 { "/securityDefinitions" } else { "/components/securitySchemes" };
    let declared = document.pointer(pointer).and_then(Value::as_object);
    let scheme = |name: &String| {
        let value = super::resolve(document, &format!("{pointer}/{}", super::escape(name))).map(|(_, value)| value);
        (name.clone(), value.map_or(Scheme::Unknown, scheme))
    };
    declared.into_iter().flat_map(|declared| declared.keys()).map(scheme).collect()
}

fn scheme(value: &Value) -> Scheme {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type").to_ascii_lowercase().as_str() {
        "basic" => Scheme::Basic,
        "oauth2" | "openidconnect" => Scheme::Bearer,
        "apikey" => {
            let location = match text("in") {
                "query" => Location::Query,
                "cookie" => Location::Cookie,
                _ => Location::Header,
            };
            Scheme::Key { location, name: text("name").to_owned() }
        }
        "http" => match text("scheme").to_ascii_lowercase().as_str() {
            "basic" => Scheme::Basic,
            "bearer" => Scheme::Bearer,
            "" => Scheme::Unknown,
            other => Scheme::Http(other.to_owned()),
        },
        _ => Scheme::Unknown,
    }
}
