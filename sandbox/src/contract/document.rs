//! The contract as it is published: the documents of `sandbox/contract`, in both forms, with the entity tags for conditional requests.
//!
//! They contain nothing that differs between two sandboxes (no port, no server address), so regenerating a client twice gives the
//! same bytes.

use std::sync::LazyLock;

use bytes::Bytes;
#[cfg(feature = "server")]
use driftless_sandbox::host::Checks;
use http::HeaderValue;
use http::header::GetAll;
use serde_json::Value;
use sha2::{Digest, Sha256};
#[cfg(feature = "server")]
use uuid::Uuid;

use super::Revision;
use super::changes::{self, Change};
use crate::error::Error;

const DOCUMENT: &str = include_str!("../../contract/v1.yaml");
const CHANGES: &str = include_str!("../../contract/v2.yaml");

/// A revision of the contract.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) value: Value,
    pub(crate) json: Rendered,
    pub(crate) yaml: Rendered,
    /// The engine, which checks requests and values against the document.
    #[cfg(feature = "server")]
    pub(crate) checks: Checks,
}

/// A form of the contract, ready to be sent.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) body: Bytes,
    /// A strong entity tag, quotes included.
    pub(crate) etag: String,
    pub(crate) media_type: &'static str,
}

type Read = Result<Document, String>;

static FIRST: LazyLock<Read> = LazyLock::new(|| Document::new(read(DOCUMENT, "v1.yaml")?));
static SECOND: LazyLock<Read> = LazyLock::new(|| {
    let mut document = read(DOCUMENT, "v1.yaml")?;
    let changes: Vec<Change> = read(CHANGES, "v2.yaml")?;
    changes::apply(&mut document, &changes).map_err(|message| format!("contract/v2.yaml: {message}"))?;
    Document::new(document)
});

impl Revision {
    pub(crate) fn document(self) -> Result<&'static Document, Error> {
        self.read().map_err(|message| Error::Contract { message })
    }

    /// The document, read once per process, or the problem with it.
    pub(super) fn read(self) -> Result<&'static Document, String> {
        let document = match self {
            Self::First => &FIRST,
            Self::Second => &SECOND,
        };
        document.as_ref().map_err(String::clone)
    }
}

impl Document {
    fn new(value: Value) -> Read {
        let json = Rendered::new(format!("{value:#}"), "application/json;charset=utf-8");
        let yaml = serde_yaml::to_string(&value).map_err(|error| error.to_string())?;
        Ok(Self {
            #[cfg(feature = "server")]
            checks: Checks::new(value.clone(), spelled).map_err(|error| error.to_string())?,
            value,
            json,
            yaml: Rendered::new(yaml, "text/yaml;charset=utf-8"),
        })
    }
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

/// The error has the line and the column.
fn read<T: serde::de::DeserializeOwned>(text: &str, name: &str) -> Result<T, String> {
    serde_yaml::from_str(text).map_err(|error| format!("contract/{name}: {error}"))
}

/// ASP.NET reads several forms of a GUID outside of JSON; the store has one.
#[cfg(feature = "server")]
fn spelled(format: &str, text: &str) -> Option<String> {
    let is_urn = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("urn:"));
    Uuid::try_parse(text).ok().filter(|_| format == "uuid" && !is_urn).map(|id| id.to_string())
}
