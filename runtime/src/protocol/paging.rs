//! How an operation comes in pages, as the configuration binds it.

/// How an operation comes in pages: where the items of a page are, and what leads to the next page. Parameters are named by their
/// positions in `Operation::parameters`.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    /// Where the list of items lies in the body: a JSON pointer (RFC 6901), empty where the body is the list.
    pub items: &'static str,
    /// The place that says how many items all pages have: a JSON pointer. Nothing is asked for beyond them.
    pub total: Option<&'static str>,
    /// What leads to the next page.
    pub next: NextPage,
}

/// What leads to the next page.
#[derive(Clone, Copy, Debug)]
pub enum NextPage {
    /// As many items are skipped as were read, by this parameter. A page without items is the last one: a service may give fewer
    /// than it was asked for.
    Offset {
        /// The parameter that takes how many are skipped.
        parameter: usize,
    },
    /// The number of the page, by this parameter. A page without items is the last one.
    Number {
        /// The parameter that takes the number.
        parameter: usize,
        /// The number of the first page.
        first: u64,
    },
    /// What the body names at a pointer, by this parameter. A page that names nothing is the last one.
    Cursor {
        /// The parameter that takes the cursor.
        parameter: usize,
        /// A JSON pointer (RFC 6901) to the cursor in the body.
        pointer: &'static str,
    },
    /// What a header names, by this parameter. A page that names nothing is the last one.
    Header {
        /// The parameter that takes the cursor.
        parameter: usize,
        /// The name of the header.
        name: &'static str,
    },
    /// The address that the header `Link` names as `next` (RFC 8288). A page without one is the last one.
    Link,
}
