//! The transaction of a handler, at whose end its operation is finished.

use std::{pin::Pin, time::Duration};

use tokio_postgres::types::ToSql;

use super::{
    PostgresStore,
    connection::{Hidden, hidden, named},
    failure::failed,
    leases::{FINISH, is_finished_by},
};
use crate::{
    Error, clock,
    operations::{Lease, lease::lost, row::column},
};

/// A transaction on the database of the store. A handler's writes are committed together with the end of its operation,
/// or not at all.
pub type Transaction<'a> = tokio_postgres::Transaction<'a>;

/// The future of a handler in a transaction.
pub type TransactionFuture<'a> =
    Pin<Box<dyn Future<Output = Result<(), Box<dyn std::error::Error + Send + Sync>>> + Send + 'a>>;

/// The reason that nothing was committed.
pub(in crate::operations) enum Undone {
    /// The handler returned an error.
    Handler(Box<dyn std::error::Error + Send + Sync>),
    /// The handler exceeded its time limit.
    Late,
    /// The database failed, or the lease is over.
    Store(Error),
}

impl PostgresStore {
    /// Runs a handler in a transaction, and finishes the operation at its end. The first time is the limit of idling in
    /// the transaction, the second one the handler's time limit.
    pub(in crate::operations) async fn handled_in(
        &self,
        lease: &Lease,
        outcome: &str,
        (idle, whole): (Duration, Duration),
        handler: impl for<'t> FnOnce(&'t Transaction<'t>) -> TransactionFuture<'t> + Send,
    ) -> Result<(), Undone> {
        let mut connection = self.0.handlers.get().await.map_err(Undone::Store)?;
        let schema = connection.schema().to_owned();
        let action = "commit the writes of a handler";
        let stored = |cause| Undone::Store(failed(action, cause));
        let change = connection.begin().await.map_err(stored)?;
        // An instance that stalls in its transaction locks the row: the database ends the transaction, so that another
        // instance can go on. It also ends a statement that never returns, which would keep its locks when its handler
        // is gone.
        let idle = idle.as_millis().clamp(1000, 86_400_000);
        let statement = if whole > clock::LONGEST { 0 } else { whole.as_millis().clamp(1000, 86_400_000) };
        let sql = format!(
            "SET LOCAL idle_in_transaction_session_timeout = {idle}; SET LOCAL statement_timeout = {statement}"
        );
        change.batch_execute(&sql).await.map_err(stored)?;
        match clock::limit(whole, handler(&change)).await {
            Ok(done) => done.map_err(Undone::Handler)?,
            Err(clock::Over) => return Err(Undone::Late),
        }
        let (owner, fence) = (column(lease.instance().number()), column(lease.fence()));
        let sql = named(FINISH, &schema);
        let correlation = lease.correlation();
        let values: [&(dyn ToSql + Sync); 4] = [&correlation, &outcome, &owner, &fence];
        let values = values.each_ref().map(Hidden);
        let finished = change.execute(&sql, &hidden(&values)).await.map_err(stored)?;
        if finished == 0 {
            return Err(Undone::Store(lost()));
        }
        if let Err(cause) = change.commit().await {
            // It may have been committed, and the response lost.
            let done = self.repeat(|_| is_finished_by(&self.0.steps, lease)).await;
            return match done {
                Ok(true) => Ok(()),
                _ => Err(stored(cause)),
            };
        }
        connection.is_whole();
        Ok(())
    }
}
