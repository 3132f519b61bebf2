//! `specs/codegen.lock`: what the client was generated from, and every file that was written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use platform_codegen::{Dialect, Names};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::failure::Failure;
use crate::settings::is_name;
use crate::workspace::{BLOCK, LOCK, Workspace, is_territory};

const HEADER: &str = "# Written by `cargo xtask regenerate`. After a merge conflict: take either side, then run \
                      `cargo xtask regenerate --offline`.\n";
const VERSION: u32 = 2;

/// The content of the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    /// Version of this format.
    version: u32,
    /// SHA-256 over what the generator reads of `specs/codegen.toml`.
    pub(crate) configuration: String,
    #[serde(default, rename = "document")]
    pub(crate) documents: Vec<Document>,
    /// Path relative to the workspace → SHA-256 of the content.
    #[serde(default)]
    pub(crate) outputs: BTreeMap<String, String>,
    /// Rust names that were given once.
    #[serde(default)]
    pub(crate) names: Names,
}

/// One pinned contract.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    pub(crate) name: String,
    /// Where it came from: a URL without credentials, a relative file, or `sandbox`.
    pub(crate) source: String,
    /// SHA-256 of the bytes as received.
    pub(crate) raw: String,
    /// SHA-256 of the pinned text.
    pub(crate) canonical: String,
    pub(crate) dialect: String,
    /// `info.version`.
    pub(crate) contract_version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) etag: Option<String>,
}

/// What was found in place of the lock.
#[derive(Debug)]
pub(crate) enum Found {
    /// There is none.
    Absent,
    Valid(Box<Lock>),
    /// A merge left both sides in it.
    Conflict,
    /// Anything else that cannot be read, with its place and reason.
    Invalid(String),
}

impl Lock {
    pub(crate) fn new(configuration: String) -> Self {
        Self { version: VERSION, configuration, ..Self::default() }
    }

    /// Reads the lock, whatever its state.
    pub(crate) fn find(workspace: &Workspace) -> Result<Found, Failure> {
        let Some(bytes) = workspace.read(LOCK)? else { return Ok(Found::Absent) };
        let text = String::from_utf8_lossy(&bytes);
        if has_conflict_markers(&text) {
            return Ok(Found::Conflict);
        }
        Ok(match toml::from_str::<Self>(&text) {
            Ok(lock) if lock.version == VERSION => match lock.foreign() {
                Some(path) => Found::Invalid(format!("{LOCK} lists {path:?}, which is no output of this tool")),
                None => Found::Valid(Box::new(lock)),
            },
            Ok(lock) => Found::Invalid(format!("{LOCK} has version {}; this tool writes {VERSION}", lock.version)),
            Err(error) => Found::Invalid(format!("{LOCK}: {}", error.to_string().trim_end())),
        })
    }

    /// The lock as text.
    pub(crate) fn render(&self) -> Result<String, Failure> {
        let body = toml::to_string(self).map_err(|error| {
            Failure::configuration("lock/unwritable", format!("the lock cannot be written: {error}"), "report this")
        })?;
        Ok(format!("{HEADER}{body}"))
    }

    /// A path that the tool never writes. What the lock lists can be removed, so it must not reach further.
    fn foreign(&self) -> Option<&str> {
        let mut outputs = self.outputs.keys().map(String::as_str);
        let mut documents = self.documents.iter().map(|document| document.name.as_str());
        outputs.find(|path| !is_territory(path) && *path != BLOCK).or_else(|| documents.find(|name| !is_name(name)))
    }

    pub(crate) fn document(&self, name: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.name == name)
    }
}

/// Whether a merge left its markers in a text.
pub(crate) fn has_conflict_markers(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< ")) && text.lines().any(|line| line.starts_with(">>>>>>> "))
}

/// What to do about a lock that a merge left in conflict.
pub(crate) fn conflict() -> Failure {
    Failure::configuration(
        "lock/conflict",
        format!("{LOCK} holds the markers of a merge conflict"),
        "take either side, run `cargo xtask regenerate --offline`",
    )
}

/// What to do about a lock that cannot be read.
pub(crate) fn invalid(reason: &str) -> Failure {
    Failure::configuration(
        "lock/invalid",
        reason,
        format!("`git checkout -- {LOCK}`, or write it anew with `cargo xtask regenerate --offline`"),
    )
}

/// The name of a dialect in the lock.
pub(crate) fn dialect(dialect: Dialect) -> String {
    match dialect {
        Dialect::Swagger2 => "swagger-2.0",
        Dialect::OpenApi30 => "openapi-3.0",
        Dialect::OpenApi31 => "openapi-3.1",
        Dialect::OpenApi32 => "openapi-3.2",
    }
    .to_owned()
}

/// SHA-256, in lower-case hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_survives_a_round_trip() {
        let mut lock = Lock::new("c".to_owned());
        lock.documents.push(Document {
            name: "platform".to_owned(),
            source: "sandbox".to_owned(),
            raw: sha256(b"raw"),
            canonical: sha256(b"canonical"),
            dialect: dialect(Dialect::OpenApi30),
            contract_version: "v1".to_owned(),
            etag: Some("\"abc\"".to_owned()),
        });
        lock.outputs.insert("a/b.rs".to_owned(), sha256(b"b"));
        lock.names.operations.insert("GET /x".to_owned(), "x.list".to_owned());
        let text = lock.render().expect("renders");
        assert_eq!(toml::from_str::<Lock>(&text).expect("parses"), lock);
    }

    #[test]
    fn the_hash_is_sha256() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn conflict_markers_are_told_from_text() {
        assert!(has_conflict_markers("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"));
        assert!(!has_conflict_markers("<<<<<<<\n=======\n"));
    }
}
