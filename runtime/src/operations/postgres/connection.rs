//! Connections, and what they have prepared.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

use deadpool::managed::{self, Metrics, Object, PoolError, RecycleError, RecycleResult};
use secrecy::ExposeSecret as _;
use tokio::task::AbortHandle;
use tokio_postgres::{Client, Config, Row, Statement, types::ToSql};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    failure::{failed, silent},
    schema::{self, Known},
};
use crate::{
    auth::SecretSource,
    error::{Error, Kind},
};

/// How long a step waits for the database.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

type Values<'a> = &'a [&'a (dyn ToSql + Sync)];
type Raw<S, T> = tokio_postgres::Connection<S, T>;

/// How connections are made.
pub(super) struct Source {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
    pub(super) password: Option<Arc<dyn SecretSource>>,
    /// The name of the schema, in quotes.
    pub(super) schema: String,
    /// Which store it is. Every connection has to lead to this one.
    pub(super) known: OnceLock<Known>,
}

impl Source {
    /// A connection that nobody works on yet, with the password as it is now.
    pub(super) async fn raw(
        &self,
    ) -> Result<
        (
            Client,
            Raw<
                tokio_postgres::Socket,
                <MakeRustlsConnect as tokio_postgres::tls::MakeTlsConnect<tokio_postgres::Socket>>::Stream,
            >,
        ),
        Error,
    > {
        let mut config = self.config.clone();
        if let Some(source) = self.password.clone() {
            let secret = tokio::task::spawn_blocking(move || source.read()).await.unwrap_or_else(|_| {
                Err(Error::of(Kind::Secret, "the secret's source ended without an answer")
                    .hint("see whether it panics"))
            })?;
            config.password(secret.expose_secret());
        }
        config.connect(self.tls.clone()).await.map_err(|cause| failed("connect", cause))
    }

    /// A connection whose schema nobody has looked at.
    pub(super) async fn connect(self: &Arc<Self>) -> Result<Connection, Error> {
        let (client, driver) = self.raw().await?;
        let task = tokio::spawn(async move {
            if let Err(cause) = driver.await {
                tracing::debug!(error = %cause, "a connection to the database ended");
            }
        });
        Ok(Connection {
            client,
            task: task.abort_handle(),
            source: Arc::clone(self),
            statements: HashMap::new(),
            busy: false,
        })
    }
}

/// A connection, with the statements that were prepared on it.
pub(super) struct Connection {
    client: Client,
    task: AbortHandle,
    source: Arc<Source>,
    statements: HashMap<&'static str, Statement>,
    /// A step is under way, or was given up half-way: then the connection is not used again.
    busy: bool,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A statement of this crate with the name of the schema in it.
pub(super) fn named(sql: &str, schema: &str) -> String {
    sql.replace("@.", &format!("{schema}."))
}

impl Connection {
    /// The name of the schema, in quotes.
    pub(super) fn schema(&self) -> &str {
        &self.source.schema
    }

    /// A transaction of somebody else's. The connection is used again only where its end is told by [`Self::is_whole`].
    pub(super) async fn begin(&mut self) -> Result<tokio_postgres::Transaction<'_>, tokio_postgres::Error> {
        self.busy = true;
        self.client.transaction().await
    }

    pub(super) fn is_whole(&mut self) {
        self.busy = false;
    }

    async fn prepared(&mut self, action: &str, sql: &'static str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let text = named(sql, &self.source.schema);
        let statement = self.client.prepare(&text).await.map_err(|cause| failed(action, cause))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    pub(super) async fn query(
        &mut self,
        action: &str,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, Error> {
        self.busy = true;
        let statement = self.prepared(action, sql).await?;
        let rows = self.client.query(&statement, values).await.map_err(|cause| failed(action, cause))?;
        self.busy = false;
        Ok(rows)
    }

    pub(super) async fn query_opt(
        &mut self,
        action: &str,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Option<Row>, Error> {
        Ok(self.query(action, sql, values).await?.into_iter().next())
    }

    pub(super) async fn execute(&mut self, action: &str, sql: &'static str, values: Values<'_>) -> Result<u64, Error> {
        self.busy = true;
        let statement = self.prepared(action, sql).await?;
        let count = self.client.execute(&statement, values).await.map_err(|cause| failed(action, cause))?;
        self.busy = false;
        Ok(count)
    }

    pub(super) async fn batch(&mut self, action: &str, sql: &str) -> Result<(), Error> {
        self.busy = true;
        self.client.batch_execute(&named(sql, &self.source.schema)).await.map_err(|cause| failed(action, cause))?;
        self.busy = false;
        Ok(())
    }

    /// A transaction. Dropped without a commit, it leaves nothing, and its connection is not used again.
    pub(super) async fn transaction(&mut self, action: &str) -> Result<Change<'_>, Error> {
        self.batch(action, "BEGIN").await?;
        self.busy = true;
        Ok(Change(self))
    }
}

/// A transaction of a few steps.
pub(super) struct Change<'a>(&'a mut Connection);

impl Change<'_> {
    pub(super) async fn query_opt(
        &mut self,
        action: &str,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Option<Row>, Error> {
        let row = self.0.query_opt(action, sql, values).await;
        self.0.busy = true;
        row
    }

    pub(super) async fn execute(&mut self, action: &str, sql: &'static str, values: Values<'_>) -> Result<u64, Error> {
        let count = self.0.execute(action, sql, values).await;
        self.0.busy = true;
        count
    }

    pub(super) async fn batch(&mut self, action: &str, sql: &str) -> Result<(), Error> {
        let done = self.0.batch(action, sql).await;
        self.0.busy = true;
        done
    }

    pub(super) async fn commit(self, action: &str) -> Result<(), Error> {
        self.0.batch(action, "COMMIT").await
    }
}

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
        if connection.busy || connection.client.is_closed() {
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
            Error::of(Kind::Configuration, format!("no connections can be pooled: {cause}")).hint("report this")
        })
    }

    pub(super) async fn get(&self) -> Result<Object<Maker>, Error> {
        self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            _ => silent(),
        })
    }
}
