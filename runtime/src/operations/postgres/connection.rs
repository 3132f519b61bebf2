//! One connection, and its prepared statements.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::BytesMut;
use secrecy::ExposeSecret as _;
use tokio::task::AbortHandle;
use tokio_postgres::{
    Client, Config, Row, Statement,
    types::{Format, IsNull, ToSql, Type},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::failure::failed;
use crate::{
    auth::SecretSource,
    error::{Error, Kind},
};

/// The time limit of a step.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

type Values<'a> = &'a [&'a (dyn ToSql + Sync)];
type Raw<S, T> = tokio_postgres::Connection<S, T>;

/// The identity of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known(pub(super) String);

/// The settings of connections.
pub(super) struct Source {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
    pub(super) password: Option<Arc<dyn SecretSource>>,
    /// The quoted name of the schema.
    pub(super) schema: String,
    /// The identity of the store. Every connection has to lead to this one.
    pub(super) known: OnceLock<Known>,
}

impl Source {
    /// Opens a connection that is not used yet, with the current password.
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
                Err(Error::with(Kind::Secret, "the secret's source ended without an answer")
                    .hint("check whether it panics"))
            })?;
            config.password(secret.expose_secret());
        }
        config.connect(self.tls.clone()).await.map_err(|cause| failed("connect", cause))
    }

    /// Opens a connection whose schema is not checked yet.
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

/// A connection, with its prepared statements.
pub(super) struct Connection {
    client: Client,
    task: AbortHandle,
    source: Arc<Source>,
    statements: HashMap<&'static str, Statement>,
    /// A step is in progress, or was given up half-way: then the connection is not used again.
    busy: bool,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A statement of this crate, with the name of the schema.
pub(super) fn named(sql: &str, schema: &str) -> String {
    sql.replace("@.", &format!("{schema}."))
}

impl Connection {
    /// The quoted name of the schema.
    pub(super) fn schema(&self) -> &str {
        &self.source.schema
    }

    /// A transaction for the caller. The connection is used again only if [`Self::is_whole`] confirms its end.
    pub(super) async fn begin(&mut self) -> Result<tokio_postgres::Transaction<'_>, tokio_postgres::Error> {
        self.busy = true;
        self.client.transaction().await
    }

    pub(super) fn is_whole(&mut self) {
        self.busy = false;
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.busy && !self.client.is_closed()
    }

    /// Begins a step: until [`Self::done`] takes its result, the connection counts as busy.
    async fn step(&mut self, action: &str, sql: &'static str) -> Result<Statement, Error> {
        self.busy = true;
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let text = named(sql, &self.source.schema);
        let statement = self.client.prepare(&text).await.map_err(|cause| failed(action, cause))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    fn done<T>(&mut self, action: &str, result: Result<T, tokio_postgres::Error>) -> Result<T, Error> {
        let value = result.map_err(|cause| failed(action, cause))?;
        self.busy = false;
        Ok(value)
    }

    pub(super) async fn query(
        &mut self,
        action: &str,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, Error> {
        let statement = self.step(action, sql).await?;
        let values: Vec<Hidden<'_>> = values.iter().map(Hidden).collect();
        let rows = self.client.query(&statement, &hidden(&values)).await;
        self.done(action, rows)
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
        let statement = self.step(action, sql).await?;
        let values: Vec<Hidden<'_>> = values.iter().map(Hidden).collect();
        let count = self.client.execute(&statement, &hidden(&values)).await;
        self.done(action, count)
    }

    pub(super) async fn batch(&mut self, action: &str, sql: &str) -> Result<(), Error> {
        self.busy = true;
        let done = self.client.batch_execute(&named(sql, &self.source.schema)).await;
        self.done(action, done)
    }

    /// A transaction. Dropped without a commit, it leaves nothing, and its connection is not used again.
    pub(super) async fn transaction(&mut self, action: &str) -> Result<Change<'_>, Error> {
        self.batch(action, "BEGIN").await?;
        self.busy = true;
        Ok(Change(self))
    }
}

/// A parameter whose Debug prints nothing: tokio-postgres records the parameters of each statement through `log`.
pub(super) struct Hidden<'a>(pub(super) &'a &'a (dyn ToSql + Sync));

/// Converts parameters to the driver's type.
pub(super) fn hidden<'a>(values: &'a [Hidden<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl fmt::Debug for Hidden<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("REDACTED")
    }
}

impl ToSql for Hidden<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.to_sql_checked(ty, out)
    }

    /// The value itself checks its type when it is written.
    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.0.to_sql_checked(ty, out)
    }

    fn encode_format(&self, ty: &Type) -> Format {
        self.0.encode_format(ty)
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
