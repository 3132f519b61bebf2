//! Errors of GraphQL and of its socket.

use super::{Error, Inner, Kind};
use crate::graphql::GraphqlError;

impl Error {
    /// What the service answered in place of data.
    pub(crate) fn graphql(errors: Vec<GraphqlError>) -> Self {
        let first = errors.first().map_or("no reason given", GraphqlError::message);
        let more = match errors.len() {
            0 | 1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        let what = format!("the service did not execute the document: {first}{more}");
        Self(Box::new(Inner { kind: Kind::Graphql, what, graphql: errors, ..Inner::default() }))
            .hint("correct what it names; `graphql_errors` has all of it")
    }

    pub(crate) fn with_close_code(mut self, code: u16) -> Self {
        self.0.close_code = Some(code);
        self
    }

    /// The errors of a GraphQL answer without data. Those beside data are in [`Answer`](crate::graphql::Answer).
    pub fn graphql_errors(&self) -> &[GraphqlError] {
        &self.0.graphql
    }

    /// The code with which the service closed the WebSocket: 4401, 4403, 4429 and so on, or one of RFC 6455.
    pub fn close_code(&self) -> Option<u16> {
        self.0.close_code
    }

    /// The service answered a GraphQL document with errors, and without data.
    pub fn is_graphql(&self) -> bool {
        self.0.kind == Kind::Graphql
    }

    /// The WebSocket broke, was refused or was closed.
    pub fn is_socket(&self) -> bool {
        self.0.kind == Kind::Socket
    }
}
