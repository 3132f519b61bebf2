//! The answer of a source.

/// The source that the lock records of a contract from the embedded sandbox, whose port differs from run to run.
pub(crate) const SANDBOX: &str = "sandbox";
/// The source that the lock records of a contract that was pinned without a lock.
pub(crate) const UNKNOWN: &str = "pinned";

/// A contract that was fetched.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) name: String,
    /// Its source, as the lock records it.
    pub(crate) source: String,
    pub(crate) content: Content,
}

/// The content of a download.
#[derive(Debug)]
pub(crate) enum Content {
    /// The bytes, and a description of the answer for messages.
    Received { bytes: Vec<u8>, etag: Option<String>, described: String },
    /// The server answered that the pinned contract is up to date.
    NotModified,
}

/// Everything that a source gave.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub(crate) contracts: Vec<Fetched>,
    pub(crate) schema: Served,
}

/// The answer of a source about the GraphQL schema.
#[derive(Debug)]
pub(crate) enum Served {
    /// The schema in its pinned form.
    Schema(String),
    /// It was asked and gave none, for this reason.
    None(String),
    /// It was not asked, for this reason.
    NotAsked(&'static str),
}
