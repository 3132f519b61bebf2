//! Operations that an address in a header identifies.

use super::Bound;
use crate::model::{Location, Model, Operation, Parameter};

/// The first segment of a path in which a parameter has text beside it.
pub(super) fn mixed(path: &str) -> Option<&str> {
    let is_parameter = |segment: &str| {
        let name = segment.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
        name.is_some_and(|name| !name.contains(['{', '}']))
    };
    path.split('/').find(|segment| segment.contains(['{', '}']) && !is_parameter(segment))
}

/// Returns whether the name of a parameter can stand in a template of a query.
fn is_plain(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.$".contains(letter))
}

/// The required parameter of an operation that no address carries to the request: one of a header, or of the query with an
/// unusual name.
pub(super) fn left_over(operation: &Operation) -> Option<&Parameter> {
    operation.parameters.iter().find(|parameter| match parameter.location {
        Location::Query => parameter.required && !is_plain(&parameter.wire),
        Location::Header | Location::Cookie => parameter.required,
        Location::Path => false,
    })
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
                && is_plain(&parameter.wire)
                && !in_path.contains(&parameter.wire)
        };
        for parameter in operation.parameters.iter().chain(&operation.api_version).filter(is_taken) {
            target.push(if target.contains('?') { '&' } else { '?' });
            target.push_str(&format!("{0}={{{0}}}", parameter.wire));
        }
    }
    Some(target)
}
