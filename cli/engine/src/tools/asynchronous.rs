//! Asynchronous operations as tools: submitted through the store of the program, and watched by their references.

use driftless_runtime::operations::{self, Observation, OperationOutcome};
use driftless_runtime::{Bytes, Call, Submission};
use serde_json::Value as Json;

use super::TableTools;
use crate::describe::fixed;
use crate::failure::{Exit, Failure, failure};
use crate::mcp::{OperationState, Report, ToolAnswer, ToolBody};
use crate::work;

/// Submits a call of an operation that is bound as asynchronous.
pub(super) async fn submit(tools: &TableTools, call: Call<'_, Bytes>, kind: &str) -> Result<ToolAnswer, Failure> {
    let operations = operations(tools)?;
    let submission = Submission::from_call(call, fixed(kind.to_owned()));
    let operation = submission.submit(operations).await.map_err(|error| failure(&error))?;
    let accepted = operation.accepted::<Json>().unwrap_or(Json::Null);
    let reference = operation.reference().correlation().to_owned();
    Ok(ToolAnswer { status: 202, body: ToolBody::Json(accepted), reference: Some(reference) })
}

/// The store, which is opened once. An operation of another server is not bound.
fn operations(tools: &TableTools) -> Result<&operations::Operations, Failure> {
    if let Some(operations) = tools.operations.get() {
        return Ok(operations);
    }
    let operations = work::operations(&tools.program, tools.table, &tools.client)?;
    Ok(tools.operations.get_or_init(|| operations))
}

async fn operation(tools: &TableTools, reference: &str) -> Result<operations::Operation, Failure> {
    let operations = operations(tools)?;
    let entry = work::entry(&tools.program, operations, reference).await?;
    operations.resume(&entry).map_err(|error| failure(&error))
}

/// Asks the service for the state.
pub(super) async fn state(tools: &TableTools, reference: &str) -> Result<OperationState, Failure> {
    let operation = operation(tools, reference).await?;
    operation.poll().await.map(|observation| observed(&observation)).map_err(|error| failure(&error))
}

/// Reports states until the last one.
pub(super) async fn wait(tools: &TableTools, reference: &str, report: &Report<'_>) -> Result<OperationState, Failure> {
    let operation = operation(tools, reference).await?;
    let mut watch = operation.watch();
    let mut last = None;
    while let Some(observation) = watch.next().await {
        let state = observed(&observation.map_err(|error| failure(&error))?);
        report(&state);
        last = Some(state);
    }
    let outcome = watch.outcome();
    if let Some(outcome) = outcome.as_ref().filter(|outcome| outcome.is_final()) {
        operation.finish(outcome).await.map_err(|error| failure(&error))?;
    }
    let missing = || Failure::new(Exit::Unknown, "the state of the operation is unknown", "ask again");
    let mut last = last.ok_or_else(missing)?;
    last.is_final = outcome.as_ref().is_some_and(OperationOutcome::is_final);
    last.is_success = outcome.as_ref().is_some_and(OperationOutcome::is_success);
    Ok(last)
}

/// Asks the service to cancel it.
pub(super) async fn cancel(tools: &TableTools, reference: &str) -> Result<OperationState, Failure> {
    let operation = operation(tools, reference).await?;
    operation.cancel().await.map_err(|error| failure(&error))?;
    operation.poll().await.map(|observation| observed(&observation)).map_err(|error| failure(&error))
}

fn observed(observation: &Observation) -> OperationState {
    let state = observation.state();
    OperationState {
        state: work::progress(observation),
        message: String::new(),
        share: None,
        is_final: state.is_final(),
        is_success: state == operations::OperationState::Succeeded,
        result: None,
    }
}
