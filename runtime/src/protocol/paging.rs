//! The pagination of an operation, as the configuration binds it.

/// The pagination of an operation: the position of the items in a page, and the way to the next page. Parameters are
/// given by their positions in `Operation::parameters`.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    /// The JSON Pointer (RFC 6901) to the list of items in the body; empty if the body is the list.
    pub items: &'static str,
    /// The JSON Pointer to the number of items in all pages. No page is requested beyond them.
    pub total: Option<&'static str>,
    /// The way to the next page.
    pub next: NextPage,
}

/// The way to the next page.
#[derive(Clone, Copy, Debug)]
pub enum NextPage {
    /// This parameter skips as many items as were read. A page without items is the last one: a service may return
    /// fewer than it was asked for.
    Offset {
        /// The parameter with the number of skipped items.
        parameter: usize,
    },
    /// This parameter has the page number. A page without items is the last one.
    Number {
        /// The parameter with the number.
        parameter: usize,
        /// The number of the first page.
        first: u64,
    },
    /// This parameter has a cursor from the body. A page without a cursor is the last one.
    Cursor {
        /// The parameter with the cursor.
        parameter: usize,
        /// The JSON Pointer (RFC 6901) to the cursor in the body.
        pointer: &'static str,
    },
    /// This parameter has a cursor from a header. A page without a cursor is the last one.
    Header {
        /// The parameter with the cursor.
        parameter: usize,
        /// The name of the header.
        name: &'static str,
    },
    /// The target of the header `Link` with the relation `next` (RFC 8288). A page without one is the last one.
    Link,
}
