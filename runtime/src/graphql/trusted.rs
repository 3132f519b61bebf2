//! Trusted documents: the service knows them, and the client sends their identifiers alone.

use super::{options::TrustedDocuments, persisted::By};
use crate::{Error, error::GraphqlError};

/// The way out if the service does not know a document.
const REGISTER: &str = "set `manifest = true` in [graphql] of specs/codegen.toml, run `cargo xtask regenerate --offline`, and register \
                        specs/graphql/manifest.json with the service";

impl TrustedDocuments {
    /// The form of a request.
    pub(super) const fn by(self) -> By {
        match self {
            Self::DocumentId => By::DocumentId,
            Self::PersistedQuery => By::Hash,
        }
    }
}

/// Adds the next step to the error of a document that was sent by its identifier alone, if the service may not know it.
pub(super) fn explained(error: Error) -> Error {
    let errors = error.graphql_errors();
    if errors.iter().any(is_unknown) {
        return error.hint(format!("the service does not know the document: {REGISTER}"));
    }
    // The specification names no code for it: a single error, which is not about a part of the document.
    match errors {
        [only] if error.is_graphql() && only.path().is_empty() && only.locations().is_empty() => {
            error.and(&format!("if the service does not know the document, {REGISTER}"))
        }
        _ => error,
    }
}

/// Returns whether an error says that the service does not know the document, by the codes and messages that are in use.
fn is_unknown(error: &GraphqlError) -> bool {
    const CODES: [&str; 4] = [
        "PERSISTED_QUERY_NOT_FOUND",
        "PERSISTED_QUERY_NOT_IN_LIST",
        "PERSISTED_DOCUMENT_NOT_FOUND",
        "PERSISTED_QUERY_NOT_SUPPORTED",
    ];
    const MESSAGES: [&str; 3] = ["PersistedQueryNotFound", "PersistedQueryNotInList", "PersistedQueryNotSupported"];
    error.code().is_some_and(|code| CODES.contains(&code)) || MESSAGES.contains(&error.message())
}
