//! The pagination of an operation, as the configuration binds it.

/// The pagination of an operation: the position of the items in a page, the way to the next page, and the signs of the
/// last one. Parameters are given by their positions in `Operation::parameters`.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    pub(crate) items: &'static str,
    pub(crate) next: NextPage,
    pub(crate) total: Option<PagePlace>,
    pub(crate) pages: Option<PagePlace>,
    pub(crate) more: Option<&'static str>,
    pub(crate) member: Option<&'static str>,
}

impl Paging {
    /// `items` is the JSON Pointer (RFC 6901) to the list of items in the body; empty if the body is the list.
    pub const fn new(items: &'static str, next: NextPage) -> Self {
        Self { items, next, total: None, pages: None, more: None, member: None }
    }

    /// Sets the place of the number of items in all pages. No page is requested beyond them.
    pub const fn total(self, place: PagePlace) -> Self {
        Self { total: Some(place), ..self }
    }

    /// Sets the place of the number of pages. No page is requested beyond them.
    pub const fn pages(self, place: PagePlace) -> Self {
        Self { pages: Some(place), ..self }
    }

    /// Sets the JSON Pointer (RFC 6901) to a flag in the body: `false` on the last page.
    pub const fn more(self, pointer: &'static str) -> Self {
        Self { more: Some(pointer), ..self }
    }

    /// Sets the JSON Pointer (RFC 6901) to the member of the request's JSON body that takes the offset, the number or the
    /// cursor. The position of the parameter then is ignored.
    pub const fn in_body(self, pointer: &'static str) -> Self {
        Self { member: Some(pointer), ..self }
    }
}

/// The place of a number in a page.
#[derive(Clone, Copy, Debug)]
pub enum PagePlace {
    /// A JSON Pointer (RFC 6901) into the body.
    Body(&'static str),
    /// The name of a header.
    Header(&'static str),
}

/// The way to the next page.
#[derive(Clone, Copy, Debug)]
pub enum NextPage {
    /// This parameter skips as many items as were read. A page without items is the last one: a service may return
    /// fewer than it was asked for.
    Offset {
        /// The parameter with the number of skipped items.
        parameter: usize,
        /// Its value for the first item.
        first: u64,
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
    /// This parameter identifies the last item of the page before. A page without items is the last one.
    Item {
        /// The parameter with the identifier.
        parameter: usize,
        /// The JSON Pointer (RFC 6901) to the identifier in an item.
        pointer: &'static str,
    },
    /// The target of the header `Link` with the relation `next` (RFC 8288). A page without one is the last one.
    Link,
    /// The address of the next page in the body. A page without one is the last one.
    Address {
        /// The JSON Pointer (RFC 6901) to the address.
        pointer: &'static str,
    },
}
