//! The description of a connection in the data of a document (GraphQL Cursor Connections Specification).

/// The data of a document that selects one connection: [`with_items`](super::Query::with_items) reads all of its pages.
///
/// The generator implements it for a query of `specs/graphql` that selects `pageInfo` with the flag and the cursor of
/// the next page, and `nodes` or `edges { node }`, if the cursor is a nullable variable of the document.
#[diagnostic::on_unimplemented(
    message = "the document of `{Self}` selects no connection that can be read page by page",
    note = "select `pageInfo {{ hasNextPage endCursor }}` and `nodes` (or `edges {{ node }}`), and give the argument `after` a \
            nullable variable; specs/ledger.txt says what a document lacks"
)]
pub trait ConnectionData {
    /// A node of the connection.
    type Item;

    /// The places of the connection's parts.
    #[doc(hidden)]
    const PAGING: ConnectionPaging;
}

/// The places of a connection's parts in the data of a document, and the variable of its cursor.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionPaging {
    /// The variable that has the cursor.
    pub(super) variable: &'static str,
    /// JSON Pointer to the connection in the data.
    pub(super) connection: &'static str,
    /// JSON Pointer to the list in the connection.
    pub(super) list: &'static str,
    /// JSON Pointer to the node in an element of the list; empty if the element is the node.
    pub(super) node: &'static str,
    /// JSON Pointer to the flag in the connection: `true` if there is another page.
    pub(super) more: &'static str,
    /// JSON Pointer to the cursor of that page in the connection.
    pub(super) cursor: &'static str,
    /// The pages are read from the last one to the first one.
    pub(super) backward: bool,
}

impl ConnectionPaging {
    /// Describes a connection that is read by `after`. Called by generated code.
    pub const fn forward(variable: &'static str, [connection, list, node, more, cursor]: [&'static str; 5]) -> Self {
        Self { variable, connection, list, node, more, cursor, backward: false }
    }

    /// Describes a connection that is read by `before`. Called by generated code.
    pub const fn backward(variable: &'static str, places: [&'static str; 5]) -> Self {
        Self { backward: true, ..Self::forward(variable, places) }
    }
}

/// Says where the data of a document has its connection.
#[macro_export]
#[doc(hidden)]
macro_rules! __connection {
    ($type:ident {
        item: $item:ty,
        $direction:ident: $variable:literal,
        connection: $connection:literal,
        list: $list:literal,
        node: $node:literal,
        more: $more:literal,
        cursor: $cursor:literal $(,)?
    }) => {
        impl $crate::graphql::ConnectionData for $type {
            type Item = $item;
            const PAGING: $crate::graphql::ConnectionPaging =
                $crate::graphql::ConnectionPaging::$direction($variable, [$connection, $list, $node, $more, $cursor]);
        }
    };
}
