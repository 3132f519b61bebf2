//! Subscriptions. They report changes from now on; use a query for the present state.

use std::sync::Arc;

use async_graphql::{Context, Error, ID, Result, Subscription as Root};
use futures_util::{Stream, stream};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

use super::model::OperationChange;
use super::query::read;
use crate::caller::Caller;
use crate::state::Store;
use crate::workflow::Notice;

/// The root of the subscriptions.
#[derive(Debug)]
pub(crate) struct Subscription;

/// Assumed: the platform document shows no subscription.
#[Root]
impl Subscription {
    /// Assumed: each change of one operation, from now on. It completes after the last one.
    async fn operation_changed(
        &self,
        context: &Context<'_>,
        id: ID,
    ) -> Result<impl Stream<Item = Result<OperationChange>> + use<>> {
        // Subscribes before reading the state, so that no change between the two is missed.
        let receiver = context.data::<Arc<Store>>()?.hub().subscribe();
        let missing = || Error::new("The operation does not exist or is not visible to the caller.");
        let id = Uuid::try_parse(&id).map_err(|_no_guid| missing())?;
        let is_over = read(context, |view| view.workflow(id).map(crate::workflow::Workflow::is_over))?;
        let begin = (!is_over.ok_or_else(missing)?).then_some(receiver);
        Ok(stream::unfold(begin, move |receiver| next_of(receiver, id)))
    }

    /// Assumed: each change of the operations that are visible to the caller, from now on: that one is accepted, and what happens to
    /// it.
    async fn operations_changed(
        &self,
        context: &Context<'_>,
    ) -> Result<impl Stream<Item = Result<OperationChange>> + use<>> {
        let store = Arc::clone(context.data::<Arc<Store>>()?);
        let caller = Arc::clone(context.data::<Arc<Caller>>()?);
        let receiver = store.hub().subscribe();
        Ok(stream::unfold(Some((receiver, store, caller)), next_visible))
    }
}

/// The next result, and the state of the stream, which has ended without one.
type Next<T> = Option<(Result<OperationChange>, Option<T>)>;

async fn next_of(receiver: Option<Receiver<Notice>>, id: Uuid) -> Next<Receiver<Notice>> {
    let mut receiver = receiver?;
    loop {
        let notice = match next(&mut receiver).await? {
            Ok(notice) => notice,
            Err(error) => return Some((Err(error), None)),
        };
        if notice.workflow.id == id {
            let more = !notice.workflow.is_over();
            return Some((Ok(OperationChange::from(&notice)), more.then_some(receiver)));
        }
    }
}

type Listener = (Receiver<Notice>, Arc<Store>, Arc<Caller>);

async fn next_visible(listener: Option<Listener>) -> Next<Listener> {
    let (mut receiver, store, caller) = listener?;
    loop {
        let notice = match next(&mut receiver).await? {
            Ok(notice) => notice,
            Err(error) => return Some((Err(error), None)),
        };
        let visible = store.with(&caller, |view| view.sees_workflow(&notice.workflow));
        if visible.unwrap_or_default() {
            return Some((Ok(OperationChange::from(&notice)), Some((receiver, store, caller))));
        }
    }
}

/// The next notice. For a receiver that lags behind, notices are lost: its subscription ends with an error.
async fn next(receiver: &mut Receiver<Notice>) -> Option<Result<Notice>> {
    match receiver.recv().await {
        Ok(notice) => Some(Ok(notice)),
        Err(RecvError::Lagged(count)) => {
            let hint = "subscribe again, and query the present state";
            Some(Err(Error::new(format!("The subscriber is too slow, and {count} events are lost: {hint}."))))
        }
        Err(RecvError::Closed) => None,
    }
}
