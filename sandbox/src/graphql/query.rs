//! Queries.

use std::sync::Arc;

use async_graphql::{Context, Error, ID, Object, Result};
use uuid::Uuid;

use super::model::{AsyncOperation, OperationState, Project, Viewer, VirtualMachine};
use crate::caller::Caller;
use crate::state::{Store, View};

const PROJECTS: &str = "/api/projects/v1/projects";
const MACHINES: &str = "/api/virtual-machines";
const MOST: usize = 1000;

/// Every field is nullable or a list, so that missing and invisible objects cannot be told apart.
#[derive(Debug)]
pub(crate) struct Query;

/// Assumed: the platform document shows no query.
#[Object]
impl Query {
    /// Assumed: one operation; null when it does not exist or is not visible to the caller.
    async fn operation(&self, context: &Context<'_>, id: ID) -> Result<Option<AsyncOperation>> {
        let Ok(id) = Uuid::try_parse(&id) else { return Ok(None) };
        read(context, |view| view.workflow(id).map(AsyncOperation::from))
    }

    /// Assumed: the operations that are visible to the caller, newest first.
    async fn operations(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only those in one of these states")] states: Option<Vec<OperationState>>,
        #[graphql(desc = "Only those of this kind")] kind: Option<String>,
        #[graphql(desc = "At most so many; never more than 1000")] first: Option<u32>,
    ) -> Result<Vec<AsyncOperation>> {
        let first = first.and_then(|first| usize::try_from(first).ok()).unwrap_or(MOST).min(MOST);
        read(context, |view| {
            let operations = view.workflows().map(AsyncOperation::from);
            let wanted = operations.filter(|operation| {
                states.as_ref().is_none_or(|states| states.contains(&operation.state))
                    && kind.as_ref().is_none_or(|kind| *kind == operation.kind)
            });
            wanted.take(first).collect()
        })
    }

    /// Assumed: the projects that are visible to the caller.
    async fn projects(&self, context: &Context<'_>) -> Result<Vec<Project>> {
        read(context, |view| view.list(PROJECTS).map(Project::from).collect())
    }

    /// Assumed: one project; null when it does not exist or is not visible to the caller.
    async fn project(&self, context: &Context<'_>, id: ID) -> Result<Option<Project>> {
        read(context, |view| view.get(PROJECTS, &id).map(Project::from))
    }

    /// Assumed: the virtual machines that are visible to the caller.
    async fn virtual_machines(&self, context: &Context<'_>) -> Result<Vec<VirtualMachine>> {
        read(context, |view| view.list(MACHINES).map(VirtualMachine::from).collect())
    }

    /// Assumed: who asks.
    async fn viewer(&self, context: &Context<'_>) -> Result<Viewer> {
        Ok(Viewer::from(context.data::<Arc<Caller>>()?.as_ref()))
    }
}

/// Runs a query on the caller's view of the state.
pub(super) fn read<T>(context: &Context<'_>, run: impl FnOnce(&View<'_>) -> T) -> Result<T> {
    let store = context.data::<Arc<Store>>()?;
    let caller = context.data::<Arc<Caller>>()?;
    store.with(caller, |view| run(&view)).map_err(|error| Error::new(error.to_string()))
}
