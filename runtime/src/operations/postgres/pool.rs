//! The connections of a store.

use std::sync::Arc;

use deadpool::managed::{self, Metrics, Object, PoolError, RecycleError, RecycleResult};

use super::{
    connection::{Connection, PATIENCE, Source},
    failure::silent,
    schema,
};
use crate::error::{Error, Kind};

/// Opens connections, each to the same store as the others.
pub(super) struct Maker(Arc<Source>);

impl managed::Manager for Maker {
    type Type = Connection;
    type Error = Error;

    async fn create(&self) -> Result<Connection, Error> {
        let mut connection = self.0.connect().await?;
        schema::check(&mut connection, &self.0.known).await?;
        Ok(connection)
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Error> {
        if !connection.is_usable() {
            return Err(RecycleError::message("it broke, or a step on it was given up"));
        }
        Ok(())
    }
}

/// The connections of a store.
pub(super) struct Pool(managed::Pool<Maker>);

impl Pool {
    pub(super) fn new(source: &Arc<Source>, size: usize) -> Result<Self, Error> {
        let pool = managed::Pool::builder(Maker(Arc::clone(source)))
            .max_size(size.max(1))
            .runtime(deadpool::Runtime::Tokio1)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .build();
        pool.map(Self).map_err(|cause| {
            Error::with(Kind::Configuration, format!("no connections can be pooled: {cause}")).hint("report this")
        })
    }

    pub(super) async fn get(&self) -> Result<Object<Maker>, Error> {
        self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            _ => silent(),
        })
    }
}
