//! Operations whose answers have an entity tag: the contract mentions conditional requests for their item.

use std::collections::BTreeSet;

use super::{Planned, Role};
use crate::contract::{Contract, Location, Operation, Status};

/// Marks the operations on an item or a value if one of them mentions conditional requests. A list has its own mention.
pub(super) fn mark(contract: &Contract, planned: &mut [Planned]) {
    let key = |operation: &Operation, planned: &Planned| match planned.collection.filter(|_| is_of_item(planned.role)) {
        Some(collection) => (Some(collection), String::new()),
        None => (None, operation.template.clone()),
    };
    let mentioned: BTreeSet<_> = contract
        .operations
        .iter()
        .zip(planned.iter())
        .filter(|(operation, _)| mentions(operation))
        .map(|(operation, planned)| key(operation, planned))
        .collect();
    for (operation, planned) in contract.operations.iter().zip(planned) {
        planned.has_tag = mentioned.contains(&key(operation, planned));
    }
}

fn is_of_item(role: Role) -> bool {
    match role {
        Role::Create
        | Role::Read
        | Role::Replace
        | Role::Patch
        | Role::Delete
        | Role::Act
        | Role::SingleRead
        | Role::Download => true,
        Role::List | Role::Search | Role::Count | Role::Clear | Role::SingleReplace | Role::SinglePatch => false,
        Role::SingleDelete | Role::Computed | Role::Upload | Role::Other => false,
    }
}

fn mentions(operation: &Operation) -> bool {
    let is_condition = |name: &str| ["if-match", "if-none-match"].iter().any(|own| name.eq_ignore_ascii_case(own));
    let mut parameters = operation.parameters.iter();
    parameters.any(|parameter| parameter.location == Location::Header && is_condition(&parameter.name))
        || operation.responses.iter().any(|response| {
            [Status::Exact(304), Status::Exact(412)].contains(&response.status)
                || response.headers.iter().any(|header| header.name.eq_ignore_ascii_case("etag"))
        })
}
