//! Finds the operation that a method and path belong to.

use driftless_sandbox_control::{OperationFacts, Operations};
use http::Method;
use percent_encoding::percent_decode_str;

use super::Contract;
use super::operation::Operation;

/// The result of matching a path and method.
#[derive(Debug)]
pub(crate) enum Match {
    Found(RoutedOperation),
    /// The path exists; these are its methods.
    OtherMethods(String),
    Missing,
}

/// An operation and the raw values of its path parameters.
#[derive(Debug)]
pub(crate) struct RoutedOperation {
    pub(crate) operation: &'static Operation,
    pub(crate) arguments: Vec<(&'static str, String)>,
}

pub(crate) fn find(contract: &'static Contract, method: &Method, path: &str) -> Match {
    let Some(segments) = path.split('/').map(decoded).collect::<Option<Vec<_>>>() else {
        return Match::Missing;
    };
    // If two templates match, the one with fewer parameters wins.
    let mut fitting: Vec<RoutedOperation> = contract
        .operations
        .iter()
        .filter_map(|operation| Some(RoutedOperation { operation, arguments: arguments(operation.path, &segments)? }))
        .collect();
    fitting.sort_by_key(|candidate| candidate.arguments.len());
    let best = fitting.first().map(|candidate| candidate.operation.path);
    fitting.retain(|candidate| best == Some(candidate.operation.path));
    if fitting.is_empty() {
        return Match::Missing;
    }
    let methods: Vec<&str> = fitting.iter().map(|candidate| candidate.operation.method.as_str()).collect();
    let methods = methods.join(", ");
    match fitting.into_iter().find(|candidate| candidate.operation.method == *method) {
        Some(candidate) => Match::Found(candidate),
        None => Match::OtherMethods(methods),
    }
}

/// The path of the operation that a method and path match.
pub(crate) fn template(contract: &'static Contract, method: &Method, path: &str) -> Option<&'static str> {
    match find(contract, method, path) {
        Match::Found(candidate) => Some(candidate.operation.path),
        _ => None,
    }
}

impl Operations for &'static Contract {
    fn template(&self, method: &Method, path: &str) -> Option<String> {
        template(self, method, path).map(str::to_owned)
    }

    fn methods(&self, template: &str) -> Vec<String> {
        let of_path = self.operations.iter().filter(|operation| operation.path == template);
        of_path.map(|operation| operation.method.to_string()).collect()
    }

    fn facts(&self, method: &str, template: &str) -> Option<OperationFacts> {
        let mut all = self.operations.iter();
        let operation = all.find(|operation| operation.path == template && operation.method.as_str() == method)?;
        let provenance = operation.provenance().to_owned();
        Some(OperationFacts { summary: Some(operation.summary().to_owned()), provenance })
    }

    fn has_outcomes(&self) -> bool {
        true
    }
}

fn decoded(segment: &str) -> Option<String> {
    Some(percent_decode_str(segment).decode_utf8().ok()?.into_owned())
}

fn arguments(template: &'static str, segments: &[String]) -> Option<Vec<(&'static str, String)>> {
    if template.split('/').count() != segments.len() {
        return None;
    }
    let mut arguments = Vec::new();
    for (part, segment) in template.split('/').zip(segments) {
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(_) if segment.is_empty() => return None,
            Some(name) => arguments.push((name, segment.clone())),
            None if part == segment => {}
            None => return None,
        }
    }
    Some(arguments)
}
