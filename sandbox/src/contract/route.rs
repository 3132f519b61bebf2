//! Finds the operation that a method and path belong to.

use driftless_sandbox::host::Destination;
use driftless_sandbox_control::{OperationFacts, Operations};
use http::Method;
use percent_encoding::percent_decode_str;

use super::Contract;
use super::operation::Operation;

/// An operation and the values of its path parameters.
#[derive(Debug)]
pub(crate) struct RoutedOperation {
    pub(crate) operation: &'static Operation,
    pub(crate) arguments: Vec<(String, String)>,
}

/// The operation, or the other methods that the path has.
pub(crate) fn find(contract: &'static Contract, method: &Method, path: &str) -> Result<RoutedOperation, Vec<Method>> {
    // Addresses of resources have text alone, without a slash at the end.
    if path.ends_with('/') || percent_decode_str(path).decode_utf8().is_err() {
        return Err(Vec::new());
    }
    match contract.document.checks.route(method, path) {
        Destination::Operation(template, arguments) => {
            let operation = contract.operation(method, template).ok_or_else(Vec::new)?;
            Ok(RoutedOperation { operation, arguments })
        }
        Destination::OtherMethods(methods) => Err(methods),
        Destination::Unknown => Err(Vec::new()),
    }
}

/// The path of the operation that a method and path match.
pub(crate) fn template(contract: &'static Contract, method: &Method, path: &str) -> Option<&'static str> {
    find(contract, method, path).ok().map(|routed| routed.operation.path)
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
        let operation = self.operation(&method.parse().ok()?, template)?;
        let provenance = operation.provenance().to_owned();
        Some(OperationFacts { summary: Some(operation.summary().to_owned()), provenance })
    }

    fn has_outcomes(&self) -> bool {
        true
    }
}
