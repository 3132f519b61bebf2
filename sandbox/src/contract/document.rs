//! The contract as bytes, with the entity tags for conditional requests.

use std::sync::LazyLock;

use bytes::Bytes;
use http::HeaderValue;
use http::header::GetAll;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::operation::Operation;
use super::{Contract, Revision, as_map};

/// A form of the contract, ready to be sent.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) body: Bytes,
    /// A strong entity tag, quotes included.
    pub(crate) etag: String,
    pub(crate) media_type: &'static str,
}

#[derive(Serialize)]
struct ContractDocument<'a> {
    openapi: &'static str,
    info: Info,
    #[serde(serialize_with = "as_map")]
    paths: Vec<(&'a str, PathItem<'a>)>,
    components: Components<'a>,
    security: Value,
    tags: Vec<Tag>,
}

#[derive(Serialize)]
struct Info {
    title: &'static str,
    description: &'static str,
    version: &'static str,
}

struct PathItem<'a>(Vec<&'a Operation>);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Components<'a> {
    schemas: &'a std::collections::BTreeMap<&'static str, super::Schema>,
    security_schemes: Value,
}

#[derive(Serialize)]
struct Tag {
    name: &'static str,
}

impl Serialize for PathItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_map(self.0.iter().map(|operation| (operation.method.as_str().to_ascii_lowercase(), operation)))
    }
}

/// Both forms of one revision, each made on first use.
struct Forms {
    json: Form,
    yaml: Form,
}

type Form = LazyLock<Result<Rendered, String>>;

static FIRST: Forms =
    Forms { json: LazyLock::new(|| as_json(Revision::First)), yaml: LazyLock::new(|| as_yaml(Revision::First)) };
static SECOND: Forms =
    Forms { json: LazyLock::new(|| as_json(Revision::Second)), yaml: LazyLock::new(|| as_yaml(Revision::Second)) };

impl Contract {
    /// The contract as JSON. The error is the message of the serialiser.
    pub(crate) fn json(&self) -> Result<&'static Rendered, &'static str> {
        self.forms().json.as_ref().map_err(String::as_str)
    }

    /// The contract as YAML.
    pub(crate) fn yaml(&self) -> Result<&'static Rendered, &'static str> {
        self.forms().yaml.as_ref().map_err(String::as_str)
    }

    fn forms(&self) -> &'static Forms {
        match self.revision {
            Revision::First => &FIRST,
            Revision::Second => &SECOND,
        }
    }
}

fn as_json(revision: Revision) -> Result<Rendered, String> {
    let text = serde_json::to_string_pretty(&document(revision.contract())).map_err(|error| error.to_string())?;
    Ok(Rendered::new(text, "application/json;charset=utf-8"))
}

fn as_yaml(revision: Revision) -> Result<Rendered, String> {
    let text = serde_yaml::to_string(&document(revision.contract())).map_err(|error| error.to_string())?;
    Ok(Rendered::new(text, "text/yaml;charset=utf-8"))
}

impl Rendered {
    fn new(text: String, media_type: &'static str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let etag = digest.iter().take(16).fold(String::from("\""), |tag, byte| format!("{tag}{byte:02x}")) + "\"";
        Self { body: text.into(), etag, media_type }
    }

    /// Returns whether an `If-None-Match` header contains the entity tag. The comparison is the weak one of RFC 9110 §13.1.2.
    pub(crate) fn is_known(&self, header: GetAll<'_, HeaderValue>) -> bool {
        let mut tags = header.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
        tags.any(|tag| {
            let tag = tag.trim();
            tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.etag
        })
    }
}

fn document(contract: &Contract) -> ContractDocument<'_> {
    let mut paths: Vec<(&str, PathItem<'_>)> = Vec::new();
    let mut tags: Vec<Tag> = Vec::new();
    for operation in &contract.operations {
        match paths.iter_mut().find(|(path, _)| *path == operation.path) {
            Some((_, item)) => item.0.push(operation),
            None => paths.push((&operation.path, PathItem(vec![operation]))),
        }
        let [name] = operation.tags;
        if tags.iter().all(|tag| tag.name != name) {
            tags.push(Tag { name });
        }
    }
    tags.sort_by_key(|tag| tag.name);
    ContractDocument {
        openapi: "3.0.4",
        info: Info {
            title: "Platform API",
            description: "The sandbox's stand-in for the platform. An operation or schema marked `assumed` is not in the \
                          platform document: its shape is the sandbox's own.",
            version: "v1",
        },
        paths,
        components: Components { schemas: &contract.schemas, security_schemes: security_schemes() },
        security: json!([{ "Bearer": [] }, { "oauth2": ["api"] }]),
        tags,
    }
}

fn security_schemes() -> Value {
    let mut schemes = json!({
        "Bearer": {
            "type": "http",
            "description": "An access token of the identity issuer, in the header `Authorization: Bearer <ACCESS_TOKEN>`.",
            "scheme": "bearer",
            "bearerFormat": "JWT"
        },
        "oauth2": {
            "type": "oauth2",
            "flows": {
                "clientCredentials": { "tokenUrl": "/identity/connect/token", "scopes": { "api": "Access the API" } }
            }
        }
    });
    // Keeps the bytes independent of the feature `preserve_order` of serde_json, which another crate of the build may enable.
    schemes.sort_all_objects();
    schemes
}
