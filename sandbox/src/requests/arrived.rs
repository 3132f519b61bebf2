//! A request as it arrived, before anything has answered it.

use async_graphql::parser::parse_query;
use async_graphql::parser::types::{DocumentOperations, OperationDefinition, Selection};
use serde_json::Value;

use super::capture::Captured;

const GRAPHQL: &str = "/graphql";

/// The parts of a request that filters compare.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) server: &'static str,
    /// The query, masked.
    pub(crate) query: Option<String>,
    /// The path template of the operation. A request that no operation takes has its path here.
    pub(crate) template: String,
    pub(super) request: Captured,
}

impl Arrived {
    pub(super) fn is_graphql(&self) -> bool {
        self.path == GRAPHQL || self.path == "/graphql/stream"
    }

    /// The name of the GraphQL operation, and the fields at its root. Masks hide neither.
    pub(super) fn graphql(&self) -> Vec<String> {
        if !self.is_graphql() {
            return Vec::new();
        }
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let (document, asked) = if let Some(query) = self.query.as_ref().filter(|_| self.method == "GET") {
            let pair = |wanted: &str| {
                let mut pairs = form_urlencoded::parse(query.as_bytes());
                pairs.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
            };
            (pair("query"), pair("operationName"))
        } else {
            let body: Value = serde_json::from_slice(&self.request.body().bytes).unwrap_or_default();
            (text(&body, "query"), text(&body, "operationName"))
        };
        let Some(document) = document.and_then(|document| parse_query(document).ok()) else { return Vec::new() };
        let (name, operation): (Option<String>, Option<&OperationDefinition>) = match &document.operations {
            DocumentOperations::Single(operation) => (None, Some(&operation.node)),
            DocumentOperations::Multiple(operations) => {
                let mut operations = operations.iter();
                let chosen = match &asked {
                    Some(asked) => operations.find(|(name, _)| name.as_str() == asked),
                    None => operations.next().filter(|_| document_is_single(&document.operations)),
                };
                (chosen.map(|(name, _)| name.to_string()), chosen.map(|(_, operation)| &operation.node))
            }
        };
        let roots = operation.into_iter().flat_map(|operation| &operation.selection_set.node.items);
        let fields = roots.filter_map(|selection| match &selection.node {
            Selection::Field(field) => Some(field.node.name.node.to_string()),
            _ => None,
        });
        name.into_iter().chain(fields).collect()
    }
}

fn document_is_single(operations: &DocumentOperations) -> bool {
    operations.iter().count() == 1
}
