//! Client databases: connections, their schema, and operations on them.

use platform_client::types::{
    CreateBackup, DatabaseEngine, DatabaseQuery, ImportConnectionRequest, QueryConnectionResponse, WorkflowState,
};
use platform_client::{Upload, Uuid};

use super::text;
use crate::support::{client, sandbox};

#[tokio::test]
async fn a_connection_and_its_schema_are_read() {
    let (sandbox, secrets, platform) = sandbox().await;
    let id = sandbox.team().connection_id;
    let databases = platform.client_db();
    let connection = databases.get_connection(id).await.unwrap();
    assert_eq!((connection.id, connection.engine), (Some(id), Some(DatabaseEngine::PostgreSql)));
    assert_eq!((connection.host.as_deref(), connection.port), (Some("db.example"), Some(5432)));
    assert_eq!(databases.list_connections().await.unwrap(), [connection]);

    let schema = databases.get_connection_schema(id).await.unwrap();
    let table = databases.get_connection_schema_table(id, "customers").await.unwrap();
    assert_eq!((table.row_estimate, table.columns.as_ref().map(Vec::len)), (Some(128), Some(2)));
    assert_eq!((schema.id, schema.tables), (Some(id), Some(vec![table])));
    assert!(databases.get_connection_schema_table(id, "nothing").await.unwrap_err().is_not_found());

    let stranger = client(&sandbox, secrets.path(), 1);
    assert!(stranger.client_db().get_connection(id).await.unwrap_err().is_not_found());
    assert!(stranger.client_db().get_connection_schema(id).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn statements_backups_and_dumps() {
    let (sandbox, _secrets, platform) = sandbox().await;
    sandbox.clock().hold();
    let id = sandbox.team().connection_id;
    let databases = platform.client_db();
    let query = |statement: &str| DatabaseQuery::new(statement.to_owned()).limit(10);
    let rows = databases.query_connection(id, &query("select 1")).await.unwrap();
    let QueryConnectionResponse::Ok(rows) = rows else { panic!("{rows:?}") };
    assert_eq!(rows.is_truncated, Some(false));
    assert!(databases.query_connection(id, &query("")).await.unwrap_err().is_bad_request());

    let backup = CreateBackup::default().label(text("nightly")).retain_days(7);
    let accepted = databases.create_connection_backup(id, &backup).await.unwrap();
    assert_eq!(accepted.state, Some(WorkflowState::Value0));
    let form = || ImportConnectionRequest::new(Upload::bytes("--").file_name("dump.sql")).truncate(false);
    let imported = databases.import_connection(id, form()).await.unwrap();
    assert!(imported.id.is_some() && imported.id != accepted.id);
    let exported = databases.export_connection(id).await.unwrap().bytes().await.unwrap();
    assert!(String::from_utf8_lossy(&exported).contains(&id.to_string()));

    let missing = Uuid::from_u128(1);
    assert!(databases.create_connection_backup(missing, &backup).await.unwrap_err().is_not_found());
    assert!(databases.import_connection(missing, form()).await.unwrap_err().is_not_found());
    assert!(databases.export_connection(missing).await.unwrap_err().is_not_found());
}
