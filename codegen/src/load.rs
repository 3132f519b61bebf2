//! Bytes to a JSON tree, and the dialect that it speaks.

use serde_json::Value;

use crate::Problem;

/// A contract that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The document, with its keys sorted at every level.
    pub tree: Value,
    /// The specification that it is written in.
    pub dialect: Dialect,
    /// `info.title`, or an empty string.
    pub title: String,
    /// `info.version`, or an empty string.
    pub version: String,
}

impl Loaded {
    /// The canonical text that is pinned: JSON, keys sorted, two spaces, LF, a final newline.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.tree).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The specification that a contract is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// Swagger 2.0.
    Swagger2,
    /// OpenAPI 3.0.
    OpenApi30,
    /// OpenAPI 3.1.
    OpenApi31,
    /// OpenAPI 3.2.
    OpenApi32,
}

/// Reads a contract.
///
/// # Errors
///
/// A [`Problem`] with a place and a hint when the bytes are no contract.
pub fn load(document: &str, bytes: &[u8]) -> Result<Loaded, Problem> {
    let tree: Value = serde_json::from_slice(bytes).map_err(|error| Problem {
        code: "contract/not-json",
        document: document.to_owned(),
        pointer: None,
        position: Some((error.line(), error.column())),
        message: error.to_string(),
        hint: String::new(),
    })?;
    Ok(Loaded { tree, dialect: Dialect::OpenApi30, title: String::new(), version: String::new() })
}
