//! Operations that a header of the accepted response identifies by an address.

use std::cmp::Reverse;

use super::spelling::{is_same, is_word};
use super::watchable::{Shelf, Watchable};
use crate::model::{Document, Operation, StatusKey};

/// The header with the address, and the way in which the contract says so.
pub(super) struct AddressHeader {
    pub(super) name: String,
    pub(super) reason: String,
}

impl AddressHeader {
    /// Returns whether the header is about operations only. `Location` is the address of any resource.
    pub(super) fn is_about_operations(&self) -> bool {
        !is_word(&self.name, LOCATION)
    }
}

const LOCATION: &str = "location";

/// The headers, as services name them; the first one counts.
const HEADERS: [&str; 3] = ["Operation-Location", "Azure-AsyncOperation", "Location"];

/// The header that a contract declares for a success, or names as the place of the final state.
pub(super) fn header(document: Option<&Document>, operation: &Operation) -> Option<AddressHeader> {
    let declared = HEADERS.into_iter().find_map(|name| {
        let header = operation.answered.iter().find(|header| header.wire.eq_ignore_ascii_case(name))?;
        // The `Location` of a 201 is the address of the new resource.
        let counts =
            |status: &&StatusKey| status.is_success() && (name != "Location" || **status == StatusKey::Code(202));
        let status = header.statuses.iter().find(counts)?;
        let reason = format!("{status} has the header `{}`", header.wire);
        Some(AddressHeader { name: header.wire.clone(), reason })
    });
    declared.or_else(|| {
        let options = document?.published.member(&operation.pointer, "x-ms-long-running-operation-options")?;
        let state = options.get("final-state-via")?.as_str()?;
        let name = HEADERS.into_iter().find(|name| is_same(name, state))?;
        Some(AddressHeader { name: name.to_owned(), reason: format!("`final-state-via` names the header `{name}`") })
    })
}

/// The operation that answers the address: one that shows operations, or what lies below the operation that submits. An address of a
/// contract has no type, so names have to say it.
pub(super) fn watch<'s, 'm>(
    operation: &Operation,
    header: &AddressHeader,
    shelf: &'s Shelf<'m>,
) -> Result<&'s Watchable<'m>, String> {
    let several = || format!("{}, and several operations can show its address", header.reason);
    let of_operations = shelf.of_operations(&operation.document).ok_or_else(several)?;
    // One that lies below the operation may be one of the operations, too.
    let below = shelf.below(operation).filter(|one| !of_operations.iter().any(|other| std::ptr::eq(*one, *other)));
    let mut candidates: Vec<(bool, usize, &Watchable<'m>)> = below
        .chain(of_operations.iter().copied())
        .map(|one| {
            let is_first = header.is_about_operations() == one.shows_operations();
            (is_first, common(one.collection, &operation.path), one)
        })
        .collect();
    candidates.sort_by_key(|(is_first, common, _)| Reverse((*is_first, *common)));
    match candidates.as_slice() {
        [] => Err(format!(
            "{}, the address of its state, and no GET of the contract shows operations with a state whose values have usual names",
            header.reason
        )),
        [(first, common, _), (other_first, other_common, _), ..] if (first, common) == (other_first, other_common) => {
            Err(several())
        }
        [(.., watch), ..] => Ok(watch),
    }
}

/// The number of segments with which both paths begin.
fn common(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}
