//! The pagination of an operation.

use crate::bind::{Paged, PagedNext, PagedPlace};
use crate::text::code::code;
use crate::text::{Code, literal};

/// The pagination of an operation, as the runtime takes it.
pub(super) fn write(paged: &Paged) -> Code {
    let next = match &paged.next {
        PagedNext::Offset(parameter, first) => {
            code!["Offset { parameter: ", *parameter, ", first: ", *first, " }"]
        }
        PagedNext::Number(parameter, first) => {
            code!["Number { parameter: ", *parameter, ", first: ", *first, " }"]
        }
        PagedNext::Cursor(parameter, pointer) => {
            code!["Cursor { parameter: ", *parameter, ", pointer: ", literal(pointer), " }"]
        }
        PagedNext::Header(parameter, name) => {
            code!["Header { parameter: ", *parameter, ", name: ", literal(name), " }"]
        }
        PagedNext::Item(parameter, pointer) => {
            code!["Item { parameter: ", *parameter, ", pointer: ", literal(pointer), " }"]
        }
        PagedNext::Link => code!["Link"],
        PagedNext::Address(pointer) => code!["Address { pointer: ", literal(pointer), " }"],
    };
    let mut paging = code!["Paging::new(", literal(&paged.items), ", NextPage::", next, ")"];
    for (method, place) in [(".total(", &paged.total), (".pages(", &paged.pages)] {
        match place {
            Some(PagedPlace::Body(pointer)) => {
                paging.push(method).push("PagePlace::Body(").push(literal(pointer)).push("))");
            }
            Some(PagedPlace::Header(name)) => {
                paging.push(method).push("PagePlace::Header(").push(literal(name)).push("))");
            }
            None => {}
        }
    }
    if let Some(pointer) = &paged.more {
        paging.push(".more(").push(literal(pointer)).push(")");
    }
    if let Some(pointer) = &paged.member {
        paging.push(".in_body(").push(literal(pointer)).push(")");
    }
    paging
}
