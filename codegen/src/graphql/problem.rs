//! Problems of documents, and the files that they name.

use apollo_compiler::parser::{SourceMap, SourceSpan};

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

/// The file that a place lies in.
pub(super) fn source(sources: &SourceMap, span: Option<SourceSpan>) -> String {
    span.and_then(|span| sources.get(&span.file_id()))
        .map_or_else(|| FOLDER.to_owned(), |source| source.path().to_string_lossy().into_owned())
}

/// Line and column of a place, from 1.
pub(super) fn position(sources: &SourceMap, span: Option<SourceSpan>) -> Option<(usize, usize)> {
    span.and_then(|span| span.line_column(sources)).map(|at| (at.line, at.column))
}
