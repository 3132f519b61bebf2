//! Problems of documents, and the files that they name.

use crate::Problem;

/// The folder of documents, as problems name it.
pub(super) const FOLDER: &str = "specs/graphql";
/// The pinned schema, as problems name it.
pub(super) const SCHEMA: &str = "specs/graphql/schema.graphql";

/// A problem with a document.
pub(super) fn problem(
    code: &'static str,
    file: &str,
    position: Option<(usize, usize)>,
    message: impl Into<String>,
    hint: &str,
) -> Problem {
    let document = format!("{FOLDER}/{file}");
    Problem { code, document, pointer: None, position, message: message.into(), hint: hint.to_owned() }
}
