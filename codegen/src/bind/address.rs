//! Operations that an address in a header identifies.

use super::Bound;
use crate::model::{Location, Model, Parameter};

/// The first segment of a path in which a parameter has text beside it.
pub(super) fn mixed(path: &str) -> Option<&str> {
    let is_parameter = |segment: &str| {
        let name = segment.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
        name.is_some_and(|name| !name.contains(['{', '}']))
    };
    path.split('/').find(|segment| segment.contains(['{', '}']) && !is_parameter(segment))
}

/// The path of the operation that shows another, as the runtime fills it. If the address of a header identifies the operation, the
/// required parameters of the query are taken from that address, too: no call of a program gives them.
pub(crate) fn watched_path(model: &Model, bound: &Bound<'_>) -> Option<String> {
    let operation = &model.operations[bound.watch?];
    let mut target = operation.target();
    if bound.settings.watch.as_ref()?.header.is_some() {
        let in_path = super::names(&operation.path);
        let is_taken = |parameter: &&Parameter| {
            parameter.location == Location::Query
                && parameter.required
                && parameter.wire.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.$".contains(letter))
                && !in_path.contains(&parameter.wire)
        };
        for parameter in operation.parameters.iter().chain(&operation.api_version).filter(is_taken) {
            target.push(if target.contains('?') { '&' } else { '?' });
            target.push_str(&format!("{0}={{{0}}}", parameter.wire));
        }
    }
    Some(target)
}
