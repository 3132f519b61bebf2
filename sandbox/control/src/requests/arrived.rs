//! A request as it arrived, before anything has answered it.

use apollo_parser::Parser;
use apollo_parser::cst::{Definition, OperationDefinition, Selection};
use serde_json::Value;

use super::capture::Captured;

const GRAPHQL: &str = "/graphql";

/// The longest document that is read.
const MOST_TOKENS: usize = 10_000;

/// The parts of a request that filters compare.
#[derive(Clone, Debug)]
pub struct Arrived {
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
        document.map(|document| names(&document, asked.as_deref())).unwrap_or_default()
    }
}

/// The name of the operation that a request asks for, and the fields at its root. Empty for a document that cannot be read, or that
/// has several operations of which none is asked for.
fn names(document: &str, asked: Option<&str>) -> Vec<String> {
    let tree = Parser::new(document).token_limit(MOST_TOKENS).parse();
    if tree.errors().next().is_some() {
        return Vec::new();
    }
    let mut operations: Vec<OperationDefinition> = tree
        .document()
        .definitions()
        .filter_map(|definition| match definition {
            Definition::OperationDefinition(operation) => Some(operation),
            _ => None,
        })
        .collect();
    let name = |operation: &OperationDefinition| operation.name().map(|name| name.text().to_string());
    if let Some(asked) = asked.filter(|_| operations.iter().any(|operation| name(operation).is_some())) {
        operations.retain(|operation| name(operation).as_deref() == Some(asked));
    }
    let [operation] = operations.as_slice() else { return Vec::new() };
    let roots = operation.selection_set().into_iter().flat_map(|set| set.selections());
    let fields = roots.filter_map(|selection| match selection {
        Selection::Field(field) => field.name().map(|name| name.text().to_string()),
        _ => None,
    });
    name(operation).into_iter().chain(fields).collect()
}

#[cfg(test)]
mod tests {
    use super::names;

    /// Catches a reader that takes aliases, nested fields or another operation for those that were asked for.
    #[test]
    fn the_operation_and_its_root_fields_are_named() {
        let two = "query A { a } query B { b: c(x: 1) { d } ... on Query { e } }";
        for (document, asked, expected) in [
            ("{ a b }", None, vec!["a", "b"]),
            ("{ a }", Some("ignored"), vec!["a"]),
            ("subscription S { a { b } }", None, vec!["S", "a"]),
            (two, Some("B"), vec!["B", "c"]),
            (two, Some("C"), vec![]),
            (two, None, vec![]),
            ("{ a", None, vec![]),
            ("", None, vec![]),
        ] {
            assert_eq!(names(document, asked), expected, "{document} {asked:?}");
        }
    }
}
