//! The reader: bytes to a [`Contract`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::oauth::tokens;
use super::operation::operations;
use super::{Contract, Dialect, Location, Scheme, syntax};
use crate::error::Error;

impl Contract {
    /// Reads a contract as it was published, in JSON or YAML.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Error> {
        Self::new(syntax::parse(bytes)?)
    }

    /// Reads a contract that is a tree already.
    pub(crate) fn new(document: Value) -> Result<Self, Error> {
        let dialect = dialect(&document)?;
        let mut bases = bases(&document, dialect);
        let base_path = if bases.is_empty() { String::new() } else { bases.remove(0) };
        let operations = operations(&document, dialect)?;
        let declared = schemes(&document, dialect);
        let schemes =
            declared.iter().map(|(name, value)| (name.clone(), value.map_or(Scheme::Unknown, scheme))).collect();
        let tokens = tokens(declared.into_values().flatten(), &schemes, &operations, &base_path);
        Ok(Self {
            dialect,
            operations,
            other_base_paths: bases,
            base_path,
            schemes,
            tokens,
            document: Arc::new(document),
        })
    }
}

fn dialect(document: &Value) -> Result<Dialect, Error> {
    let advice = "pass a document of Swagger 2.0 or OpenAPI 3.0 to 3.2";
    let refused = |message: &str| Err(Error::new("contract/not-a-contract", "", message, advice));
    let Value::Object(members) = document else { return refused("the document is not a contract: it holds no object") };
    let (key, version) = match (members.get("openapi"), members.get("swagger")) {
        (Some(version), _) => ("openapi", version),
        (None, Some(version)) => ("swagger", version),
        (None, None) => return refused("the document is not a contract: it has neither `openapi` nor `swagger`"),
    };
    let dialect = match (key, numbers(version)) {
        ("openapi", Some((3, 0))) => Dialect::OpenApi30,
        ("openapi", Some((3, _))) => Dialect::OpenApi31,
        ("swagger", Some((2, 0))) => Dialect::Swagger20,
        _ => {
            let version: String = version.to_string().chars().take(40).collect();
            let message = format!("version {version} of the specification is not known");
            return Err(Error::new("contract/unknown-version", format!("/{key}"), message, advice));
        }
    };
    let further = match dialect {
        Dialect::Swagger20 => ["definitions", "x-ms-paths"].as_slice(),
        Dialect::OpenApi30 => &["components"],
        Dialect::OpenApi31 => &["components", "webhooks"],
    };
    if !std::iter::once(&"paths").chain(further).any(|key| members.get(*key).is_some_and(Value::is_object)) {
        return refused("the contract has a version, and no paths");
    }
    Ok(dialect)
}

/// The major and the minor number of a version. YAML reads an unquoted 2.0 as a number.
fn numbers(version: &Value) -> Option<(u32, u32)> {
    let text = match version {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let mut parts = text.trim_start_matches(['v', 'V']).split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next().map_or(Ok(0), str::parse).ok()?))
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

/// The schemes by name, behind their references.
fn schemes(document: &Value, dialect: Dialect) -> BTreeMap<String, Option<&Value>> {
    let pointer = if dialect == Dialect::Swagger20 { "/securityDefinitions" } else { "/components/securitySchemes" };
    let declared = document.pointer(pointer).and_then(Value::as_object);
    let scheme = |name: &String| {
        let value = super::resolve(document, &format!("{pointer}/{}", super::escape(name))).map(|(_, value)| value);
        (name.clone(), value)
    };
    declared.into_iter().flat_map(|declared| declared.keys()).map(scheme).collect()
}

fn scheme(value: &Value) -> Scheme {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type").to_ascii_lowercase().as_str() {
        "basic" => Scheme::Basic,
        "oauth2" | "openidconnect" => Scheme::Token,
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
