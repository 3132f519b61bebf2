//! `specs/codegen.lock`: the inputs that the client was generated from, and every file that was written.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use driftless_codegen::Dialect;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::failure::Failure;
use crate::settings::is_name;
use crate::workspace::{BLOCK, LOCK, SCHEMA, is_territory};

/// The command that writes everything anew after a merge: files that only one side changed are merged already, and fit no lock.
pub(crate) const AFTER_MERGE: &str = "cargo xtask regenerate --offline --overwrite";
const HEADER: &str = "# Written by `cargo xtask regenerate`. After a merge conflict: take one side of all \
                      generated files, then run `cargo xtask regenerate --offline --overwrite`.\n";
const VERSION: u32 = 3;

/// The content of the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    /// Version of this format.
    version: u32,
    /// SHA-256 over the keys of `specs/codegen.toml` that the generator reads.
    pub(crate) configuration: String,
    /// SHA-256 of the pinned GraphQL schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<String>,
    /// SHA-256 over all outputs, as [`digest`] has it.
    pub(crate) digest: String,
    /// Paths relative to the workspace.
    pub(crate) outputs: BTreeSet<String>,
    #[serde(default, rename = "document")]
    pub(crate) documents: Vec<PinnedDocument>,
}

/// The version alone.
#[derive(Debug, Deserialize)]
struct Version {
    version: u64,
}

/// One pinned contract.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PinnedDocument {
    pub(crate) name: String,
    /// Its source: a URL without credentials, a relative file, or `sandbox`.
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

/// The state of the lock's file.
#[derive(Debug)]
pub(crate) enum FoundLock {
    /// There is none.
    Absent,
    Valid(Box<Lock>),
    /// A merge left both sides in it.
    Conflict,
    /// Anything else that cannot be read, with its place and reason.
    Invalid(String),
    /// It has another format; the version of that.
    Other(u64),
}

impl FoundLock {
    /// The lock, if there is one. One that cannot be read is an error.
    pub(crate) fn readable(&self) -> Result<Option<&Lock>, Failure> {
        match self {
            Self::Valid(lock) => Ok(Some(lock)),
            Self::Absent => Ok(None),
            Self::Conflict => Err(conflict()),
            Self::Invalid(reason) => Err(invalid(reason)),
            Self::Other(version) => Err(other(*version)),
        }
    }
}

impl Lock {
    /// The lock over outputs: path → SHA-256 of the content.
    pub(crate) fn new(
        configuration: String,
        documents: Vec<PinnedDocument>,
        hashes: &BTreeMap<String, String>,
    ) -> Self {
        Self {
            version: VERSION,
            configuration,
            schema: hashes.get(SCHEMA).cloned(),
            digest: digest(hashes),
            outputs: hashes.keys().cloned().collect(),
            documents,
        }
    }

    /// Parses the file of the lock, whatever its state.
    pub(crate) fn find(bytes: Option<&[u8]>) -> FoundLock {
        let Some(bytes) = bytes else { return FoundLock::Absent };
        let text = String::from_utf8_lossy(bytes);
        if has_conflict_markers(&text) {
            return FoundLock::Conflict;
        }
        let lock = match toml::from_str::<Version>(&text) {
            Ok(Version { version }) if version != u64::from(VERSION) => return FoundLock::Other(version),
            Ok(Version { .. }) | Err(_) => toml::from_str::<Self>(&text),
        };
        match lock {
            Ok(lock) => match lock.foreign() {
                Some(path) => FoundLock::Invalid(format!("{LOCK} lists {path:?}, which is not an output of this tool")),
                None => FoundLock::Valid(Box::new(lock)),
            },
            Err(error) => FoundLock::Invalid(format!("{LOCK}: {}", error.to_string().trim_end())),
        }
    }

    /// The lock as text.
    pub(crate) fn render(&self) -> Result<String, Failure> {
        let body = toml::to_string_pretty(self).map_err(|error| {
            Failure::configuration("lock/unwritable", format!("the lock cannot be written: {error}"), "report this")
        })?;
        Ok(format!("{HEADER}{body}"))
    }

    /// A path that the tool never writes. Listed files can be removed, so the lock must not reach further.
    fn foreign(&self) -> Option<&str> {
        let mut outputs = self.outputs.iter().map(String::as_str);
        let mut documents = self.documents.iter().map(|document| document.name.as_str());
        outputs.find(|path| !is_territory(path) && *path != BLOCK).or_else(|| documents.find(|name| !is_name(name)))
    }

    pub(crate) fn document(&self, name: &str) -> Option<&PinnedDocument> {
        self.documents.iter().find(|document| document.name == name)
    }
}

/// Returns whether a merge left its markers in a text.
pub(crate) fn has_conflict_markers(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< ")) && text.lines().any(|line| line.starts_with(">>>>>>> "))
}

/// The failure for a lock that a merge left in conflict.
fn conflict() -> Failure {
    Failure::configuration(
        "lock/conflict",
        format!("{LOCK} holds the markers of a merge conflict"),
        format!("take one side of all generated files, run `{AFTER_MERGE}`"),
    )
}

/// The failure for a lock of another format.
fn other(version: u64) -> Failure {
    Failure::configuration(
        "lock/version",
        format!("{LOCK} has version {version}, and this tool reads version {VERSION}"),
        "use the version of the tool that wrote it\n\
         or give up what the lock says: cargo xtask regenerate --offline --overwrite",
    )
}

/// The failure for a lock that cannot be read.
fn invalid(reason: &str) -> Failure {
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

/// The text of a file, with its SHA-256. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HashedText {
    text: Arc<str>,
    hash: String,
}

impl HashedText {
    /// The SHA-256 of the text, as [`sha256`] gives it.
    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }
}

impl<T: Into<Arc<str>>> From<T> for HashedText {
    fn from(text: T) -> Self {
        let text = text.into();
        let hash = sha256(text.as_bytes());
        Self { text, hash }
    }
}

impl Deref for HashedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// SHA-256 over outputs: a line for each, its path and the SHA-256 of its content.
pub(crate) fn digest(hashes: &BTreeMap<String, String>) -> String {
    let lines: String = hashes.iter().map(|(path, hash)| format!("{path} {hash}\n")).collect();
    sha256(lines.as_bytes())
}

/// SHA-256, in lower-case hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes).into_iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_survives_a_round_trip() {
        let document = PinnedDocument {
            name: "service".to_owned(),
            source: "sandbox".to_owned(),
            raw: sha256(b"raw"),
            canonical: sha256(b"canonical"),
            dialect: dialect(Dialect::OpenApi30),
            contract_version: "v1".to_owned(),
            etag: Some("\"abc\"".to_owned()),
        };
        let hashes = BTreeMap::from([("a/b.rs".to_owned(), sha256(b"b")), (SCHEMA.to_owned(), sha256(b"s"))]);
        let lock = Lock::new("c".to_owned(), vec![document], &hashes);
        let text = lock.render().expect("renders");
        assert_eq!(toml::from_str::<Lock>(&text).expect("parses"), lock);
        assert_eq!(text.matches(&sha256(b"s")).count(), 1);
        assert!(!text.contains(&sha256(b"b")), "{text}");
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
