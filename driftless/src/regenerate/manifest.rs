//! The manifest of trusted documents: the GraphQL operations that a service may accept by their identifiers alone.

use driftless_codegen::SentDocument;
use serde::Serialize;

use crate::failure::Failure;
use crate::lock::sha256;

/// The manifest, in the format of Apollo's tools.
#[derive(Serialize)]
struct Manifest<'a> {
    format: &'static str,
    version: u32,
    operations: Vec<TrustedOperation<'a>>,
}

#[derive(Serialize)]
struct TrustedOperation<'a> {
    /// The SHA-256 of the body.
    id: String,
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    /// The text that the client sends, byte for byte.
    body: &'a str,
}

/// The manifest as text, by the names of operations.
pub(super) fn render(documents: &[SentDocument]) -> Result<String, Failure> {
    let mut operations: Vec<TrustedOperation<'_>> = documents
        .iter()
        .map(|document| TrustedOperation {
            id: sha256(document.text.as_bytes()),
            name: &document.name,
            kind: document.kind,
            body: &document.text,
        })
        .collect();
    operations.sort_by_key(|operation| operation.name);
    let manifest = Manifest { format: "apollo-persisted-query-manifest", version: 1, operations };
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| {
        Failure::configuration("manifest/unwritten", format!("the manifest cannot be written: {error}"), "report this")
    })?;
    Ok(text + "\n")
}
