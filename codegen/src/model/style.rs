//! Serialization of values in paths, queries, headers and forms.

use super::tree::Node;

/// Serialization of a parameter (OpenAPI 3.0, "Style Values").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// The location's default: `simple` for path and header, `form` for query and cookie.
    Plain,
    Deep,
    Space,
    Pipe,
    /// `collectionFormat: tsv` of Swagger 2.0.
    Tab,
    Label,
    Matrix,
    /// `content: application/json`.
    Json,
}

impl Style {
    /// The style of the runtime for a member of a form, or for a part of one.
    pub(crate) fn in_form(self, explode: bool) -> &'static str {
        match (self, explode) {
            (Self::Space, _) => "Space",
            (Self::Pipe, _) => "Pipe",
            (Self::Tab, _) => "Tab",
            (Self::Deep, _) => "Deep",
            (Self::Json, _) => "Json",
            (_, true) => "Form",
            (_, false) => "FormUnexploded",
        }
    }
}

/// The style of a `collectionFormat` that OpenAPI 3.0 has no word for in its place.
pub(super) fn collection_style(node: &Node<'_>) -> Option<Style> {
    match node.text("x-collection-format") {
        "tsv" => Some(Style::Tab),
        "ssv" => Some(Style::Space),
        "pipes" => Some(Style::Pipe),
        _ => None,
    }
}
