//! Without the feature `operations`, no tool starts work that could be asked for by a reference.

use super::TableTools;
use crate::failure::Failure;
use crate::mcp::{OperationState, Report};

fn none() -> Failure {
    Failure::usage("this program keeps no asynchronous operations", "read the resource that the operation changes")
}

pub(super) async fn state(_: &TableTools, _: &str) -> Result<OperationState, Failure> {
    Err(none())
}

pub(super) async fn wait(_: &TableTools, _: &str, _: &Report<'_>) -> Result<OperationState, Failure> {
    Err(none())
}

pub(super) async fn cancel(_: &TableTools, _: &str) -> Result<OperationState, Failure> {
    Err(none())
}
